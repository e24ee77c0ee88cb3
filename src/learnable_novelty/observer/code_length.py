"""The spectral description length of a linear readout, in bits."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import can_look

LARGEST_ERROR = 1e-8
"""Of a determinant, relative, before singular values are taken instead."""
LARGEST_ROUNDING = 1e-4
"""Largest rounding of singular values, in units of 1/sqrt(eta), that passes for zero."""


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
    gram = readout.mT @ readout
    if readout.requires_grad or not can_look(readout):
        return log2det_plus_identity(gram, resolution) * code_scale
    return log2det_or_spectrum(readout, gram, resolution) * code_scale


def log2det_or_spectrum(readout: Tensor, gram: Tensor, resolution: float) -> Tensor:
    """Compute log2 det(I + eta W'W), by the singular values of W where W'W has lost digits.

    A Cholesky pivot is what is left of its diagonal entry. Columns of very different size keep
    their digits; large columns that nearly repeat each other do not, and the share that is left
    bounds the error.
    """
    size = gram.shape[-1]
    matrix = torch.eye(size, dtype=gram.dtype, device=gram.device) + resolution * gram
    factor, failed = torch.linalg.cholesky_ex(matrix)
    pivots = factor.diagonal(dim1=-2, dim2=-1)
    left = pivots.square() / matrix.diagonal(dim1=-2, dim2=-1)
    least = size * torch.finfo(gram.dtype).eps / LARGEST_ERROR
    if bool(failed.any()) or not bool((left >= least).all()):
        return log2_of_spectrum(readout, resolution)
    return pivots.log().sum(-1) * (2 / math.log(2))


def log2_of_spectrum(readout: Tensor, resolution: float) -> Tensor:
    """Compute sum_i log2(1 + eta s_i^2) from singular values.

    In the product W'W a direction without weight is rounded to eps |W|^2, in the singular values
    to eps |W|.

    Raises:
        ValueError: if even that is not small, and there is such a direction: its bits would be
            rounding.
    """
    values = torch.linalg.svdvals(readout)
    eps = torch.finfo(readout.dtype).eps
    rounding = eps * max(readout.shape[-2:]) * values[..., :1]
    lost = (values < 64 * rounding) & (resolution**0.5 * rounding > LARGEST_ROUNDING)
    if bool(lost.any()):
        raise UserError(
            f"the readout is {float(values.max()):.1e} units large and has directions that are "
            "lost in its rounding; choose a larger target_unit, or a larger ridge_penalty"
        )
    # log2(1 + eta s^2) as 2 log2 |(1, sqrt(eta) s)|: the square itself may overflow.
    scaled = values * resolution**0.5
    return 2 * torch.hypot(torch.ones_like(scaled), scaled).log2().sum(-1)


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
