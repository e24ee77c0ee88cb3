"""Two scores compared: how much more one explains, and whether it knows what the other does not.

On the same targets with the held-out predictions f and g of both, errors e = y - f, and the
disagreement d = g - f, the best mixture f + w d has w = sum e d / sum d^2 and explains

    gain = (sum e d)^2 / (sum d^2 sum t)

more of the variance than f alone (t: squared errors of the mean). Where f knows all that g knows,
e d has mean zero, however noisy g is (Clark and West 2007): so the test of sum e d > 0 over
independent samples is one of information, and an input that is idle costs nothing in it. What
other reservoirs of the same kind would add, the variance of f over reservoirs, is taken off.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from learnable_novelty.errors import UserError
from learnable_novelty.measure.held_out import HeldOut, sums_of
from learnable_novelty.measure.line import paired_difference
from learnable_novelty.measure.result import Predictions, Score
from learnable_novelty.measure.words import jsonable, p_words, percent


@dataclass(frozen=True)
class Difference:
    """What a second score explains beyond a first one."""

    difference: float
    """Held-out variance of the second less that of the first. An input more makes a readout wider
    and can make this negative without any information being lost."""
    interval: tuple[float, float]
    """Its 95% interval."""
    gain: float
    """Share of variance that a mixture of both explains beyond the first alone: what the second
    knows and the first does not. NaN for two data sets."""
    gain_interval: tuple[float, float]
    """Its 95% interval, cut at 0."""
    p_value: float
    """That the second knows nothing beyond the first; for two data sets, that both explain the
    same, two-sided."""
    num_samples: int

    def __str__(self) -> str:
        low, high = map(percent_of, self.interval)
        told = f"The second explains {percent_of(self.difference)} more [{low}, {high}]"
        if math.isnan(self.gain):
            return f"{told} (p = {p_words(self.p_value)})."
        low, high = map(percent, self.gain_interval)
        if self.p_value > 0.05:
            return f"{told}; no sign that it adds to the first (p = {p_words(self.p_value)})."
        return (
            f"{told}; it adds {percent(self.gain)} [{low}, {high}] to the first (p = "
            f"{p_words(self.p_value)})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values that JSON can hold."""
        return jsonable(asdict(self))


def percent_of(share: float) -> str:
    """Write a share that may be negative.

    >>> percent_of(-0.042), percent_of(0.5)
    ('-4.2%', '50%')
    """
    return f"-{percent(-share)}" if share < 0 else percent(share)


def difference(first: Score, second: Score, *, paired: bool = True) -> Difference:
    """Compare two scores of the same targets: an added input, another observer, another history.

    Args:
        first: of data in memory, not lattices.
        second: the same.
        paired: whether both have the same targets in the same order; a longer history has fewer of
            them, and the last ones of both are compared. Two data sets (False) are compared at
            equal n.

    Returns:
        The difference with its interval, and whether the second knows more than the first.

    >>> from learnable_novelty import score
    >>> x = np.random.default_rng(0).standard_normal((200, 2))
    >>> alone, both = (score(x[:, :k], x.sum(1), draws=1, null=0) for k in (1, 2))
    >>> compared = difference(alone, both)
    >>> compared.gain > 0.4 and compared.p_value < 1e-6
    True
    """
    one, other = _predictions(first, "first"), _predictions(second, "second")
    if not paired:
        return _unpaired(first, second, (one, other))
    one, other = _last(one, other), _last(other, one)
    same = one.observed.shape == other.observed.shape
    if not same or not np.allclose(one.observed, other.observed, rtol=1e-6, atol=1e-9):
        raise UserError(
            "expected two scores of the same targets in the same order, got others: compare "
            "two data sets with paired=False, at the same number of samples"
        )
    apart, interval = paired_difference(one.held_out, other.held_out, one.units)
    spread = one.observed - one.observed.mean(0)
    disagreement = other.predicted - one.predicted
    products = ((one.observed - one.predicted) * disagreement).sum(1)
    if one.draw_variance is not None:
        products = products - one.draw_variance
    products = sums_of(products, one.units)
    size_of = float((disagreement**2).sum() * (spread**2).sum())
    total, freedom = float(products.sum()), max(1, products.size - 1)
    error = float(np.sqrt(products.size * products.var(ddof=1)))
    reach = float(stdtrit(freedom, 0.975)) * error
    gain, low, high = (
        max(0.0, end) ** 2 / size_of if size_of else 0.0
        for end in (total, total - reach, total + reach)
    )
    return Difference(
        difference=apart,
        interval=interval,
        gain=gain,
        gain_interval=(low, high),
        p_value=float(stdtr(freedom, -total / error)) if error else 1.0,
        num_samples=len(one.observed),
    )


def _predictions(score: Score, which: str) -> Predictions:
    if score.predictions is None:
        raise UserError(
            f"expected scores of rows or series in memory, got a {which} one without held-out "
            "predictions: lattices, data read by chunks, or too few samples"
        )
    return score.predictions


def _last(one: Predictions, other: Predictions) -> Predictions:
    """Keep as many samples as the other has at most, the last ones; with groups, of each group."""
    if len(one.observed) <= len(other.observed):
        return one
    kept, units = slice(len(one.observed) - len(other.observed), None), one.units
    if not isinstance(units, int) and not isinstance(other.units, int):
        sizes = np.bincount(other.units, minlength=int(units.max()) + 1)
        members = [np.flatnonzero(units == group) for group in range(len(sizes))]
        some = [
            places[max(0, len(places) - size) :]
            for places, size in zip(members, sizes, strict=False)
        ]
        kept = np.sort(np.concatenate(some))
    held = one.held_out
    held = HeldOut(held.errors[kept], held.spread[kept], held.freedom)
    units = units if isinstance(units, int) else units[kept]
    noise = None if one.draw_variance is None else one.draw_variance[kept]
    return Predictions(None, one.observed[kept], one.predicted[kept], noise, held, units, True)


def _unpaired(first: Score, second: Score, both: tuple[Predictions, Predictions]) -> Difference:
    """Compare two data sets by their shares and the errors of these."""
    if first.num_samples != second.num_samples:
        raise UserError(
            "expected as many samples in both data sets, because what is explained grows with "
            f"them, got {first.num_samples} and {second.num_samples}: score a subset of the larger"
        )
    shares, errors, freedoms = zip(*(_share(one) for one in both), strict=True)
    apart, error = shares[1] - shares[0], math.hypot(*errors)
    # Welch and Satterthwaite, with as many degrees as there are independent blocks or groups.
    spread = sum(e**4 / f for e, f in zip(errors, freedoms, strict=True))
    freedom = error**4 / spread if spread else 1.0
    reach = float(stdtrit(freedom, 0.975)) * error
    p = 2 * float(stdtr(freedom, -abs(apart) / error)) if error else 1.0
    count = first.num_samples
    return Difference(
        apart, (apart - reach, apart + reach), math.nan, (math.nan, math.nan), p, count
    )


def _share(one: Predictions) -> tuple[float, float, int]:
    """Return the held-out share, not cut at 0, its standard error and its degrees of freedom."""
    e, t = (sums_of(values, one.units) for values in (one.held_out.errors, one.held_out.spread))
    ratio = float(e.sum() / t.sum()) if t.sum() > 0 else 1.0
    error = math.sqrt(float(np.square(e - ratio * t).sum())) / float(t.sum() or 1.0)
    return 1 - ratio, error, max(1, e.size - 1)
