"""A fit from the moments of blocks of samples: its null and its floor by random signs.

Where rows cannot be rearranged, because they are gone, whole blocks of targets are turned by random
signs s_b instead. The sums that this changes are sums over blocks, so it needs nothing of the data
but the moments of each block, and it is done after the last row has been read. With deviations
from the means of all data, products C_b = H~_b'Y~_b and G_b = H~_b'H~_b of a block b,

    null:   sum_b s_b C_b
    floor:  sum_b s_b (C_b - G_b W)    the residuals of the fit W, with signs.

If targets are independent of inputs and blocks of each other, C_b and -C_b are equally likely
(exactly for symmetric targets; else by the central limit theorem for the sum over a block), so the
observed product is exchangeable with the signed ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.observer.moments import Moments, merge
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.refit import BATCH_VALUES, Fit
from learnable_novelty.observer.spectrum import Axes
from learnable_novelty.observer.standardize import scales, standardize


@dataclass(frozen=True)
class SignedFit(Fit):
    """The observer's ridge on blocks of samples, ready for many signs."""

    products: Tensor
    """V'C_b, (num_blocks, rank, target_dim)."""
    residuals: Tensor
    """V'(C_b - G_b W), inflated to the size of the noise that left them, of the same shape."""
    sums: Tensor
    """Sums of the targets of a block, (num_blocks, target_dim)."""

    @staticmethod
    @torch.no_grad()
    def of(observer: Observer, blocks: list[Moments]) -> SignedFit:
        """Fit all blocks together, and take them apart again."""
        whole = merge(blocks)
        if whole.count <= whole.feature_dim:
            raise ValueError(
                f"expected more rows than features, {whole.feature_dim}, to draw signs for them, "
                f"got {whole.count:g}"
            )
        feature_scale, target_scale = scales(whole, observer.target_unit)
        axes = Axes.of(standardize(whole, observer.target_unit))
        penalty = observer.penalty_for_axes(axes)
        turn = feature_scale[:, None] * axes.basis
        gram, cross, sums = zip(*(_about_mean(block, whole) for block in blocks), strict=True)
        grams = turn.T @ torch.stack(gram) @ turn
        products = turn.T @ torch.stack(cross) * target_scale
        residuals = products - grams @ axes.ridge(penalty)
        return SignedFit(
            observer=observer,
            axes=axes,
            penalty=penalty,
            products=products,
            residuals=residuals * _inflation(grams, axes.eigenvalues, penalty)[:, None],
            sums=torch.stack(sums) * target_scale,
        )

    def null(self, signs: Tensor) -> tuple[Tensor, Tensor]:
        """Score the targets under signs (num_signs, num_blocks): bits and explained variances."""
        # Signed targets have a mean of their own, which the readout takes no part of.
        lost = (signs.to(self.sums) @ self.sums).square().sum(1) / self.axes.count
        return self._signed(self.products, signs, self.axes.power - lost, same_penalty=False)

    def floor(self, signs: Tensor) -> Tensor:
        """Score the residuals under signs: bits, at the penalty of the observed targets."""
        power = self.axes.power.expand(signs.shape[0])
        return self._signed(self.residuals, signs, power, same_penalty=True)[0]

    def _signed(
        self, values: Tensor, signs: Tensor, power: Tensor, *, same_penalty: bool
    ) -> tuple[Tensor, Tensor]:
        size = max(1, BATCH_VALUES // max(1, values[0].numel()))
        found = [
            self.of_products(
                torch.tensordot(part.to(values), values, dims=1), held, same_penalty=same_penalty
            )
            for part, held in zip(signs.split(size), power.split(size), strict=True)
            if len(part)
        ]
        empty = values.new_empty(0)
        if not found:
            return empty, empty
        return torch.cat([bits for bits, _ in found]), torch.cat([share for _, share in found])


def _about_mean(block: Moments, whole: Moments) -> tuple[Tensor, Tensor, Tensor]:
    """Return Gram matrix, products and target sums of a block about the means of all data."""
    dh = block.feature_mean - whole.feature_mean
    dy = block.target_mean - whole.target_mean
    gram = torch.addr(block.gram, dh, dh, alpha=block.count)
    return gram, torch.addr(block.cross, dh, dy, alpha=block.count), block.count * dy


def _inflation(grams: Tensor, eigenvalues: Tensor, penalty: float) -> Tensor:
    """Undo what the fit has absorbed of the noise, direction by direction.

    Noise of unit variance leaves sum_b s_b (C_b - G_b W) with the variances

        k_i - sum_j g_ij (k_j + 2 lambda) / (k_j + lambda)^2,   g_ij = sum_b (V'G_b V)_ij^2

    where the noise itself would have k_i.
    """
    # Divided through by lambda^2, as an infinite penalty absorbs nothing.
    ratio = eigenvalues / penalty
    weight = (ratio + 2) / ((ratio + 1).square() * penalty)
    left = eigenvalues - grams.square().sum(0) @ weight
    # A direction without features has nothing to inflate.
    small = torch.finfo(left.dtype).eps * eigenvalues.max()
    return torch.where(eigenvalues > small, eigenvalues / left, 1.0).sqrt()
