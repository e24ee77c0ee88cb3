"""Ridge readouts, three ways to one answer.

    W = argmin |Y~ - H~ W|^2 + lambda |W|^2 = (H~'H~ + lambda I)^-1 H~'Y~     eq. (rc-score)

``cholesky`` works on the moments, ``dual`` on the rows when there are fewer rows than features,
``qr`` is the augmented least squares of appendix E. docs/solvers.md says what each costs and how
exact it is.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import can_look
from learnable_novelty.observer.code_length import LARGEST_ROUNDING, code_length, lower_factor
from learnable_novelty.observer.rows import StandardizedRows
from learnable_novelty.observer.spectrum import Axes
from learnable_novelty.observer.standardize import Standardized

LARGEST_LOSS = 1e-6
"""What rounding may change a readout by, in units of 1/sqrt(eta), before its features' singular
values are taken instead."""
LARGEST_DIFFERENCE = 1e-6
"""Of a score to be differentiated from the score, relative, or in bits where that is below one."""


def cholesky_readout(normal: Standardized, penalty: float) -> Tensor:
    """Solve the normal equations in the accumulation dtype: W, (feature_dim, target_dim)."""
    if math.isinf(penalty):
        return normal.cross * 0
    return torch.cholesky_solve(normal.cross, lower_factor(plus(normal.gram, penalty)))


def dual_readout(rows: StandardizedRows, penalty: float, resolution: float = 1.0) -> Tensor:
    """Solve by the Gram matrix of rows: W = H~' (H~H~' + lambda I)^-1 Y~."""
    coefficients = dual_coefficients(rows, penalty)
    if keeps_digits(rows, coefficients, penalty, resolution):
        return rows.features.T @ coefficients
    axes = Axes.by_singular_values(rows)
    return axes.basis @ spectral_ridge(axes, penalty, resolution)


def qr_readout(rows: StandardizedRows, penalty: float) -> Tensor:
    """Solve the augmented least squares of eq. (augmented-ls) by QR, appendix E.

    [H~; sqrt(lambda) I] = Q R,   W = R^-1 Q' [Y~; 0].
    """
    if math.isinf(penalty):
        return rows.features.T @ rows.targets * 0
    m = rows.features.shape[1]
    eye = torch.eye(m, dtype=rows.features.dtype, device=rows.features.device)
    q, r = torch.linalg.qr(torch.cat([rows.features, penalty**0.5 * eye]))
    projected = q[: rows.features.shape[0]].T @ rows.targets
    return torch.linalg.solve_triangular(r, projected, upper=True)


def dual_log2det(rows: StandardizedRows, penalty: float, resolution: float) -> Tensor:
    """Compute log2 det(I + eta W'W), W = H~'Z, without a factorization of feature size.

    W'W is not taken as Z'KZ: what targets have in the null space of the features is Y~/lambda in
    Z, and K cancels it only to rounding, twice over. Where once is too much the singular values of
    the features are taken.
    """
    z = dual_coefficients(rows, penalty)
    readout = z.T @ rows.features
    if readout.requires_grad or not can_look(readout):
        found = _differentiable_log2det(rows, z, readout, resolution)
        if can_look(readout) and not keeps_digits(rows, z, penalty, resolution):
            _check_digits(found.detach(), _spectral_log2det(rows, penalty, resolution))
        return found
    if not keeps_digits(rows, z, penalty, resolution):
        return _spectral_log2det(rows, penalty, resolution)
    if z.shape[1] > z.shape[0]:  # W = Q (R Z), of the same singular values, is smaller as R Z
        readout = torch.linalg.qr(rows.features.T, mode="r").R @ z
    return code_length(readout, resolution, 1.0)


def _differentiable_log2det(
    rows: StandardizedRows, z: Tensor, readout: Tensor, resolution: float
) -> Tensor:
    """Compute it where singular values may not be taken: their gradient does not exist at zero.

    Where there are more targets than rows, det(I + eta Z W'H~') is the same number from a smaller
    matrix.
    """
    if z.shape[1] <= z.shape[0]:
        return code_length(readout, resolution, 1.0)
    product = plus(resolution * (z @ (readout @ rows.features.T)), 1.0)
    return torch.linalg.slogdet(product).logabsdet / math.log(2)


@torch.no_grad()
def _spectral_log2det(rows: StandardizedRows, penalty: float, resolution: float) -> Tensor:
    axes = Axes.by_singular_values(rows)
    return code_length(spectral_ridge(axes, penalty, resolution), resolution, 1.0)


def _check_digits(found: Tensor, expected: Tensor) -> None:
    """Raise if a score to be differentiated is not the one that it ought to be."""
    if not bool((found - expected).abs() <= LARGEST_DIFFERENCE * expected.clamp(min=1.0)):
        raise UserError(
            f"the score of {float(expected):.6g} bits comes out as {float(found):.6g} where it can "
            "be differentiated; choose a larger target_unit, or a larger ridge_penalty"
        )


@torch.no_grad()
def keeps_digits(
    rows: StandardizedRows, coefficients: Tensor, penalty: float, resolution: float
) -> bool:
    """Tell whether rounding in Z changes W = H~'Z by little.

    The solve errs by what a change of K by eps |K| would do, (K + lambda I)^-1 eps |K| |Z|, and
    H~'(K + lambda I)^-1 is at most 1 / (2 sqrt(lambda)). A unit of that, times sqrt(eta), changes
    the score by at most about a bit.
    """
    eps = torch.finfo(coefficients.dtype).eps
    size = float(rows.features.square().sum()) * float(coefficients.square().sum().sqrt())
    return resolution**0.5 * eps * size / (2 * penalty**0.5) <= LARGEST_LOSS


def spectral_ridge(axes: Axes, penalty: float, resolution: float) -> Tensor:
    """Return the ridge readout in axes of singular values.

    Raises:
        ValueError: if there are directions whose features are nothing but rounding and whose
            weight, the rounding over lambda, is not small: its bits would be rounding.
    """
    readout = axes.ridge(penalty)
    root = axes.eigenvalues.sqrt()
    along = axes.cross.square().sum(1).sqrt() / torch.where(root > 0, root, 1.0)
    weight = resolution**0.5 * axes.rounding * along / penalty
    lost = axes.lost() & (weight > LARGEST_ROUNDING)
    if bool(lost.any()):
        raise UserError(
            f"the ridge_penalty of {penalty:.1e} lets rounding of the features weigh "
            f"{float(weight[lost].max()):.1e} units; choose a larger one, or a larger target_unit"
        )
    return readout


def dual_coefficients(rows: StandardizedRows, penalty: float) -> Tensor:
    """Return Z = (H~H~' + lambda I)^-1 Y~."""
    if math.isinf(penalty):
        return rows.targets * 0
    factor = lower_factor(plus(rows.features @ rows.features.T, penalty))
    return torch.cholesky_solve(rows.targets, factor)


def plus(matrix: Tensor, penalty: float) -> Tensor:
    """Return matrix + penalty I."""
    eye = torch.eye(matrix.shape[0], dtype=matrix.dtype, device=matrix.device)
    return matrix + penalty * eye
