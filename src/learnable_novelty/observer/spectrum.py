"""The regression in its own axes: what the evidence and the exact readout iterate on.

With H~ = U diag(sqrt(k)) V', a readout is W = V A, and everything that depends on the penalty
is cheap in the axes V: the ridge readout is A = b / (k + lambda) with b = V' H~'Y~.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.observer.rows import StandardizedRows
from learnable_novelty.observer.standardize import Standardized


@dataclass(frozen=True)
class Axes:
    """Eigenvalues of the Gram matrix and the data's coordinates along its eigenvectors."""

    count: float
    eigenvalues: Tensor
    """k, (rank,): of H~'H~, or of H~H~' when that is smaller; none negative."""
    cross: Tensor
    """b = V'H~'Y~, (rank, target_dim)."""
    basis: Tensor
    """V, (feature_dim, rank): orthonormal columns where the eigenvalue is not zero."""
    power: Tensor
    """Sum of squares of Y~, 0-dim."""

    @staticmethod
    def of(data: Standardized | StandardizedRows) -> Axes:
        """Diagonalize the smaller Gram matrix."""
        with torch.no_grad():
            if isinstance(data, Standardized):
                return Axes._primal(data.count, data.gram, data.cross, data.power)
            h = data.features
            if h.shape[0] >= h.shape[1]:
                return Axes._primal(data.count, h.T @ h, h.T @ data.targets, data.power)
            k, u = torch.linalg.eigh(h @ h.T)
            k = k.clamp(min=0)
            root = k.sqrt()[:, None]
            # V = H~'U / sqrt(k); a direction without features has no column of V, and b = 0.
            inverse = torch.where(root > 0, 1 / root, torch.zeros_like(root))
            basis = h.T @ u * inverse.T
            return Axes(data.count, k, root * (u.T @ data.targets), basis, data.power)

    @staticmethod
    def _primal(count: float, gram: Tensor, cross: Tensor, power: Tensor) -> Axes:
        k, v = torch.linalg.eigh(gram)
        return Axes(count, k.clamp(min=0), v.T @ cross, v, power)

    def ridge(self, penalty: float) -> Tensor:
        """Return the ridge readout in these axes, (rank, target_dim)."""
        return self.cross / (self.eigenvalues + penalty)[:, None]

    def residual_power(self, readout: Tensor) -> Tensor:
        """Return |Y~ - H~ W|^2 of a readout given in these axes."""
        fitted = (self.eigenvalues[:, None] * readout.square()).sum()
        return (self.power - 2 * (self.cross * readout).sum() + fitted).clamp(min=0)
