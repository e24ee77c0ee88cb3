"""How a claim is judged: one rule for every kind of claim, and nothing by hand.

A rule returns what speaks against a claim; where nothing does, the claim is reproduced. So
"reproduced" means: not contradicted beyond the errors of both sides. Where these are wide that is a
weak statement, which is why spread and runs stand beside every number.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import stats

from novelty_lab.intervals import student
from novelty_lab.ledger.claims import Claim, Kind
from novelty_lab.ledger.findings import Finding, Ranked, Value


def number(claim: Claim, finding: Finding) -> list[str]:
    """Each of our means is the paper's, within the error of both and the paper's rounding.

        |ours - paper| <= t sqrt(sd_ours^2 / n_ours + sd_paper^2 / n_paper) + half a last digit

    with t the 95% point of Student's distribution (Welch). The error is that of a mean, not the
    spread of a run: the paper prints means, and by the spread of a run anything would pass on a
    task where runs differ, however many were made. Where the paper prints no deviation ours stands
    in for it; where the record holds none either, the printed digits must agree.
    """
    paper = claim.numbers * (len(finding.values) if len(claim.numbers) == 1 else 1)
    return [
        f"{ours.mean:.4g} for {value:g}"
        for ours, value in zip(finding.values, paper, strict=True)
        if abs(ours.mean - value) > tolerance(ours, claim) + claim.rounding
    ]


def within(claim: Claim, finding: Finding) -> list[str]:
    """Each of our means lies in the paper's range, widened at both ends by the error of a number.

        low - w <= ours <= high + w,  w = t sqrt(sd^2 / n_ours + sd^2 / n_paper) + half a last digit

    with sd our deviation, for the paper prints none beside a range.
    """
    low, high = claim.numbers
    return [
        f"{ours.mean:.4g}"
        for ours in finding.values
        for wide in [tolerance(ours, claim) + claim.rounding]
        if not low - wide <= ours.mean <= high + wide
    ]


def bound(claim: Claim, finding: Finding) -> list[str]:
    """Each of our means lies on the stated side of the paper's bound, or within its error.

        ours >= bound - w  where the paper says above,  ours <= bound + w  where it says below

    with w as for a range.
    """
    (limit,) = claim.numbers
    sign = 1 if claim.side == "above" else -1
    return [
        f"{ours.mean:.4g}"
        for ours in finding.values
        if sign * (ours.mean - limit) < -(tolerance(ours, claim) + claim.rounding)
    ]


def rank(claim: Claim, finding: Finding) -> list[str]:
    """The paper's rank is one that ours could have if scores moved within their error.

        1 + #{j: S_j - S_i > w_ij}  <=  paper  <=  1 + #{j: S_j - S_i > -w_ij}

    with w_ij the error of a number for the difference of two scores, as if they were independent.
    """
    return [
        f"{ranked.place} for {value:g}"
        for ranked, value in zip(finding.ranked, claim.numbers, strict=True)
        for low, high in [places(ranked, claim)]
        if not low <= value <= high
    ]


def ordering(claim: Claim, finding: Finding) -> list[str]:
    """No difference of our means has the other sign than the paper says, by more than its error.

        above - below >= -t sqrt(sd_above^2 / n_above + sd_below^2 / n_below)

    An order that two noisy means decide by chance does not decide the verdict; it is noted.
    """
    return [
        pair.name
        for pair in finding.pairs
        if pair.above.mean - pair.below.mean < -welch(pair.above, pair.below)
    ]


def same(claim: Claim, finding: Finding) -> list[str]:
    """What the paper calls one band, or independent, varies by the setting as means do by chance.

        F = n var(means over settings) / mean(var over runs at one setting)  <=  F_0.95

    with F_0.95 the 95% point of Fisher's distribution (one-way analysis of variance).
    """
    values = finding.values
    between = float(np.var([value.mean for value in values], ddof=1))
    within = float(np.mean([(value.sd or 0.0) ** 2 for value in values]))
    freedom = sum(value.freedom for value in values)
    largest = float(stats.f.ppf(0.95, len(values) - 1, max(freedom, 1)))
    runs = min(value.runs for value in values)
    if runs * between <= largest * within:
        return []
    return [f"{math.sqrt(between):.2g} between, {math.sqrt(within):.2g} within"]


def statement(claim: Claim, finding: Finding) -> list[str]:
    """Every part of the statement is true of our record, run by run where it speaks of every run.

    There is no error to allow for: parts are about counts, sets and names.
    """
    return [objection for objection, is_so in finding.against.items() if is_so]


RULES: dict[Kind, Callable[[Claim, Finding], list[str]]] = {
    "number": number,
    "range": within,
    "bound": bound,
    "rank": rank,
    "ordering": ordering,
    "same": same,
    "statement": statement,
}


def objections(claim: Claim, finding: Finding) -> list[str]:
    """Return what speaks against a claim: by its own rule, in its orderings, in other parts."""
    rules = dict.fromkeys([RULES[claim.kind], ordering, statement])
    return [objection for rule in rules for objection in rule(claim, finding)]


def undecided(finding: Finding) -> list[str]:
    """Name the pairs whose order our means do not tell."""
    return [
        pair.name
        for pair in finding.pairs
        if abs(pair.above.mean - pair.below.mean) <= welch(pair.above, pair.below)
    ]


def tolerance(ours: Value, claim: Claim) -> float:
    """Return how far our mean may be from the paper's: t times the error of their difference."""
    if ours.sd is None and claim.sd is None:
        return 0.0
    if claim.sd is not None:
        return welch(ours, Value(0.0, claim.sd, claim.runs))
    # The stand-in for the paper's deviation is ours: it adds no degrees of freedom.
    return student(ours.freedom) * math.sqrt(ours.variance + (ours.sd or 0.0) ** 2 / claim.runs)


def welch(one: Value, other: Value) -> float:
    """Return t times the error of the difference of two means; 0 if neither has a deviation.

    Degrees of freedom: (a + b)^2 / (a^2 / f_a + b^2 / f_b), a and b the variances of the means.
    """
    terms = [(v.variance, v.freedom) for v in (one, other) if v.variance > 0]
    total = sum(variance for variance, _ in terms)
    if not terms:
        return 0.0
    freedom = total**2 / sum(variance**2 / max(f, 1) for variance, f in terms)
    return student(freedom) * math.sqrt(total)


def places(ranked: Ranked, claim: Claim) -> tuple[int, int]:
    """Return the best and the worst place that a thing could have; see ``rank``."""
    own = ranked.scores[ranked.name]
    gaps = [score.minus(own) for name, score in ranked.scores.items() if name != ranked.name]
    above = sum(gap.mean > tolerance(gap, claim) for gap in gaps)
    perhaps = sum(gap.mean > -tolerance(gap, claim) for gap in gaps)
    return 1 + above, 1 + perhaps
