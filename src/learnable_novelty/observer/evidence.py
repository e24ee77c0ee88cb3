"""The ridge penalty: a number, one per row, or the one of largest evidence.

By evidence an observer estimates its noise instead of positing it. Read the ridge as Gaussian
regression, Y~ = H~ W + noise, with one noise variance shared by all targets and one prior variance
shared by all weights; lambda is their ratio. Up to constants, and with the scale of the prior
maximized out, the marginal likelihood of the centred targets is

    -2 log p / D = sum_i log(1 + k_i / lambda)
                   + (n - 1) log( |Y~|^2 - sum_i |b_i|^2 / (k_i + lambda) )

with k the eigenvalues of H~'H~ and b the coordinates of H~'Y~. Pure noise prefers lambda
infinite: its readout is then exactly zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_positive
from learnable_novelty.observer.spectral import Spectral

GRID_POINTS = 65
RIDDERS_STEPS = 12
BISECTIONS = 36
ROOT_TOLERANCE = 1e-12
"""Of log lambda."""
# Eigenvalues of a Gram matrix carry an absolute error of about eps times the largest; a penalty
# near that would read rounding as structure. In units of eps and of the largest eigenvalue:
SMALLEST_PENALTY = 4096.0
LARGEST_PENALTY = 1e12
USELESS = 1e8
"""A penalty that many times the largest eigenvalue explains a share of 1e-8, or less."""


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


@dataclass(frozen=True)
class Evidence:
    """Many regressions, on the same features or on others, each with a penalty to choose."""

    eigenvalues: Tensor
    """k, (rank,) of features that all problems share, or (num_problems, rank)."""
    cross_power: Tensor
    """|b_i|^2, (num_problems, rank)."""
    power: Tensor
    """|Y~|^2, (num_problems,)."""
    count: float | Tensor
    """n, one or (num_problems,)."""
    outside: Tensor | None = None
    """What of |Y~|^2 no feature explains, (num_problems,), where that is known."""

    def cost(self, penalties: Tensor) -> Tensor:
        """Evaluate the expression above.

        Args:
            penalties: lambda, (num_problems, num_penalties), or (num_penalties,) shared by all
                problems on the same features; infinity is allowed.

        Returns:
            (num_problems, num_penalties).
        """
        k = self.eigenvalues if self.eigenvalues.ndim == 1 else self.eigenvalues[:, None]
        volume = torch.log1p(k / penalties[..., None]).sum(-1)
        if self.outside is None:
            inverse = (k + penalties[..., None]).reciprocal()
            residual = self.power[:, None] - _weighted_sums(self.cross_power, inverse)
        else:
            left = (1 + k / penalties[..., None]).reciprocal()
            residual = self.outside[:, None] + _weighted_sums(self._along, left)
        # A noise-free fit leaves nothing but rounding: keep the logarithm finite there.
        least = torch.maximum(residual, self._tiny[:, None])
        return volume + self._freedom[..., None] * least.log()

    def slope(self, penalties: Tensor) -> Tensor:
        """Differentiate the expression above by log lambda; one finite lambda per problem.

        -sum_i k_i / (k_i + lambda) + (n - 1) lambda sum_i |b_i|^2 / (k_i + lambda)^2 / residual
        """
        inverse = (self.eigenvalues + penalties[:, None]).reciprocal()
        part = self.cross_power * inverse
        if self.outside is None:
            residual = self.power - part.sum(-1)
        else:
            left = (1 + self.eigenvalues / penalties[:, None]).reciprocal()
            residual = self.outside + (self._along * left).sum(-1)
        weighted = (part * inverse).sum(-1)
        change = penalties * weighted / torch.maximum(residual, self._tiny)
        change = torch.where(residual > self._tiny, change, 0.0)
        k = self.eigenvalues
        used = inverse @ k if k.ndim == 1 else (inverse * k).sum(-1)
        return self._freedom * change - used

    @cached_property
    def _freedom(self) -> Tensor:
        """Return n - 1, 0-dim or (num_problems,)."""
        return torch.as_tensor(self.count, dtype=self.power.dtype, device=self.power.device) - 1

    @cached_property
    def _tiny(self) -> Tensor:
        """Return what is rounding beside |Y~|^2, (num_problems,)."""
        return torch.finfo(self.power.dtype).eps * self.power

    @cached_property
    def _along(self) -> Tensor:
        """Return |z_i|^2, z_i = b_i / sqrt(k_i), (num_problems, rank).

        Where it is known what lies outside of the features, the residual is that and
        sum_i |z_i|^2 lambda / (k_i + lambda), without a difference of large sums.
        """
        return torch.where(self.eigenvalues > 0, self.cross_power / self.eigenvalues, 0.0)

    def penalties(self) -> Tensor:
        """Choose the ridge penalty of largest marginal likelihood for each problem.

        A grid over the logarithm of lambda, shared where features are, then the root of the slope
        beside the best point: a minimum can be seen in its values to half of the digits only, so
        the last digits of the sums would decide on the others.

        Returns:
            (num_problems,); infinity where no finite penalty beats using no feature at all.
        """
        power = self.power
        infinite = torch.full_like(power, math.inf)
        if not self.eigenvalues.numel():
            return infinite
        top = self.eigenvalues.amax(-1, keepdim=True)
        # Two samples have the same evidence at every penalty: rounding must not choose one.
        known = (top[..., 0] > 0) & (self._freedom > 1)
        top = torch.where(top > 0, top, 1.0)
        low = (SMALLEST_PENALTY * torch.finfo(power.dtype).eps * top).log()
        step = ((LARGEST_PENALTY * top).log() - low)[..., 0].max() / (GRID_POINTS - 1)
        grid = low + step * torch.arange(GRID_POINTS, dtype=power.dtype, device=power.device)
        place = self.cost(grid.exp()).argmin(1)
        centre = grid[place] if grid.ndim == 1 else grid.gather(1, place[:, None])[:, 0]
        # At the largest penalties nothing is explained, to rounding: there is no root to find.
        least_used = low[..., 0] + step * (GRID_POINTS - 1) - math.log(LARGEST_PENALTY / USELESS)
        searched = (known & (centre < least_used)).nonzero()[:, 0]
        best = centre.clone()
        if searched.numel():
            best[searched] = self._some(searched)._root(centre[searched], float(step))
        finite, none = self.cost(torch.stack([best.exp(), infinite], dim=1)).unbind(1)
        return torch.where(known & (finite < none) & (power > 0), best.exp(), infinite)

    def _some(self, places: Tensor) -> Evidence:
        """Return some of the problems."""
        own, many = self.eigenvalues.ndim == 2, isinstance(self.count, Tensor)
        return Evidence(
            self.eigenvalues[places] if own else self.eigenvalues,
            self.cross_power[places],
            self.power[places],
            self.count[places] if many else self.count,  # pyright: ignore[reportIndexIssue]
            None if self.outside is None else self.outside[places],
        )

    def _root(self, centre: Tensor, step: float) -> Tensor:
        """Return log lambda where the slope vanishes within a step of the centre, (num_problems,).

        By Ridders' method, x = m - (m - l) f(m) / sqrt(f(m)^2 - f(l) f(h)), m the middle of l and
        h. A fit without noise has no such place, but a kink where the residual becomes rounding,
        or its least cost at the smallest penalty.
        """
        low, high = centre - step, centre + step
        f_low, f_high = self.slope(low.exp()), self.slope(high.exp())
        kinked = (~((f_low < 0) & (f_high > 0))).nonzero()[:, 0]
        root = centre
        for _ in range(RIDDERS_STEPS):
            middle, before = (low + high) / 2, root
            f_middle = self.slope(middle.exp())
            scale = (f_middle.square() - f_low * f_high).abs().sqrt()
            turn = torch.where(scale > 0, f_middle / scale, 0.0).clamp(-1, 1)
            root = middle - (middle - low) * turn
            if float((root - before).abs().max()) <= ROOT_TOLERANCE:
                break
            for x, f in ((middle, f_middle), (root, self.slope(root.exp()))):
                above, below = (f > 0) & (x < high), (f <= 0) & (x > low)
                high, f_high = torch.where(above, x, high), torch.where(above, f, f_high)
                low, f_low = torch.where(below, x, low), torch.where(below, f, f_low)
        if kinked.numel():
            root[kinked] = self._some(kinked)._kink(centre[kinked], step)
        return root

    def _kink(self, centre: Tensor, step: float) -> Tensor:
        """Return log lambda at the least cost near the centre, and there where the slope turns."""
        fine = step / (GRID_POINTS // 2)
        reach = torch.arange(-(GRID_POINTS // 2), GRID_POINTS // 2 + 1).to(centre)
        grid = centre[:, None] + fine * reach
        centre = grid.gather(1, self.cost(grid.exp()).argmin(1, keepdim=True))[:, 0]
        low, high = centre - fine, centre + fine
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            rises = self.slope(middle.exp()) > 0
            low, high = torch.where(rises, low, middle), torch.where(rises, middle, high)
        return (low + high) / 2


def _weighted_sums(weights: Tensor, terms: Tensor) -> Tensor:
    """Return sum_i w_pi t_gi, or sum_i w_pi t_pgi where every problem has its own terms."""
    if terms.ndim == 2:
        return weights @ terms.T
    return (weights[:, None] * terms).sum(-1)


def evidence_penalties(problems: Sequence[Spectral], groups: Tensor | None = None) -> Tensor:
    """Choose ridge penalties of regressions on different features, (num_problems, num_groups).

    Args:
        problems: regressions with the same targets.
        groups: zeros and ones, (target_dim, num_groups): columns of a group share a penalty; by
            default all of them do.
    """
    cross = problems[0].cross
    groups = cross.new_ones(cross.shape[1], 1) if groups is None else groups
    shape, size = (
        (len(problems), groups.shape[1]),
        max(axes.eigenvalues.numel() for axes in problems),
    )

    columns: list[tuple[Tensor, ...]] = []
    for axes in problems:
        k, power, outside = axes.eigenvalues, (axes.cross.square() @ groups).T, axes.outside
        if (more := size - k.numel()) > 0:
            # A direction without features, k = b = 0, changes no evidence.
            k, power = (torch.nn.functional.pad(values, (0, more)) for values in (k, power))
        given = k.expand(shape[1], -1), power, axes.target_power @ groups
        count = given[2].new_full((shape[1],), axes.count)
        columns.append((*given, count) if outside is None else (*given, count, outside @ groups))
    known = min(map(len, columns))  # what lies outside of the features counts where all know it
    joined = [torch.cat([one[k] for one in columns]) for k in range(known)]
    return Evidence(*joined).penalties().reshape(shape)
