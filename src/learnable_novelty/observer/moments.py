"""Mergeable sufficient statistics: all that a ridge readout needs of the data.

Centred, never raw sums: n, means, and sums of products of deviations. Chan's parallel update
merges them, so chunks, workers and streams add up to the moments of the undivided data, and a
nearly constant stream keeps the digits that raw sums would cancel.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError, UserTypeError

# Rows centred and multiplied at a time on a CPU: the centred copy then stays in cache, and
# memory does not grow with the number of samples.
CHUNK_ROWS = 4096


@dataclass(frozen=True)
class Moments:
    """Centred first and second moments of features and targets.

    Build them with ``of``, merge them with ``+``. Of the target covariance only the diagonal
    is kept: the score needs no more.

    >>> x, y = torch.randn(100, 3), torch.randn(100, 2)
    >>> whole, parts = Moments.of(x, y), Moments.of(x[:30], y[:30]) + Moments.of(x[30:], y[30:])
    >>> torch.allclose(whole.cross, parts.cross)
    True
    """

    count: float
    """How many rows, or the sum of their weights."""
    feature_mean: Tensor
    """(feature_dim,)"""
    target_mean: Tensor
    """(target_dim,)"""
    gram: Tensor
    """Sum of products of feature deviations, (feature_dim, feature_dim)."""
    cross: Tensor
    """Sum of products of feature and target deviations, (feature_dim, target_dim)."""
    target_power: Tensor
    """Sum of squared target deviations, (target_dim,)."""
    feature_eps: float
    """Rounding unit of the features' own dtype: what "constant" means for them."""
    target_eps: float
    """Rounding unit of the targets' own dtype."""

    @staticmethod
    def of(
        features: Tensor,
        targets: Tensor,
        weights: Tensor | None = None,
        *,
        accumulate_dtype: torch.dtype = torch.float64,
    ) -> Moments:
        """Compute the moments of rows.

        Args:
            features: (num_rows, feature_dim).
            targets: (num_rows, target_dim).
            weights: (num_rows,) counts; a row of weight k stands for k equal rows.
            accumulate_dtype: the dtype that sums are held in.

        Raises:
            ValueError: if shapes disagree, or weights are negative or sum to zero.
        """
        check_rows(features, targets, weights)
        if weights is not None and not bool(weights.all()):
            counted = weights > 0  # a chunk of rows that count for nothing has no mean
            features, targets, weights = features[counted], targets[counted], weights[counted]
        size = CHUNK_ROWS if features.device.type == "cpu" else max(1, features.shape[0])
        parts = zip(
            features.split(size),
            targets.split(size),
            [None] * (features.shape[0] // size + 1) if weights is None else weights.split(size),
            strict=False,
        )
        return merge(_of_chunk(h, y, w, accumulate_dtype) for h, y, w in parts)

    @staticmethod
    def grouped(
        features: Tensor, counts: Tensor, target_sums: Tensor, target_squares: Tensor
    ) -> Moments:
        """Compute the moments of rows whose inputs repeat, from one row per distinct input.

        Args:
            features: (num_groups, feature_dim), one row per distinct input.
            counts: (num_groups,) how many rows share it.
            target_sums: (num_groups, target_dim) sums of the targets over a group.
            target_squares: (target_dim,) sums of the squared targets over all rows.
        """
        counts = counts.to(torch.float64)
        if not bool((counts > 0).all()):
            raise UserError("expected positive counts: leave out inputs that do not occur")
        means = target_sums.to(torch.float64) / counts[:, None]
        between = Moments.of(features, means, counts)
        within = target_squares - (counts[:, None] * means.square()).sum(0)
        # Rounding can push a zero a hair below zero; a sum of squares is not negative.
        power = between.target_power + within.clamp(min=0)
        return replace(between, target_power=power)

    @property
    def feature_dim(self) -> int:
        """Number of features m."""
        return self.gram.shape[0]

    @property
    def target_dim(self) -> int:
        """Number of targets D."""
        return self.cross.shape[1]

    @property
    def feature_power(self) -> Tensor:
        """Sum of squared feature deviations, (feature_dim,)."""
        return self.gram.diagonal()

    def in_units(self, unit: Tensor) -> Moments:
        """Return the moments of the same targets, each divided by its unit (target_dim,)."""
        return replace(
            self,
            target_mean=self.target_mean / unit,
            cross=self.cross / unit,
            target_power=self.target_power / unit.square(),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to other processes as NumPy arrays where that can be: ten times faster."""
        return _from_arrays, as_arrays(getattr(self, field.name) for field in fields(self))

    def __add__(self, other: Any) -> Moments:
        """Merge two disjoint sets of rows (Chan, Golub and LeVeque)."""
        if not isinstance(other, Moments):
            return NotImplemented
        if (self.feature_dim, self.target_dim) != (other.feature_dim, other.target_dim):
            raise UserError(
                f"expected moments of feature_dim={self.feature_dim} and "
                f"target_dim={self.target_dim}, got {other.feature_dim} and {other.target_dim}"
            )
        n = self.count + other.count
        share = other.count / n
        lever = self.count * share
        dh = other.feature_mean - self.feature_mean
        dy = other.target_mean - self.target_mean
        return Moments(
            count=n,
            feature_mean=self.feature_mean + share * dh,
            target_mean=self.target_mean + share * dy,
            gram=torch.addr(self.gram + other.gram, dh, dh, alpha=lever),
            cross=torch.addr(self.cross + other.cross, dh, dy, alpha=lever),
            target_power=self.target_power + other.target_power + lever * dy.square(),
            feature_eps=max(self.feature_eps, other.feature_eps),
            target_eps=max(self.target_eps, other.target_eps),
        )


def merge(parts: Iterable[Moments]) -> Moments:
    """Merge any number of moments."""
    return reduce(Moments.__add__, parts)


def as_arrays(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return values with NumPy arrays in the place of tensors, where that can be."""
    return tuple(
        v.numpy() if isinstance(v, Tensor) and v.is_cpu and not v.requires_grad else v
        for v in values
    )


def as_tensors(values: Iterable[Any]) -> list[Any]:
    """Undo ``as_arrays``."""
    # Copied: a buffer that came over the network may be one that cannot be written to.
    return [torch.tensor(v) if isinstance(v, np.ndarray) else v for v in values]


def _from_arrays(*values: Any) -> Moments:
    return Moments(*as_tensors(values))


def _of_chunk(
    features: Tensor, targets: Tensor, weights: Tensor | None, dtype: torch.dtype
) -> Moments:
    h, y = features.to(dtype), targets.to(dtype)
    if weights is None:
        n, mean_h, mean_y = float(h.shape[0]), h.mean(0), y.mean(0)
        h, y = h - mean_h, y - mean_y
        weighted = h
        power = y.square().sum(0)
    else:
        w = weights.to(dtype)
        n = float(w.sum())
        mean_h, mean_y = (w @ h) / n, (w @ y) / n
        h, y = h - mean_h, y - mean_y
        weighted = h * w[:, None]
        power = w @ y.square()
    return Moments(
        count=n,
        feature_mean=mean_h,
        target_mean=mean_y,
        gram=weighted.T @ h,
        cross=weighted.T @ y,
        target_power=power,
        feature_eps=torch.finfo(features.dtype).eps,
        target_eps=torch.finfo(targets.dtype).eps,
    )


def check_rows(features: Tensor, targets: Tensor, weights: Tensor | None) -> None:
    """Raise unless these are floating rows of one number, with counts for weights."""
    for name, values in (("features", features), ("targets", targets)):
        if values.ndim != 2:
            raise UserError(f"expected {name} (num_rows, columns), got {tuple(values.shape)}")
        if not values.is_floating_point():
            raise UserTypeError(f"expected floating {name}, got dtype {values.dtype}")
    if features.shape[0] != targets.shape[0]:
        raise UserError(
            f"expected as many target rows as feature rows, {features.shape[0]}, "
            f"got {targets.shape[0]}"
        )
    if features.shape[0] == 0:
        raise UserError("expected at least one row, got 0")
    if weights is None:
        return
    if weights.shape != features.shape[:1]:
        raise UserError(
            f"expected weights (num_rows={features.shape[0]},), got {tuple(weights.shape)}"
        )
    if bool((weights < 0).any()) or not bool(0 < weights.sum() < math.inf):
        raise UserError("expected weights that are finite counts: none negative, not all zero")
