"""Bits of a readout, and the one rule of rounding: right to the stated digits, or refused.

**Stated digits.** With float64 sums (the default), a score S differs from the exact score of the
same numbers by at most 1e-6 S, or by 1e-6 bits where S is below one bit (at alpha = 1/2).

**How.** Rounding changes a readout by dW = A^-1 (E W + N), A = H~'H~ + lambda I: E is a relative
change, whatever the size of the targets, and N an absolute one, in proportion to each of their
columns. The score then changes by at most (with G = sqrt(eta) (I + eta W W')^-1 W)

    |d ln det(I + eta W W')| <= 2 sqrt(eta) |tr G' dW| + second order

Every solver states a quick bound, from norms alone and with A^-1 at most 1/lambda. Where this is
too much the score is computed again in the axes of the features, which has the fine bound of
``spectral_error``, and where even that is too much it is refused.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeVar

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import is_readable
from learnable_novelty.observer.spectral import Spectral

Scalar = TypeVar("Scalar", float, Tensor)

TOLERANCE = 1e-6
"""Largest error of a score: relative, or in bits where the score is below one bit."""
ROUNDING = 2.0
"""Relative size of rounding errors in units of eps. Measured against exact scores, none has needed
more than 0.2 (tests/observer/test_oracle.py has the cases)."""
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


def allowed(log2det: Scalar) -> Scalar:
    """Return the largest error of log2 det, which is 2 S at alpha = 1/2."""
    if isinstance(log2det, Tensor):
        return TOLERANCE * log2det.clamp(min=2.0)
    return TOLERANCE * max(2.0, log2det)


def quick_error(rank: int, relative: Scalar, absolute: Scalar, resolution: float) -> Scalar:
    """Bound the error of log2 det from |A^-1 E| and |A^-1 N|."""
    change = resolution**0.5 * absolute
    return (2 * rank * relative + 2 * rank**0.5 * change + change * change) / math.log(2)


def checked_log2det(axes: Spectral, penalty: float, resolution: float) -> Tensor:
    """Score a ridge readout in axes of the features.

    Raises:
        UserError: if rounding may change the score by more than the stated digits.
    """
    readout = axes.ridge(penalty)
    value = log2det_of_readout(readout, resolution)
    if value.dtype != torch.float64 or not is_readable(value) or math.isinf(penalty):
        return value
    bound = _refit_error(axes, min(readout.shape), float(axes.power), penalty, resolution)
    if not bound <= allowed(float(value)):
        _refuse_rounding(axes, penalty, resolution, float(value))
    return value


def checked_refits(
    axes: Spectral, crosses: Tensor, powers: Tensor, penalties: Tensor, resolution: float
) -> Tensor:
    """Score many targets in the same axes.

    Args:
        axes: of the features.
        crosses: V'H~'Y~ of each, (num_problems, rank, target_dim).
        powers: sums of squares of their columns, (num_problems, target_dim).
        penalties: (num_problems,).
        resolution: eta.

    Returns:
        log2 det(I + eta W W') of each, (num_problems,).
    """
    k = axes.eigenvalues
    values = log2det_of_readout(crosses / (k + penalties[:, None])[:, :, None], resolution)
    if values.dtype != torch.float64:
        return values
    rank = min(crosses.shape[1:])
    errors = _refit_error(axes, rank, powers.sum(1), penalties, resolution)
    for place in (errors > allowed(values)).nonzero()[:, 0].tolist():
        cross, power = crosses[place], powers[place]
        known = (cross.square() / torch.where(k > 0, k, 1.0)[:, None]).sum(0)
        outside = None if axes.outside is None else (power - known).clamp(min=0)
        one = replace(axes, cross=cross, target_power=power, outside_gram=outside)
        _refuse_rounding(one, float(penalties[place]), resolution, float(values[place]))
    return values


def _refit_error(axes: Spectral, rank: int, power: Any, penalty: Any, resolution: float) -> Any:
    """Bound the error of log2 det quickly; power and penalty are numbers, or one per problem."""
    eps, size = ROUNDING * torch.finfo(axes.eigenvalues.dtype).eps, float(axes.eigenvalues.sum())
    relative = eps * (size / penalty if axes.outside_gram is None else (size / penalty) ** 0.5)
    absolute = (eps * size**0.5 / penalty + relative) * power**0.5
    return quick_error(rank, relative, absolute, resolution)


class RoundingError(UserError):
    """A score that rounding may change, with the penalty that was too small."""

    def __init__(self, message: str, penalty: float) -> None:
        super().__init__(message, penalty)
        self.penalty = penalty

    def __str__(self) -> str:
        return str(self.args[0])


def _refuse_rounding(axes: Spectral, penalty: float, resolution: float, value: float) -> None:
    error = spectral_error(axes, penalty, resolution)
    if not error <= allowed(value):
        raise RoundingError(
            f"rounding may change the score of {value / 2:.6g} bits by {error / 2:.1e} with a "
            f"ridge_penalty of {penalty:.1e}; choose a larger ridge_penalty, or a larger "
            "target_unit",
            penalty,
        )


def spectral_error(axes: Spectral, penalty: float, resolution: float) -> float:
    """Bound the error of log2 det of a ridge readout in axes of the features.

    Where the rows were factored, dW = A^-1 (N'R - H~'N W) with |N| = eps |H~| and residuals R.
    From a Gram matrix, dW = A^-1 (N - E W) with |E| = eps |H~|^2 and |N| = eps |H~| |Y~|.
    """
    k, readout, root_eta = axes.eigenvalues, axes.ridge(penalty), resolution**0.5
    eps = ROUNDING * torch.finfo(k.dtype).eps
    whitening, gradient = _gradient(readout, resolution)
    shrink = 1 / (k + penalty)
    size, least = float(k.sum()), penalty
    if k.numel() == axes.basis.shape[0] < axes.count:  # every direction may have features
        rounding = eps * size if axes.outside is None else 2 * eps * (size * float(k.min())) ** 0.5
        least += max(0.0, float(k.min()) - rounding)
    if axes.outside is None:
        relative = eps * (size + k.numel() * penalty)
        noise = eps * size**0.5 * axes.target_power.sqrt()
        turned = relative * float((shrink[:, None] * gradient @ readout.T).norm())
        second = relative / least
    else:
        relative = eps * size**0.5
        noise = relative * _residual_norms(axes, penalty)
        weight = k.sqrt() * shrink
        turned = relative * float((weight[:, None] * gradient @ readout.T).norm())
        turned += eps * float((weight[:, None] * gradient).norm(dim=0) @ axes.target_power.sqrt())
        second = relative / (2 * penalty**0.5)
    first = 2 * root_eta * (turned + float((shrink[:, None] * gradient).norm(dim=0) @ noise))
    spread = noise if whitening is None else whitening.abs() @ noise
    second = (
        root_eta * float((gradient * readout).sum()) * second**2
        + resolution * float(spread.square().sum()) / least**2
    )
    return (first + second) / math.log(2)


def _residual_norms(axes: Spectral, penalty: float) -> Tensor:
    """Return the norms of the columns of Y~ - H~ W, (target_dim,), without a difference of sums.

    A ridge leaves no more than the targets themselves. Along a direction whose k is rounding, the
    product of rearranged targets is rounding as well, and their ratio could be anything.
    """
    assert axes.outside is not None
    k = axes.eigenvalues
    along = axes.cross / torch.where(k > 0, k, 1.0).sqrt()[:, None]
    left = along * (1 + k / penalty).reciprocal()[:, None]
    return torch.minimum(axes.outside + left.square().sum(0), axes.target_power).sqrt()


def _gradient(readout: Tensor, resolution: float) -> tuple[Tensor | None, Tensor]:
    """Return T with T'T = (I + eta W'W)^-1, and G = sqrt(eta) W T'T of the formula above.

    T is None where there are more targets than axes: its norm is then bounded by one.
    """
    root_eta, wide = resolution**0.5, readout.shape[1] > readout.shape[0]
    narrow = readout.T if wide else readout
    factor = reliable_factor(narrow.T @ narrow, resolution)
    if factor is None:
        _, values, right = torch.linalg.svd(narrow, full_matrices=False)
        whitening = right / torch.hypot(torch.ones_like(values), root_eta * values)[:, None]
    else:
        eye = torch.eye(factor.shape[0], dtype=factor.dtype, device=factor.device)
        whitening = torch.linalg.solve_triangular(factor, eye, upper=False)
    gradient = root_eta * (narrow @ whitening.T) @ whitening
    return (None, gradient.T) if wide else (whitening, gradient)
