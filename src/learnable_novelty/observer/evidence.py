"""The calibrated ridge: an observer that estimates its noise instead of positing it.

Read the ridge as Gaussian regression, Y~ = H~ W + noise, with one noise variance shared by all
targets and one prior variance shared by all weights; lambda is their ratio. Up to constants, and
with the scale of the prior maximized out, the marginal likelihood of the centred targets is

    -2 log p / D = sum_i log(1 + k_i / lambda)
                   + (n - 1) log( |Y~|^2 - sum_i |b_i|^2 / (k_i + lambda) )

with k the eigenvalues of H~'H~ and b the coordinates of H~'Y~. Pure noise prefers lambda
infinite: its readout is then exactly zero.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from learnable_novelty.observer.spectrum import Axes

GRID_POINTS = 65
ZOOMS = 2
ROOT_POINTS = 17
ROOT_STEPS = 12
# Eigenvalues carry an absolute error of about eps times the largest; a penalty near that would
# read rounding as structure. In units of eps and of the largest eigenvalue:
SMALLEST_PENALTY = 4096.0
LARGEST_PENALTY = 1e12


def negative_log_evidence(
    eigenvalues: Tensor, cross_power: Tensor, power: Tensor, count: float, penalties: Tensor
) -> Tensor:
    """Evaluate the expression above for many targets at once.

    Args:
        eigenvalues: k, (rank,).
        cross_power: |b_i|^2, (num_problems, rank).
        power: |Y~|^2, (num_problems,).
        count: n.
        penalties: lambda, (num_problems, num_penalties); infinity is allowed.

    Returns:
        (num_problems, num_penalties).
    """
    shrink = eigenvalues + penalties[..., None]
    explained = (cross_power[:, None] / shrink).sum(-1)
    # A noise-free fit leaves nothing but rounding: keep the logarithm finite there.
    tiny = torch.finfo(power.dtype).eps * power[:, None]
    residual = torch.maximum(power[:, None] - explained, tiny)
    volume = torch.log1p(eigenvalues / penalties[..., None]).sum(-1)
    return volume + (count - 1) * residual.log()


def evidence_slope(
    eigenvalues: Tensor, cross_power: Tensor, power: Tensor, count: float, penalties: Tensor
) -> Tensor:
    """Differentiate the expression above by log lambda; shapes as there, lambda finite.

    -sum_i k_i / (k_i + lambda) + (n - 1) lambda sum_i |b_i|^2 / (k_i + lambda)^2 / residual
    """
    inverse = (eigenvalues + penalties[..., None]).reciprocal()
    weighted = inverse * cross_power[:, None]
    tiny = torch.finfo(power.dtype).eps * power[:, None]
    residual = power[:, None] - weighted.sum(-1)
    change = penalties * (weighted * inverse).sum(-1) / torch.maximum(residual, tiny)
    change = torch.where(residual > tiny, change, 0.0)
    return (count - 1) * change - inverse @ eigenvalues


def evidence_penalties(
    eigenvalues: Tensor, cross_power: Tensor, power: Tensor, count: float
) -> Tensor:
    """Choose the ridge penalty of largest marginal likelihood for each problem.

    A grid over the logarithm of lambda, zoomed in on the best point, then the root of the slope
    there: a minimum can be seen in its values to half of the digits only, so the last digits of
    the sums would decide on the others. Infinity where no finite penalty beats using no feature
    at all. Shapes as in ``negative_log_evidence``.
    """
    infinite = torch.full_like(power, math.inf)
    top = float(eigenvalues.max()) if eigenvalues.numel() else 0.0
    # Two samples have the same evidence at every penalty: rounding must not choose one.
    if not top > 0 or count <= 2:
        return infinite
    unit = torch.linspace(0, 1, GRID_POINTS, dtype=power.dtype, device=power.device)
    low = torch.full_like(power, math.log(SMALLEST_PENALTY * torch.finfo(power.dtype).eps * top))
    high = torch.full_like(power, math.log(LARGEST_PENALTY * top))
    for _ in range(ZOOMS):
        grid = low[:, None] + (high - low)[:, None] * unit
        values = negative_log_evidence(eigenvalues, cross_power, power, count, grid.exp())
        centre = grid.gather(1, values.argmin(1, keepdim=True))[:, 0]
        step = (high - low) / (GRID_POINTS - 1)
        low, high = centre - step, centre + step
    unit = torch.linspace(0, 1, ROOT_POINTS, dtype=power.dtype, device=power.device)
    for _ in range(ROOT_STEPS):
        grid = low[:, None] + (high - low)[:, None] * unit
        rises = evidence_slope(eigenvalues, cross_power, power, count, grid.exp()) > 0
        rises[:, -1] = True  # beyond the last point, if it rises nowhere before
        first = rises.long().argmax(1, keepdim=True).clamp(min=1)
        low, high = grid.gather(1, first - 1)[:, 0], grid.gather(1, first)[:, 0]
    best = ((low + high) / 2).exp()
    pair = torch.stack([best, infinite], dim=1)
    finite_cost, infinite_cost = negative_log_evidence(
        eigenvalues, cross_power, power, count, pair
    ).unbind(1)
    return torch.where((finite_cost < infinite_cost) & (power > 0), best, infinite)


def evidence_penalty(axes: Axes) -> float:
    """Choose the ridge penalty for one regression."""
    cross_power = axes.cross.square().sum(1)
    return float(
        evidence_penalties(axes.eigenvalues, cross_power[None], axes.power[None], axes.count)
    )
