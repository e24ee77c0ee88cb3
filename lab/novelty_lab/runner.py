"""What an experiment is: a configuration in, records out."""

from __future__ import annotations

import base64
import dataclasses
import importlib
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from learnable_novelty.engine import Report, Serial
from learnable_novelty.errors import UserError
from novelty_lab import records
from novelty_lab.atomic import recover
from novelty_lab.lock import only_runner
from novelty_lab.records import Journal, Record
from novelty_lab.tasks import run_tasks

EXPERIMENTS: dict[str, str] = {
    "overview": "Figure 1: surprise, its learnable part, and how bits grow",
    "eca": "Figure 2: the 88 elementary automata ranked",
    "eca-scan": "Appendix B: robustness of the ranking",
    "mdl": "Appendix D: the ridge against the exact minimizer",
    "criticality": "Appendix A: the reservoir at the edge of chaos",
    "solvers": "Appendix E: error and cost of the solvers",
    "flows": "Appendix F: continuous-time flows",
    "temporal": "Appendix F.2: the score along one trajectory",
    "nca": "Figure 3: a neural automaton climbs its own learnable novelty",
    "nca-scan": "Appendix G: what the final score of the neural automaton depends on",
    "encoder": "Figure 4: an encoder trained on its own learnable novelty",
    "encoder-scan": "Appendix G: robustness of the encoder",
    "encoder-select": "Ours: encoders and their observers ranked without labels",
    "encoder-controls": "Ours: codes of images beside pixels, PCA, coding rate, better observers",
    "mdl-nca": "Appendix D: both readouts along the training of the neural automaton",
    "floor": "Ours: bits, floor and excess of noise, constants and structure",
    "rooms": "Ours: the noisy television and the dark room, built and lived in",
    "life-map": "Ours: every life-like automaton on one map",
    "calibration": "Ours: false positives and excess on noise",
    "signs": "Ours: false positives and floors of data that is read by chunks",
    "compare": "Ours: learnable novelty beside its rivals on automata, flows and noise",
}
"""Names, in the order of the paper, and what each shows."""

COLLECTIONS: dict[str, str] = {
    "rl-table": "Table 1: agents paid for learnable novelty, and their rivals",
}
"""Experiments that are many runs with a record each."""


@dataclass(frozen=True)
class Outcome:
    """What a run found."""

    results: dict[str, Any]
    """Figures of merit; numbers, strings, lists and dictionaries."""
    scores: dict[str, float] | None = None
    """Bits by name, where things are ranked."""
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    device: str | None = None
    """What the tasks say they ran on, where they were not all run now and here."""


@dataclass(frozen=True)
class Place:
    """Where a training keeps its checkpoints, and whom it tells of its steps."""

    directory: Path | None = None
    report: Callable[[int, int, float], None] | None = None


@dataclass(frozen=True)
class Bench:
    """Where an experiment fans out its tasks."""

    executor: Executor = field(default_factory=Serial)
    journal: Journal | None = None
    report: Report | None = None
    detail: Callable[[str, int, int], None] | None = None
    """Called from within a long task that runs in this process: text, done, to do."""
    device: str = "cpu"
    """Where torch computes, for experiments that train."""
    data: Path | None = None
    """Directory with data sets, for experiments that read some."""
    records: Path = Path("results")
    """Where records of other experiments are found."""
    workspace: Path | None = None
    """Directory for the checkpoints of a run; it is removed when the record has been saved."""

    def narrator(self, name: str) -> Callable[[int, int, float], None] | None:
        """Return a reporter of steps and bits for a task, if the task runs in this process."""
        detail = self.detail
        if detail is None or not isinstance(self.executor, Serial):
            return None
        return lambda done, of, bits: detail(f"{name}: {bits:.1f} bits", done, of)

    def directory(self, name: str) -> Path | None:
        """Return the directory for a task's checkpoints."""
        return None if self.workspace is None else self.workspace / name.replace(" ", "-")

    def place(self, name: str) -> Place:
        """Return where a training keeps its checkpoints and whom it tells of its steps."""
        return Place(self.directory(name), self.narrator(name))

    def map(
        self, function: Callable[..., Any], tasks: Mapping[str, tuple[Any, ...]]
    ) -> dict[str, Any]:
        """Run a function over named tasks; see ``engine.run_tasks``."""
        return run_tasks(function, tasks, self.executor, journal=self.journal, report=self.report)


def deviation(values: Any, axis: int = -1) -> np.ndarray:
    """Return the standard deviation over draws, and 0 where there is only one."""
    array = np.asarray(values, dtype=np.float64)
    return array.std(axis, ddof=1) if array.shape[axis] > 1 else np.zeros_like(array.mean(axis))


def pack(array: np.ndarray) -> dict[str, Any]:
    """Write an array as JSON can hold it, for results of tasks."""
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"dtype": str(array.dtype), "shape": list(array.shape), "data": data}


