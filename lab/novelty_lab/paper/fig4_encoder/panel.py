"""The panel of the encoder: the map at every checkpoint, the score, the probes and the images."""

from __future__ import annotations

import numpy as np

from novelty_lab.explorer.packing import packed, short, sprite_sheet
from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run
from novelty_lab.records import Record


def reduce(record: Record) -> DataFiles:
    """Yield ``encoder``, and ``encoder-images`` where the record keeps the images."""
    results = record.results
    measures = ("bits", "linear", "neighbours", "clusters")
    points = record.arrays["projection"]
    low, high = points.min((1, 2), keepdims=True), points.max((1, 2), keepdims=True)
    yield (
        "encoder",
        {
            "steps": results["steps"],
            "chance": short(results["chance"]),
            "controls": results["controls"],
            "seeds": len(record.arrays["scores"]),
            "probe_train": record.configuration["probe_train"],
            "code_dim": record.configuration["code_dim"],
            **{name: results[name] for name in measures},
            "points": packed(((points - low) / (high - low)).astype(np.float32)),
            "labels": packed(record.arrays["projected_labels"]),
        },
    )
    if "projected_images" in record.arrays:
        yield "encoder-images", sprite_sheet(record.arrays["projected_images"])


PANEL = Panel(order=40, data=from_paper_run(reduce))
