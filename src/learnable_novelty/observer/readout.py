"""A fitted readout, as ``Observer.readout`` reports it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from torch import Tensor

from learnable_novelty.observer.moments import squares_of
from learnable_novelty.observer.standardize import NormalEquations, StandardizedRows


@dataclass(frozen=True)
class Readout:
    """A fitted readout and what it costs to describe."""

    weights: Tensor
    """W on standardized features, (feature_dim, target_dim)."""
    singular_values: Tensor
    """Of the weights, descending."""
    model_bits: float
    """Spectral description length of the weights: the epiplexity S."""
    residual_bits: float | None
    """Description length of the residuals at the noise variance that the penalty posits; None
    where the penalty was chosen by evidence and posits none."""
    explained_variance: float
    """1 - residual power / target power; 0 for constant targets."""
    ridge_penalty: float
    """The penalty used: lambda."""
    noise_variance: float | None
    """sigma^2 = lambda / (2 alpha eta), in squared target units; None with the evidence ridge."""
    converged: bool = True
    """Whether an iterative readout became stationary."""
    sweeps: int = 0
    """How many iterations it took."""


def residual_power(data: NormalEquations | StandardizedRows, weights: Tensor) -> float:
    """Compute |Y~ - H~ W|^2."""
    if isinstance(data, StandardizedRows):
        residual = data.targets - data.features @ weights
        return float(residual.square().sum() + squares_of(data.outside).sum())
    fitted = (weights * (data.gram @ weights)).sum()
    # Differences of large sums: rounding may leave a perfect fit a hair below zero.
    return max(0.0, float(data.power - 2 * (weights * data.cross).sum() + fitted))


def residual_bits(power: float, variance: float | None) -> float | None:
    """Compute the description length of residuals, |R|^2 / (2 sigma^2 ln 2), eq. (total-code)."""
    return None if variance is None else power / (2 * variance * math.log(2))
