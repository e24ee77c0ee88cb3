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
# Eigenvalues of a Gram matrix carry an absolute error of about eps times the largest; a penalty
# near that would read rounding as structure. In units of eps and of the largest eigenvalue:
SMALLEST_PENALTY = 4096.0
LARGEST_PENALTY = 1e12


def negative_log_evidence(
    eigenvalues: Tensor,
    cross_power: Tensor,
    power: Tensor,
    count: float,
    penalties: Tensor,
    outside: Tensor | None = None,
) -> Tensor:
    """Evaluate the expression above for many targets at once.

    Args:
        eigenvalues: k, (rank,).
        cross_power: |b_i|^2, (num_problems, rank).
        power: |Y~|^2, (num_problems,).
        count: n.
        penalties: lambda, (num_problems, num_penalties); infinity is allowed.
        outside: what of |Y~|^2 no feature explains, (num_problems,), where that is known.

    Returns:
        (num_problems, num_penalties).
    """
    residual, tiny = _residual(eigenvalues, cross_power, power, penalties, outside)
    volume = torch.log1p(eigenvalues / penalties[..., None]).sum(-1)
    # A noise-free fit leaves nothing but rounding: keep the logarithm finite there.
    return volume + (count - 1) * torch.maximum(residual, tiny).log()


def _residual(
    eigenvalues: Tensor,
    cross_power: Tensor,
    power: Tensor,
    penalties: Tensor,
    outside: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Return |Y~|^2 - sum_i |b_i|^2 / (k_i + lambda), and what is rounding beside |Y~|^2.

    Without a difference of large sums where it is known what lies outside of the features: then it
    is that and sum_i |z_i|^2 lambda / (k_i + lambda), z_i = b_i / sqrt(k_i).
    """
    tiny = torch.finfo(power.dtype).eps * power[:, None]
    if outside is None:
        shrink = eigenvalues + penalties[..., None]
        return power[:, None] - (cross_power[:, None] / shrink).sum(-1), tiny
    along = torch.where(eigenvalues > 0, cross_power / eigenvalues, 0.0)
    left = (1 + eigenvalues / penalties[..., None]).reciprocal()
    return outside[:, None] + (along[:, None] * left).sum(-1), tiny


def evidence_slope(
    eigenvalues: Tensor,
    cross_power: Tensor,
    power: Tensor,
    count: float,
    penalties: Tensor,
    outside: Tensor | None = None,
) -> Tensor:
    """Differentiate the expression above by log lambda; shapes as there, lambda finite.

    -sum_i k_i / (k_i + lambda) + (n - 1) lambda sum_i |b_i|^2 / (k_i + lambda)^2 / residual
    """
    inverse = (eigenvalues + penalties[..., None]).reciprocal()
    weighted = inverse * cross_power[:, None]
    residual, tiny = _residual(eigenvalues, cross_power, power, penalties, outside)
    change = penalties * (weighted * inverse).sum(-1) / torch.maximum(residual, tiny)
    change = torch.where(residual > tiny, change, 0.0)
    return (count - 1) * change - inverse @ eigenvalues


def evidence_penalties(
    eigenvalues: Tensor,
    cross_power: Tensor,
    power: Tensor,
    count: float,
    outside: Tensor | None = None,
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
    given = eigenvalues, cross_power, power, count
    unit = torch.linspace(0, 1, GRID_POINTS, dtype=power.dtype, device=power.device)
    low = torch.full_like(power, math.log(SMALLEST_PENALTY * torch.finfo(power.dtype).eps * top))
    high = torch.full_like(power, math.log(LARGEST_PENALTY * top))
    for _ in range(ZOOMS):
        grid = low[:, None] + (high - low)[:, None] * unit
        values = negative_log_evidence(*given, grid.exp(), outside)
        centre = grid.gather(1, values.argmin(1, keepdim=True))[:, 0]
        step = (high - low) / (GRID_POINTS - 1)
        low, high = centre - step, centre + step
    unit = torch.linspace(0, 1, ROOT_POINTS, dtype=power.dtype, device=power.device)
    for _ in range(ROOT_STEPS):
        grid = low[:, None] + (high - low)[:, None] * unit
        rises = evidence_slope(*given, grid.exp(), outside) > 0
        rises[:, -1] = True  # beyond the last point, if it rises nowhere before
        first = rises.long().argmax(1, keepdim=True).clamp(min=1)
        low, high = grid.gather(1, first - 1)[:, 0], grid.gather(1, first)[:, 0]
    best = ((low + high) / 2).exp()
    pair = torch.stack([best, infinite], dim=1)
    finite_cost, infinite_cost = negative_log_evidence(*given, pair, outside).unbind(1)
    return torch.where((finite_cost < infinite_cost) & (power > 0), best, infinite)


def evidence_penalty(axes: Axes) -> float:
    """Choose the ridge penalty for one regression."""
    cross_power = axes.cross.square().sum(1)
    outside = None if axes.outside is None else axes.outside[None]
    found = evidence_penalties(
        axes.eigenvalues, cross_power[None], axes.power[None], axes.count, outside
    )
    return float(found)
