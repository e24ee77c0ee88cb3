"""The spectral solver: the regression in the axes of its features, factored once.

With H~ = U diag(sqrt(k)) V', a readout is W = V A, and whatever depends on the penalty or on the
targets is cheap in the axes V: the ridge readout is A = b / (k + lambda) with b = V'H~'Y~.
Evidence, permutations and the exact readout of appendix D all iterate on this form.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.denoise import NO_PRODUCTS, Split, kept_directions
from learnable_novelty.observer.summary import (
    MOST_TARGETS,
    Moments,
    Roots,
    fewer_rows,
    products_of,
    squares_of,
)


@dataclass(frozen=True)
class Spectral:
    """Eigenvalues of the Gram matrix and the data's coordinates along its eigenvectors."""

    count: float
    eigenvalues: Tensor
    """k, (rank,): of H~'H~; none negative."""
    cross: Tensor
    """b = V'H~'Y~, (rank, target_dim)."""
    basis: Tensor
    """V, (feature_dim, rank): orthonormal columns."""
    target_power: Tensor
    """Sums of squares of the columns of Y~, (target_dim,)."""
    outside_gram: Tensor | None = None
    """Products of what no feature can explain, as of ``Roots``, where the rows were factored; from
    moments they would be differences of large sums."""
    target_gram: Tensor | None = None
    """Y~'Y~, (target_dim, target_dim), from moments that have it."""

    @staticmethod
    def of(data: Moments | Roots) -> Spectral:
        """Diagonalize the Gram matrix of standardized features, or factor the rows themselves.

        Rows are factored as H~ = U diag(sqrt(k)) V', by a triangular root and its SVD. A direction
        without features has sqrt(k) within eps of the largest then, and only within sqrt(eps) by
        the eigenvalues of a Gram matrix: divided by a small lambda, that is a weight.
        """
        if isinstance(data, Moments):
            k, v = torch.linalg.eigh(data.gram)
            return Spectral(
                count=data.count,
                eigenvalues=k.clamp(min=0),
                cross=v.T @ data.cross,
                basis=v,
                target_power=data.target_power,
                target_gram=data.target_gram,
            )
        features, targets, outside = data.root, data.along, data.outside
        if features.shape[0] > features.shape[1]:
            features, targets, rest = fewer_rows(features, targets)
            outside = outside + rest
        left, root, right = torch.linalg.svd(features, full_matrices=False)
        along = left.T @ targets
        nowhere = along[root == 0]  # along no feature
        return Spectral(
            count=data.count,
            eigenvalues=root.square(),
            cross=root[:, None] * along,
            basis=right.T,
            target_power=data.target_power,
            outside_gram=outside + products_of(nowhere),
        )

    @property
    def outside(self) -> Tensor | None:
        """Sums of squares of what no feature can explain, (target_dim,), where they are known."""
        return None if self.outside_gram is None else squares_of(self.outside_gram)

    @property
    def power(self) -> Tensor:
        """Sum of all squared entries of Y~, 0-dim."""
        return self.target_power.sum()

    def ridge(self, penalty: float) -> Tensor:
        """Return the ridge readout in these axes, (rank, target_dim)."""
        return self.cross / (self.eigenvalues + penalty)[:, None]

    def residual_power(self, readout: Tensor) -> Tensor:
        """Return |Y~ - H~ W|^2 of a readout given in these axes."""
        fitted = (self.eigenvalues[:, None] * readout.square()).sum()
        return (self.power - 2 * (self.cross * readout).sum() + fitted).clamp(min=0)

    def explained_share(self, cross_power: Tensor, penalties: Tensor, power: Tensor) -> Tensor:
        """Return the share of variance that ridge readouts of any targets explain, (num_problems,).

            |Y|^2 - |Y - HW|^2 = sum_i |b_i|^2 (k_i + 2 lambda) / (k_i + lambda)^2

        Args:
            cross_power: |b_i|^2 of each, (num_problems, rank).
            penalties: lambda of each, (num_problems,).
            power: |Y|^2 of each, (num_problems,).
        """
        # Divided through by lambda^2 so that an infinite lambda explains nothing.
        ratio = self.eigenvalues / penalties[:, None]
        weight = (ratio + 2) / ((ratio + 1).square() * penalties[:, None])
        return torch.where(power > 0, (cross_power * weight).sum(1) / power, 0.0)

    def split(self) -> Split:
        """Split the targets into what the directions that matter explain, and what they leave."""
        if self.cross.shape[1] > MOST_TARGETS:
            raise UserError(
                f"expected at most {MOST_TARGETS} targets to denoise, got {self.cross.shape[1]}"
            )
        kept = kept_directions(self.eigenvalues, self.count)
        along = (
            self.cross / torch.where(self.eigenvalues > 0, self.eigenvalues, 1.0).sqrt()[:, None]
        )
        explained = along[kept].T @ along[kept]
        if self.outside_gram is not None:
            residual = self.outside_gram + along[~kept].T @ along[~kept]
        elif self.target_gram is not None:
            residual = self.target_gram - explained
        else:
            raise UserError(NO_PRODUCTS)
        return Split(explained, residual, int(kept.sum()), self.count)
