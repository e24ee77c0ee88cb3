"""The statistics: weighted sums of squared correlations of features, for many rearrangements.

With r the correlation of feature j of column a of x and feature k of column b of y,

    t(a, b) = sum_jk v_j w_k r(a j, b k)^2

for every pair of weights v, w. Two statistics come of it: the sum over pairs of columns, for a
dependence that is spread over them, and the largest, for one pair that depends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from learnable_novelty.independence.features import Features, by_value, standardized, waves
from learnable_novelty.independence.inputs import check_same_rows

BATCH = 1 << 20
"""Correlations, or moved features, that are in memory at once: few enough for the cache."""

Rearranged = Callable[[Features, Features, slice], Tensor]
"""Correlations of all features of x and y for some rearrangements, (y features, count, x features);
the first of all is the data as they are."""


@dataclass(frozen=True)
class Statistics:
    """Statistics of one pair of feature sets.

    Attributes:
        x, y: the features.
        values: (rearrangements, ways, x scales, y scales).
        ways: "sum" over pairs of columns, and "largest" where there are several.
        places: the pair of columns with the largest value in the data, (x scales, y scales).
    """

    x: Features
    y: Features
    values: Tensor
    ways: tuple[str, ...]
    places: Tensor


def statistics(x: Features, y: Features, rearranged: Rearranged, count: int) -> Statistics:
    """Compute the statistics of the data and of ``count - 1`` rearrangements."""
    features = x.rows[0].numel(), y.rows[0].numel()
    batch = max(1, BATCH // max(features[0] * features[1], min(features) * len(x.rows)))
    ways = ("sum", "largest") if x.rows.shape[1] * y.rows.shape[1] > 1 else ("sum",)
    values, places = [], torch.zeros(0)
    for start in range(0, count, batch):
        by_pair = _by_pair(x, y, rearranged(x, y, slice(start, min(count, start + batch))))
        if start == 0:
            places = by_pair[:, :, 0].permute(2, 0, 3, 1).flatten(0, 1).argmax(0)
        summed = [by_pair.sum((0, 3)), by_pair.amax((0, 3))][: len(ways)]
        values.append(torch.stack(summed, dim=0).permute(2, 0, 3, 1))
    return Statistics(x, y, torch.cat(values), ways, places)


def _by_pair(x: Features, y: Features, correlation: Tensor) -> Tensor:
    """Return t for pairs of columns, (y columns, y scales, rearrangements, x columns, x scales)."""
    count, (a, j), (b, k) = correlation.shape[1], x.rows.shape[1:], y.rows.shape[1:]
    squares = y.weights @ correlation.square().reshape(b, k, count * a * j)
    weighted = squares.reshape(-1, j) @ x.weights.T
    return weighted.reshape(b, len(y.weights), count, a, len(x.weights))


def weighted(features: Features, scale: int, column: int | None) -> Tensor:
    """Return features times the roots of their weights: of one column, or of all."""
    rows = features.rows * features.weights[scale].sqrt()
    rows = rows if column is None else rows[:, column : column + 1]
    return rows.flatten(1)[:, (features.weights[scale] > 1e-6).repeat(rows.shape[1])]


def code_bits(x: Tensor, y: Tensor) -> Tensor:
    """Return the code length of weighted correlations, in bits.

    S = 1/2 log2 det(I + R R'),   R = X'Y / n

    the paper's formula with features on both sides: to second order, the mutual information of
    two Gaussian vectors with these cross-correlations.
    """
    cross = x.T @ y / len(x)
    if cross.shape[0] > cross.shape[1]:
        cross = cross.T
    identity = torch.eye(len(cross), dtype=cross.dtype, device=cross.device)
    return torch.linalg.slogdet(identity + cross @ cross.T)[1] / (2 * torch.log(torch.tensor(2.0)))


def dependence_bits(x: Any, y: Any, *, waves_of_x: int = 4, waves_of_y: int = 4) -> Tensor:
    """Return the bits of dependence between two tensors, with a gradient.

    Features are the first waves of every column, placed by its values. It has a bias that grows
    with the number of waves and falls with 1 / n: compare values at equal n, or use ``dependence``
    for a test.

    Args:
        x: (num_rows, columns) tensor.
        y: (num_rows, columns) tensor.
        waves_of_x: how many waves each column of x has.
        waves_of_y: how many waves each column of y has.

    >>> x = torch.linspace(-1, 1, 100)[:, None].requires_grad_()
    >>> bits = dependence_bits(x, x.detach() ** 2)
    >>> bits.backward()
    >>> bool(bits > 0.4), bool(torch.isfinite(x.grad).all())
    (True, True)
    """
    check_same_rows(x=x, y=y)
    sides = []
    for values, count in ((x, waves_of_x), (y, waves_of_y)):
        columns = values[:, None] if values.ndim == 1 else values
        sides.append(standardized(waves(by_value(columns.double()), count)).flatten(1))
    return code_bits(*sides)
