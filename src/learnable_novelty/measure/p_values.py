"""P-values from a null distribution, from its tail, and of many tests at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from learnable_novelty.errors import UserError


def p_value(null: np.ndarray, observed: float) -> float | None:
    """Return (1 + number of null values at least as large) / (1 + number of null values)."""
    # Rounding must not decide a tie, such as constant targets give.
    beaten = int((null >= observed - 1e-10).sum())
    return (1 + beaten) / (1 + null.size) if null.size else None


def wild_p_value(null: np.ndarray, observed: float) -> float | None:
    """Return the larger p-value of the two halves: random signs, and skewed weights.

    Either alone rejects too often for some noise of varying size in a few hundred rows, and seldom
    for the same data.
    """
    halves = [p_value(half, observed) for half in np.split(null, 2)]
    return max((p for p in halves if p is not None), default=None)


def adjust(p_values: Sequence[float]) -> list[float]:
    """Adjust the p-values of many tests for their number (Benjamini and Hochberg 1995).

    Call those findings whose adjusted value is at most q: then at most the share q of them is
    expected to be false, if the tests are independent or positively dependent. With p_(i) the
    i-th smallest of m,

        adjusted_(i) = min over j >= i of p_(j) m / j

    Returns:
        The adjusted values in the order of the p-values.

    >>> adjust([0.001, 0.04, 0.03, 0.8])
    [0.004, 0.05333333333333334, 0.05333333333333334, 0.8]
    """
    values = np.array([np.nan if p is None else p for p in p_values], dtype=float)
    if not ((values >= 0) & (values <= 1)).all():
        wrong = next(p for p in p_values if p is None or not 0 <= p <= 1)
        raise UserError(f"expected p-values between 0 and 1, got {wrong}")
    order, count = values.argsort(), values.size
    scaled = values[order] * count / np.arange(1, count + 1)
    adjusted = np.empty(count)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return adjusted.tolist()


FEW, TAIL, SMALLEST = 10, 0.1, 1e-6
"""Permutations beyond the observed value from which on they are counted; the share that makes the
tail where there are fewer; and the smallest p-value that a tail can give."""


def tail_p_value(null: np.ndarray, observed: float) -> float:
    """Return the p-value of a share of variance, beyond the smallest that permutations can give.

    Where few permutations reach the observed share s, the largest tenth of them tells how fast
    their distribution falls. On the scale u = -log(1 - s) of a likelihood ratio it falls nearly
    exponentially (Knijnenburg et al. 2009 fit such tails): with k values above u_0, and m their
    mean distance from it, p = (k + 1) / (n + 1) exp(-(u - u_0) / m), but at least 1e-6.

    >>> shares = 1 - np.exp(-np.random.default_rng(0).exponential(size=999) / 100)
    >>> 0.5 < tail_p_value(shares, 1 - math.exp(-0.1)) / math.exp(-10) < 2
    True
    """
    counted = p_value(null, observed)
    assert counted is not None
    beaten = counted * (1 + null.size) - 1
    heights = np.sort(-np.log1p(-np.minimum(null, 1 - 1e-12)))
    size = min(int(TAIL * null.size), int((heights > 0).sum()) - 1)
    if beaten >= FEW or size < FEW:
        return counted
    start, tail = heights[-size - 1], heights[-size:]
    reach = (-math.log1p(-min(observed, 1 - 1e-12)) - start) / float((tail - start).mean())
    return min(counted, max(SMALLEST, (size + 1) / (null.size + 1) * math.exp(-reach)))


def combined(p_values: Sequence[float]) -> float:
    """Combine p-values of the same hypothesis, however dependent, by Cauchy variables."""
    heights = [math.tan((0.5 - min(max(p, 1e-15), 1 - 1e-15)) * math.pi) for p in p_values]
    return 0.5 - math.atan(sum(heights) / len(heights)) / math.pi
