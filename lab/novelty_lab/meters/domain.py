"""The domain of a space-time field: the background that repeats itself, and what it leaves.

A domain is a pattern that repeats, F(t + T, x + d) = F(t, x), both across space and in another
direction of space-time: a constant, stripes, a plane wave, the ether of rule 110. A particle
repeats along its own world line only, as does a random pattern that is carried along; neither is a
domain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NEAREST, FARTHEST = 8, 24  # reach of a repeat: beyond a particle's core, within a particle's life
DIRECTIONS = 6  # of space-time, 30 degrees each; the first is along time
ACROSS_SPACE = DIRECTIONS // 2
ENOUGH_AGREEMENT = 0.4
AS_GOOD = 1.5  # misfits up to so many times the least are as good: particles make the rest
KEPT = 0.75  # particles may hold a quarter of the sites before they disturb the agreement
PLAIN = 0.2  # a field whose random pairs differ by less, in variances, has a uniform background
SAMPLED_SITES = 16_384


@dataclass(frozen=True)
class Domain:
    """A background, by its repeats.

    Args:
        repeats: (steps, sites) after which the background repeats, at most one for each direction
            of space-time; none for a uniform background.
        agreement: how well it repeats, the mean over the repeats; 1 is exactly, 0 is no better
            than sites at random.
    """

    repeats: tuple[tuple[int, int], ...]
    agreement: float


def find_domain(field: Array) -> Domain:
    """Find the background of a field (time, channels, width) on a ring.

    With D(T, d) the mean of the smallest three quarters of |F(t+T, x+d) - F(t, x)|^2 over sites,
    the agreement of a lag is 1 - D(T, d) / (median of D over lags). A direction repeats if its
    best lag agrees by 0.4; of lags about as good as the best, the nearest stands for it. A domain
    repeats in the direction across space and in another one.
    """
    lags = _lags(field.shape[-1])
    distance = _trimmed_distances(field, lags)
    typical = float(np.median(distance))
    if typical <= PLAIN * 2 * float(field.var(axis=(0, 2)).sum()):
        return Domain((), 0.0)
    agreement = 1 - distance / typical
    angle = np.arctan2(lags[:, 1], lags[:, 0]) / (np.pi / DIRECTIONS)
    direction = np.round(angle).astype(int) % DIRECTIONS
    groups = [np.flatnonzero(direction == i) for i in range(DIRECTIONS)]
    good = [distance[group] <= AS_GOOD * distance[group].min() for group in groups]
    best = [int(group[near.argmax()]) for group, near in zip(groups, good, strict=True)]
    best = [i for i in best if agreement[i] >= ENOUGH_AGREEMENT]
    if len(best) < 2 or ACROSS_SPACE not in direction[best]:
        return Domain((), 0.0)
    repeats = tuple((int(lags[i, 0]), int(lags[i, 1])) for i in best)
    return Domain(repeats, float(agreement[best].mean()))


def remove_domain(field: Array, domain: Domain) -> Array:
    """Subtract the background: F minus the medoid of F(p), F(p + a), F(p - a) over repeats a.

    The medoid is the member with the smallest sum of distances to the others: for cells of 0 and
    1 the majority. A particle is a minority among its repeats, whichever way it moves, and the
    side of a particle on which a site lies is the majority, so shifts of phase across particles
    do no harm. A uniform background is the geometric median of the field.
    """
    if not domain.repeats:
        values = np.moveaxis(field, 1, 2).reshape(-1, field.shape[1])
        return field - _geometric_median(values)[:, None]
    members = [field]
    members += [_moved(field, lag, sign) for lag in domain.repeats for sign in (1, -1)]
    cost = np.zeros((len(members), field.shape[0], field.shape[2]))
    for i, one in enumerate(members):
        for j in range(i):
            apart = np.sqrt(np.square(one - members[j]).sum(1))
            cost[i] += apart
            cost[j] += apart
    medoid = cost.argmin(0)[:, None]
    background = np.empty_like(field)
    for i, one in enumerate(members):
        np.copyto(background, one, where=medoid == i)
    return field - background


def _lags(width: int) -> NDArray[np.int64]:
    """List (steps, sites) in a half-plane between the reaches, nearest first.

    Lags without steps go half round the ring, for long waves.
    """
    sites = width // 2
    steps, shifts = np.mgrid[0 : FARTHEST + 1, -sites : sites + 1].reshape(2, -1)
    reach = np.hypot(steps, shifts)
    fit = (reach >= NEAREST) & ((reach <= FARTHEST) | (steps == 0))
    fit &= (steps > 0) | (shifts > 0)
    lags = np.stack([steps, shifts], 1)[fit]
    return lags[np.lexsort((np.abs(lags[:, 1]), reach[fit]))]


def _trimmed_distances(field: Array, lags: NDArray[np.int64]) -> Array:
    time, _, width = field.shape
    count = min(time - FARTHEST, max(16, SAMPLED_SITES // width))
    rows = np.unique(np.linspace(0, time - 1 - FARTHEST, count).astype(int))
    # Two copies side by side: a shift on the ring is then a slice.
    double = np.concatenate([field, field], axis=-1).astype(np.float32)
    here = double[rows, :, :width]
    kept = int(KEPT * rows.size * width)
    distances = np.empty(len(lags))
    by_steps = {int(steps): double[rows + steps] for steps in np.unique(lags[:, 0])}
    for i, (steps, sites) in enumerate(lags):
        start = int(sites) % width
        there = by_steps[int(steps)][..., start : start + width]
        apart = np.square(there - here).sum(1).ravel()
        distances[i] = np.sort(apart)[:kept].mean()
    return distances


def _moved(field: Array, lag: tuple[int, int], sign: int) -> Array:
    """Return F(p + sign * lag); where that is outside of time, F(p - 2 * sign * lag)."""
    time = len(field)
    steps, sites = lag
    rows = np.arange(time)
    inside = (rows + sign * steps >= 0) & (rows + sign * steps < time)
    times = np.where(inside, sign, -2 * sign)
    moved = np.empty_like(field)
    for k in np.unique(times):
        mine = rows[times == k]
        moved[mine] = np.roll(field[mine + k * steps], -int(k) * sites, axis=-1)
    return moved


def _geometric_median(values: Array, steps: int = 100) -> Array:
    """Return the point with the smallest mean distance to values (n, channels), by Weiszfeld."""
    if not np.ptp(values, axis=0).any():
        return values[0]
    spread = float(np.sqrt(values.var(0).sum()))
    median = values.mean(0)
    thin = values[:: max(1, len(values) // SAMPLED_SITES)]
    for _ in range(steps):
        # Softened at a millionth of the spread: a value at the median has no finite weight.
        weight = 1 / np.sqrt(np.square(thin - median).sum(1) + (1e-6 * spread) ** 2)
        median = weight @ thin / weight.sum()
    return median
