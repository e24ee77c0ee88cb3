"""Ridge readouts, four ways to one answer.

    W = argmin |Y~ - H~ W|^2 + lambda |W|^2 = (H~'H~ + lambda I)^-1 H~'Y~     eq. (rc-score)

"gram" works on the moments, "dual" on the rows when there are fewer rows than features, "spectral"
on the singular values of the rows (``spectral``), and "qr" is the augmented least squares of
appendix E. docs/solvers.md says what each costs and how exact it is. Each function returns a
``Solution``: the readout, and how much of its score may be rounding (``digits``).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import is_readable
from learnable_novelty.observer.code_length import log2det_of_readout
from learnable_novelty.observer.digits import ROUNDING, Solution, checked_log2det, quick_error
from learnable_novelty.observer.spectral import Spectral
from learnable_novelty.observer.standardize import NormalEquations, StandardizedRows

Solver = Literal["auto", "gram", "dual", "spectral", "qr"]
NAMES: tuple[Solver, ...] = ("auto", "gram", "dual", "spectral", "qr")


def check_solver(solver: str, process_group: Any) -> Solver:
    """Return the solver of a name, or raise unless it is known and goes with the process group."""
    if solver == "cholesky":
        message = 'solver="cholesky" is now called solver="gram"'
        warnings.warn(message, DeprecationWarning, stacklevel=3)
        solver = "gram"
    if solver not in NAMES:
        raise UserError(f"solver must be auto, gram, dual, spectral or qr, got {solver!r}")
    if process_group is not None and solver not in ("auto", "gram"):
        raise UserError(
            f"a process group sums moments, so solver must be auto or gram, got {solver!r}"
        )
    return solver


def solve_gram(normal: NormalEquations, penalty: float, resolution: float) -> Solution:
    """Solve the normal equations (H~'H~ + lambda I) W = H~'Y~ by Cholesky."""
    if math.isinf(penalty):
        return _nothing(normal.cross)
    readout, failed = _solved(normal.gram, penalty, normal.cross)
    if failed:
        return _lost(readout)

    def error() -> float:
        eps, size = _eps(readout), float(normal.gram.detach().trace())
        relative = eps * (size / penalty + readout.shape[0])
        absolute = eps * (size * float(normal.power.detach())) ** 0.5 / penalty
        bound = quick_error(min(readout.shape), relative, absolute, resolution)
        return bound + _determinant_error(readout, resolution)

    return Solution(readout, log2det_of_readout(readout, resolution), error)


def solve_dual(rows: StandardizedRows, penalty: float, resolution: float) -> Solution:
    """Solve by the Gram matrix of rows: W = H~'Z, (H~H~' + lambda I) Z = Y~."""
    if math.isinf(penalty):
        return _nothing(rows.features.T @ rows.targets)
    h = rows.features
    z, failed = _solved(h @ h.T, penalty, rows.targets)
    readout = (z.T @ h).T
    if failed:
        return _lost(readout)

    def error() -> float:
        # The solve errs by (K + lambda)^-1 eps |K| |Z|; |H~'(K + lambda)^-1| <= 1 / 2 sqrt(lambda).
        eps, size, length = _eps(readout), float(h.detach().norm()), float(z.detach().norm())
        relative = eps * size / (2 * penalty**0.5)
        absolute = (relative * size + eps * size) * length
        bound = quick_error(min(*readout.shape, h.shape[0]), relative, absolute, resolution)
        if readout.requires_grad and z.shape[1] > z.shape[0]:
            # I + eta Z W'H~' is not symmetric: its inverse may be that large.
            change = resolution**0.5 * length * size
            bound += eps * change * change * (1 + change) / math.log(2)
        return bound + _determinant_error(readout, resolution)

    return Solution(readout, _dual_log2det(h, z, readout, resolution), error)


def _dual_log2det(h: Tensor, z: Tensor, readout: Tensor, resolution: float) -> Tensor:
    """Compute log2 det(I + eta W'W), W = H~'Z, without a factorization of feature size.

    W'W is not taken as Z'KZ: what targets have in the null space of the features is Y~/lambda in
    Z, and K cancels it only to rounding, twice over.
    """
    if z.shape[1] <= z.shape[0]:
        return log2det_of_readout(readout, resolution)
    if readout.requires_grad or not is_readable(readout):
        # det(I + eta Z W'H~') is the same number, from a matrix of rows.
        product = plus(resolution * (z @ (readout.T @ h.T)), 1.0)
        return torch.linalg.slogdet(product).logabsdet / math.log(2)
    # H~' = Q R: W = Q (R Z) has the singular values of R Z.
    return log2det_of_readout(torch.linalg.qr(h.T, mode="r").R @ z, resolution)


def solve_qr(rows: StandardizedRows, penalty: float, resolution: float) -> Solution:
    """Solve the augmented least squares of eq. (augmented-ls) by QR, appendix E.

    [H~; sqrt(lambda) I] = Q R,   W = R^-1 Q' [Y~; 0].
    """
    if math.isinf(penalty):
        return _nothing(rows.features.T @ rows.targets)
    m = rows.features.shape[1]
    eye = torch.eye(m, dtype=rows.features.dtype, device=rows.features.device)
    q, r = torch.linalg.qr(torch.cat([rows.features, penalty**0.5 * eye]))
    projected = q[: rows.features.shape[0]].T @ rows.targets
    readout = torch.linalg.solve_triangular(r, projected, upper=True)

    def error() -> float:
        eps, power = _eps(readout), float(rows.power.detach())
        size = (float(rows.features.detach().square().sum()) + m * penalty) ** 0.5
        relative = eps * size / penalty**0.5
        absolute = eps * power**0.5 * (size / penalty + 1 / penalty**0.5)
        bound = quick_error(min(readout.shape), relative, absolute, resolution)
        return bound + _determinant_error(readout, resolution)

    return Solution(readout, log2det_of_readout(readout, resolution), error)


@torch.no_grad()
def solve_spectral(
    data: NormalEquations | StandardizedRows, penalty: float, resolution: float
) -> Solution:
    """Solve in the axes of the features; no gradient. Refused where rounding weighs."""
    axes = Spectral.of(data)
    value = checked_log2det(axes, penalty, resolution)
    return Solution(axes.basis @ axes.ridge(penalty), value, lambda: 0.0)


SOLVERS: dict[str, Callable[[Any, float, float], Solution]] = {
    "gram": solve_gram,  # of normal equations, the others of standardized rows
    "dual": solve_dual,
    "qr": solve_qr,
    "spectral": solve_spectral,
}


def plus(matrix: Tensor, penalty: float) -> Tensor:
    """Return matrix + penalty I."""
    eye = torch.eye(matrix.shape[0], dtype=matrix.dtype, device=matrix.device)
    return matrix + penalty * eye


def _solved(matrix: Tensor, penalty: float, right: Tensor) -> tuple[Tensor, bool]:
    """Return (matrix + penalty I)^-1 right, and whether the factorization was seen to fail."""
    factor, failed = torch.linalg.cholesky_ex(plus(matrix, penalty))
    return torch.cholesky_solve(right, factor), is_readable(failed) and bool(failed)


def _determinant_error(readout: Tensor, resolution: float) -> float:
    """Bound the rounding of I + eta W'W, which scores a readout that has a gradient."""
    if not readout.requires_grad:
        return 0.0
    size = float(readout.detach().square().sum())
    return _eps(readout) * resolution * size / math.log(2)


def _nothing(readout: Tensor) -> Solution:
    """Return the zero readout of an infinite penalty, with the zero gradient."""
    return Solution(readout * 0, readout.sum() * 0, lambda: 0.0)


def _lost(readout: Tensor) -> Solution:
    """Return what is left after a failed factorization."""
    return Solution(readout, readout.new_tensor(math.nan), lambda: math.inf)


def _eps(values: Tensor) -> float:
    return ROUNDING * torch.finfo(values.dtype).eps
