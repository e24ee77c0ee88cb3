"""Data of the rooms' panel: an observer to walk with, and the walks of trained agents."""

from __future__ import annotations

import numpy as np

from novelty_lab.explorer.packing import packed
from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run
from novelty_lab.records import Record

TABLES = ("unit_mean", "unit_sd", "feature_mean", "feature_sd", "target_mean", "signs")
SCREENS = ("places", "orbit", "faces", "waves")


def reduce(record: Record) -> DataFiles:
    """Yield ``walks``."""
    arrays, results = record.arrays, record.results
    config = record.configuration["rooms"]
    depth = sum(name.startswith("reservoir_weight") for name in arrays)
    yield (
        "walks",
        {
            **{name: results[name] for name in ("drives", "order")},
            **{name: config[name] for name in ("window", "ridge_penalty")},
            "length": config["corridor"]["length"],
            "tables": {name: packed(arrays[name]) for name in (*TABLES, *SCREENS)},
            "layers": [
                [packed(arrays[f"reservoir_{kind}{k}"]) for kind in ("weight", "bias")]
                for k in range(depth)
            ],
            "observations": packed(arrays["observations"].astype(np.float32)),
        },
    )


PANEL = Panel(order=61, data=from_paper_run(reduce), scripts=())
