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

from learnable_novelty.observer.code_length import code_length, lower_factor
from learnable_novelty.observer.rows import StandardizedRows
from learnable_novelty.observer.standardize import Standardized


def cholesky_readout(normal: Standardized, penalty: float) -> Tensor:
    """Solve the normal equations in the accumulation dtype: W, (feature_dim, target_dim)."""
    if math.isinf(penalty):
        return normal.cross * 0
    return torch.cholesky_solve(normal.cross, lower_factor(plus(normal.gram, penalty)))


def dual_readout(rows: StandardizedRows, penalty: float) -> Tensor:
    """Solve by the Gram matrix of rows: W = H~' (H~H~' + lambda I)^-1 Y~."""
    return rows.features.T @ dual_coefficients(rows, penalty)


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

    Where there are more targets than rows, det(I + eta Z W'H~') is the same number from a smaller
    matrix. W'W is not taken as Z'KZ: what targets have in the null space of the features is
    Y~/lambda in Z, and K cancels it only to rounding, twice over.
    """
    z = dual_coefficients(rows, penalty)
    readout = z.T @ rows.features
    if z.shape[1] <= z.shape[0]:
        return code_length(readout, resolution, 1.0)
    product = plus(resolution * (z @ (readout @ rows.features.T)), 1.0)
    return torch.linalg.slogdet(product).logabsdet / math.log(2)


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
