"""Records in; figures and tables out. A report never computes a result."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from learnable_novelty.storage import write_whole
from novelty_lab.records import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from novelty_lab.artefact import Artefact


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


def save_figures(
    artefact: Artefact, records: Sequence[Record], root: Path, *, vector: bool = False
) -> list[Path]:
    """Draw the figures of records, each whole or not at all; return their paths.

    With ``vector`` each is also written as a .pdf beside its .png.
    """
    from novelty_lab.style import in_style

    paths: list[Path] = []
    with in_style():
        for name, figure in artefact.figures(records):
            path = root / artefact.name / name
            write_whole(path, _drawn(figure, "png"))
            paths.append(path)
            if vector:
                paths.append(path.with_suffix(".pdf"))
                write_whole(paths[-1], _drawn(figure, "pdf"))
    return paths


def _drawn(figure: Figure, kind: Literal["png", "pdf"]) -> bytes:
    content = io.BytesIO()
    # Without version and date the same record gives the same bytes.
    stamps = ("Software",) if kind == "png" else ("Creator", "Producer", "CreationDate")
    figure.savefig(content, format=kind, dpi=160, metadata=dict.fromkeys(stamps))
    return content.getvalue()
