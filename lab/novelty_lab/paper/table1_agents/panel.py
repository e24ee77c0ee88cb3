"""The panel of table 1: returns of our agents beside the paper's, with their learning curves."""

from __future__ import annotations

from typing import Any

from novelty_lab.explorer.packing import rounded, short
from novelty_lab.explorer.panel import DataFiles, Panel, from_all_runs, page_colour
from novelty_lab.paper.table1_agents.looks import LOOKS, NAMES
from novelty_lab.paper.table1_agents.paper import PAPER, PAPER_CONDITIONS
from novelty_lab.paper.table1_agents.runs import Run, collect, mean_curve
from novelty_lab.records import Record


def reduce(records: list[Record]) -> DataFiles:
    """Yield ``agents``."""
    runs = collect(records)
    if not runs.cells:
        return
    tasks = {
        task: {
            "paper": published,
            "ours": {name: _cell(runs.cells.get((task, name), [])) for name in runs.conditions},
        }
        for task, published in PAPER.items()
    }
    conditions = {name: _condition(name) for name in NAMES}
    yield "agents", {"tasks": tasks, "conditions": conditions, "columns": PAPER_CONDITIONS}


def _condition(name: str) -> dict[str, Any]:
    """Return what a condition is called and how it is drawn, here as in the figures."""
    colour, _, line = LOOKS[name]
    return {"name": NAMES[name], "colour": page_colour(colour), "dashed": line != "-"}


def _cell(cell: list[Run]) -> dict[str, Any]:
    """Reduce the seeds of a task and condition: returns, mean curve and its 95% band."""
    reduced: dict[str, Any] = {
        "returns": [short(run.mean_return) for run in cell],
        "curves": [[[int(step), short(value)] for step, value in run.curve] for run in cell],
    }
    averaged = mean_curve(cell)
    if averaged is not None:
        steps, mean, band = averaged
        reduced |= {"steps": steps.astype(int).tolist(), "mean": rounded(mean)}
        reduced["band"] = None if band is None else rounded(band)
    return reduced


PANEL = Panel(order=50, data=from_all_runs(reduce))
