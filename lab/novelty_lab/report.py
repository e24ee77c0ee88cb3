"""Records in; figures and tables out. A report never computes a result."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from novelty_lab.records import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Table:
    """A table for the terminal and for the docs."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    unbroken: tuple[str, ...] = ()
    """Columns whose cells keep to one line on a narrow terminal; the others make room."""

    def markdown(self) -> str:
        """Return the table as Markdown."""
        lines = ["| " + " | ".join(self.columns) + " |", "|" + " --- |" * len(self.columns)]
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        return f"**{self.title}**\n\n" + "\n".join(lines) + "\n"


def module_of(record: Record) -> ModuleType:
    """Import the report of an experiment, which holds tables() and figure()."""
    name = record.experiment.replace("-", "_")
    return importlib.import_module(f"novelty_lab.artefacts.{name}.figure")


def tables_of(record: Record) -> list[Table]:
    """Return the tables of a record."""
    return module_of(record).tables(record)


def save_figure(record: Record, root: Path) -> Path:
    """Draw the figure of a record into its directory, atomically, and further ones beside it."""
    from novelty_lab.style import in_style

    target, module = record.path(root) / "figure.png", module_of(record)
    with in_style():
        _write(module.figure(record), target)
        if hasattr(module, "extra_figures"):
            for name, further in module.extra_figures(record):
                _write(further, target.with_name(f"{name}.png"))
    return target


def save_collection(runs: Sequence[Record], root: Path) -> list[Path]:
    """Draw the figures of an experiment that is many runs, beside their directories."""
    from novelty_lab.style import in_style

    targets: list[Path] = []
    with in_style():
        for name, figure in module_of(runs[0]).figures(runs):
            target = root / runs[0].experiment / f"{name}.png"
            _write(figure, target)
            targets.append(target)
    return targets


def _write(figure: Figure, target: Path) -> None:
    handle, draft = tempfile.mkstemp(prefix=".figure-", suffix=".png", dir=target.parent)
    os.close(handle)
    # Without the version of the drawing library the same record gives the same bytes.
    figure.savefig(draft, dpi=160, metadata={"Software": None})
    os.chmod(draft, 0o644)
    os.replace(draft, target)
