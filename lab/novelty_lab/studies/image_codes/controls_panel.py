"""A part of the encoder's panel: the table of codes beside pixels and principal components."""

from __future__ import annotations

from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run
from novelty_lab.records import Record


def reduce(record: Record) -> DataFiles:
    """Yield ``encoder-controls``."""
    selected = record.configuration["selected"]
    yield "encoder-controls", {"table": record.results["table"], "selected": selected}


PANEL = Panel(order=41, data=from_paper_run(reduce))
