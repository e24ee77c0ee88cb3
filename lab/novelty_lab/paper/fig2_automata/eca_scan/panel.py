"""The panel of robustness: the cells of the two heat maps."""

from __future__ import annotations

from novelty_lab.explorer.packing import short
from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run
from novelty_lab.records import Record


def reduce(record: Record) -> DataFiles:
    """Yield ``robustness``."""
    cells = [
        {key: short(value) if isinstance(value, float) else value for key, value in cell.items()}
        for cell in record.results["cells"].values()
    ]
    yield "robustness", {"cells": cells}


PANEL = Panel(order=90, data=from_paper_run(reduce))
