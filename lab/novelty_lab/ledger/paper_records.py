"""The records of a results folder that were run at the paper's configuration."""

from __future__ import annotations

from pathlib import Path

from novelty_lab import records
from novelty_lab.records import Record

PAPER = "paper"


class NoRecordError(LookupError):
    """There is no run of an experiment at the paper's configuration."""


class PaperRecords:
    """Loads a record when it is first asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._loaded: dict[str, Record | None] = {}

    def find(self, experiment: str) -> Record | None:
        """Return the run of the lowest seed; None if there is none."""
        if experiment not in self._loaded:
            paths = records.find(self.root, experiment)
            named = [records.load(p) for p in paths if p.name.startswith(f"{PAPER}-seed")]
            of_paper = [record for record in named if record.config == PAPER]
            self._loaded[experiment] = min(of_paper, key=lambda r: r.seed, default=None)
        return self._loaded[experiment]

    def get(self, experiment: str) -> Record:
        """Return the run of the lowest seed; raise NoRecordError if there is none."""
        record = self.find(experiment)
        if record is None:
            raise NoRecordError(f"no run of {experiment} at the paper's configuration")
        return record

    def all_runs(self, experiment: str) -> list[Record]:
        """Return every record of an experiment that is many runs."""
        return [records.load(path) for path in records.find(self.root, experiment)]


class SingleRecord(PaperRecords):
    """One record, whatever its configuration, in place of a results folder."""

    def __init__(self, record: Record) -> None:
        super().__init__(Path())
        self._record = record

    def find(self, experiment: str) -> Record | None:
        """Return the record if it is one of this experiment."""
        return self._record if self._record.experiment == experiment else None
