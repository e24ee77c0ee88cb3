"""Panels of the page: what an artefact's ``panel.py`` provides, and how they are found.

An artefact with a panel has two more files in its folder: ``panel.py`` with a ``PANEL``, which
reduces the artefact's records to data files, and ``panel.js``, which draws them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from novelty_lab import records, style
from novelty_lab.records import Record
from novelty_lab.registry import all_artefacts, find_artefact

DataFiles = Iterator[tuple[str, Any]]
"""Names of data files, and contents that JSON can hold."""
PAPER_RUN = "paper-seed0"
_COLOURS = {
    getattr(style, name): name.lower()
    for name in ("BLACK", "ORANGE", "SKY", "GREEN", "BLUE", "RED", "PURPLE", "GREY")
}
_COLOURS[style.YELLOW] = "gold"  # yellow lines cannot be seen on white paper


@dataclass(frozen=True)
class Panel:
    """What an artefact adds to the page."""

    order: int
    """Tabs are sorted by this number."""
    data: Callable[[Path], DataFiles]
    """Yields data files from the artefact's folder of records; none if there are no records."""
    scripts: tuple[str, ...] = ("panel.js",)
    """Scripts of the artefact's folder, in the order in which the page loads them."""


def from_paper_run(reduce: Callable[[Record], DataFiles]) -> Callable[[Path], DataFiles]:
    """Make data files from the record of the one run at the paper's settings."""

    def data(folder: Path) -> DataFiles:
        if (folder / PAPER_RUN / "record.json").is_file():
            yield from reduce(records.load(folder / PAPER_RUN))

    return data


def from_all_runs(reduce: Callable[[list[Record]], DataFiles]) -> Callable[[Path], DataFiles]:
    """Make data files from the records of all runs."""

    def data(folder: Path) -> DataFiles:
        runs = [records.load(path) for path in records.find(folder.parent, folder.name)]
        if runs:
            yield from reduce(runs)

    return data


def find_panels() -> dict[str, Panel]:
    """Return the panels of all artefacts by the name of their folder, in the order of the tabs."""
    panels: dict[str, Panel] = {
        artefact.name.replace("-", "_"): artefact.panel
        for artefact in all_artefacts().values()
        if artefact.panel is not None
    }
    return dict(sorted(panels.items(), key=lambda item: item[1].order))


def read_script(folder: str, script: str) -> bytes:
    """Return a script of an artefact's folder."""
    package = find_artefact(folder.replace("_", "-")).package
    return (resources.files(package) / script).read_bytes()


def page_colour(colour: str) -> str:
    """Return the page's name of a figure's colour, so that it follows the page's theme.

    A colour outside the palette is used as it is.
    """
    return _COLOURS.get(colour, colour)
