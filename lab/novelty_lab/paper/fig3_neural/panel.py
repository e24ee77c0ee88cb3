"""The panel of the neural automaton: its training curves, and the weights that run on the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from novelty_lab.explorer.packing import packed, short
from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run
from novelty_lab.records import Record

CURVE_POINTS = 250
"""Points of a training curve on the page."""


def reduce(record: Record) -> DataFiles:
    """Yield ``neural``, and the weights of each run as a file of their own, loaded on demand."""
    config, results = record.configuration, record.results
    runs: dict[str, Any] = {}
    for name, run in results["runs"].items():
        key = name.replace(" ", "-")
        curve = record.arrays[f"curve/{key}"]
        every = max(1, len(curve) // CURVE_POINTS)
        runs[key] = {
            "update": name.split()[0],
            "seed": int(name.split()[-1]),
            "start": short(run["start"]),
            "final": short(run["final"]),
            "curve": [short(value) for value in curve[::every]],
            "every": every,
            "travelling": [
                short(float(np.mean(run["solitons"][when]["travelling"])))
                for when in ("start", "end")
            ],
        }
        yield f"neural-{key}", {"weights": packed(record.arrays[f"weights/{key}"])}
    sizes = {name: config[name] for name in ("hidden", "radius", "window", "steps")}
    yield "neural", {"runs": runs, "checkpoints": results["checkpoints"], **sizes}


PANEL = Panel(
    order=30,
    data=from_paper_run(reduce),
    scripts=("automaton.js", "panel.js"),
)
