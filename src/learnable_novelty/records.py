"""One run is one record: ``record.json`` with arrays beside it, written atomically."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

FORMAT = 1


@dataclass(frozen=True)
class Record:
    """Configuration, seed, versions and figures of merit of one run."""

    experiment: str
    config: str
    """Name of the configuration: paper, quick, or custom with a digest."""
    configuration: dict[str, Any]
    seed: int
    results: dict[str, Any]
    """Figures of merit, as JSON can hold them."""
    scores: dict[str, float] | None = None
    """Bits by name, where the experiment ranks things."""
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    device: str = "cpu"
    wall_time_s: float = 0.0

    @property
    def name(self) -> str:
        """Directory name of the run within its experiment."""
        return f"{self.config}-seed{self.seed}"

    def to_json(self) -> dict[str, Any]:
        """Return everything but the arrays, whose shapes are listed."""
        values = {key: value for key, value in self.__dict__.items() if key != "arrays"}
        shapes = {name: list(array.shape) for name, array in self.arrays.items()}
        return {"format": FORMAT, **values, "arrays": shapes}

    def path(self, root: Path) -> Path:
        """Return the directory of this record under a results folder."""
        return root / self.experiment / self.name

    def save(self, root: Path) -> Path:
        """Write the record; a record of the same name is replaced whole or not at all."""
        target = self.path(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{self.name}-", dir=target.parent))
        try:
            text = json.dumps(self.to_json(), indent=1, allow_nan=False)
            (draft / "record.json").write_text(text + "\n")
            if self.arrays:
                np.savez_compressed(draft / "arrays.npz", allow_pickle=False, **self.arrays)
            draft.chmod(0o755)
            if target.exists():
                retired = Path(tempfile.mkdtemp(prefix=f".{self.name}-old-", dir=target.parent))
                os.replace(target, retired / "record")
                os.replace(draft, target)
                shutil.rmtree(retired)
            else:
                os.replace(draft, target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return target


def load(path: Path) -> Record:
    """Read a record from its directory."""
    try:
        values = json.loads((path / "record.json").read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise ValueError(f"expected a record in {path}, could not read one: {error}") from None
    if values.pop("format", None) != FORMAT:
        raise ValueError(f"expected a record of format {FORMAT} in {path}")
    shapes = values.pop("arrays")
    arrays: dict[str, np.ndarray] = {}
    if shapes:
        with np.load(path / "arrays.npz", allow_pickle=False) as held:
            arrays = {name: held[name] for name in shapes}
    return Record(**values, arrays=arrays)


def find(root: Path, experiment: str | None = None) -> Iterator[Path]:
    """Yield the directories of all records under a results folder, in order."""
    for path in sorted(root.glob(f"{experiment or '*'}/*/record.json")):
        if not path.parent.name.startswith("."):
            yield path.parent


def configuration_of(config: Any) -> dict[str, Any]:
    """Return a configuration dataclass as JSON would read it back."""
    return json.loads(json.dumps(asdict(config)))


def digest(configuration: dict[str, Any]) -> str:
    """Return eight letters that stand for a configuration."""
    text = json.dumps(configuration, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def versions() -> dict[str, str]:
    """Return the versions that a result may depend on."""
    import torch

    from learnable_novelty._version import __version__

    return {
        "learnable_novelty": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": np.__version__,
    }


class Journal:
    """Finished parts of a run that was cut off: one JSON line each, keyed by task.

    A line that a kill cut short is dropped; lines of another configuration are ignored.
    """

    def __init__(self, path: Path, configuration: dict[str, Any]) -> None:
        self.path, self._digest = path, digest(configuration)

    def read(self) -> dict[str, Any]:
        """Return finished tasks and their results."""
        if not self.path.exists():
            return {}
        done: dict[str, Any] = {}
        for line in self.path.read_text().splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue
            if entry["digest"] == self._digest:
                done[entry["task"]] = entry["result"]
        return done

    def add(self, task: str, result: Any) -> None:
        """Append a finished task."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"digest": self._digest, "task": task, "result": result})
        with self.path.open("a") as file:
            # A newline first: the last line may have been cut off in the middle.
            file.write("\n" + line + "\n")

    def discard(self) -> None:
        """Remove the journal once the run has been saved."""
        self.path.unlink(missing_ok=True)
