"""Appendix F: the scores of continuous-time flows."""

from __future__ import annotations

from collections.abc import Callable

from novelty_lab.ledger import Finding, Pair, Source, Value
from novelty_lab.records import Record


def _scores(record: Record) -> dict[str, Value]:
    """Return the bits of every flow, mean and deviation over reservoirs."""
    sd, draws = record.results["sd"], record.configuration["draws"]
    return {name: Value(bits, sd[name], draws) for name, bits in (record.scores or {}).items()}


def _flow(name: str) -> Callable[[Record], Finding]:
    def read(record: Record) -> Finding:
        other = record.results["ensemble_sd"][name]
        note = f"Between ensembles of states the deviation is {other:.1g}, which is not counted."
        return Finding(values=(_scores(record)[name],), note=note)

    return read


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
    "flows.lorenz": Source("flows", _flow("Lorenz")),
    "flows.rossler": Source("flows", _flow("Rossler")),
    "flows.thomas": Source("flows", _flow("Thomas")),
    "flows.linear": Source("flows", _linear),
    "flows.order": Source("flows", _order),
}
