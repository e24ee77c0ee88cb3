"""Mergeable square roots of moments: few rows that stand for many.

A Gram matrix squares what it sums, and with it the rounding: features that are nearly collinear
lose all their digits in it. Rows H, Y of centred features and targets, turned by an orthogonal Q,

    Q'H = [R; 0],   Q'Y = [Z; E]

have the same products R'R = H'H and R'Z = H'Y, and E is what no feature can explain, without a
difference of large sums. So R, Z and the size of E say all that a ridge needs of the rows, to the
digits that the rows themselves have, and merge by one more turn of few rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Any

import torch
from torch import Tensor

from learnable_novelty.observer.moments import CHUNK_ROWS, as_arrays, as_tensors, check_rows


@dataclass(frozen=True)
class Roots:
    """Means, and rows that have the products of all deviations from them.

    Build them with ``of``, merge them with ``+``.

    >>> x, y = torch.randn(100, 3).double(), torch.randn(100, 2).double()
    >>> whole, parts = Roots.of(x, y), Roots.of(x[:30], y[:30]) + Roots.of(x[30:], y[30:])
    >>> torch.allclose(whole.root.T @ whole.along, parts.root.T @ parts.along)
    True
    """

    count: float
    """How many rows they stand for."""
    feature_mean: Tensor
    """(feature_dim,)"""
    target_mean: Tensor
    """(target_dim,)"""
    root: Tensor
    """R, (num_rows, feature_dim); no more rows than features."""
    along: Tensor
    """Z, (num_rows, target_dim)."""
    outside: Tensor
    """Sums of squares of E, (target_dim,)."""
    feature_eps: float
    """Rounding unit of the features' own dtype: what "constant" means for them."""
    target_eps: float
    """Rounding unit of the targets' own dtype."""

    @staticmethod
    def of(
        features: Tensor, targets: Tensor, *, accumulate_dtype: torch.dtype = torch.float64
    ) -> Roots:
        """Turn rows.

        Args:
            features: (num_rows, feature_dim).
            targets: (num_rows, target_dim).
            accumulate_dtype: the dtype that all is computed in.
        """
        check_rows(features, targets, None)
        size = CHUNK_ROWS if features.device.type == "cpu" else max(1, features.shape[0])
        parts = zip(features.split(size), targets.split(size), strict=True)
        return merge_roots(_of_chunk(h, y, accumulate_dtype) for h, y in parts)

    @property
    def feature_dim(self) -> int:
        """Number of features m."""
        return self.root.shape[1]

    @property
    def target_dim(self) -> int:
        """Number of targets D."""
        return self.along.shape[1]

    @property
    def feature_power(self) -> Tensor:
        """Sum of squared feature deviations, (feature_dim,)."""
        return self.root.square().sum(0)

    @property
    def target_power(self) -> Tensor:
        """Sum of squared target deviations, (target_dim,)."""
        return self.along.square().sum(0) + self.outside

    def in_units(self, unit: Tensor) -> Roots:
        """Return the roots for the same targets, each divided by its unit (target_dim,)."""
        return replace(
            self,
            target_mean=self.target_mean / unit,
            along=self.along / unit,
            outside=self.outside / unit.square(),
        )

    def about(self, feature_mean: Tensor, target_mean: Tensor) -> tuple[Tensor, Tensor]:
        """Return rows with the products of deviations from other means: features and targets."""
        weight = self.count**0.5
        dh, dy = self.feature_mean - feature_mean, self.target_mean - target_mean
        return (
            torch.cat([self.root, weight * dh[None]]),
            torch.cat([self.along, weight * dy[None]]),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to other processes as NumPy arrays where that can be."""
        return _from_arrays, as_arrays(getattr(self, field.name) for field in fields(self))

    def __add__(self, other: Any) -> Roots:
        """Merge two disjoint sets of rows."""
        if not isinstance(other, Roots):
            return NotImplemented
        n = self.count + other.count
        share = other.count / n
        dh = other.feature_mean - self.feature_mean
        dy = other.target_mean - self.target_mean
        lever = (self.count * share) ** 0.5
        root, along, outside = turned(
            torch.cat([self.root, other.root, lever * dh[None]]),
            torch.cat([self.along, other.along, lever * dy[None]]),
        )
        return Roots(
            count=n,
            feature_mean=self.feature_mean + share * dh,
            target_mean=self.target_mean + share * dy,
            root=root,
            along=along,
            outside=self.outside + other.outside + outside,
            feature_eps=max(self.feature_eps, other.feature_eps),
            target_eps=max(self.target_eps, other.target_eps),
        )


def merge_roots(parts: Iterable[Roots]) -> Roots:
    """Merge any number of roots."""
    return reduce(Roots.__add__, parts)


def turned(features: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return R and Z of the formula above, and the sums of squares of E, (target_dim,)."""
    width = features.shape[1]
    if features.shape[0] <= width:
        return features, targets, targets.new_zeros(targets.shape[1])
    factored, reflections = torch.geqrf(features)
    coordinates = torch.ormqr(factored, reflections, targets, transpose=True)
    outside = coordinates[width:].square().sum(0)
    # Copied: a view would keep the memory of all rows.
    return factored[:width].triu(), coordinates[:width].clone(), outside


def fewer_rows(features: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Do the same with any number of rows, some at a time."""
    size = CHUNK_ROWS if features.device.type == "cpu" else max(1, features.shape[0])
    root, along, outside = features[:0], targets[:0], targets.new_zeros(targets.shape[1])
    for h, y in zip(features.split(size), targets.split(size), strict=True):
        root, along, more = turned(torch.cat([root, h]), torch.cat([along, y]))
        outside = outside + more
    return root, along, outside


def _of_chunk(features: Tensor, targets: Tensor, dtype: torch.dtype) -> Roots:
    h, y = features.to(dtype), targets.to(dtype)
    mean_h, mean_y = h.mean(0), y.mean(0)
    root, along, outside = turned(h - mean_h, y - mean_y)
    return Roots(
        count=float(h.shape[0]),
        feature_mean=mean_h,
        target_mean=mean_y,
        root=root,
        along=along,
        outside=outside,
        feature_eps=torch.finfo(features.dtype).eps,
        target_eps=torch.finfo(targets.dtype).eps,
    )


def _from_arrays(*values: Any) -> Roots:
    return Roots(*as_tensors(values))
