"""The sums of many streams, and one step of them in NumPy.

A pair (h, y) deviates by d from the means so far and changes, with f = (n - 1)/n (one where the
means are fixed), the mean by d/n and

    H'H += f d_h d_h',   H'Y += f d_h d_y'.

With A = H~'H~ + lambda I = LL' and X = L^-1 H~'Y~ the score is

    S = alpha [ log2 det(L'L + eta XX') - log2 det(L'L) ].

Deviations are those from the first pair, in a unit that is a power of two for features and u_Y for
targets, so values that differ by little from a large number, or are tiny, keep their digits.

Each addition rounds a sum by half a unit in its last place, so that after n pairs they are off by

    |dA| = eps g (T + lambda),                    T = tr(H~'H~),   g = 4 + sqrt(n) / 2,
    |dB| = eps g (sum_i max_t |B_i(t)|^2)^1/2 + 4 eps sqrt(T) |mean_y - y_1|,   B = H~'Y~,

where the largest past size of the rows of B counts, for a sum that has become small again keeps the
rounding of when it was large. The score is then wrong by at most

    alpha / log(2) min(m, D) (2 b + 8 b^2 + 2 a + 2 a^2),   a = |dA| / lambda,

    b = eta^1/2 |dB| / lambda.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Floats = NDArray[np.float64]
EPS = float(np.finfo(np.float64).eps)
LOST_DIGITS = 1e-8
"""Largest error of the determinant above that is accepted, relative."""


class Rule(NamedTuple):
    """The settings of an observer, as the formulas use them."""

    penalty: float
    """lambda."""
    resolution: float
    """eta."""
    bits: float
    """alpha / log 2."""
    feature_tolerance: float
    """Largest ratio of deviation to mean of a constant feature."""
    target_tolerance: float
    """The same of a target."""
    moving: bool
    """Whether means and scales are those of the stream so far; else they are given."""


class Sums(NamedTuple):
    """The sums over the pairs so far, one row per stream; columns are features, then targets."""

    num_pairs: Floats
    """n, (num_streams,)."""
    origin: Floats
    """The first pair, or the given means, (num_streams, feature_dim + target_dim)."""
    unit: Floats
    """Of each column; zero for a feature that has not deviated from the origin yet."""
    mean: Floats
    """Of the deviations from the origin, in units."""
    power: Floats
    """Sums of squared deviations from the mean, in units."""
    gram: Floats
    """H'H, (num_streams, feature_dim, feature_dim)."""
    cross: Floats
    """Y'H, (num_streams, target_dim, feature_dim)."""
    peak: Floats
    """max_t |B_i(t)|^2, (num_streams, feature_dim)."""

    @staticmethod
    def zeros(num_streams: int, m: int, d: int) -> Sums:
        """Make the sums of streams that have seen nothing."""
        columns, shapes = (m + d,), ((m, m), (d, m), (m,))
        return Sums(*(np.zeros((num_streams, *s)) for s in ((), *[columns] * 4, *shapes)))

    def of(self, streams: object) -> Sums:
        """Return the sums of some streams."""
        return Sums(*(values[streams] for values in self))  # pyright: ignore[reportCallIssue, reportArgumentType]


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # such scores are refused
def step(
    sums: Sums, pairs: Floats, active: NDArray[np.bool_], rule: Rule
) -> tuple[Sums, Floats, Floats]:
    """Add pairs (num_streams, feature_dim + target_dim) to the active streams.

    Returns:
        The new sums; the scores, and how wrong each can be at most, in bits, (num_streams,): not
        finite where digits were lost.
    """
    new = advance(sums, pairs, active, rule)
    scaled = scales(new, rule)
    a, b = problem(new, rule, scaled)
    factor = torch.linalg.cholesky_ex(a).L
    half = torch.linalg.solve_triangular(factor, b, upper=False)
    inner = torch.baddbmm(factor.mT @ factor, half, half.mT, alpha=rule.resolution)
    pivots = torch.linalg.cholesky_ex(inner).L.diagonal(dim1=1, dim2=2)
    share = pivots.shape[1] * EPS / LOST_DIGITS
    kept = (pivots.square() >= share * inner.diagonal(dim1=1, dim2=2)).all(-1)
    logs = (pivots / factor.diagonal(dim1=1, dim2=2)).log().sum(-1)
    bits = (2 * rule.bits * logs).numpy()
    return new, bits, np.where(kept.numpy(), largest_error(new, rule, scaled), math.inf)


