"""Standardization as algebra on the moments, and the rule for what is constant.

The paper's normalization, eq. (normalization):

    H~ = (H - mean) / (sd * sqrt(m)),      Y~ = (Y - mean) / target_unit

with the population standard deviation (divide by n). A column whose deviation is at most
64 eps times its root mean square, eps being the rounding unit of the column's own dtype, is
constant: it becomes a zero column with zero gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import can_look
from learnable_novelty.observer.moments import Moments
from learnable_novelty.observer.roots import Roots

CONSTANT_TOLERANCE = 64.0


@dataclass(frozen=True)
class Standardized:
    """The normal equations of the standardized regression."""

    count: float
    gram: Tensor
    """H~' H~, (feature_dim, feature_dim)."""
    cross: Tensor
    """H~' Y~, (feature_dim, target_dim)."""
    power: Tensor
    """Sum of all squared entries of Y~, 0-dim."""


def is_constant(variance: Tensor, mean: Tensor, eps: float) -> Tensor:
    """Apply the rule at the top of this file to columns of given variance and mean."""
    # NaN, the variance of no samples, counts as constant.
    return ~(variance > constant_ratio(eps) * (mean * mean))


def constant_ratio(eps: float) -> float:
    """Return the largest ratio of variance to squared mean of a constant column."""
    # sd <= tol rms, that is var <= tol^2 (var + mean^2), solved for var.
    tolerance = (CONSTANT_TOLERANCE * eps) ** 2
    return tolerance / (1 - tolerance)


def inverse_scale(variance: Tensor, mean: Tensor, eps: float) -> Tensor:
    """Return 1/sd per column, and 0 for a constant column, with no gradient there."""
    constant = is_constant(variance, mean, eps)
    # The inner substitute keeps rsqrt away from zero, where its gradient is infinite.
    return torch.where(constant, 0.0, torch.where(constant, 1.0, variance).rsqrt())


def alive(power: Tensor, count: float, mean: Tensor, eps: float) -> Tensor:
    """Return 1 per target column and 0 for a constant one."""
    return (~is_constant(power / count, mean, eps)).to(power.dtype)


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


def check_finite(feature_variance: Tensor, target_power: Tensor) -> None:
    """Raise where data was not finite; the solvers would blame the factorization instead."""
    total = feature_variance.sum() + target_power.sum()
    if can_look(total) and not bool(torch.isfinite(total)):
        raise UserError(
            "features and targets must be finite, and so must their sums of squares, got NaN, "
            "infinite values, or values beyond about 1e150; choose another unit for them"
        )


def scales(moments: Moments | Roots, target_unit: float | Tensor) -> tuple[Tensor, Tensor]:
    """Return what features and targets are multiplied by, (feature_dim,) and (target_dim,)."""
    if moments.count < 2:
        raise UserError(f"expected at least two samples, got {moments.count:g}")
    variance = moments.feature_power / moments.count
    check_finite(variance, moments.target_power)
    feature_scale = inverse_scale(variance, moments.feature_mean, moments.feature_eps)
    feature_scale = feature_scale * moments.feature_dim**-0.5
    varies = alive(moments.target_power, moments.count, moments.target_mean, moments.target_eps)
    return feature_scale, varies / unit_like(target_unit, varies)


def standardize(moments: Moments, target_unit: float | Tensor) -> Standardized:
    """Standardize features and scale targets, on the moments alone."""
    feature_scale, target_scale = scales(moments, target_unit)
    return Standardized(
        count=moments.count,
        gram=moments.gram * feature_scale * feature_scale[:, None],
        cross=moments.cross * feature_scale[:, None] * target_scale,
        power=(moments.target_power * target_scale.square()).sum(),
    )
