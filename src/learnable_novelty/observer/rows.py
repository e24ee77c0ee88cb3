"""Regression rows: the form of the data that the dual and the augmented QR solve from."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.moments import Moments, check_rows
from learnable_novelty.observer.roots import Roots
from learnable_novelty.observer.standardize import (
    alive,
    check_finite,
    inverse_scale,
    scales,
    unit_like,
)


@dataclass(frozen=True)
class Rows:
    """Features and targets row by row, each row standing for ``weights`` equal ones."""

    features: Tensor
    """(num_rows, feature_dim)"""
    targets: Tensor
    """(num_rows, target_dim)"""
    weights: Tensor | None = None
    """(num_rows,) counts, or None for one each."""

    def moments(self, dtype: torch.dtype) -> Moments:
        """Compute the moments of these rows."""
        return Moments.of(self.features, self.targets, self.weights, accumulate_dtype=dtype)

    def roots(self, dtype: torch.dtype) -> Roots:
        """Compute few rows with the products of these, each of which counts once."""
        assert self.weights is None
        return Roots.of(self.features, self.targets, accumulate_dtype=dtype)

    def standardized(self, target_unit: float | Tensor, dtype: torch.dtype) -> StandardizedRows:
        """Centre and scale the rows; a weight enters as its square root on both sides."""
        check_rows(self.features, self.targets, self.weights)
        h, y = self.features.to(dtype), self.targets.to(dtype)
        weights = h.new_ones(h.shape[0]) if self.weights is None else self.weights.to(dtype)
        n = float(h.shape[0]) if self.weights is None else float(weights.sum())
        if n < 2:
            raise UserError(f"expected at least two samples, got {n:g}")
        mean_h, mean_y = (weights @ h) / n, (weights @ y) / n
        h, y = h - mean_h, y - mean_y
        variance, power = (weights @ h.square()) / n, weights @ y.square()
        check_finite(variance, power)
        scale = inverse_scale(variance, mean_h, torch.finfo(self.features.dtype).eps)
        varies = alive(power, n, mean_y, torch.finfo(self.targets.dtype).eps)
        root = weights.sqrt()[:, None]
        return StandardizedRows(
            count=n,
            features=root * h * (scale * h.shape[1] ** -0.5),
            targets=root * y * (varies / unit_like(target_unit, varies)),
        )


@dataclass(frozen=True)
class StandardizedRows:
    """H~ and Y~ of eq. (normalization), rows weighted."""

    count: float
    features: Tensor
    targets: Tensor
    outside: Tensor | float = 0.0
    """Sum of squares of what these rows leave out of Y~, where they stand for more of them."""

    @property
    def power(self) -> Tensor:
        """Sum of all squared entries of Y~."""
        return self.targets.square().sum() + self.outside


def standardized_roots(roots: Roots, target_unit: float | Tensor) -> StandardizedRows:
    """Scale rows that stand for many; their means are taken off already."""
    feature_scale, target_scale = scales(roots, target_unit)
    return StandardizedRows(
        count=roots.count,
        features=roots.root * feature_scale,
        targets=roots.along * target_scale,
        outside=(roots.outside * target_scale.square()).sum(),
    )
