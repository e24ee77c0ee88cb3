"""One run is one record: ``record.json`` with arrays beside it, written atomically."""

from __future__ import annotations

import errno
import functools
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.storage import not_written, read_arrays
from novelty_lab.atomic import DRAFT, put_in_place

FORMAT = 1
MOST_TEXT = 256 * 2**20
"""Bytes of a record.json."""
LINEAR_SINCE = (0, 4)
"""Version from which on the last layer of the paper's observer is linear."""
OLDER_OBSERVER = "measured with the older observer: activated last layer"


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

    @property
    def older_observer(self) -> bool:
        """Whether it is from before the last layer of the paper's observer was linear."""
        version = self.versions.get("learnable_novelty", "0.0").split(".")
        return tuple(map(int, version[:2])) < LINEAR_SINCE

    def to_json(self) -> dict[str, Any]:
        """Return everything but the arrays, whose shapes are listed."""
        values = {key: value for key, value in self.__dict__.items() if key != "arrays"}
        shapes = {name: list(array.shape) for name, array in self.arrays.items()}
        return {"format": FORMAT, **values, "arrays": shapes}

    def path(self, root: Path) -> Path:
        """Return the directory of this record under a results folder."""
        return root / self.experiment / self.name

    def save(self, root: Path, files: Mapping[str, bytes] | None = None) -> Path:
        """Write the record; a record of the same name is replaced whole or not at all.

        Args:
            root: the results folder.
            files: more files to keep beside the record, by name.

        Raises:
            OSError: in one sentence, if it cannot be written; what was there is as it was.
        """
        target = self.path(root)
        values = json.loads(json.dumps(self.to_json(), allow_nan=False))
        values["checksum"] = checksum(values, self.arrays)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            name = {"prefix": f".{self.name}-", "suffix": DRAFT}
            draft = Path(tempfile.mkdtemp(**name, dir=target.parent))
            try:
                (draft / "record.json").write_text(json.dumps(values, indent=1) + "\n")
                if self.arrays:
                    np.savez_compressed(draft / "arrays.npz", allow_pickle=False, **self.arrays)
                for file, content in (files or {}).items():
                    (draft / file).write_bytes(content)
                draft.chmod(0o755)
                put_in_place(draft, target)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
        except OSError as error:
            raise not_written(target, error) from error
        return target


def checksum(values: dict[str, Any], arrays: dict[str, np.ndarray]) -> str:
    """Return a fingerprint of what a record says, to tell when it was changed afterwards."""
    digest_so_far = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest_so_far.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest_so_far.update(np.ascontiguousarray(array).tobytes())
    return digest_so_far.hexdigest()


def load(path: Path) -> Record:
    """Read a record from its directory.

    Raises:
        ValueError: if it is not there, damaged, or not what was written.
    """
    try:
        return _load(path)
    except ValueError as error:
        raise UserError(
            f"expected a record in {path}, could not read one: {error}; restore it, or remove "
            "this folder and run the same command again"
        ) from None


def _load(path: Path) -> Record:
    file = path / "record.json"
    try:
        if file.stat().st_size > MOST_TEXT:
            raise UserError(f"record.json is larger than {MOST_TEXT:,} bytes")
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise UserError(str(error)) from None
    if not isinstance(values, dict) or values.pop("format", None) != FORMAT:
        raise UserError(f"it is not of format {FORMAT}")
    recorded = values.pop("checksum", None)
    _check_fields(values)
    arrays: dict[str, np.ndarray] = {}
    if values["arrays"]:
        arrays = dict(read_arrays(path / "arrays.npz"))
        shapes = {name: list(array.shape) for name, array in arrays.items()}
        if shapes != values["arrays"]:
            raise UserError("arrays.npz does not hold the arrays that record.json lists")
    # Records from before there were checksums have none.
    if recorded is not None and recorded != checksum({"format": FORMAT, **values}, arrays):
        raise UserError("it was changed after it was written")
    del values["arrays"]
    values.pop("part", None)
    return Record(**values, arrays=arrays)


def _check_fields(values: dict[str, Any]) -> None:
    """Raise unless these are the fields of a record, each of its type, and its names are safe."""
    missing = [name for name in _KINDS if name not in values and name not in _OPTIONAL]
    unknown = [name for name in values if name not in _KINDS]
    if missing or unknown:
        raise UserError(f"fields are missing ({missing}) or unknown ({unknown[:3]})")
    for name, value in values.items():
        if not isinstance(value, _KINDS[name]) or isinstance(value, bool):
            raise UserError(f"its {name} is of another type")
    if any(not isinstance(bits, (int, float)) for bits in (values.get("scores") or {}).values()):
        raise UserError("its scores are not numbers")
    # They become a path, which must stay in the results folder.
    for name in ("experiment", "config"):
        if not _PLAIN_NAME.fullmatch(values[name]):
            raise UserError(f"its {name} is not a plain name: {values[name][:80]!r}")
    if values["seed"] < 0:
        raise UserError(f"its seed is negative: {values['seed']}")


