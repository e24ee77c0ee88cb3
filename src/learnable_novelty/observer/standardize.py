"""The paper's standardization, and the rule for what is constant.

    H~ = (H - mean) / (sd * sqrt(m)),      Y~ = (Y - mean) / target_unit      eq. (normalization)

with the population standard deviation (divide by n). A column whose deviation is at most
64 eps times its root mean square, eps being the rounding unit of the column's own dtype, is
constant: it becomes a zero column with zero gradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import is_readable
from learnable_novelty.observer.summary import (
    Centred,
    Moments,
    Roots,
    centre,
    check_rows,
    products_of,
    squares_of,
)

CONSTANT_TOLERANCE = 64.0
Scale = tuple[Tensor, Tensor]
"""What centred features and targets are multiplied by, (feature_dim,) and (target_dim,)."""
UNSCALED: Scale = (torch.ones(()), torch.ones(()))


@dataclass(frozen=True)
class NormalEquations:
    """The products of the standardized regression."""

    count: float
    gram: Tensor
    """H~'H~, (feature_dim, feature_dim)."""
    cross: Tensor
    """H~'Y~, (feature_dim, target_dim)."""
    target_power: Tensor
    """Sums of squares of the columns of Y~, (target_dim,)."""
    target_gram: Tensor | None = None
    """Y~'Y~, (target_dim, target_dim), where the moments have it."""
    scale: Scale = UNSCALED

    @property
    def power(self) -> Tensor:
        """Sum of all squared entries of Y~, 0-dim."""
        return self.target_power.sum()

    def normal_equations(self) -> NormalEquations:
        """Return itself."""
        return self


@dataclass(frozen=True)
class StandardizedRows:
    """H~ and Y~ row by row, rows weighted; or a few rows with the products of many."""

    count: float
    features: Tensor
    targets: Tensor
    outside: Tensor
    """Products of what these rows leave out of the columns of Y~, as of ``Roots``."""
    scale: Scale = UNSCALED

    @property
    def target_power(self) -> Tensor:
        """Sums of squares of the columns of Y~, (target_dim,)."""
        return self.targets.square().sum(0) + squares_of(self.outside)

    @property
    def power(self) -> Tensor:
        """Sum of all squared entries of Y~, 0-dim."""
        return self.target_power.sum()

    def normal_equations(self) -> NormalEquations:
        """Return the products of these rows."""
        gram, cross = self.features.T @ self.features, self.features.T @ self.targets
        products = products_of(self.targets) + self.outside
        target_gram = products if products.ndim == 2 else None
        return NormalEquations(self.count, gram, cross, self.target_power, target_gram, self.scale)


@overload
def standardize(data: Moments, target_unit: float | Tensor) -> NormalEquations: ...
@overload
def standardize(data: Roots | Centred, target_unit: float | Tensor) -> StandardizedRows: ...
def standardize(
    data: Moments | Roots | Centred, target_unit: float | Tensor
) -> NormalEquations | StandardizedRows:
    """Standardize features and scale targets; their means are taken off already."""
    scale, target_scale = both = scales(data, target_unit)
    if isinstance(data, Moments):
        return NormalEquations(
            count=data.count,
            gram=data.gram * scale * scale[:, None],
            cross=data.cross * scale[:, None] * target_scale,
            target_power=data.target_power * target_scale.square(),
            target_gram=None
            if data.target_gram is None
            else data.target_gram * target_scale * target_scale[:, None],
            scale=both,
        )
    if isinstance(data, Roots):
        other = target_scale[:, None] if data.outside.ndim == 2 else target_scale
        features, targets, outside = data.root, data.along, data.outside * target_scale * other
    else:
        features, targets, outside = data.features, data.targets, products_of(data.targets[:0])
    return StandardizedRows(data.count, features * scale, targets * target_scale, outside, both)


def scales(data: Moments | Roots | Centred, target_unit: float | Tensor) -> Scale:
    """Return what centred columns are multiplied by."""
    if data.count < 2:
        raise UserError(f"expected at least two samples, got {data.count:g}")
    variance, target_variance = data.feature_power / data.count, data.target_power / data.count
    check_finite(variance, target_variance)
    features = feature_scale(variance, data.feature_mean, data.feature_eps)
    constant = is_constant(target_variance, data.target_mean, data.target_eps)
    varies = (~constant).to(target_variance.dtype)
    return features, varies / unit_like(target_unit, varies)


def feature_scale(variance: Tensor, mean: Tensor, eps: float) -> Tensor:
    """Return 1 / (sd sqrt(m)) per column (..., feature_dim), and 0 for a constant column."""
    return inverse_scale(variance, mean, eps) * mean.shape[-1] ** -0.5


def inverse_scale(variance: Tensor, mean: Tensor, eps: float) -> Tensor:
    """Return 1/sd per column, and 0 for a constant column, with no gradient there."""
    constant = is_constant(variance, mean, eps)
    # The inner substitute keeps rsqrt away from zero, where its gradient is infinite.
    return torch.where(constant, 0.0, torch.where(constant, 1.0, variance).rsqrt())


def is_constant(variance: Tensor, mean: Tensor, eps: float) -> Tensor:
    """Apply the rule at the top of this file to columns of given variance and mean."""
    # NaN, the variance of no samples, counts as constant.
    return ~(variance > constant_ratio(eps) * (mean * mean))


def constant_ratio(eps: float) -> float:
    """Return the largest ratio of variance to squared mean of a constant column."""
    # sd <= tol rms, that is var <= tol^2 (var + mean^2), solved for var.
    tolerance = (CONSTANT_TOLERANCE * eps) ** 2
    return tolerance / (1 - tolerance)


def unit_like(target_unit: float | Tensor, columns: Tensor) -> float | Tensor:
    """Return the unit on the device of the target columns, one or one per column.

    Other shapes are refused: a broadcast would silently add columns.
    """
    if not isinstance(target_unit, Tensor):
        return target_unit
    if target_unit.shape not in ((), (1,), columns.shape):
        raise UserError(
            f"expected target_unit (target_dim={columns.shape[0]},), got {tuple(target_unit.shape)}"
        )
    return target_unit.to(columns.device)


def check_finite(feature_variance: Tensor, target_variance: Tensor) -> None:
    """Raise where data was not finite; the solvers would blame the factorization instead."""
    total = feature_variance.sum() + target_variance.sum()
    if is_readable(total) and not bool(torch.isfinite(total)):
        raise UserError(
            "features and targets must be finite, and so must their sums of squares, got NaN, "
            "infinite values, or values beyond about 1e150; choose another unit for them"
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

    def moments(self, dtype: torch.dtype, *, target_products: bool = False) -> Moments:
        """Compute the moments of these rows."""
        return Moments.of(
            self.features,
            self.targets,
            self.weights,
            accumulate_dtype=dtype,
            target_products=target_products,
        )

    def roots(self, dtype: torch.dtype) -> Roots:
        """Compute a few rows with the products of these."""
        return Roots.of(self.features, self.targets, self.weights, accumulate_dtype=dtype)

    def standardized(self, target_unit: float | Tensor, dtype: torch.dtype) -> StandardizedRows:
        """Centre and scale the rows; a weight enters as its square root on both sides."""
        check_rows(self.features, self.targets, self.weights)
        return standardize(centre(self.features, self.targets, self.weights, dtype), target_unit)
