"""Data of the panels of automaton and encoder: denoised bits of the trainings on raw bits."""

from __future__ import annotations

import numpy as np

from novelty_lab.context import mean_and_sd
from novelty_lab.explorer.packing import short
from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run
from novelty_lab.records import Record


def reduce(record: Record) -> DataFiles:
    """Yield ``denoised-objective``."""
    automata = {
        name.partition(", raw bits, ")[2].replace(" ", "-"): [short(v) for v in run["denoised"]]
        for name, run in record.results["automata"].items()
        if run["objective"] == "raw"
    }
    codes = [row for row in record.results["encoders"].values() if row["objective"] == "raw"]
    yield (
        "denoised-objective",
        {
            "automata": automata,
            "automata_rows": record.configuration["nca"]["judged_samples"],
            "encoder": {
                "steps": codes[0]["steps"],
                "rows": record.configuration["encoder"]["batch_size"],
                "runs": len(codes),
                **mean_and_sd(np.array([row["denoised"] for row in codes])),
            },
        },
    )


PANEL = Panel(order=42, data=from_paper_run(reduce), scripts=())
