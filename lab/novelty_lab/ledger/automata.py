"""Section 4.1 and appendix B: the ranking of the elementary automata and its robustness.

The reference configuration is read off ``eca``: its first three draws are those of ``eca-scan``,
which keeps no single draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from novelty_lab.artefacts.eca.figure import SHOWN
from novelty_lab.ledger.shelf import Shelf
from novelty_lab.ledger.source import Source
from novelty_lab.ledger.values import Finding, Pair, Ranked, Value
from novelty_lab.records import Record

CLASS_ONE = 1
NARROW = ("resolution", "ridge_penalty", "window", "channels", "samples")
"""Axes that leave the receptive radius at two."""
WIDE = ("depth=4", "depth=5", "kernel_size=5", "kernel_size=7")
"""Cells of the scan whose receptive radius exceeds two."""
LOST = ("window=4", "depth=1", "depth=2")
"""Cells at which the paper has another rule in front."""
OURS_ALONE = "input_scale"
"""An axis of the scan that the paper does not have."""


def _scores(record: Record) -> dict[str, Value]:
    rules = list(record.scores or {})
    return {r: Value.of(d) for r, d in zip(rules, record.arrays["scores"], strict=True)}


def _draws(record: Record, rule: str) -> np.ndarray:
    return record.arrays["scores"][list(record.scores or {}).index(rule)]


def _top(shelf: Shelf) -> Finding:
    record = shelf.get("eca")
    scores, order = _scores(record), record.results["ranking"]
    best = next(rule for rule in order if rule != "110")
    pair = Pair(f"110 above {best}", scores["110"], scores[best])
    return Finding(pairs=(pair,), shown=order[0], runs=scores["110"].runs)


def _zero(shelf: Shelf) -> Finding:
    record = shelf.get("eca")
    zero, classes = record.results["exactly_zero"], record.results["wolfram_class"]
    at_zero = all(not _draws(record, rule).any() for rule in zero)
    against = {
        f"rule {rule} is not at 0": not at_zero or rule not in zero
        for rule, its_class in classes.items()
        if its_class == CLASS_ONE
    }
    return Finding(
        against=against,
        shown=0 if at_zero else None,
        runs=record.configuration["draws"],
        note=f"At exactly 0: {', '.join(zero)}.",
    )


def _low(shelf: Shelf) -> Finding:
    record = shelf.get("eca")
    scores, order = _scores(record), record.results["ranking"]
    insets = map(str, record.configuration["inset_rules"])
    shown = {*order[:SHOWN], *insets} - {"1", "2"}
    lowest = min(shown, key=lambda rule: scores[rule].mean)
    pairs = [Pair(f"{lowest} above {rule}", scores[lowest], scores[rule]) for rule in ("1", "2")]
    pairs.append(Pair("54 above 30", scores["54"], scores["30"]))
    return Finding(pairs=tuple(pairs), runs=scores["1"].runs)


def _margin(shelf: Shelf) -> Finding:
    record = shelf.get("eca")
    best = next(rule for rule in record.results["ranking"] if rule != "110")
    return Finding(
        values=(Value.of(_draws(record, "110") - _draws(record, best)),),
        against={f"runner-up {best}": best != "25"},
        note=f"Runner-up: rule {best} (paper 25).",
    )


def _gap(shelf: Shelf) -> Finding:
    record = shelf.get("eca")
    return Finding(values=(Value.of(_draws(record, "54") - _draws(record, "30")),))


def _rank(rule: str) -> Callable[[Shelf], Finding]:
    return lambda shelf: Finding(ranked=(Ranked(rule, _scores(shelf.get("eca"))),))


def _cells(shelf: Shelf) -> dict[str, dict[str, Any]]:
    """Return the cells that the paper's scan has too, one draw each."""
    cells = shelf.get("eca-scan").results["cells"]
    return {name: cell for name, cell in cells.items() if cell["axis"] != OURS_ALONE}


def _varied(shelf: Shelf) -> list[dict[str, Any]]:
    return [cell for cell in _cells(shelf).values() if not cell["is_reference"]]


def _scan_margin(shelf: Shelf) -> Finding:
    margins = [cell["margin"] for cell in _varied(shelf) if cell["first"] == "110"]
    draws = _margin(shelf).values[0] if shelf.find("eca") else Value(0.0)
    values = tuple(Value(m, draws.sd, 1, draws.freedom) for m in margins)
    note = "A cell is one draw; the spread is that of draws at the reference."
    return Finding(values=values, shown=[min(margins), max(margins)], note=note)


def _scan_spearman(shelf: Shelf) -> Finding:
    deep = [c for c in _varied(shelf) if not (c["axis"] == "depth" and c["value"] <= 2)]
    least = min(deep, key=lambda cell: cell["spearman"])
    where = _shown(f"{least['axis']}={least['value']:g}")
    note = f"The least, at {where}; one draw, whose spread is not recorded."
    return Finding(values=(Value(least["spearman"]),), note=note)


