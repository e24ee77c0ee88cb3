"""One reservoir draw, many targets: the regression factored once and refitted cheaply.

The null and the floor score the same features against rearranged targets and residuals. With
H~ = P V', P = U diag(sqrt(k)) the principal components of the features, every refit is
b = P'Y, W = V b / (k + lambda): no new factorization, and W has the spectrum of b/(k + lambda).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.code_length import code_length
from learnable_novelty.observer.evidence import Evidence
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.ridge import LARGEST_DIFFERENCE, qr_readout
from learnable_novelty.observer.roots import Roots
from learnable_novelty.observer.rows import Rows, standardized_roots
from learnable_novelty.observer.spectrum import Axes

BATCH_VALUES = 4_000_000
"""How many rearranged target values are held at a time (32 MB)."""


@dataclass(frozen=True)
class Fit:
    """The observer's ridge in the axes of its features: what it says, and of other products b."""

    observer: Observer
    axes: Axes
    penalty: float

    def readout(self) -> Tensor:
        """Return W in the axes of the components, (rank, target_dim)."""
        return self.axes.ridge(self.penalty)

    def bits(self) -> float:
        """Return the score."""
        return float(self._bits(self.readout()))

    def explained_variance(self) -> float:
        """Return the share of target variance explained."""
        power = self.axes.power[None]
        return float(
            self._variance(self.axes.cross[None], torch.full_like(power, self.penalty), power)
        )

    def residual_power(self) -> float:
        """Return the sum of squared residuals."""
        return float(self.axes.residual_power(self.readout()))

    def residual_freedom(self) -> float:
        """Return the residual degrees of freedom, tr (I - S)^2 less one for the mean.

        S is the smoother H~(H~'H~ + lambda I)^-1 H~'; noise of variance v leaves residuals of
        power v times this number, per target.
        """
        # (1 - s)^2 summed over directions, and never n less a sum: a loose ridge on few rows
        # leaves far less than the rounding of n. Where there are as many directions as rows, one
        # of them, with eigenvalue 0, is the mean.
        size = min(self.axes.eigenvalues.numel(), int(self.axes.count) - 1)
        kept = self.axes.eigenvalues.sort().values[-size:]
        left = (1 + kept / self.penalty).reciprocal().square().sum()
        return float(self.axes.count - 1 - size + left)

    def noise_scale(self) -> float:
        """Return sqrt((n - 1) / degrees of freedom), which undoes what a fit absorbs of noise."""
        return math.sqrt((self.axes.count - 1) / self.residual_freedom())

    def of_products(
        self, crosses: Tensor, power: Tensor, *, same_penalty: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Score other targets by their products with the components.

        Args:
            crosses: b, (num_problems, rank, target_dim).
            power: sums of squares of the targets, (num_problems,).
            same_penalty: keep the penalty of the observed targets, where it was estimated.

        Returns:
            Bits and explained variances, each (num_problems,).
        """
        if same_penalty or self.observer.ridge_penalty != "evidence":
            penalties = torch.full_like(power, self.penalty)
        else:
            cross_power = crosses.square().sum(2)
            problems = Evidence(self.axes.eigenvalues, cross_power, power, self.axes.count)
            penalties = problems.penalties()
        shrink = self.axes.eigenvalues + penalties[:, None]
        bits = self._bits(crosses / shrink[:, :, None])
        return bits, self._variance(crosses, penalties, power)

    def _bits(self, readout: Tensor) -> Tensor:
        return code_length(readout, self.observer.resolution, self.observer.code_scale)

    def _variance(self, crosses: Tensor, penalties: Tensor, power: Tensor) -> Tensor:
        # |Y|^2 - |Y - HW|^2 = sum b^2 (k + 2 lambda) / (k + lambda)^2 for the ridge readout,
        # divided through by lambda^2 so that an infinite lambda explains nothing.
        ratio = self.axes.eigenvalues / penalties[:, None]
        weight = (ratio + 2) / ((ratio + 1).square() * penalties[:, None])
        explained = (crosses.square().sum(2) * weight).sum(1)
        return torch.where(power > 0, explained / power, 0.0)


@torch.no_grad()
def fit_roots(observer: Observer, roots: Roots) -> Fit:
    """Fit what roots stand for."""
    axes = Axes.of(standardized_roots(roots, observer.target_unit))
    return Fit(observer, axes, penalty_of(observer, axes))


@torch.no_grad()
def bits_of_roots(observer: Observer, roots: Roots) -> float:
    """Score what roots stand for; where the penalty is given, without their singular values."""
    if observer.ridge_penalty == "evidence":
        return fit_roots(observer, roots).bits()
    rows = standardized_roots(roots, observer.target_unit)
    weights = qr_readout(rows, observer.penalty_for(rows))
    return float(code_length(weights, observer.resolution, observer.code_scale))


def penalty_of(observer: Observer, axes: Axes) -> float:
    """Return lambda for axes of singular values; a given one that takes rounding is refused."""
    penalty = observer.penalty_for_axes(axes)
    if observer.ridge_penalty != "evidence":
        _check_rounding(observer, axes, penalty)
    return penalty


def _check_rounding(observer: Observer, axes: Axes, penalty: float) -> None:
    """Raise if directions whose features are nothing but rounding have a part in the score."""
    lost = axes.lost()
    if not bool(lost.any()):
        return
    readout = axes.ridge(penalty)
    bits, real = (
        float(code_length(part, observer.resolution, observer.code_scale))
        for part in (readout, readout[~lost])
    )
    if bits - real > LARGEST_DIFFERENCE * max(1.0, bits):
        raise UserError(
            f"{bits - real:.1e} of {bits:.6g} bits would be rounding of the features at a "
            f"ridge_penalty of {penalty:.1e}; choose a larger one, or a larger target_unit"
        )


@dataclass(frozen=True)
class Refit(Fit):
    """The observer's ridge on fixed rows, ready for many targets."""

    components: Tensor
    """P, (num_rows, rank)."""
    targets: Tensor
    """Y~, (num_rows, target_dim)."""

    @staticmethod
    @torch.no_grad()
    def of(observer: Observer, rows: Rows) -> Refit:
        """Standardize and factor the rows."""
        standard = rows.standardized(observer.target_unit, observer.accumulate_dtype)
        axes = Axes.of(standard)
        components = standard.features @ axes.basis
        return Refit(observer, axes, penalty_of(observer, axes), components, standard.targets)

    def noise(self) -> Tensor:
        """Return the residuals inflated to the size of the noise that left them."""
        return (self.targets - self.components @ self.readout()) * self.noise_scale()

    def rearranged(
        self, values: Tensor, orders: Iterator[Tensor], *, same_penalty: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Score rearrangements of target rows.

        Args:
            values: (num_rows, target_dim).
            orders: row indices, each (num_rows,).
            same_penalty: keep the penalty of the observed targets, where it was estimated.

        Returns:
            Bits and explained variances, each (num_orders,).
        """
        bits: list[Tensor] = []
        variances: list[Tensor] = []
        size = max(1, BATCH_VALUES // max(1, values.numel()))
        for batch in _batches(orders, size):
            moved = torch.cat([values[order] for order in batch], dim=1)
            crosses = (self.components.T @ moved).unflatten(1, (len(batch), -1)).movedim(1, 0)
            power = values.square().sum().expand(len(batch))
            found = self.of_products(crosses, power, same_penalty=same_penalty)
            bits.append(found[0])
            variances.append(found[1])
        empty = values.new_empty(0)
        return (torch.cat(bits), torch.cat(variances)) if bits else (empty, empty)


def _batches(orders: Iterator[Tensor], size: int) -> Iterator[list[Tensor]]:
    batch: list[Tensor] = []
    for order in orders:
        batch.append(order)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
