"""The panel of criticality: chi against depth, gain and input scale, as mean and sd."""

from __future__ import annotations

from novelty_lab.explorer.packing import rounded
from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run
from novelty_lab.records import Record


def reduce(record: Record) -> DataFiles:
    """Yield ``criticality``."""
    axes = ("depths", "gains", "input_scales", "depth")
    config = {name: record.configuration[name] for name in axes}
    names = {name: record.results[name] for name in ("architectures", "activations")}
    chi = {
        f"by_{name}": rounded(record.arrays[name])
        for name in ("depth", "gain", "gain_theory", "scale")
    }
    yield "criticality", {**config, **names, **chi}


PANEL = Panel(order=80, data=from_paper_run(reduce))
