"""The statistics: weighted sums of squared correlations of features, for many rearrangements.

With r the correlation of feature j of column a of x and feature k of column b of y,

    t(a, b) = sum_jk v_j w_k r(a j, b k)^2

for every pair of weights v, w. Two statistics come of it: the sum over pairs of columns, for a
dependence that is spread over them, and the largest, for one pair that depends.

They are compared with those of rearranged rows: rows of y are permuted, singly or in blocks. Given
a third variable, residuals get random signs as well: their size may depend on it, so they need not
be exchangeable. One p-value counts for all statistics. For many rows see ``chunks``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.independence.features import Features
from learnable_novelty.rearrange import block_orders, block_signs, moved

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


UPPER = 0.95
"""Quantile that sets the scale of a statistic."""
TIE = 1e-4
"""Standardized statistics that are this close are equal: rounding must not decide."""


def permuted(num_rows: int, count: int, blocks: Any, seed: int) -> Rearranged:
    """Permute the rows of y, or whole blocks of rows; the first order is that of the data."""
    forward = block_orders(num_rows, count, blocks, seed)
    backward = forward.argsort(dim=1)

    def correlations(x: Features, y: Features, which: slice) -> Tensor:
        # Rows of y in an order, or rows of x in the inverse order: the fewer features are moved.
        if y.flat.shape[1] <= x.flat.shape[1]:
            return moved(y.flat, forward[which]) @ (x.flat / num_rows)
        return (moved(x.flat, backward[which]) @ (y.flat / num_rows)).permute(2, 1, 0)

    return correlations


def signed(num_rows: int, count: int, blocks: Any, seed: int) -> Rearranged:
    """Give rows, or whole blocks of rows, random signs; the data have all signs plus."""
    signs = block_signs(num_rows, count, blocks, seed)

    def correlations(x: Features, y: Features, which: slice) -> Tensor:
        return (y.flat.T[:, None] * signs[which]) @ (x.flat / num_rows)

    return correlations


def standardized_statistics(all_statistics: list[Statistics]) -> np.ndarray:
    """Return all statistics in one unit, (rearrangements, statistics).

    z = (t^(1/3) - median) / (95% quantile - median)

    over the rearrangements, the data among them. Cube roots of sums of squares are nearly normal
    (Wilson and Hilferty). All rearrangements are treated alike, so the rank of the data's largest z
    is exactly uniform without dependence, however many statistics there are.
    """
    values = np.concatenate(
        [one.values.flatten(1).double().numpy() for one in all_statistics], axis=1
    )
    roots = np.cbrt(values)
    middle, upper = np.quantile(roots, [0.5, UPPER], axis=0)
    scale = upper - middle
    flat = scale <= 1e-6 * (1 + np.abs(middle))
    return np.where(flat, 0.0, (roots - middle) / np.where(flat, 1.0, scale))


def p_value(largest: np.ndarray) -> float:
    """Return the share of rearrangements, the data among them, with a statistic as large."""
    return float((largest >= largest[0] - TIE).mean())
