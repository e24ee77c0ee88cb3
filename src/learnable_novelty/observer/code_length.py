"""The spectral description length of a linear readout, in bits."""

from __future__ import annotations

import math

import torch
from torch import Tensor


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
    factor = torch.linalg.cholesky(eye + resolution * matrix)
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1) * (2 / math.log(2))
