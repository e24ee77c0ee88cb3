"""The ridge penalty lambda: a number, a number per sample, or estimated by evidence.

The last one estimates the noise instead of positing it. Read the ridge as Gaussian regression,
Y~ = H~ W + noise, with one noise variance shared by all targets and one prior variance shared by
all weights; lambda is their ratio. Up to constants, and with the scale of the prior maximized out,
the marginal likelihood of the centred targets is

    -2 log p / D = sum_i log(1 + k_i / lambda)
                   + (n - 1) log( |Y~|^2 - sum_i |b_i|^2 / (k_i + lambda) )

with k the eigenvalues of H~'H~ and b the coordinates of H~'Y~. Pure noise prefers lambda
infinite: its readout is then exactly zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_positive
from learnable_novelty.observer.spectral import Spectral


@dataclass(frozen=True)
class PerSample:
    """A ridge penalty of ``value`` times the number of rows, to compare unequal n.

    >>> PerSample(1e-3)
    PerSample(value=0.001)
    """

    value: float


RidgePenalty = float | PerSample | Literal["evidence"]


def check_ridge_penalty(penalty: RidgePenalty) -> None:
    """Raise unless the penalty is one of the three kinds, and positive."""
    if isinstance(penalty, str):
        if penalty != "evidence":
            raise UserError(
                f'ridge_penalty must be a positive number, PerSample or "evidence", got {penalty!r}'
            )
        return
    value = penalty.value if isinstance(penalty, PerSample) else penalty
    check_positive(ridge_penalty=value)


GRID_POINTS = 65
ZOOMS = 2
ROOT_POINTS = 17
ROOT_STEPS = 12
# Eigenvalues of a Gram matrix carry an absolute error of about eps times the largest; a penalty
# near that would read rounding as structure. In units of eps and of the largest eigenvalue:
SMALLEST_PENALTY = 4096.0
LARGEST_PENALTY = 1e12


@dataclass(frozen=True)
class Evidence:
    """Many regressions on the same features, each with a penalty to choose."""

    eigenvalues: Tensor
    """k, (rank,)."""
    cross_power: Tensor
    """|b_i|^2, (num_problems, rank)."""
    power: Tensor
    """|Y~|^2, (num_problems,)."""
    count: float
    """n."""
    outside: Tensor | None = None
    """What of |Y~|^2 no feature explains, (num_problems,), where that is known."""

    def cost(self, penalties: Tensor) -> Tensor:
        """Evaluate the expression above.

        Args:
            penalties: lambda, (num_problems, num_penalties); infinity is allowed.

        Returns:
            (num_problems, num_penalties).
        """
        residual, tiny = self._residual(penalties)
        volume = torch.log1p(self.eigenvalues / penalties[..., None]).sum(-1)
        # A noise-free fit leaves nothing but rounding: keep the logarithm finite there.
        return volume + (self.count - 1) * torch.maximum(residual, tiny).log()

    def slope(self, penalties: Tensor) -> Tensor:
        """Differentiate the expression above by log lambda; shapes as there, lambda finite.

        -sum_i k_i / (k_i + lambda) + (n - 1) lambda sum_i |b_i|^2 / (k_i + lambda)^2 / residual
        """
        inverse = (self.eigenvalues + penalties[..., None]).reciprocal()
        weighted = inverse * self.cross_power[:, None]
        residual, tiny = self._residual(penalties)
        change = penalties * (weighted * inverse).sum(-1) / torch.maximum(residual, tiny)
        change = torch.where(residual > tiny, change, 0.0)
        return (self.count - 1) * change - inverse @ self.eigenvalues

    def _residual(self, penalties: Tensor) -> tuple[Tensor, Tensor]:
        """Return |Y~|^2 - sum_i |b_i|^2 / (k_i + lambda), and what is rounding beside |Y~|^2.

        Without a difference of large sums where it is known what lies outside of the features: then
        it is that and sum_i |z_i|^2 lambda / (k_i + lambda), z_i = b_i / sqrt(k_i).
        """
        tiny = torch.finfo(self.power.dtype).eps * self.power[:, None]
        if self.outside is None:
            shrink = self.eigenvalues + penalties[..., None]
            return self.power[:, None] - (self.cross_power[:, None] / shrink).sum(-1), tiny
        along = torch.where(self.eigenvalues > 0, self.cross_power / self.eigenvalues, 0.0)
        left = (1 + self.eigenvalues / penalties[..., None]).reciprocal()
        return self.outside[:, None] + (along[:, None] * left).sum(-1), tiny

    def penalties(self) -> Tensor:
        """Choose the ridge penalty of largest marginal likelihood for each problem.

        A grid over the logarithm of lambda, zoomed in on the best point, then the root of the slope
        there: a minimum can be seen in its values to half of the digits only, so the last digits of
        the sums would decide on the others.

        Returns:
            (num_problems,); infinity where no finite penalty beats using no feature at all.
        """
        power = self.power
        infinite = torch.full_like(power, math.inf)
        top = float(self.eigenvalues.max()) if self.eigenvalues.numel() else 0.0
        # Two samples have the same evidence at every penalty: rounding must not choose one.
        if not top > 0 or self.count <= 2:
            return infinite
        smallest = SMALLEST_PENALTY * torch.finfo(power.dtype).eps * top
        low = torch.full_like(power, math.log(smallest))
        high = torch.full_like(power, math.log(LARGEST_PENALTY * top))
        for _ in range(ZOOMS):
            grid = _grid(low, high, GRID_POINTS)
            centre = grid.gather(1, self.cost(grid.exp()).argmin(1, keepdim=True))[:, 0]
            step = (high - low) / (GRID_POINTS - 1)
            low, high = centre - step, centre + step
        for _ in range(ROOT_STEPS):
            grid = _grid(low, high, ROOT_POINTS)
            rises = self.slope(grid.exp()) > 0
            rises[:, -1] = True  # beyond the last point, if it rises nowhere before
            first = rises.long().argmax(1, keepdim=True).clamp(min=1)
            low, high = grid.gather(1, first - 1)[:, 0], grid.gather(1, first)[:, 0]
        best = ((low + high) / 2).exp()
        finite_cost, infinite_cost = self.cost(torch.stack([best, infinite], dim=1)).unbind(1)
        return torch.where((finite_cost < infinite_cost) & (power > 0), best, infinite)


def _grid(low: Tensor, high: Tensor, points: int) -> Tensor:
    """Return evenly spaced points between bounds (num_problems,), (num_problems, points)."""
    unit = torch.linspace(0, 1, points, dtype=low.dtype, device=low.device)
    return low[:, None] + (high - low)[:, None] * unit


def evidence_penalty(axes: Spectral) -> float:
    """Choose the ridge penalty for one regression."""
    cross_power = axes.cross.square().sum(1)[None]
    outside = None if axes.outside is None else axes.outside.sum()[None]
    one = Evidence(axes.eigenvalues, cross_power, axes.power[None], axes.count, outside)
    return float(one.penalties())
