"""Data of the panel of life-like rules: denoised bits, for the rules that have been denoised."""

from __future__ import annotations

import numpy as np

from novelty_lab.explorer.packing import packed
from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run
from novelty_lab.records import Record


def reduce(record: Record) -> DataFiles:
    """Yield ``life-denoised``."""
    kinds = {"codes": np.int32, "denoised": np.float32, "directions": np.float32}
    sizes = {name: record.configuration[name] for name in ("grid", "samples", "draws")}
    arrays = {name: packed(record.arrays[name].astype(kind)) for name, kind in kinds.items()}
    yield "life-denoised", {**sizes, **arrays}


PANEL = Panel(order=21, data=from_paper_run(reduce), scripts=())
