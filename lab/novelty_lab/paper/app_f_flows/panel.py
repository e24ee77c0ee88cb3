"""The panel of the flows: denoised and raw bits, floor and excess, and the points of portraits."""

from __future__ import annotations

import numpy as np

from novelty_lab.explorer.packing import packed, short
from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run
from novelty_lab.ledger.claims import load_claims
from novelty_lab.paper.app_f_flows.experiment import BESIDE_BITS
from novelty_lab.records import Record


def reduce(record: Record) -> DataFiles:
    """Yield ``flows``; nothing for a record of raw bits alone, which older versions made."""
    if not record.results.keys() >= set(BESIDE_BITS):
        return
    claims = {claim.id: claim.value for claim in load_claims()}
    flows = {
        name: {
            "bits": short(bits),
            "sd": short(record.results["sd"][name]),
            **{key: short(record.results[key][name]) for key in BESIDE_BITS},
            "chaotic": record.results["chaotic"][name],
            "paper": claims.get(f"flows.{name.lower()}", claims["flows.linear"]),
            "path": packed(record.arrays[f"portrait_{name}"].astype(np.float32)),
        }
        for name, bits in (record.scores or {}).items()
    }
    sizes = {name: record.configuration[name] for name in ("samples", "draws")}
    yield "flows", {"flows": flows, **sizes}


PANEL = Panel(order=40, data=from_paper_run(reduce))
