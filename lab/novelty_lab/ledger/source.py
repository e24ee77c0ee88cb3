"""Where our side of a claim comes from: an experiment, and how its record is read."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from novelty_lab import records
from novelty_lab.ledger.findings import Finding
from novelty_lab.records import Record
from novelty_lab.registry import all_artefacts

PAPER = "paper"


class NoRecordError(LookupError):
    """There is no run of an experiment at the paper's configuration."""


class PaperRecords:
    """Records of a results folder at the paper's configuration, loaded when first asked for."""

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


@dataclass(frozen=True)
class Source:
    """How our value of one claim is read from the record of an experiment."""

    figure_name: ClassVar[str] = "figure.png"

    experiment: str
    read: Callable[[Any], Finding]
    """Reads the record of the experiment."""
    options: str = ""
    """What the command takes beside the name of the experiment."""

    @property
    def command(self) -> str:
        """The command that runs the experiment again."""
        return f"novelty run {self.experiment} {self.options}".rstrip()

    def finding(self, records: PaperRecords) -> Finding:
        """Read our value, or say what is missing."""
        try:
            return self._read(records)
        except NoRecordError as error:
            return Finding(missing=str(error))
        except KeyError as error:
            return Finding(missing=f"the record does not hold {error}")

    def _read(self, records: PaperRecords) -> Finding:
        return self.read(records.get(self.experiment))

    def redrawn(self, random: np.random.Generator, *, differs: bool) -> Finding | None:
        """Read runs drawn from what the paper prints, where it prints enough; see ``worth``."""
        del random, differs
        return None

    def record_path(self, records: PaperRecords) -> Path | None:
        """Return the directory of the record, if there is one."""
        record = records.find(self.experiment)
        return None if record is None else record.path(records.root)

    def record_paths(self, records: PaperRecords) -> list[Path]:
        """Return the directory of every record that the claim rests on."""
        path = self.record_path(records)
        return [] if path is None else [path]

    def older_observer(self, records: PaperRecords) -> bool:
        """Tell whether any of its records was measured with the older observer."""
        record = records.find(self.experiment)
        return record is not None and record.older_observer

    def figure_path(self, records: PaperRecords) -> Path | None:
        """Return the figure, if it has been drawn."""
        folder = self.record_path(records)
        figure = None if folder is None else folder / self.figure_name
        return figure if figure is not None and figure.exists() else None


class WideSource(Source):
    """A source that reads other records too: it is given all of them."""

    def _read(self, records: PaperRecords) -> Finding:
        return self.read(records)


@functools.cache
def sources() -> dict[str, Source]:
    """Collect the sources of all claims, by claim, from the ``claims.py`` of every artefact."""
    return {
        claim: source
        for artefact in all_artefacts().values()
        for claim, source in artefact.claims.items()
    }