def _scan_top(shelf: Shelf) -> Finding:
    cells = _cells(shelf)
    lost = [name for name, cell in cells.items() if cell["first"] != "110"]
    against = {f"110 not first at {_shown(n)}": n in lost for n in cells if n not in LOST}
    against |= {f"110 first at {_shown(n)}": n not in lost for n in LOST}
    listed = ", ".join(map(_shown, lost)) or "none"
    return Finding(against=against, runs=1, note=f"Another rule leads at: {listed}.")


def _scan_order(shelf: Shelf) -> Finding:
    cells = _cells(shelf)
    narrow = [name for name, cell in cells.items() if cell["axis"] in NARROW]
    against = {f"30 above 54 at {_shown(n)}": cells[n]["gap_54_30"] < 0 for n in narrow}
    against |= {f"54 above 30 at {_shown(n)}": cells[n]["gap_54_30"] > 0 for n in WIDE}
    return Finding(against=against, runs=1)


def _rescored(shelf: Shelf, cell: str) -> tuple[dict[str, Value], dict[str, Any]]:
    """Return the scores of a cell that was drawn three times, and the rest of it."""
    record = shelf.get("eca-scan")
    held, draws = record.results["rescored"][cell], record.configuration["draws"]
    return {r: Value(m, held["sd"][r], draws) for r, m in held["mean"].items()}, held


def _score(cell: str, rule: str, over: str | None = None) -> Callable[[Shelf], Finding]:
    """Read the score of a rule, which is above that of another one where the paper says so."""

    def read(shelf: Shelf) -> Finding:
        scores, _ = _rescored(shelf, cell)
        pairs = () if over is None else (Pair(f"{rule} above {over}", scores[rule], scores[over]),)
        return Finding(values=(scores[rule],), pairs=pairs)

    return read


def _reversed(cell: str) -> Callable[[Shelf], Finding]:
    """Read by how much 54 is above 30 where it is below, and whether 110 is first."""

    def read(shelf: Shelf) -> Finding:
        scores, held = _rescored(shelf, cell)
        best = max((rule for rule in scores if rule != "110"), key=lambda r: scores[r].mean)
        first = Pair(f"110 above {best}", scores["110"], scores[best])
        gap = Value(held["gap_54_30"], held["gap_54_30_sd"], scores["110"].runs)
        return Finding(values=(gap,), pairs=(first,))

    return read


def _ranks(cell: str, *rules: str) -> Callable[[Shelf], Finding]:
    def read(shelf: Shelf) -> Finding:
        scores, _ = _rescored(shelf, cell)
        return Finding(ranked=tuple(Ranked(rule, scores) for rule in rules))

    return read


def _depth_one(shelf: Shelf) -> Finding:
    found = _ranks("depth=1", "110")(shelf)
    correlation = _cells(shelf)["depth=1"]["spearman"]
    # A correlation of n things that have none is below this in 95 of 100 cases.
    chance = 1.96 / math.sqrt(len(found.ranked[0].scores) - 1)
    return Finding(
        ranked=found.ranked,
        against={"the correlation does not vanish": abs(correlation) > chance},
        note=f"Rank correlation with the reference: {correlation:.2f}.",
    )


def _shown(cell: str) -> str:
    return cell.replace("_", " ").replace("=", " ")


SOURCES = {
    "eca.top": Source("eca", _top),
    "eca.zero": Source("eca", _zero),
    "eca.low": Source("eca", _low),
    "eca.ref.margin": Source("eca", _margin),
    "eca.ref.rank54": Source("eca", _rank("54")),
    "eca.ref.rank30": Source("eca", _rank("30")),
    "eca.ref.gap": Source("eca", _gap),
    "eca.scan.margin": Source("eca-scan", _scan_margin),
    "eca.scan.spearman": Source("eca-scan", _scan_spearman),
    "eca.scan.top": Source("eca-scan", _scan_top),
    "eca.scan.order": Source("eca-scan", _scan_order),
    "eca.tau4.110": Source("eca-scan", _score("window=4", "110")),
    "eca.tau4.73": Source("eca-scan", _score("window=4", "73", over="110")),
    "eca.depth2.25": Source("eca-scan", _score("depth=2", "25", over="110")),
    "eca.depth2.110": Source("eca-scan", _score("depth=2", "110")),
    "eca.depth1.rank110": Source("eca-scan", _depth_one),
    "eca.depth4.gap": Source("eca-scan", _reversed("depth=4")),
    "eca.depth4.ranks": Source("eca-scan", _ranks("depth=4", "30", "54")),
    "eca.kernel5.gap": Source("eca-scan", _reversed("kernel_size=5")),
}
