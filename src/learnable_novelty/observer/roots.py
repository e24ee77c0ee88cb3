"""Mergeable square roots of moments: a few rows with the products of many.

A Gram matrix squares what it sums, and with it the rounding: features that are nearly collinear
lose all their digits in it. Rows H, Y of centred features and targets, turned by an orthogonal Q,

    Q'H = [R; 0],   Q'Y = [Z; E]

have the same products R'R = H'H and R'Z = H'Y, and E is what no feature can explain, without a
difference of large sums. So R, Z and the size of E are all that a ridge needs of the rows, to the
digits that the rows themselves have, and they merge by one more factorization of a few rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from learnable_novelty.observer.moments import (
    MOST_TARGETS,
    Centred,
    Summary,
    chunk_rows,
    products_of,
    squares_of,
)


@dataclass(frozen=True, kw_only=True)
class Roots(Summary):
    """Means, and rows that have the products of all deviations from them.

    >>> x, y = torch.randn(100, 3).double(), torch.randn(100, 2).double()
    >>> whole, parts = Roots.of(x, y), Roots.of(x[:30], y[:30]) + Roots.of(x[30:], y[30:])
    >>> torch.allclose(whole.root.T @ whole.along, parts.root.T @ parts.along)
    True
    """

    root: Tensor
    """R, (num_rows, feature_dim); no more rows than features."""
    along: Tensor
    """Z, (num_rows, target_dim)."""
    outside: Tensor
    """E'E, (target_dim, target_dim); of more than a thousand targets the squares only."""

    @classmethod
    def _of_centred(cls, rows: Centred) -> Roots:
        root, along, outside = turned(rows.features, rows.targets)
        return cls(**rows.shared(), root=root, along=along, outside=outside)

    @classmethod
    def _matrix_shapes(cls, m: int, d: int, size: int) -> list[tuple[int, ...]]:
        rows = max(0, size - (d * d if d <= MOST_TARGETS else d)) // (m + d)
        return [(rows, m), (rows, d), (d, d) if d <= MOST_TARGETS else (d,)]

    @property
    def feature_power(self) -> Tensor:
        """Sum of squared feature deviations, (feature_dim,)."""
        return self.root.square().sum(0)

    @property
    def target_power(self) -> Tensor:
        """Sum of squared target deviations, (target_dim,)."""
        return self.along.square().sum(0) + squares_of(self.outside)

    def in_units(self, unit: Tensor) -> Roots:
        """Return the roots for the same targets, each divided by its unit (target_dim,)."""
        return replace(
            self,
            target_mean=self.target_mean / unit,
            target_mean_low=self.target_mean_low / unit,
            along=self.along / unit,
            outside=self.outside / unit / (unit[:, None] if self.outside.ndim == 2 else unit),
        )

    def about(self, other: Summary) -> tuple[Tensor, Tensor]:
        """Return features and targets with the products of deviations from another's means."""
        weight, (dh, dy) = self.count**0.5, self.means_from(other)
        return (
            torch.cat([self.root, weight * dh[None]]),
            torch.cat([self.along, weight * dy[None]]),
        )

    def __add__(self, other: Any) -> Roots:
        if not isinstance(other, Roots):
            return NotImplemented
        shared, dh, dy, weight = self._merged_means(other)
        root, along, outside = turned(
            torch.cat([self.root, other.root, weight**0.5 * dh[None]]),
            torch.cat([self.along, other.along, weight**0.5 * dy[None]]),
        )
        outside = self.outside + other.outside + outside
        return Roots(**shared, root=root, along=along, outside=outside)


def turned(features: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return R and Z of the formula above, and E'E, (target_dim, target_dim)."""
    width = features.shape[1]
    if features.shape[0] <= width:
        return features, targets, products_of(targets[:0])
    factored, reflections = torch.geqrf(features)
    coordinates = torch.ormqr(factored, reflections, targets, transpose=True)
    outside = products_of(coordinates[width:])
    # Copied: a view would keep the memory of all rows.
    return factored[:width].triu(), coordinates[:width].clone(), outside


def fewer_rows(features: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Do the same with any number of rows, some at a time."""
    size, outside = chunk_rows(features), products_of(targets[:0])
    root, along = features[:0], targets[:0]
    for h, y in zip(features.split(size), targets.split(size), strict=True):
        root, along, more = turned(torch.cat([root, h]), torch.cat([along, y]))
        outside = outside + more
    return root, along, outside
