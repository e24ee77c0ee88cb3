"""Appendix D: the ridge readout against the exact minimizer of the description length.

The appendix says that it uses the observer of table 2, so that one is judged; what the other
automaton observer gives is noted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from novelty_lab.ledger.findings import Finding, Ranked, Value
from novelty_lab.ledger.paper_records import PaperRecords
from novelty_lab.ledger.source import Source

NAMED, OTHER = "table 2", "inverse NCA"
READOUTS = ("ridge", "exact")
UNCHANGED = 0.05
"""Bits: half a unit of the last digit with which the paper prints bits."""
SCORED = 1.0
"""Bits above which a ratio of two scores means something."""


def _solved(records: PaperRecords, observer: str = NAMED) -> dict[str, Any]:
    return records.get("mdl").results[observer]


def _draws(records: PaperRecords) -> int:
    return records.get("mdl").configuration["draws"]


def _scores(records: PaperRecords, readout: str) -> dict[str, Value]:
    solved, draws = _solved(records), _draws(records)
    sd = solved[f"{readout}_sd"]
    return {r: Value(bits, sd[r], draws) for r, bits in solved[readout].items()}


def _beside(records: PaperRecords, text: Callable[[dict[str, Any]], str]) -> str:
    """Say what the other observer gives, where it was run."""
    other = records.get("mdl").results.get(OTHER)
    return "" if other is None else f"With the other observer: {text(other)}."


def _spearman(records: PaperRecords) -> Finding:
    other = _beside(records, lambda r: f"{r['spearman']:.4f}")
    note = f"The spread over draws is not recorded. {other}"
    return Finding(values=(Value(_solved(records)["spearman"]),), runs=_draws(records), note=note)


def _one_sided(records: PaperRecords) -> Finding:
    rules, neural = _solved(records), records.get("mdl-nca").results
    counts = [part["pairs_exact_not_below"] for part in (rules, neural)]
    against = {
        f"exact below ridge, {name}": part["pairs_exact_not_below"] < part["pairs"]
        for name, part in (("elementary", rules), ("neural", neural))
    }
    return Finding(against=against, shown=counts, runs=_draws(records))


def _ratio(records: PaperRecords) -> Finding:
    ridge, exact = (_solved(records)[readout] for readout in READOUTS)
    scored = [rule for rule in ridge if ridge[rule] > SCORED]
    ratios = [exact[rule] / ridge[rule] for rule in scored]
    growth = np.corrcoef([ridge[rule] for rule in scored], ratios)[0, 1]
    other = _beside(records, lambda r: f"{r['largest_ratio']:.2f}")
    return Finding(
        values=(Value(max(ratios)),),
        against={"the ratio does not grow with the score": bool(growth <= 0)},
        runs=_draws(records),
        note=f"The spread of the paired ratio is not recorded. {other}",
    )


def _top_fourteen(records: PaperRecords) -> Finding:
    other = not _solved(records)["same_top_fourteen"]
    note = _beside(records, lambda r: "yes" if r["same_top_fourteen"] else "no")
    return Finding(against={"another top fourteen": other}, runs=_draws(records), note=note)


def _margins(records: PaperRecords) -> Finding:
    values: list[Value] = []
    for readout in READOUTS:
        scores = _scores(records, readout)
        best = max((rule for rule in scores if rule != "110"), key=lambda r: scores[r].mean)
        values.append(scores["110"].minus(scores[best]))
    note = _beside(records, lambda r: f"{r['margin_ridge']:.1f}, {r['margin_exact']:.1f}")
    return Finding(values=tuple(values), note=note)


def _rank_41(records: PaperRecords) -> Finding:
    ranked = tuple(Ranked("41", _scores(records, readout)) for readout in READOUTS)
    return Finding(ranked=ranked, note=_beside(records, lambda r: "{}, {}".format(*r["rank_41"])))


def _rank_change(records: PaperRecords) -> Finding:
    def text(solved: dict[str, Any]) -> str:
        change = solved["largest_rank_change"]
        return f"rule {change['rule']}, {change['from']} to {change['to']}"

    solved = _solved(records)
    return Finding(
        against={text(solved): solved["largest_rank_change"]["rule"] != "41"},
        runs=_draws(records),
        note=_beside(records, text),
    )


def _start(records: PaperRecords) -> Finding:
    moved = _solved(records)["largest_restart_difference_bits"]
    other = _beside(records, lambda r: f"{r['largest_restart_difference_bits']:.1g}")
    note = f"Largest difference over all rules, first draw: {moved:.1g} bits. {other}"
    return Finding(against={f"moved by {moved:.1g} bits": moved > UNCHANGED}, runs=1, note=note)


SOURCES = {
    "mdl.spearman": Source("mdl", _spearman),
    "mdl.ge": Source("mdl", _one_sided),
    "mdl.ratio": Source("mdl", _ratio),
    "mdl.top14": Source("mdl", _top_fourteen),
    "mdl.margin": Source("mdl", _margins),
    "mdl.41": Source("mdl", _rank_41),
    "mdl.rankchange": Source("mdl", _rank_change),
    "mdl.start": Source("mdl", _start),
}
