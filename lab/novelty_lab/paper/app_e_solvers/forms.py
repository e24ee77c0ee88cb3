"""The solvers that appendix E is about, and an exact one, on features that are given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.code_length import code_length
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.stream import MAX_COUNT_PER_PENALTY, OnlineObserver
from learnable_novelty.observer.summary import Rows

BATCH: dict[str, tuple[Any, torch.dtype]] = {
    "float32 Gram": ("gram", torch.float32),
    "float32 QR": ("qr", torch.float32),
    "float64 Gram": ("gram", torch.float64),
    "float64 dual": ("dual", torch.float64),
    "float64 QR": ("qr", torch.float64),
}
ONLINE = ("determinants", "online observer")
"""The form log det(A^2 + eta Q) - 2 log det A from the batch's moments, and the streaming observer
that uses it, as far as the observer accepts n/lambda."""


class Exact:
    """The score and the readout to fifty digits, from the rows themselves."""

    def __init__(self, rows: Rows) -> None:
        # mpmath comes with torch, by way of sympy. Imported here: no other experiment needs it.
        import mpmath

        self.mp = mpmath.mp.clone()
        self.mp.dps = 50
        features = self._centred(rows.features, rows.features.shape[1])
        targets = self._centred(rows.targets, None)
        self.gram = self.mp.matrix([[self.mp.fdot(a, b) for b in features] for a in features])
        self.cross = self.mp.matrix([[self.mp.fdot(a, b) for b in targets] for a in features])

    def solve(self, penalty: float) -> tuple[float, np.ndarray]:
        """Return S at eta = 1, alpha = 1/2 in bits, and W of eq. (rc-score)."""
        mp, size = self.mp, self.gram.rows
        readout = mp.inverse(self.gram + penalty * mp.eye(size)) * self.cross
        product = readout.T * readout + mp.eye(self.cross.cols)
        bits = mp.log(mp.det(product), 2) / 2
        return float(bits), np.array(readout.tolist(), dtype=np.float64)

    def _centred(self, values: Tensor, width: int | None) -> list[list[Any]]:
        """List the columns, centred; features also divided by sd sqrt(m)."""
        columns: list[list[Any]] = []
        for column in values.T.tolist():
            exact = [self.mp.mpf(value) for value in column]
            mean = self.mp.fsum(exact) / len(exact)
            centred = [value - mean for value in exact]
            if width is not None:
                power = self.mp.fsum(value**2 for value in centred)
                scale = 1 / self.mp.sqrt(power / len(exact) * width)
                centred = [value * scale for value in centred]
            columns.append(centred)
        return columns


class Given(reservoirs.Reservoir):
    """Features that are given: the inputs themselves."""

    def __init__(self, width: int) -> None:
        super().__init__(0)
        self.input_dim = self.feature_dim = width

    def draw(self, generator: torch.Generator) -> dict[str, Tensor]:
        return {}

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs

    def rows(self, values: Tensor) -> Tensor:
        return values


def determinants(rows: Rows, ratio: float) -> Tensor:
    """Score by determinants alone, at eta = 1 and alpha = 1/2, as the streams do.

    S = (log2 det(A^2 + Q) - 2 log2 det A) / 2,   A = H~'H~ + lambda I,   Q = BB',   B = H~'Y~
    """
    normal = rows.moments(torch.float64).standardized(1.0)
    return determinant_form(normal.gram, normal.cross @ normal.cross.T, normal.count / ratio)


def determinant_form(gram: Tensor, outer: Tensor, penalty: float) -> Tensor:
    """Evaluate the form from H~'H~ and Q."""
    a = gram + penalty * torch.eye(gram.shape[0], dtype=gram.dtype)
    both = torch.linalg.cholesky(torch.stack([a @ a + outer, a]))
    logs = both.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    return (logs[0] - 2 * logs[1]) / math.log(2)


def readout_form(gram: Tensor, cross: Tensor, penalty: float) -> Tensor:
    """Evaluate the same score from the readout, at eta = 1 and alpha = 1/2."""
    a = gram + penalty * torch.eye(gram.shape[0], dtype=gram.dtype)
    return code_length(torch.cholesky_solve(cross, torch.linalg.cholesky(a)), 1.0, 0.5)


def streamed(rows: Rows, ratio: float) -> Tensor:
    """Score by the online observer, row by row."""
    (count, width), target_dim = rows.features.shape, rows.targets.shape[1]
    online = OnlineObserver(Given(width), target_dim=target_dim, ridge_penalty=count / ratio)
    if ratio > MAX_COUNT_PER_PENALTY:
        raise UserError("the observer would refuse the last row")
    for features, targets in zip(rows.features, rows.targets, strict=True):
        online.update(features[None], targets[None])
    return online.cumulative[0]


def batch_readout(name: str, rows: Rows, penalty: float) -> Tensor:
    """Return the readout of a named batch solver, (feature_dim, target_dim).

    The dual is W = H~'(H~H~' + lambda I)^-1 Y~; QR is that of the augmented rows,
    [H~; sqrt(lambda) I] = QR, W = R^-1 Q'[Y~; 0].
    """
    kind, dtype = BATCH[name]
    if kind == "gram":
        given = Given(rows.features.shape[1])
        observer = Observer(given, ridge_penalty=penalty, solver="gram", accumulate_dtype=dtype)
        return observer.readout_of(rows).weights
    standard = rows.centred(dtype).standardized(1.0)
    h, y = standard.root, standard.along
    eye = torch.eye(h.shape[kind == "qr"], dtype=dtype)
    if kind == "dual":
        factor = torch.linalg.cholesky(h @ h.T + penalty * eye)
        return h.T @ torch.cholesky_solve(y, factor)
    q, r = torch.linalg.qr(torch.cat([h, penalty**0.5 * eye]))
    return torch.linalg.solve_triangular(r, q[: len(h)].T @ y, upper=True)


def batch_bits(name: str, rows: Rows, penalty: float) -> Tensor:
    """Score by a named batch solver."""
    return code_length(batch_readout(name, rows, penalty), 1.0, 0.5)
