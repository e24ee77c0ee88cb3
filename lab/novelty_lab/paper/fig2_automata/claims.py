"""Section 4.1 and appendix B: the ranking of the elementary automata.

The reference configuration of appendix B is read here: the first three draws are those of
``eca-scan``, which keeps no single draws.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from novelty_lab.ledger.claims import claim
from novelty_lab.ledger.findings import Finding, Pair, Ranked, Value
from novelty_lab.ledger.source import Source
from novelty_lab.records import Record

CLASS_ONE = 1
SHOWN = 14
"""Rules that the figure shows: the first of the ranking."""


def _scores(record: Record) -> dict[str, Value]:
    rules = list(record.scores or {})
    return {r: Value.of(d) for r, d in zip(rules, record.arrays["scores"], strict=True)}


def _draws(record: Record, rule: str) -> np.ndarray:
    return record.arrays["scores"][list(record.scores or {}).index(rule)]


def _best_other(record: Record) -> str:
    return next(rule for rule in record.results["ranking"] if rule != "110")


def _top(record: Record) -> Finding:
    scores, best = _scores(record), _best_other(record)
    pair = Pair(f"110 above {best}", scores["110"], scores[best])
    return Finding(pairs=(pair,), shown=record.results["ranking"][0], runs=scores["110"].runs)


def _zero(record: Record) -> Finding:
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


def _low(record: Record) -> Finding:
    scores, order = _scores(record), record.results["ranking"]
    insets = map(str, record.configuration["inset_rules"])
    shown = {*order[:SHOWN], *insets} - {"1", "2"}
    lowest = min(shown, key=lambda rule: scores[rule].mean)
    pairs = [Pair(f"{lowest} above {rule}", scores[lowest], scores[rule]) for rule in ("1", "2")]
    pairs.append(Pair("54 above 30", scores["54"], scores["30"]))
    return Finding(pairs=tuple(pairs), runs=scores["1"].runs)


def margin(record: Record) -> Finding:
    """Read by how much rule 110 leads, draw by draw."""
    best, runner_up = _best_other(record), claim("eca.ref.margin").runner_up
    return Finding(
        values=(Value.of(_draws(record, "110") - _draws(record, best)),),
        against={f"runner-up {best}": best != str(runner_up)},
        note=f"Runner-up: rule {best} (paper {runner_up}).",
    )


def _gap(record: Record) -> Finding:
    return Finding(values=(Value.of(_draws(record, "54") - _draws(record, "30")),))


def _rank(rule: str) -> Callable[[Record], Finding]:
    return lambda record: Finding(ranked=(Ranked(rule, _scores(record)),))


SOURCES = {
    "eca.top": Source("eca", _top),
    "eca.zero": Source("eca", _zero),
    "eca.low": Source("eca", _low),
    "eca.ref.margin": Source("eca", margin),
    "eca.ref.rank54": Source("eca", _rank("54")),
    "eca.ref.rank30": Source("eca", _rank("30")),
    "eca.ref.gap": Source("eca", _gap),
}