def unpack(packed: Mapping[str, Any]) -> np.ndarray:
    """Read an array that ``pack`` wrote."""
    flat = np.frombuffer(base64.b64decode(packed["data"]), dtype=packed["dtype"])
    return flat.reshape(packed["shape"])


def module_of(name: str) -> ModuleType:
    """Import the module of an experiment, which holds PAPER, QUICK and run()."""
    if name not in EXPERIMENTS:
        raise UserError(f"expected an experiment, one of {', '.join(EXPERIMENTS)}; got {name!r}")
    return importlib.import_module(f"novelty_lab.artefacts.{name.replace('-', '_')}.experiment")


def configure(name: str, config: str, overrides: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the name and the value of a configuration, with fields overridden."""
    module = module_of(name)
    if config not in ("paper", "quick"):
        raise UserError(f"config must be paper or quick, got {config!r}")
    value = module.PAPER if config == "paper" else module.QUICK
    fields = {f.name for f in dataclasses.fields(value)}
    for key, given in overrides.items():
        if key not in fields:
            raise UserError(f"{name} has no setting {key!r}; it has {', '.join(sorted(fields))}")
        _check_setting(key, getattr(value, key), given)
    changed = dataclasses.replace(value, **overrides)
    if changed == value:
        return config, value
    return f"custom-{records.digest(records.configuration_of(changed))}", changed


def _check_setting(name: str, held: Any, given: Any) -> None:
    """Raise unless a new value is of the kind of the old one."""
    number = isinstance(held, float) and isinstance(given, (int, float))
    if isinstance(given, bool) != isinstance(held, bool) or not (
        number or isinstance(given, type(held))
    ):
        raise UserError(f"{name} must be like {held!r}, got {given!r}")
    if isinstance(held, (int, float)) and given < 0:
        raise UserError(f"{name} must not be negative, got {given!r}")


def run_experiment(
    name: str,
    config: str = "paper",
    *,
    seed: int = 0,
    root: Path = Path("results"),
    executor: Executor | None = None,
    report: Report | None = None,
    detail: Callable[[str, int, int], None] | None = None,
    device: str = "cpu",
    data: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    force: bool = False,
    resume: bool = False,
) -> tuple[Record, bool]:
    """Run an experiment and save its record, unless an equal one is there already.

    What a cut-off run had finished is taken up again; ``resume`` insists that there is such a run,
    ``force`` starts over. One process at a time runs it in a results folder.

    Returns:
        The record, and whether it was run now.

    Raises:
        ValueError: before any work, if another process is at it, or the folder cannot be written
            to.
        OSError: if the record cannot be written; what was finished is kept for the next run.
    """
    config_name, value = configure(name, config, overrides or {})
    configuration = records.configuration_of(value)
    target = root / name / f"{config_name}-seed{seed}"
    if force and resume:
        raise UserError("force starts over and resume goes on: expected one of them")
    held = None if force else _held(target, configuration)
    if held is not None:
        return held, False
    journal = Journal(root / name / f".{target.name}.partial", {"config": configuration})
    workspace = root / name / f".{target.name}-{records.digest(configuration)}.work"
    if resume and not (journal.path.exists() or workspace.exists()):
        raise UserError(f"nothing to resume: no run of {name} was cut off under {root / name}")
    bench = Bench(
        executor=executor or Serial(),
        journal=journal,
        report=report,
        detail=detail,
        device=device,
        data=data,
        records=root,
        workspace=workspace,
    )
    with only_runner(target):
        recover(target)
        held = None if force else _held(target, configuration)
        if held is not None:  # another runner has saved it since we looked
            return held, False
        if force:
            journal.discard()
            shutil.rmtree(workspace, ignore_errors=True)
        started = time.perf_counter()
        outcome: Outcome = module_of(name).run(value, seed=seed, bench=bench)
        record = Record(
            experiment=name,
            config=config_name,
            configuration=configuration,
            seed=seed,
            results=outcome.results,
            scores=outcome.scores,
            arrays=outcome.arrays,
            versions=records.versions(),
            device=outcome.device or describe_device(device),
            wall_time_s=round(time.perf_counter() - started, 2),
        )
        record.save(root)
        journal.discard()
        shutil.rmtree(workspace, ignore_errors=True)
    return record, True


def _held(target: Path, configuration: dict[str, Any]) -> Record | None:
    """Return the record of this configuration if it is there."""
    if not (target / "record.json").exists():
        return None
    held = records.load(target)
    return held if held.configuration == configuration else None


def devices_of(tasks: Iterable[Mapping[str, Any]]) -> str:
    """Name the devices that tasks say they ran on."""
    return ", ".join(dict.fromkeys(task["device"] for task in tasks))


def describe_device(device: str) -> str:
    """Name what torch computes on, as a record says it."""
    if not device.startswith("cuda"):
        return device
    import torch

    return f"{device} ({torch.cuda.get_device_name(device)})"
