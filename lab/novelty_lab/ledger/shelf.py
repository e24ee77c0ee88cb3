"""The records of a results folder, as far as they are runs of the paper's configuration."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from novelty_lab import records
from novelty_lab.artefacts.rl_table.runs import EXPERIMENT, Runs, collect
from novelty_lab.records import Record

PAPER = "paper"


class NoRecordError(LookupError):
    """There is no run of an experiment at the paper's configuration."""


class Shelf:
    """Reads a record when it is first asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._held: dict[str, Record | None] = {}
        self._runs: Runs | None = None

    def find(self, experiment: str) -> Record | None:
        """Return the run of the lowest seed; None if there is none."""
        if experiment not in self._held:
            paths = records.find(self.root, experiment)
            found = [records.load(p) for p in paths if p.name.startswith(f"{PAPER}-seed")]
            of_paper = [record for record in found if record.config == PAPER]
            self._held[experiment] = min(of_paper, key=lambda r: r.seed, default=None)
        return self._held[experiment]

    def get(self, experiment: str) -> Record:
        """Return the run of the lowest seed; raise if there is none."""
        record = self.find(experiment)
        if record is None:
            raise NoRecordError(f"no run of {experiment} at the paper's configuration")
        return record

    def agents(self) -> Runs:
        """Return the training runs of agents at the paper's settings."""
        if self._runs is None:
            self._runs = collect(records.load(p) for p in records.find(self.root, EXPERIMENT))
        return self._runs

    def record_of(self, experiment: str) -> Path | None:
        """Return where a record lies; of agents, the folder of all their records."""
        if experiment == EXPERIMENT:
            return self.root / EXPERIMENT if self.agents().cells else None
        record = self.find(experiment)
        return None if record is None else record.path(self.root)

    def records_of(self, experiment: str, cells: Iterable[tuple[str, str]]) -> list[Path]:
        """Return where every record lies that a claim rests on; of agents, those of its cells."""
        if experiment == EXPERIMENT:
            held = self.agents().cells
            names = [f"{t}-{c}-seed{run.seed}" for t, c in cells for run in held.get((t, c), [])]
            return [self.root / EXPERIMENT / name for name in names]
        record = self.record_of(experiment)
        return [] if record is None else [record]

    def figure_of(self, experiment: str) -> Path | None:
        """Return where its figure lies, if it has been drawn."""
        record = self.record_of(experiment)
        name = "curves.png" if experiment == EXPERIMENT else "figure.png"
        return None if record is None or not (record / name).exists() else record / name
