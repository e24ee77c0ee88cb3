"""The spectral description length of a linear readout, in bits."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from learnable_novelty.observer.checks import can_look


def code_length(readout: Tensor, resolution: float, code_scale: float) -> Tensor:
    """Price a readout by its spectrum, eq. (spectral-code).

        C(W) = alpha log2 det(I + eta W W') = alpha sum_i log2(1 + eta s_i^2)

    Args:
        readout: (..., feature_dim, target_dim).
        resolution: eta.
        code_scale: alpha.

    Returns:
        Bits, of shape (...).
    """
    if readout.shape[-1] > readout.shape[-2]:
        readout = readout.mT
    return log2det_plus_identity(readout.mT @ readout, resolution) * code_scale


def log2det_plus_identity(matrix: Tensor, resolution: float) -> Tensor:
    """Compute log2 det(I + eta P) of a symmetric non-negative P by Cholesky.

    I + eta P has no eigenvalue below one, so the factor exists, and its derivative stays finite
    where singular values coincide or vanish; an SVD's does not.
    """
    size = matrix.shape[-1]
    eye = torch.eye(size, dtype=matrix.dtype, device=matrix.device)
    factor = lower_factor(eye + resolution * matrix)
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1) * (2 / math.log(2))


def lower_factor(matrix: Tensor) -> Tensor:
    """Return the Cholesky factor; while a CUDA graph is recorded, without a look at its success."""
    if can_look(matrix):
        return torch.linalg.cholesky(matrix)
    return torch.linalg.cholesky_ex(matrix).L
