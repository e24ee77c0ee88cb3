"""Ridge readouts, two ways to one answer.

    W = argmin |Y~ - H~ W|^2 + lambda |W|^2 = (H~'H~ + lambda I)^-1 H~'Y~     eq. (rc-score)
      = H~'Z,   (H~H~' + lambda I) Z = Y~

"gram" solves for W, or for Z where there are fewer rows than features, and has a gradient;
"spectral" works on the singular values of the rows (``spectral``), and is exact where products have
lost digits. docs/reliability.md says what each costs and how exact it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.bits import (
    ROUNDING,
    allowed,
    checked_log2det,
    log2det_of_readout,
    quick_error,
)
from learnable_novelty.observer.checks import is_readable
from learnable_novelty.observer.spectral import Spectral
from learnable_novelty.observer.summary import Moments, Roots


@dataclass(frozen=True)
class Solution:
    """A readout and its determinant."""

    readout: Tensor
    """W, (feature_dim, target_dim)."""
    log2det: Tensor
    """log2 det(I + eta W W'), 0-dim."""


def solve_gram(
    data: Moments | Roots,
    exact: Callable[[], Moments | Roots],
    penalty: float,
    resolution: float,
    *,
    swap: bool,
) -> Solution:
    """Solve by Cholesky; the score is right to the stated digits, or refused.

    Args:
        data: of the standardized regression; rows where these are fewer than features.
        exact: returns the same regression, to be solved in the axes of its features where
            rounding weighs.
        penalty: lambda.
        resolution: eta.
        swap: return the second solution where the first may be wrong. Otherwise the first is
            returned if both agree, and refused if not. One that has a gradient is never swapped.
    """
    if math.isinf(penalty):  # the zero readout, with the zero gradient
        cross = data.cross if isinstance(data, Moments) else data.root.T @ data.along
        return Solution(cross * 0, cross.sum() * 0)
    solve = _by_features if isinstance(data, Moments) else _by_rows
    readout, value, error = solve(data, penalty, resolution)
    if value.dtype != torch.float64 or not is_readable(value):
        return Solution(readout, value)
    first = float(value.detach())
    if math.isfinite(first) and error() <= allowed(first):
        return Solution(readout, value)
    second = solve_spectral(exact(), penalty, resolution)
    if swap and not value.requires_grad:
        return second
    right = float(second.log2det)
    if not abs(first - right) <= allowed(right):
        raise UserError(
            f"this solver's score is {first / 2:.6g} bits where {right / 2:.6g} are right; choose "
            "solver='spectral', a larger ridge_penalty or a larger target_unit"
        )
    return Solution(readout, value)


@torch.no_grad()
def solve_spectral(data: Moments | Roots, penalty: float, resolution: float) -> Solution:
    """Solve in the axes of the features; no gradient. Refused where rounding weighs."""
    axes = Spectral.of(data)
    value = checked_log2det(axes, penalty, resolution)
    return Solution(axes.basis @ axes.ridge(penalty), value)


Solved = tuple[Tensor, Tensor, Callable[[], float]]
"""W, log2 det(I + eta W W'), and what bounds its rounding from norms alone."""


def _by_features(normal: Any, penalty: float, resolution: float) -> Solved:
    """Solve the normal equations (H~'H~ + lambda I) W = H~'Y~."""
    readout, failed = _solved(normal.gram, penalty, normal.cross)
    value = readout.new_tensor(math.nan) if failed else log2det_of_readout(readout, resolution)

    @torch.no_grad()
    def error() -> float:
        eps, size = _eps(readout), float(normal.gram.trace())
        relative = eps * (size / penalty + readout.shape[0])
        absolute = eps * (size * float(normal.power)) ** 0.5 / penalty
        bound = quick_error(min(readout.shape), relative, absolute, resolution)
        return bound + _determinant_error(readout, resolution)

    return readout, value, error


def _by_rows(rows: Any, penalty: float, resolution: float) -> Solved:
    """Solve (H~H~' + lambda I) Z = Y~, W = H~'Z."""
    h = rows.root
    z, failed = _solved(h @ h.T, penalty, rows.along)
    readout = (z.T @ h).T
    value = readout.new_tensor(math.nan) if failed else _dual_log2det(h, z, readout, resolution)

    @torch.no_grad()
    def error() -> float:
        # The solve errs by (K + lambda)^-1 eps |K| |Z|; |H~'(K + lambda)^-1| <= 1 / 2 sqrt(lambda).
        eps, size, length = _eps(readout), float(h.norm()), float(z.norm())
        relative = eps * size / (2 * penalty**0.5)
        absolute = (relative * size + eps * size) * length
        bound = quick_error(min(*readout.shape, h.shape[0]), relative, absolute, resolution)
        if readout.requires_grad and z.shape[1] > z.shape[0]:
            # I + eta Z W'H~' is not symmetric: its inverse may be that large.
            change = resolution**0.5 * length * size
            bound += eps * change * change * (1 + change) / math.log(2)
        return bound + _determinant_error(readout, resolution)

    return readout, value, error


def _dual_log2det(h: Tensor, z: Tensor, readout: Tensor, resolution: float) -> Tensor:
    """Compute log2 det(I + eta W'W), W = H~'Z, without a factorization of feature size.

    W'W is not taken as Z'KZ: what targets have in the null space of the features is Y~/lambda in
    Z, and K cancels it only to rounding, twice over.
    """
    if z.shape[1] <= z.shape[0]:
        return log2det_of_readout(readout, resolution)
    if readout.requires_grad or not is_readable(readout):
        # det(I + eta Z W'H~') is the same number, from a matrix of rows.
        product = resolution * (z @ (readout.T @ h.T))
        return torch.linalg.slogdet(product + _eye(product)).logabsdet / math.log(2)
    # H~' = Q R: W = Q (R Z) has the singular values of R Z.
    return log2det_of_readout(torch.linalg.qr(h.T, mode="r").R @ z, resolution)


def _solved(matrix: Tensor, penalty: float, right: Tensor) -> tuple[Tensor, bool]:
    """Return (matrix + penalty I)^-1 right, and whether the factorization was seen to fail."""
    factor, failed = torch.linalg.cholesky_ex(matrix + penalty * _eye(matrix))
    return torch.cholesky_solve(right, factor), is_readable(failed) and bool(failed)


def _determinant_error(readout: Tensor, resolution: float) -> float:
    """Bound the rounding of I + eta W'W, which scores a readout that has a gradient."""
    if not readout.requires_grad:
        return 0.0
    return _eps(readout) * resolution * float(readout.square().sum()) / math.log(2)


def _eye(matrix: Tensor) -> Tensor:
    return torch.eye(matrix.shape[0], dtype=matrix.dtype, device=matrix.device)


def _eps(values: Tensor) -> float:
    return ROUNDING * torch.finfo(values.dtype).eps
