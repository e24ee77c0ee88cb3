"""The spectral description length of a linear readout, in bits."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import is_readable

LARGEST_ERROR = 1e-8
"""Of a determinant, relative, before singular values are taken instead."""


def code_length(readout: Tensor, resolution: float, code_scale: float) -> Tensor:
    """Compute the description length of a readout from its spectrum, eq. (spectral-code).

        C(W) = alpha log2 det(I + eta W W') = alpha sum_i log2(1 + eta s_i^2)

    Args:
        readout: (..., feature_dim, target_dim).
        resolution: eta.
        code_scale: alpha.

    Returns:
        Bits, of shape (...).
    """
    return log2det_of_readout(readout, resolution) * code_scale


def log2det_of_readout(readout: Tensor, resolution: float) -> Tensor:
    """Compute log2 det(I + eta W W'), by the singular values of W where W'W has lost digits.

    Columns of very different size keep their digits there; large columns that nearly repeat each
    other do not. Singular values have no gradient where they vanish or coincide, so a readout
    with a gradient takes the determinant; ``digits`` then compares it with this function's result.
    """
    if readout.shape[-1] > readout.shape[-2]:
        readout = readout.mT
    gram = readout.mT @ readout
    if readout.requires_grad or not is_readable(readout):
        return log2det_plus_identity(gram, resolution)
    factor = reliable_factor(gram, resolution)
    if factor is not None:
        return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1) * (2 / math.log(2))
    # log2(1 + eta s^2) as 2 log2 |(1, sqrt(eta) s)|: the square itself may overflow.
    scaled = torch.linalg.svdvals(readout) * resolution**0.5
    return 2 * torch.hypot(torch.ones_like(scaled), scaled).log2().sum(-1)


def reliable_factor(gram: Tensor, resolution: float) -> Tensor | None:
    """Return the Cholesky factor of I + eta P, or None where its pivots have lost digits.

    A pivot is what is left of its diagonal entry, and the share that is left bounds its error.
    """
    size = gram.shape[-1]
    matrix = torch.eye(size, dtype=gram.dtype, device=gram.device) + resolution * gram
    factor, failed = torch.linalg.cholesky_ex(matrix)
    pivots = factor.diagonal(dim1=-2, dim2=-1)
    left = pivots.square() / matrix.diagonal(dim1=-2, dim2=-1)
    error = size * torch.finfo(gram.dtype).eps * left.reciprocal().sum(-1)
    reliable = not bool(failed.any()) and bool((error <= LARGEST_ERROR).all())
    return factor if reliable else None


def log2det_plus_identity(matrix: Tensor, resolution: float) -> Tensor:
    """Compute log2 det(I + eta P) of a symmetric non-negative P by Cholesky.

    I + eta P has no eigenvalue below one, so the factor exists, and its derivative stays finite
    where singular values coincide or vanish; an SVD's does not.
    """
    size = matrix.shape[-1]
    eye = torch.eye(size, dtype=matrix.dtype, device=matrix.device)
    factor, failed = torch.linalg.cholesky_ex(eye + resolution * matrix)
    if is_readable(matrix) and bool(failed.any()):
        raise UserError(
            "rounding has made a positive definite matrix singular; choose a larger "
            "ridge_penalty, or a larger target_unit"
        )
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1) * (2 / math.log(2))
