"""Appendix D: the ridge readout against the exact minimizer of the description length.

The appendix says that it uses the observer of table 2, so that one is judged; what the other
automaton observer gives is noted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from novelty_lab.ledger.shelf import Shelf
from novelty_lab.ledger.source import Source
from novelty_lab.ledger.values import Finding, Ranked, Value

NAMED, OTHER = "table 2", "inverse NCA"
READOUTS = ("ridge", "exact")
UNCHANGED = 0.05
"""Bits: half a unit of the last digit with which the paper prints bits."""
SCORED = 1.0
"""Bits above which a ratio of two scores means something."""


def _solved(shelf: Shelf, observer: str = NAMED) -> dict[str, Any]:
    return shelf.get("mdl").results[observer]


def _draws(shelf: Shelf) -> int:
    return shelf.get("mdl").configuration["draws"]


def _scores(shelf: Shelf, readout: str) -> dict[str, Value]:
    held, draws = _solved(shelf), _draws(shelf)
    return {r: Value(bits, held[f"{readout}_sd"][r], draws) for r, bits in held[readout].items()}


def _beside(shelf: Shelf, text: Callable[[dict[str, Any]], str]) -> str:
    """Say what the other observer gives, where it was run."""
    other = shelf.get("mdl").results.get(OTHER)
    return "" if other is None else f"With the other observer: {text(other)}."


def _spearman(shelf: Shelf) -> Finding:
    other = _beside(shelf, lambda r: f"{r['spearman']:.4f}")
    note = f"The spread over draws is not recorded. {other}"
    return Finding(values=(Value(_solved(shelf)["spearman"]),), runs=_draws(shelf), note=note)


def _one_sided(shelf: Shelf) -> Finding:
    rules, neural = _solved(shelf), shelf.get("mdl-nca").results
    counts = [held["pairs_exact_not_below"] for held in (rules, neural)]
    against = {
        f"exact below ridge, {name}": held["pairs_exact_not_below"] < held["pairs"]
        for name, held in (("elementary", rules), ("neural", neural))
    }
    return Finding(against=against, shown=counts, runs=_draws(shelf))


def _ratio(shelf: Shelf) -> Finding:
    ridge, exact = (_solved(shelf)[readout] for readout in READOUTS)
    scored = [rule for rule in ridge if ridge[rule] > SCORED]
    ratios = [exact[rule] / ridge[rule] for rule in scored]
    growth = np.corrcoef([ridge[rule] for rule in scored], ratios)[0, 1]
    other = _beside(shelf, lambda r: f"{r['largest_ratio']:.2f}")
    return Finding(
        values=(Value(max(ratios)),),
        against={"the ratio does not grow with the score": bool(growth <= 0)},
        runs=_draws(shelf),
        note=f"The spread of the paired ratio is not recorded. {other}",
    )


def _top_fourteen(shelf: Shelf) -> Finding:
    other = not _solved(shelf)["same_top_fourteen"]
    note = _beside(shelf, lambda r: "yes" if r["same_top_fourteen"] else "no")
    return Finding(against={"another top fourteen": other}, runs=_draws(shelf), note=note)


def _margins(shelf: Shelf) -> Finding:
    values: list[Value] = []
    for readout in READOUTS:
        scores = _scores(shelf, readout)
        best = max((rule for rule in scores if rule != "110"), key=lambda r: scores[r].mean)
        values.append(scores["110"].minus(scores[best]))
    note = _beside(shelf, lambda r: f"{r['margin_ridge']:.1f}, {r['margin_exact']:.1f}")
    return Finding(values=tuple(values), note=note)


def _rank_41(shelf: Shelf) -> Finding:
    ranked = tuple(Ranked("41", _scores(shelf, readout)) for readout in READOUTS)
    return Finding(ranked=ranked, note=_beside(shelf, lambda r: "{}, {}".format(*r["rank_41"])))


def _rank_change(shelf: Shelf) -> Finding:
    def text(held: dict[str, Any]) -> str:
        change = held["largest_rank_change"]
        return f"rule {change['rule']}, {change['from']} to {change['to']}"

    held = _solved(shelf)
    return Finding(
        against={text(held): held["largest_rank_change"]["rule"] != "41"},
        runs=_draws(shelf),
        note=_beside(shelf, text),
    )


def _start(shelf: Shelf) -> Finding:
    moved = _solved(shelf)["largest_restart_difference_bits"]
    other = _beside(shelf, lambda r: f"{r['largest_restart_difference_bits']:.1g}")
    note = f"Largest difference over all rules, first draw: {moved:.1g} bits. {other}"
    return Finding(against={f"moved by {moved:.1g} bits": moved > UNCHANGED}, runs=1, note=note)


def _correlation(shelf: Shelf) -> Finding:
    """Correlate means over draws, as the figure shows them; the spread is over single draws."""
    record = shelf.get("mdl-nca")
    ridge, exact = (record.arrays[readout][0] for readout in READOUTS)
    draws = [
        float(np.corrcoef(ridge[..., draw].ravel(), exact[..., draw].ravel())[0, 1])
        for draw in range(ridge.shape[-1])
    ]
    single = Value.of(draws)
    return Finding(
        values=(Value(record.results["pearson"], single.sd, single.runs),),
        note=_fewer(shelf, "pearson", 3),
    )


def _offset(shelf: Shelf) -> Finding:
    """Average over draws and the checkpoints of the plateau; a run is a training seed."""
    record = shelf.get("mdl-nca")
    ridge, exact = (record.arrays[readout][0] for readout in READOUTS)
    steps = np.array(record.results["checkpoints"])
    settled = steps >= record.configuration["plateau"]
    offsets = (exact - ridge)[:, settled].mean(axis=(1, 2))
    return Finding(values=(Value.of(offsets),), note=_fewer(shelf, "offset", 1))


def _fewer(shelf: Shelf, quantity: str, digits: int) -> str:
    fewer = shelf.get("mdl-nca").results["fewer"]
    parts = [f"{held[quantity]:.{digits}f} with {states}" for states, held in fewer.items()]
    return f"With fewer states: {', '.join(parts)}." if parts else ""


SOURCES = {
    "mdl.spearman": Source("mdl", _spearman),
    "mdl.ge": Source("mdl", _one_sided),
    "mdl.ratio": Source("mdl", _ratio),
    "mdl.top14": Source("mdl", _top_fourteen),
    "mdl.margin": Source("mdl", _margins),
    "mdl.41": Source("mdl", _rank_41),
    "mdl.rankchange": Source("mdl", _rank_change),
    "mdl.start": Source("mdl", _start),
    "mdl.nca.r": Source("mdl-nca", _correlation),
    "mdl.nca.offset": Source("mdl-nca", _offset),
}
