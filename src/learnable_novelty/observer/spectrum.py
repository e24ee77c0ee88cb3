"""The regression in its own axes: what the evidence and the exact readout iterate on.

With H~ = U diag(sqrt(k)) V', a readout is W = V A, and everything that depends on the penalty
is cheap in the axes V: the ridge readout is A = b / (k + lambda) with b = V' H~'Y~.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.observer.roots import fewer_rows
from learnable_novelty.observer.rows import StandardizedRows
from learnable_novelty.observer.standardize import Standardized


@dataclass(frozen=True)
class Axes:
    """Eigenvalues of the Gram matrix and the data's coordinates along its eigenvectors."""

    count: float
    eigenvalues: Tensor
    """k, (rank,): of H~'H~; none negative."""
    cross: Tensor
    """b = V'H~'Y~, (rank, target_dim)."""
    basis: Tensor
    """V, (feature_dim, rank): orthonormal columns."""
    power: Tensor
    """Sum of squares of Y~, 0-dim."""
    outside: Tensor | None = None
    """Sum of squares of what no feature can explain, 0-dim, where the rows were at hand; from
    moments it would be a difference of large sums."""

    @staticmethod
    def of(data: Standardized | StandardizedRows) -> Axes:
        """Diagonalize the Gram matrix of features, or factor the rows themselves."""
        if isinstance(data, StandardizedRows):
            return Axes.by_singular_values(data)
        with torch.no_grad():
            k, v = torch.linalg.eigh(data.gram)
            return Axes(data.count, k.clamp(min=0), v.T @ data.cross, v, data.power)

    @staticmethod
    @torch.no_grad()
    def by_singular_values(rows: StandardizedRows) -> Axes:
        """Factor the rows themselves, H~ = U diag(sqrt(k)) V'.

        A direction without features has sqrt(k) within eps of the largest here, and only within
        sqrt(eps) by the eigenvalues of a Gram matrix: divided by a small lambda, that is a weight.
        """
        features, targets, rest = fewer_rows(rows.features, rows.targets)
        left, root, right = torch.linalg.svd(features, full_matrices=False)
        along = left.T @ targets
        k = root.square()
        nowhere = along[k == 0].square().sum()  # along no feature
        return Axes(
            count=rows.count,
            eigenvalues=k,
            cross=root[:, None] * along,
            basis=right.T,
            power=rows.power,
            outside=rows.outside + rest.sum() + nowhere,
        )

    def ridge(self, penalty: float) -> Tensor:
        """Return the ridge readout in these axes, (rank, target_dim)."""
        return self.cross / (self.eigenvalues + penalty)[:, None]

    @property
    def rounding(self) -> Tensor:
        """What singular values of features of this size have for an error, 0-dim."""
        top = self.eigenvalues.max().sqrt()
        return torch.finfo(top.dtype).eps * max(self.basis.shape) * top

    def lost(self) -> Tensor:
        """Tell the directions whose features are nothing but rounding, (rank,)."""
        return self.eigenvalues.sqrt() < 64 * self.rounding

    def residual_power(self, readout: Tensor) -> Tensor:
        """Return |Y~ - H~ W|^2 of a readout given in these axes."""
        fitted = (self.eigenvalues[:, None] * readout.square()).sum()
        return (self.power - 2 * (self.cross * readout).sum() + fitted).clamp(min=0)
