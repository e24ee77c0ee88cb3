"""What a run is given, and what it gives back."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.engine import Report, Serial
from novelty_lab.records import Journal
from novelty_lab.tasks import run_tasks

StepReport = Callable[[int, int, float], None]
"""Called with steps done, steps to do, and the latest score or return."""


@dataclass(frozen=True)
class RunResult:
    """What a run computed."""

    results: dict[str, Any]
    """Figures of merit; numbers, strings, lists and dictionaries."""
    scores: dict[str, float] | None = None
    """Bits by name, where things are ranked."""
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    device: str | None = None
    """What the tasks ran on, where that is not the device of this run."""
    versions: dict[str, str] = field(default_factory=dict)
    """Versions of further packages that the results depend on."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Files to keep beside the record, such as a trained policy."""


@dataclass(frozen=True)
class TaskContext:
    """What one training is given."""

    directory: Path | None = None
    """Where it keeps its checkpoints."""
    report: StepReport | None = None
    """Called after its steps."""


NO_CHECKPOINTS = TaskContext()
"""Of a training that keeps nothing and reports to nobody."""


@dataclass(frozen=True)
class RunContext:
    """Where a run computes, and where it keeps unfinished work."""

    executor: Executor = field(default_factory=Serial)
    journal: Journal | None = None
    report: Report | None = None
    """Called with tasks done and to do."""
    detail: Callable[[str, int, int], None] | None = None
    """Called from within a long task that runs in this process: text, done, to do."""
    device: str = "cpu"
    """Where torch computes, for runs that train."""
    data: Path | None = None
    """Directory with data sets, for runs that read some."""
    records: Path = Path("results")
    """Where records of other artefacts are found."""
    workspace: Path | None = None
    """Directory for the checkpoints of a run; it is removed when the record has been saved."""
    keep_files: bool = False
    """Whether to keep files beside the record, such as a trained policy."""
    step_report: StepReport | None = None
    """Called after the steps of a run that is one training."""

    def task(self, name: str) -> TaskContext:
        """Return the context of one training: its directory, and a reporter if it runs here."""
        directory = None if self.workspace is None else self.workspace / name.replace(" ", "-")
        return TaskContext(directory, self._reporter(name))

    def _reporter(self, name: str) -> StepReport | None:
        detail = self.detail
        if detail is None or not isinstance(self.executor, Serial):
            return None
        return lambda done, of, bits: detail(f"{name}: {bits:.1f} bits", done, of)

    def map(
        self, function: Callable[..., Any], tasks: Mapping[str, tuple[Any, ...]]
    ) -> dict[str, Any]:
        """Run a function over named tasks; see ``tasks.run_tasks``."""
        return run_tasks(function, tasks, self.executor, journal=self.journal, report=self.report)


def deviation(values: Any, axis: int = -1) -> np.ndarray:
    """Return the standard deviation over draws, and 0 where there is only one."""
    array = np.asarray(values, dtype=np.float64)
    return array.std(axis, ddof=1) if array.shape[axis] > 1 else np.zeros_like(array.mean(axis))


def mean_and_sd(values: Any, axis: int = 0) -> dict[str, Any]:
    """Return mean and standard deviation over draws, as JSON can hold them."""
    array = np.asarray(values, dtype=np.float64)
    return {"mean": array.mean(axis).tolist(), "sd": deviation(array, axis).tolist()}


def pack(array: np.ndarray) -> dict[str, Any]:
    """Write an array as JSON can hold it, for results of tasks."""
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"dtype": str(array.dtype), "shape": list(array.shape), "data": data}


def unpack(packed: Mapping[str, Any]) -> np.ndarray:
    """Read an array that ``pack`` wrote."""
    flat = np.frombuffer(base64.b64decode(packed["data"]), dtype=packed["dtype"])
    return flat.reshape(packed["shape"])


def devices_of(tasks: Iterable[Mapping[str, Any]]) -> str:
    """Name the devices that tasks say they ran on."""
    return ", ".join(dict.fromkeys(task["device"] for task in tasks))


def describe_device(device: str) -> str:
    """Name what torch computes on, as a record says it."""
    if not device.startswith("cuda"):
        return device
    import torch

    return f"{device} ({torch.cuda.get_device_name(device)})"
