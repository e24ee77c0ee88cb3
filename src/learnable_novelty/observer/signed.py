"""A fit from the roots of blocks of samples: its null and its floor by random signs.

Where rows cannot be permuted, because they are gone, the targets of whole blocks are multiplied by
random signs s_b instead. The sums that this changes are sums over blocks, so it needs only a few
rows for each block, and it is done after the last row has been read. With deviations from the means
of all data, products C_b = H~_b'Y~_b and G_b = H~_b'H~_b of a block b,

    null:   sum_b s_b C_b
    floor:  sum_b s_b (C_b - G_b W)    the residuals of the fit W, with signs.

If targets are independent of inputs and blocks of each other, C_b and -C_b are equally likely
(exactly for symmetric targets; else by the central limit theorem for the sum over a block), so the
observed product is exchangeable with the signed ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.denoise import kept_directions
from learnable_novelty.observer.fit import Fit, joined
from learnable_novelty.observer.summary import Roots, merge
from learnable_novelty.rearrange import BATCH_VALUES

if TYPE_CHECKING:
    from learnable_novelty.observer.observer import Observer


@dataclass(frozen=True, kw_only=True)
class SignedFit(Fit):
    """The ridge readout of an observer on blocks of samples, ready for many signs."""

    products: Tensor
    """V'C_b, (num_blocks, rank, target_dim)."""
    residuals: Tensor
    """V'(C_b - G_b W), inflated to the size of the noise that left them, of the same shape."""
    unexplained_products: Tensor
    """The same with least squares in place of W, for the directions that take part."""
    sums: Tensor
    """Sums of the targets of a block, (num_blocks, target_dim)."""

    @staticmethod
    @torch.no_grad()
    def of(observer: Observer, blocks: list[Roots]) -> SignedFit:
        """Fit all blocks together, and keep the products of each."""
        whole = merge(blocks)
        if whole.count <= whole.feature_dim:
            raise UserError(
                f"expected more rows than features, {whole.feature_dim}, to draw signs for them, "
                f"got {whole.count:g}"
            )
        fit = observer.fit(whole)
        feature_scale, target_scale = fit.scale
        turn = feature_scale[:, None] * fit.axes.basis
        readout = fit.readout()
        grams: list[Tensor] = []
        products: list[Tensor] = []
        residuals: list[Tensor] = []
        unexplained: list[Tensor] = []
        exact, kept = fit.least_squares(), kept_directions(fit.axes.eigenvalues, whole.count)
        for block in blocks:
            features, targets = block.about(whole)
            components, targets = features @ turn, targets * target_scale
            grams.append(components.T @ components)
            products.append(components.T @ targets)
            residuals.append(components.T @ (targets - components @ readout))
            unexplained.append(components.T @ (targets - components @ exact))
        gram, k = torch.stack(grams), fit.axes.eigenvalues
        inflation, least = _inflation(gram, k, fit.penalty), torch.ones_like(k)
        least[kept] = _inflation(gram[:, kept][:, :, kept], k[kept], 0.0)
        sums = [block.count * block.means_from(whole)[1] for block in blocks]
        return SignedFit(
            observer,
            fit.axes,
            fit.penalty,
            fit.scale,
            products=torch.stack(products),
            residuals=torch.stack(residuals) * inflation[:, None],
            unexplained_products=torch.stack(unexplained) * least[:, None],
            sums=torch.stack(sums) * target_scale,
        )

    def null(self, signs: Tensor) -> tuple[Tensor, Tensor]:
        """Score the targets under signs (num_signs, num_blocks): bits and explained variances."""
        # Signed targets have a mean of their own, which the readout takes no part of.
        lost = (signs.to(self.sums) @ self.sums).square() / self.axes.count
        return self._signed(self.products, signs, self.axes.target_power - lost)

    def floor(self, signs: Tensor) -> Tensor:
        """Score the residuals under signs: bits, at the penalty of the observed targets."""
        power = self._residual_powers().expand(signs.shape[0], -1)
        return self._signed(self.residuals, signs, power, same_penalty=True)[0]

    def signed_noise(self, signs: Tensor) -> Tensor:
        """Return products of the residuals under signs with the components, as ``noise_roots``."""
        values = self.unexplained_products
        return torch.tensordot(signs.to(values), values, dims=1)

    def _residual_powers(self) -> Tensor:
        """Return the sums of squares of the inflated residuals, (target_dim,); signs keep them.

        sum_i (z_i lambda / (k_i + lambda))^2 and what no feature explains, z_i = b_i / sqrt(k_i).
        """
        k = self.axes.eigenvalues[:, None]
        along = torch.where(k > 0, self.axes.cross / k.sqrt(), 0.0) / (1 + k / self.penalty)
        outside = 0.0 if self.axes.outside is None else self.axes.outside
        return (along.square().sum(0) + outside) * self.noise_scale() ** 2

    def _signed(
        self, values: Tensor, signs: Tensor, power: Tensor, *, same_penalty: bool = False
    ) -> tuple[Tensor, Tensor]:
        size = max(1, BATCH_VALUES // max(1, values[0].numel()))
        scored = [
            self.of_products(
                torch.tensordot(some.to(values), values, dims=1), powers, same_penalty=same_penalty
            )
            for some, powers in zip(signs.split(size), power.split(size), strict=True)
            if len(some)
        ]
        return joined(scored, values)


def _inflation(grams: Tensor, eigenvalues: Tensor, penalty: float) -> Tensor:
    """Undo what the fit has absorbed of the noise, direction by direction.

    Noise of unit variance leaves sum_b s_b (C_b - G_b W) with the variances

        k_i - sum_j g_ij (k_j + 2 lambda) / (k_j + lambda)^2,   g_ij = sum_b (V'G_b V)_ij^2

    where the noise itself would have k_i.
    """
    # Divided through by lambda^2, as an infinite penalty absorbs nothing.
    ratio = eigenvalues / penalty if penalty else eigenvalues
    weight = (ratio + 2) / ((ratio + 1).square() * penalty) if penalty else 1 / eigenvalues
    left = eigenvalues - grams.square().sum(0) @ weight
    # A direction without features has nothing to inflate.
    largest = eigenvalues.max() if eigenvalues.numel() else 0.0
    small = torch.finfo(left.dtype).eps * largest
    return torch.where(eigenvalues > small, eigenvalues / left, 1.0).sqrt()
