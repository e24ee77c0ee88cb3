"""A readout that was fitted: what it explains, what it costs, and refits of other targets.

The null and the floor score the same features against other targets: permuted ones, and residuals.
With H~ = P V', P = U diag(sqrt(k)) the principal components of the features, every refit is
b = P'Y, W = V b / (k + lambda): no new factorization, and W has the spectrum of b / (k + lambda).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.bits import checked_log2det, checked_refits, code_length
from learnable_novelty.observer.denoise import (
    Denoised,
    Edge,
    Split,
    denoiser,
    kept_directions,
    signal_units,
)
from learnable_novelty.observer.evidence import Evidence
from learnable_novelty.observer.spectral import Spectral
from learnable_novelty.observer.summary import Moments, Roots, Scale, squares_of
from learnable_novelty.rearrange import moved_rows

if TYPE_CHECKING:
    from learnable_novelty.observer.observer import Observer


@dataclass(frozen=True)
class Fit:
    """The ridge readout of an observer on given data, in the axes of its features.

    ``Observer.fit`` makes it. Permutations need rows that count once each, signs need blocks
    (``SignedFit``); everything else works with moments too.
    """

    observer: Observer
    axes: Spectral
    penalty: float
    """lambda, given or chosen by evidence."""
    scale: Scale
    """What centred features and targets were multiplied by."""
    rows: Roots | None = None
    """H~ and Y~, where the fit was made from rows."""
    weighted: bool = False
    """Whether the rows stand for different numbers of samples."""

    @cached_property
    def log2det(self) -> float:
        """log2 det(I + eta W W'); raises where rounding may change it."""
        return float(checked_log2det(self.axes, self.penalty, self.observer.resolution))

    @property
    def weights(self) -> Tensor:
        """W on standardized features, (feature_dim, target_dim)."""
        return self.axes.basis @ self.readout()

    @cached_property
    def components(self) -> Tensor:
        """P = H~ V, (num_rows, rank)."""
        return self._own_rows().root @ self.axes.basis

    @property
    def targets(self) -> Tensor:
        """Y~, (num_rows, target_dim)."""
        return self._own_rows().along

    def readout(self) -> Tensor:
        """Return W in the axes of the features, (rank, target_dim)."""
        return self.axes.ridge(self.penalty)

    def spectrum(self) -> Tensor:
        """Return the singular values of W, descending."""
        return torch.linalg.svdvals(self.readout())

    def bits(self) -> float:
        """Return the score."""
        return self.log2det * self.observer.code_scale

    def explained_variance(self) -> float:
        """Return the share of target variance explained."""
        power = self.axes.power[None]
        penalties = torch.full_like(power, self.penalty)
        cross_power = self.axes.cross.square().sum(1)[None]
        return float(self.axes.explained_share(cross_power, penalties, power))

    def evidence(self) -> float:
        """Return -2 log p of the targets, up to constants: see ``evidence``."""
        axes = self.axes
        cross, power = axes.cross.square().sum(1)[None], axes.power[None]
        outside = None if axes.outside is None else axes.outside.sum()[None]
        problem = Evidence(axes.eigenvalues, cross, power, axes.count, outside)
        return axes.cross.shape[1] * float(problem.cost(power.new_tensor([self.penalty])))

    def residual_power(self) -> float:
        """Return the sum of squared residuals."""
        return float(self.axes.residual_power(self.readout()))

    def residual_bits(self) -> float | None:
        """Return the description length of the residuals; None with an evidence penalty."""
        return residual_bits(self.residual_power(), self.observer.noise_variance(self.penalty))

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

    def noise(self) -> Tensor:
        """Return the residuals inflated to the size of the noise that left them."""
        return (self.targets - self.components @ self.readout()) * self.noise_scale()

    @cached_property
    def split(self) -> Split:
        """What the features explain of the targets, and what they leave."""
        return self.axes.split()

    def denoised(
        self, edge: Edge | None = None, *, penalty: float | None = None, in_signal: bool = False
    ) -> Denoised:
        """Take off the readout the part that noise explains.

        Args:
            edge: where the roots of noise end; that of independent rows by default.
            penalty: of the readout, in place of the fit's own.
            in_signal: measure every target in units of its signal's deviation, not of its own.
        """
        split, code = self.split, self.observer
        edge = edge or Edge(split.noise.law)
        right = denoiser(split, edge)
        kept = kept_directions(self.axes.eigenvalues, self.axes.count)
        readout = self.axes.ridge(self.penalty if penalty is None else penalty)[kept] @ right
        if in_signal:
            readout = readout / signal_units(split, right, edge)
        roots = torch.linalg.eigvalsh(split.noise.whitened(split.explained))
        directions = int((roots > edge.root).sum())
        values = torch.linalg.svdvals(readout)[:directions]
        return Denoised(
            bits=float(code_length(readout, code.resolution, code.code_scale)),
            spectrum=values,
            directions=directions,
            root=float(roots[-1]),
            edge=edge,
        )

    def least_squares(self) -> Tensor:
        """Return the readout without a ridge, in the axes of the features that take part."""
        k = self.axes.eigenvalues
        kept = kept_directions(k, self.axes.count)
        return torch.where(kept, 1 / torch.where(kept, k, 1.0), 0.0)[:, None] * self.axes.cross

    def unexplained(self) -> Tensor:
        """Return the residuals of least squares with the variance of the noise, e / sqrt(1 - h).

        h is the leverage of the row: one far out pulls the fit, and hides most of its own noise.
        """
        k = self.axes.eigenvalues
        kept = kept_directions(k, self.axes.count)
        leverage = 1 / self.axes.count + (self.components[:, kept].square() / k[kept]).sum(1)
        left = self.targets - self.components @ self.least_squares()
        return left / (1 - leverage).clamp(min=1e-12).sqrt()[:, None]

    def noise_roots(self, crosses: Tensor) -> Tensor:
        """Return the largest root of other targets, such as noise, whitened as these are.

        Args:
            crosses: their products with the components, (num_problems, rank, target_dim).

        Returns:
            (num_problems,).
        """
        k = self.axes.eigenvalues
        kept = kept_directions(k, self.axes.count)
        along = crosses[:, kept] / k[kept].sqrt()[:, None]
        whitened = torch.linalg.solve_triangular(self.split.noise.root, along.mT, upper=False)
        return torch.linalg.matrix_norm(whitened, ord=2).square()

    def rearranged(
        self, values: Tensor, orders: Iterator[Tensor], *, same_penalty: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Score rearrangements of target rows.

        Args:
            values: (num_rows, target_dim), such as ``targets`` or ``noise()``.
            orders: permutations of the rows, each (num_rows,).
            same_penalty: keep the penalty of the observed targets, where it was estimated.

        Returns:
            Bits and explained variances, each (num_orders,).
        """
        if self.weighted:
            raise UserError(
                "expected rows of weight one to rearrange targets: a weighted row stands for "
                "several samples, which a permutation moves to different places; repeat the rows"
            )
        power = values.square().sum(0)
        scored = [
            self.of_products(crosses, power.expand(len(crosses), -1), same_penalty=same_penalty)
            for crosses in self.moved_products(values, orders)
        ]
        return joined(scored, values)

    def moved_products(self, values: Tensor, orders: Iterator[Tensor]) -> Iterator[Tensor]:
        """Yield products of rearranged rows with the components, (some orders, rank, columns)."""
        if values.shape[1] > self.components.shape[1]:
            # Row i of the components meets row order[i] of the values: move the narrower of them.
            return ((self.components[order.argsort()].T @ values)[None] for order in orders)
        return (self.products_of(some) for some in moved_rows(values, orders))

    def products_of(self, columns: Tensor) -> Tensor:
        """Return products of columns (columns, problems, num_rows) with the components.

        Returns:
            (problems, rank, columns).
        """
        flat = self.components.T @ columns.flatten(0, 1).T
        return flat.unflatten(1, columns.shape[:2]).permute(2, 0, 1)

    def of_products(
        self, crosses: Tensor, power: Tensor, *, same_penalty: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Score other targets by their products with the components.

        Args:
            crosses: b, (num_problems, rank, target_dim).
            power: sums of squares of the target columns, (num_problems, target_dim).
            same_penalty: keep the penalty of the observed targets, where it was estimated.

        Returns:
            Bits and explained variances, each (num_problems,).
        """
        total, cross_power = power.sum(1), crosses.square().sum(2)
        penalties = self._refit_penalties(cross_power, total, same_penalty=same_penalty)
        log2dets = checked_refits(self.axes, crosses, power, penalties, self.observer.resolution)
        shares = self.axes.explained_share(cross_power, penalties, total)
        return log2dets * self.observer.code_scale, shares

    def shares_of_products(self, products: Iterable[tuple[Tensor, Tensor]]) -> Tensor:
        """Return the explained variances of other targets alone, (num_problems,).

        Args:
            products: of some problems at a time, b, (some, rank, target_dim), and the sums of
                squares of all columns, (some,).
        """
        powers = [(crosses.square().sum(2), total) for crosses, total in products]
        if not powers:
            return self.axes.eigenvalues.new_empty(0)
        cross_power, total = (torch.cat(parts) for parts in zip(*powers, strict=True))
        penalties = self._refit_penalties(cross_power, total)
        return self.axes.explained_share(cross_power, penalties, total)

    def _refit_penalties(
        self, cross_power: Tensor, total: Tensor, *, same_penalty: bool = False
    ) -> Tensor:
        if same_penalty or self.observer.ridge_penalty != "evidence":
            return torch.full_like(total, self.penalty)
        return Evidence(self.axes.eigenvalues, cross_power, total, self.axes.count).penalties()

    def _own_rows(self) -> Roots:
        if self.rows is None:
            raise UserError(
                "expected a fit of rows, got one of moments or roots: their rows are gone"
            )
        return self.rows


def joined(scored: list[tuple[Tensor, Tensor]], like: Tensor) -> tuple[Tensor, Tensor]:
    """Join batches of bits and explained variances."""
    if not scored:
        return like.new_empty(0), like.new_empty(0)
    bits, variances = zip(*scored, strict=True)
    return torch.cat(bits), torch.cat(variances)


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


def residual_power(data: Moments | Roots, weights: Tensor) -> float:
    """Compute |Y~ - H~ W|^2."""
    if isinstance(data, Roots):
        residual = data.along - data.root @ weights
        return float(residual.square().sum() + squares_of(data.outside).sum())
    fitted = (weights * (data.gram @ weights)).sum()
    # Differences of large sums: rounding may leave a perfect fit a hair below zero.
    return max(0.0, float(data.power - 2 * (weights * data.cross).sum() + fitted))


def residual_bits(power: float, variance: float | None) -> float | None:
    """Compute the description length of residuals, |R|^2 / (2 sigma^2 ln 2), eq. (total-code)."""
    return None if variance is None else power / (2 * variance * math.log(2))
