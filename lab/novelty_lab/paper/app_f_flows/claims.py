"""Appendix F: the scores of continuous-time flows."""

from __future__ import annotations

from functools import partial

from novelty_lab.ledger.findings import Finding, Pair, Value
from novelty_lab.ledger.source import Source
from novelty_lab.records import Record


def _scores(record: Record) -> dict[str, Value]:
    """Return the bits of every flow, mean and deviation over reservoirs."""
    sd, draws = record.results["sd"], record.configuration["draws"]
    return {name: Value(bits, sd[name], draws) for name, bits in (record.scores or {}).items()}


def _flow(record: Record, name: str) -> Finding:
    ensemble_sd = record.results["ensemble_sd"][name]
    note = f"Between ensembles of states the deviation is {ensemble_sd:.1g}, which is not counted."
    return Finding(values=(_scores(record)[name],), note=note)


def _kinds(record: Record) -> tuple[dict[str, Value], dict[str, Value]]:
    """Separate the chaotic flows from the linear ones."""
    chaotic, scores = record.results["chaotic"], _scores(record)
    return (
        {name: score for name, score in scores.items() if chaotic[name]},
        {name: score for name, score in scores.items() if not chaotic[name]},
    )


def _linear(record: Record) -> Finding:
    _, linear = _kinds(record)
    means = [score.mean for score in linear.values()]
    return Finding(values=tuple(linear.values()), shown=[min(means), max(means)])


def _order(record: Record) -> Finding:
    chaotic, linear = _kinds(record)
    pairs = [
        Pair(f"{one} above {other}", chaotic[one], linear[other])
        for one in chaotic
        for other in linear
    ]
    for one, other in (("Lorenz", "Rossler"), ("Rossler", "Thomas")):
        pairs.append(Pair(f"{one} above {other}", chaotic[one], chaotic[other]))
    return Finding(pairs=tuple(pairs), runs=chaotic["Lorenz"].runs)


SOURCES = {
    "flows.lorenz": Source("flows", partial(_flow, name="Lorenz")),
    "flows.rossler": Source("flows", partial(_flow, name="Rossler")),
    "flows.thomas": Source("flows", partial(_flow, name="Thomas")),
    "flows.linear": Source("flows", _linear),
    "flows.order": Source("flows", _order),
}
