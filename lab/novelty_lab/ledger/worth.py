"""What a "reproduced" is worth: how often a rule says so of a true claim, and of a wrong one.

``python -m novelty_lab.ledger.worth`` measures it by simulation and writes ``worth.json``. Our runs
are drawn with the number and the deviation that our record has, the truth within the error of the
paper's own number; what is "clearly different" is said in ``shifted``.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from importlib import resources
from pathlib import Path

import numpy as np

from learnable_novelty.storage import write_whole
from novelty_lab.ledger.claims import Claim, load_claims
from novelty_lab.ledger.findings import Finding, Pair, Ranked, Value
from novelty_lab.ledger.rules import objections
from novelty_lab.ledger.source import PaperRecords, Source, sources

Worth = tuple[float, float]
REPEATS = 1000
FIFTH = 0.2
"""How far off a number or a rank is that is clearly different, as a share."""
FILE = "worth.json"


@functools.cache
def committed_worth() -> dict[str, Worth]:
    """Return what was measured, by claim."""
    data = (resources.files("novelty_lab.ledger") / FILE).read_text(encoding="utf-8")
    return {name: (right, wrong) for name, (right, wrong) in json.loads(data).items()}


def measure(root: Path) -> dict[str, Worth]:
    """Measure the worth of every claim that our records judge and that has a spread."""
    records = PaperRecords(root)
    found: dict[str, Worth] = {}
    for claim in load_claims():
        source = sources()[claim.id]
        worth = worth_of(claim, source, source.finding(records))
        if worth is not None:
            found[claim.id] = worth
    return found


def worth_of(
    claim: Claim, source: Source, finding: Finding, repeats: int = REPEATS
) -> Worth | None:
    """Return how often a true claim and a wrong one are called reproduced, if there is chance.

    Parts of a claim that have no spread count as true in both.
    """
    random = np.random.default_rng(0)
    from_table = source.redrawn(random, differs=False) is not None
    of_record = finding.values or finding.pairs or finding.ranked
    if finding.missing or not (from_table or of_record):
        return None

    def share(differs: bool) -> float:
        drawn = (
            source.redrawn(random, differs=differs)
            if from_table
            else redrawn(claim, finding, random, differs)
            for _ in range(repeats)
        )
        return sum(one is not None and not objections(claim, one) for one in drawn) / repeats

    return share(False), share(True)


def redrawn(claim: Claim, finding: Finding, random: np.random.Generator, differs: bool) -> Finding:
    """Draw our side of a claim anew, from a truth that is the paper's or clearly different."""
    truths = shifted(claim, finding, random, differs)
    values = tuple(
        _drawn(dataclasses.replace(value, mean=truth), random)
        for value, truth in zip(finding.values, truths, strict=True)
    )
    closest = min((abs(p.above.mean - p.below.mean) for p in finding.pairs), default=0.0)
    pairs: list[Pair] = []
    for pair in finding.pairs:
        low, high = sorted((pair.above.mean, pair.below.mean))
        if differs and not values and high - low == closest:
            low, high = high, low
        ends = (
            _drawn(dataclasses.replace(value, mean=mean), random)
            for value, mean in ((pair.above, high), (pair.below, low))
        )
        pairs.append(Pair(pair.name, *ends))
    ranked = tuple(
        _reranked(one, int(place), random, differs)
        for one, place in zip(finding.ranked, claim.numbers if finding.ranked else [], strict=True)
    )
    return Finding(values=values, pairs=tuple(pairs), ranked=ranked)


def shifted(
    claim: Claim, finding: Finding, random: np.random.Generator, differs: bool
) -> list[float]:
    """Return a truth for each of our numbers.

    A number that differs is off by a fifth or by a deviation of the paper's runs, whichever is
    more; one outside a range or beyond a bound is a fifth off its end; of settings that are not
    the same every other one is one deviation of a run higher.
    """
    count = len(finding.values)
    if not count:
        return []
    signs = random.choice((-1.0, 1.0), count)
    if claim.kind == "same":
        sd = finding.values[0].sd or 0.0
        mean = float(np.mean([value.mean for value in finding.values]))
        return [mean + differs * sd * (place % 2) for place in range(count)]
    if claim.kind == "range":
        low, high = claim.numbers
        ends = np.where(signs > 0, high + FIFTH * abs(high), low - FIFTH * abs(low))
        return (ends if differs else random.uniform(low, high, count)).tolist()
    if claim.kind == "bound":
        (limit,) = claim.numbers
        beyond = FIFTH * abs(limit) * (1.0 if claim.side == "below" else -1.0)
        return [limit + differs * beyond] * count
    paper = claim.numbers * (count if len(claim.numbers) == 1 else 1)
    truths: list[float] = []
    for value, number, sign in zip(finding.values, paper, signs, strict=True):
        sd = claim.sd if claim.sd is not None else value.sd or 0.0
        step = max(FIFTH * abs(number), claim.sd or 0.0) if differs else 0.0
        truths.append(random.normal(number + sign * step, sd / math.sqrt(claim.runs)))
    return truths


def _drawn(value: Value, random: np.random.Generator) -> Value:
    """Draw a mean and a deviation as runs of a normal distribution have them."""
    if value.sd is None:
        return value
    freedom = max(value.freedom, 1)
    sd = value.sd * math.sqrt(random.chisquare(freedom) / freedom)
    mean = random.normal(value.mean, math.sqrt(value.variance))
    return dataclasses.replace(value, mean=mean, sd=sd)


def _reranked(ranked: Ranked, place: int, random: np.random.Generator, differs: bool) -> Ranked:
    """Put a thing at a place, between the scores of its neighbours, and draw all scores."""
    others = sorted(
        (score.mean for name, score in ranked.scores.items() if name != ranked.name), reverse=True
    )
    size = len(ranked.scores)
    if differs:
        off = max(round(FIFTH * size), 1)
        place = place + off if place + off <= size else place - off
    above = others[place - 2] if place > 1 else others[0] + (others[0] - others[1])
    below = others[place - 1] if place < size else others[-1]
    own = dataclasses.replace(ranked.scores[ranked.name], mean=(above + below) / 2)
    scores = {**ranked.scores, ranked.name: own}
    return Ranked(ranked.name, {name: _drawn(score, random) for name, score in scores.items()})


def main() -> None:
    """Measure by the committed records, and write the file."""
    folder = Path(__file__).parent
    found = measure(folder.parents[2] / "results")
    write_whole(folder / FILE, (json.dumps(found, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
