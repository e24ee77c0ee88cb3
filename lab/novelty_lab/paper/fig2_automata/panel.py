"""The panel of the elementary automata: each of the 88 rules, the most denoised bits first."""

from __future__ import annotations

from novelty_lab.explorer.packing import short
from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run
from novelty_lab.records import Record


def reduce(record: Record) -> DataFiles:
    """Yield ``automata``."""
    scores, results = record.scores or {}, record.results
    rules = [
        {
            "rule": int(rule),
            "bits": short(scores[rule]),
            "sd": short(results["sd"][rule]),
            "floor": short(results["floor"][rule]),
            "excess": short(results["excess"][rule]),
            "denoised": short(results["denoised"][rule]),
            "denoised_sd": short(results["denoised_sd"][rule]),
            "directions": short(results["directions"][rule]),
            "rank_by_denoised": results["rank_by_denoised"][rule],
            "rank": rank,
            "rank_by_excess": results["rank_by_excess"][rule],
            "wolfram_class": results["wolfram_class"][rule],
        }
        for rank, rule in enumerate(results["ranking"], start=1)
    ]
    rules.sort(key=lambda entry: entry["rank_by_denoised"])
    sizes = {name: record.configuration[name] for name in ("draws", "samples")}
    yield "automata", {"rules": rules, **sizes}


PANEL = Panel(order=10, data=from_paper_run(reduce))
