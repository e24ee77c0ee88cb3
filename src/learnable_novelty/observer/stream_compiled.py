"""The step of ``stream_sums`` in compiled code, stream by stream.

Numba keeps what it has compiled, and notices changes of this file only: after a change of ``Sums``,
``Rule`` or their constants, touch it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from learnable_novelty.observer.stream_sums import EPS, LOST_DIGITS, Floats, Rule, Sums


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function, and keep the result in its folder or in the user's cache."""
    try:
        return njit(error_model="numpy", cache=True)(function)
    except RuntimeError:  # neither can be written to
        return njit(error_model="numpy")(function)


@compiled
def advance(sums: Sums, s: int, pair: Floats, rule: Rule) -> None:
    """Add a pair to stream s, in place."""
    origin, unit, mean, power = sums.origin[s], sums.unit[s], sums.mean[s], sums.power[s]
    gram, cross, m = sums.gram[s], sums.cross[s], sums.peak.shape[1]
    if rule.moving and sums.num_pairs[s] == 0:
        origin[:] = pair
    sums.num_pairs[s] += 1
    inverse = 1 / sums.num_pairs[s] if rule.moving else 0.0
    d, fd = np.zeros(len(pair)), np.zeros(len(pair))
    for k in range(len(pair)):
        apart = pair[k] - origin[k]
        if unit[k] == 0 and apart != 0:
            unit[k] = math.ldexp(1.0, math.frexp(apart)[1] - 1)
        if unit[k] > 0:
            d[k] = apart / unit[k] - mean[k]
            fd[k] = d[k] * (1 - inverse)
            mean[k] += d[k] * inverse
            power[k] += d[k] * fd[k]
    for i in range(m):
        for j in range(m):
            gram[i, j] += d[i] * fd[j]
    size = np.zeros(m)
    for t in range(len(cross)):
        for j in range(m):
            cross[t, j] += d[m + t] * fd[j]
            size[j] += cross[t, j] * cross[t, j]
    for j in range(m):
        sums.peak[s, j] = max(sums.peak[s, j], size[j])


@compiled
def factorize(a: Floats) -> None:
    """Replace the upper half of a matrix by U, U'U = A; NaN where a pivot is not positive."""
    for j in range(len(a)):
        a[j, j] = math.sqrt(a[j, j]) if a[j, j] > 0 else math.nan
        for k in range(j + 1, len(a)):
            a[j, k] /= a[j, j]
        for i in range(j + 1, len(a)):
            for k in range(i, len(a)):
                a[i, k] -= a[j, i] * a[j, k]


@compiled
def score(sums: Sums, s: int, rule: Rule) -> tuple[float, float]:
    """Return the score of stream s, and how wrong it can be at most."""
    n, origin, unit, mean = sums.num_pairs[s], sums.origin[s], sums.unit[s], sums.mean[s]
    d, m = sums.cross.shape[1:]
    rows, varies = np.ones(m), np.ones(m + d, np.bool_)
    if rule.moving:
        for k in range(m + d):
            deviation = math.sqrt(sums.power[s, k] / n)
            tolerance = rule.feature_tolerance if k < m else rule.target_tolerance
            varies[k] = deviation * unit[k] > tolerance * abs(origin[k] + mean[k] * unit[k])
            if k < m:
                rows[k] = 1 / (deviation * math.sqrt(m)) if deviation > 0 else 0.0
    scale = rows * varies[:m]
    # U, with A = U'U = LL'.
    upper = np.empty((m, m))
    for i in range(m):
        for j in range(i, m):
            upper[i, j] = sums.gram[s, i, j] * scale[i] * scale[j]
        upper[i, i] += rule.penalty
    factorize(upper)
    inner, x = np.zeros((m, m)), np.empty((m, d))
    for k in range(m):  # L'L
        for i in range(k + 1):
            for j in range(i, k + 1):
                inner[i, j] += upper[i, k] * upper[j, k]
    for t in range(d):
        for j in range(m):
            x[j, t] = sums.cross[s, t, j] * scale[j] if varies[m + t] else 0.0
    for j in range(m):  # X = L^-1 B, all targets at once
        for t in range(d):
            x[j, t] /= upper[j, j]
        for k in range(j + 1, m):
            factor = upper[j, k]
            for t in range(d):
                x[k, t] -= factor * x[j, t]
    inner += rule.resolution * np.dot(x, x.T)
    least = np.diag(inner) * (m * EPS / LOST_DIGITS)
    factorize(inner)
    logs, kept = 0.0, True
    for i in range(m):
        logs += math.log(inner[i, i] / upper[i, i])
        kept = kept and inner[i, i] ** 2 >= least[i]
    trace = np.sum(sums.power[s, :m] * scale**2)
    growth = EPS * (4 + math.sqrt(n) / 2)
    largest = math.sqrt(np.sum(sums.peak[s] * rows**2))
    offset = 4 * EPS * math.sqrt(trace * np.sum(mean[m:] ** 2))
    a = growth * (trace / rule.penalty + 1)
    b = math.sqrt(rule.resolution) * (growth * largest + offset) / rule.penalty
    error = rule.bits * min(m, d) * (2 * b + 8 * b * b + 2 * a + 2 * a * a)
    return 2 * rule.bits * logs, error if kept else math.inf


@compiled
def step(
    sums: Sums, pairs: Floats, active: NDArray[np.bool_], rule: Rule
) -> tuple[Sums, Floats, Floats]:
    """Do what ``stream_sums.step`` does."""
    new = Sums(
        sums.num_pairs.copy(),
        sums.origin.copy(),
        sums.unit.copy(),
        sums.mean.copy(),
        sums.power.copy(),
        sums.gram.copy(),
        sums.cross.copy(),
        sums.peak.copy(),
    )
    bits, errors = np.zeros(len(active)), np.zeros(len(active))
    for s in range(len(active)):
        if active[s]:
            advance(new, s, pairs[s], rule)
            bits[s], errors[s] = score(new, s, rule)
    return new, bits, errors
