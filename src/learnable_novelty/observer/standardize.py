"""The paper's standardization, and the rule for what is constant.

    H~ = (H - mean) / (sd * sqrt(m)),      Y~ = (Y - mean) / target_unit      eq. (normalization)

with the population standard deviation (divide by n). A column whose deviation is at most
64 eps times its root mean square, eps being the rounding unit of the column's own dtype, is
constant: it becomes a zero column with zero gradient.
"""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from learnable_novelty.errors import UserError

CONSTANT_TOLERANCE = 64.0


def feature_scale(variance: Tensor, mean: Tensor, eps: float, *, own_scale: bool = False) -> Tensor:
    """Return 1 / (sd sqrt(m)) per column (..., feature_dim), and 0 for a constant column.

    With ``own_scale``, 1 for all others.
    """
    constant = is_constant(variance, mean, eps)
    if own_scale:
        return (~constant).to(variance.dtype)
    # The inner substitute keeps rsqrt away from zero, where its gradient is infinite.
    inverse = torch.where(constant, 0.0, torch.where(constant, 1.0, variance).rsqrt())
    return inverse * mean.shape[-1] ** -0.5


def target_scale(variance: Tensor, mean: Tensor, eps: float, unit: float | Tensor) -> Tensor:
    """Return 1 / unit per column (target_dim,), and 0 for a constant column."""
    if isinstance(unit, Tensor):
        # Other shapes are refused: a broadcast would silently add columns.
        if unit.shape not in ((), (1,), mean.shape):
            raise UserError(
                f"expected target_unit (target_dim={mean.shape[0]},), got {tuple(unit.shape)}"
            )
        unit = unit.to(mean.device)
    return (~is_constant(variance, mean, eps)).to(variance.dtype) / unit


def is_constant(variance: Tensor, mean: Tensor, eps: float) -> Tensor:
    """Apply the rule at the top of this file to columns of given variance and mean."""
    # By roots: the square of a mean can overflow. NaN, the variance of no samples, is constant.
    return ~(variance.sqrt() > constant_ratio(eps) * mean.abs())


@functools.cache
def constant_ratio(eps: float) -> float:
    """Return the largest ratio of deviation to mean of a constant column."""
    # sd <= tol rms, that is var <= tol^2 (var + mean^2), solved for sd.
    tolerance = CONSTANT_TOLERANCE * eps
    return tolerance / (1 - tolerance**2) ** 0.5