def advance(sums: Sums, pairs: Floats, active: NDArray[np.bool_], rule: Rule) -> Sums:
    """Return the sums with the pairs added."""
    count, origin, unit, mean, power, gram, cross, peak = sums
    m, on = peak.shape[1], active[:, None]
    if rule.moving:
        origin = np.where(on & (count[:, None] == 0), pairs, origin)
    apart = np.where(on, pairs - origin, 0.0)
    unit = np.where((unit == 0) & (apart != 0), np.ldexp(1.0, np.frexp(apart)[1] - 1), unit)
    known = on & (unit > 0)
    d = np.where(known, apart / np.where(known, unit, 1.0) - mean, 0.0)
    count = count + active
    inverse = (active / count.clip(1) if rule.moving else 0.0 * count)[:, None]
    fd = d * (1 - inverse)
    dh, fdh, dy = d[:, :m], fd[:, :m], d[:, m:]
    cross = cross + dy[:, :, None] * fdh[:, None, :]
    return Sums(
        count,
        origin,
        unit,
        mean + d * inverse,
        power + d * fd,
        gram + dh[:, :, None] * fdh[:, None, :],
        cross,
        np.maximum(peak, np.square(cross).sum(1)),
    )


Scaled = tuple[Floats, NDArray[np.bool_]]


def scales(sums: Sums, rule: Rule) -> Scaled:
    """Return 1/(sd sqrt(m)) of each feature, in its unit, and which columns vary."""
    m = sums.peak.shape[1]
    if not rule.moving:
        return np.ones_like(sums.peak), np.ones(sums.mean.shape, np.bool_)
    deviation = np.sqrt(sums.power / sums.num_pairs.clip(1)[:, None])
    tolerance = np.repeat(
        [rule.feature_tolerance, rule.target_tolerance], [m, sums.mean.shape[1] - m]
    )
    varies = deviation * sums.unit > tolerance * np.abs(sums.origin + sums.mean * sums.unit)
    h = deviation[:, :m]
    return np.where(h > 0, 1 / (np.where(h > 0, h, 1.0) * math.sqrt(m)), 0.0), varies


def problem(sums: Sums, rule: Rule, scaled: Scaled) -> tuple[Tensor, Tensor]:
    """Return A, and B (num_streams, feature_dim, target_dim)."""
    rows, varies = scaled
    m = rows.shape[1]
    scale = rows * varies[:, :m]
    a = sums.gram * scale[:, :, None] * scale[:, None, :] + rule.penalty * np.eye(m)
    b = sums.cross * scale[:, None, :] * varies[:, m:, None]
    return torch.from_numpy(a), torch.from_numpy(b).mT


def roundings(sums: Sums, rule: Rule, scaled: Scaled) -> tuple[Floats, Floats]:
    """Return |dA| and eta^1/2 |dB| of the formula above, (num_streams,)."""
    rows, varies = scaled
    m, squares = rows.shape[1], np.square(rows)
    trace = (sums.power[:, :m] * squares * varies[:, :m]).sum(1)
    growth = EPS * (4 + np.sqrt(sums.num_pairs) / 2)
    largest = np.sqrt((sums.peak * squares).sum(1))
    offset = 4 * EPS * np.sqrt(trace * np.square(sums.mean[:, m:]).sum(1))
    return growth * (trace + rule.penalty), math.sqrt(rule.resolution) * (growth * largest + offset)


def largest_error(sums: Sums, rule: Rule, scaled: Scaled) -> Floats:
    """Bound the error of a score, in bits: the last formula above, (num_streams,)."""
    a, b = (rounding / rule.penalty for rounding in roundings(sums, rule, scaled))
    rank = min(sums.cross.shape[1:])
    return rule.bits * rank * (2 * b + 8 * b * b + 2 * a + 2 * a * a)


@np.errstate(over="ignore", invalid="ignore")
def careful_scores(sums: Sums, rule: Rule) -> tuple[Floats, Floats]:
    """Score by the singular values of the readout, in bits, and bound the errors, (num_streams,).

    A readout W = U diag(s) V' has singular values that are off by

        d_i = |A^-1 u_i| (|dB| + |dA| s_i) + eps g s_1.
    """
    scaled = scales(sums, rule)
    da, db = map(torch.from_numpy, roundings(sums, rule, scaled))
    a, b = problem(sums, rule, scaled)
    factor, failed = torch.linalg.cholesky_ex(a)
    readout = torch.cholesky_solve(math.sqrt(rule.resolution) * b, factor)
    lost = (failed > 0) | ~readout.isfinite().all(-1).all(-1)
    readout[lost] = 0.0
    left, values, _ = torch.linalg.svd(readout, full_matrices=False)
    reach = torch.linalg.vector_norm(torch.cholesky_solve(left, factor), dim=-2)
    growth = EPS * (4 + torch.from_numpy(sums.num_pairs).sqrt() / 2)
    off = reach * (db[:, None] + da[:, None] * values) + growth[:, None] * values[:, :1]
    one = torch.ones_like(values)
    # log(1 + s^2) as 2 log |(1, s)|: the square itself may overflow.
    size, larger = torch.hypot(one, values), torch.hypot(one, values + off)
    bits = 2 * rule.bits * size.log().sum(-1)
    errors = 2 * rule.bits * (larger / size).log().sum(-1)
    return bits.numpy(), torch.where(lost, math.inf, errors).numpy()
