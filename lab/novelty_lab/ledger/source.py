"""Where our side of a claim comes from: an experiment, and how its record is read."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from novelty_lab.ledger.findings import Finding
from novelty_lab.ledger.paper_records import NoRecordError, PaperRecords
from novelty_lab.registry import all_artefacts


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
        if folder is None or not (folder / self.figure_name).exists():
            return None
        return folder / self.figure_name


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