_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_KINDS: dict[str, type | tuple[type, ...]] = {
    "experiment": str,
    "config": str,
    "configuration": dict,
    "seed": int,
    "results": dict,
    "scores": (dict, type(None)),
    "arrays": dict,
    "versions": dict,
    "device": str,
    "wall_time_s": (int, float),
    "part": str,  # of records from before each experiment had one name
}
_OPTIONAL = ("scores", "versions", "device", "wall_time_s", "part")


def find(root: Path, experiment: str | None = None) -> Iterator[Path]:
    """Yield the directories of all records under a results folder, in order."""
    for path in sorted(root.glob(f"{experiment or '*'}/*/record.json")):
        if not path.parent.name.startswith("."):
            yield path.parent


def configuration_of(config: Any) -> dict[str, Any]:
    """Return a configuration dataclass as JSON would read it back."""
    return json.loads(json.dumps(asdict(config)))


def _as_json(value: Any) -> Any:
    return json.loads(json.dumps(value, default=asdict))


def is_of(configuration: Mapping[str, Any], config: Any, *, but: Collection[str] = ()) -> bool:
    """Tell whether a recorded configuration is this one, but for the fields of these names.

    Fields that the record lacks are newer than it, and were at their defaults.
    """
    known = {each.name: each for each in fields(config)}
    if set(configuration) - set(known) - set(but):
        return False
    for name, each in known.items():
        value = getattr(config, name)
        if name in but:
            same = True
        elif name not in configuration:
            default = each.default_factory() if each.default is MISSING else each.default  # pyright: ignore[reportCallIssue]
            same = value == default
        elif is_dataclass(value) and isinstance(configuration[name], Mapping):
            same = is_of(configuration[name], value, but=but)
        else:
            same = configuration[name] == _as_json(value)
        if not same:
            return False
    return True


OBSERVER = ("input_scale", "linear_last", "variants", "study_axes")
"""Fields that tell the older observer from the present one."""


def is_of_older(record: Record, config: Any) -> bool:
    """Tell whether a record is of this configuration, but measured with the older observer."""
    observes = '"linear_last"' in json.dumps(configuration_of(config))
    return record.older_observer and observes and is_of(record.configuration, config, but=OBSERVER)


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
        "commit": commit(),
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": np.__version__,
    }


@functools.cache
def commit() -> str:
    """Return the commit of the source that runs, "unknown" outside of a checkout.

    A copy without its history, on another machine, is told by the variable NOVELTY_COMMIT.
    """
    given = os.environ.get("NOVELTY_COMMIT")
    if given:
        return given
    command = ["git", "describe", "--always", "--dirty=+changes", "--abbrev=12", "--exclude=*"]
    here = Path(__file__).parent
    try:
        said = subprocess.run(command, cwd=here, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return said.stdout.strip() if said.returncode == 0 else "unknown"


class Journal:
    """Finished parts of a run that was cut off: one JSON line each, keyed by task.

    A line that a kill cut short or that was changed is dropped, and its task runs again; lines of
    another configuration are ignored.
    """

    def __init__(self, path: Path, configuration: dict[str, Any]) -> None:
        self.path, self._digest = path, digest(configuration)

    def read(self) -> dict[str, Any]:
        """Return finished tasks and their results."""
        if not self.path.exists():
            return {}
        done: dict[str, Any] = {}
        for line in self.path.read_text(encoding="utf-8", errors="replace").split("\n"):
            entry = _entry(line)
            if entry is not None and entry["digest"] == self._digest:
                done[entry["task"]] = entry["result"]
        return done

    def add(self, task: str, result: Any) -> None:
        """Append a finished task, in one write: two runners never share a line."""
        entry = {"digest": self._digest, "task": task, "result": json.loads(json.dumps(result))}
        # A newline first: the last line may have been cut off in the middle.
        line = "\n" + json.dumps(entry | {"check": _check(entry)}) + "\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as file:
                data = line.encode()
                if file.write(data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise not_written(self.path, error) from error

    def discard(self) -> None:
        """Remove the journal once the run has been saved."""
        self.path.unlink(missing_ok=True)


def _check(entry: dict[str, Any]) -> str:
    """Return a fingerprint of a line of a journal."""
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()[:16]


def _entry(line: str) -> dict[str, Any] | None:
    """Read a line of a journal; None if it is cut off, damaged or changed."""
    try:
        entry = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(entry, dict):
        return None
    recorded = entry.pop("check", None)
    sound = recorded in (None, _check(entry))  # lines from before there were checks have none
    return entry if sound and set(entry) == {"digest", "task", "result"} else None
