"""Appendix F: the scores of continuous-time flows."""

from __future__ import annotations

from collections.abc import Callable

from novelty_lab.ledger.findings import Finding, Pair, Value
from novelty_lab.ledger.paper_records import PaperRecords
from novelty_lab.ledger.source import Source


def _scores(records: PaperRecords) -> dict[str, Value]:
    """Return the bits of every flow, mean and deviation over reservoirs."""
    record = records.get("flows")
    sd, draws = record.results["sd"], record.configuration["draws"]
    return {name: Value(bits, sd[name], draws) for name, bits in (record.scores or {}).items()}


def _flow(name: str) -> Callable[[PaperRecords], Finding]:
    def read(records: PaperRecords) -> Finding:
        other = records.get("flows").results["ensemble_sd"][name]
        note = f"Between ensembles of states the deviation is {other:.1g}, which is not counted."
        return Finding(values=(_scores(records)[name],), note=note)

    return read


def _kinds(records: PaperRecords) -> tuple[dict[str, Value], dict[str, Value]]:
    """Separate the chaotic flows from the linear ones."""
    chaotic, scores = records.get("flows").results["chaotic"], _scores(records)
    return (
        {name: score for name, score in scores.items() if chaotic[name]},
        {name: score for name, score in scores.items() if not chaotic[name]},
    )


def _linear(records: PaperRecords) -> Finding:
    _, linear = _kinds(records)
    means = [score.mean for score in linear.values()]
    return Finding(values=tuple(linear.values()), shown=[min(means), max(means)])


def _order(records: PaperRecords) -> Finding:
    chaotic, linear = _kinds(records)
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
