"""The centred sums of many streams, advanced by one pair per stream.

A pair (h, y) with deviations d_h, d_y from the means so far changes them by rank-one terms,
f = (n - 1)/n (one where the means are fixed):

    H'H += f d_h d_h',   B += f d_h d_y',   B = H'Y,
    Q   += f (v d_h' + d_h v') + f^2 |d_y|^2 d_h d_h',   v = B d_y,   Q = BB'.

A step is many operations on small arrays. They are written in the functions that NumPy and torch
share (``xp``) and run in NumPy on the CPU, where a call costs about a third; the few that are
large, or that torch does in one pass, run in torch on the same memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor


class StreamSums:
    """The centred sums of all streams: tensors, and views of them as arrays of ``xp``."""

    def __init__(self, count: Tensor, mean: Tensor, products: Tensor, cross: Tensor) -> None:
        self.count, self.mean = count, mean
        # Stored with all Q first and all H'H after them, as the factorization wants them.
        self.products = products.movedim(1, 0).contiguous().movedim(0, 1)
        """Q and H'H, (num_streams, 2, feature_dim, feature_dim)."""
        self.cross = cross
        """B = H'Y, (num_streams, feature_dim, target_dim)."""
        self.xp: Any = np if count.device.type == "cpu" else torch
        self.n, self.mu, self.b = map(self.native, (count, mean, cross))
        with torch.inference_mode(False):  # what is made in it could not be changed outside
            self._allocate(*cross.shape[:2])

    def _allocate(self, streams: int, m: int) -> None:
        """Make the views that a step reads, and room for what it computes."""
        zeros = self.products.new_zeros
        self.feature_dim, self.feature_mean = m, self.mu[:, :m]
        self.outer_and_gram = self.native(self.products.movedim(1, 0))
        self.gram_diagonal = diagonal(self.outer_and_gram[1])
        self.matrices = self.native(zeros(2, streams, m, m))
        self.squared, self.a = self.matrices  # A^2 + eta Q and A
        self.squared_diagonal, self.a_diagonal = diagonal(self.squared), diagonal(self.a)
        self.inverse = zeros(streams, 1)
        self.inverse_count = self.native(self.inverse)
        self.deviation = torch.zeros_like(self.mean)
        self.d = self.native(self.deviation)
        self.halves = [(held[:, :m], held[:, m:]) for held in (self.mu, self.d)]
        self.dh, self.dy, self.flat = self.d[:, :m], self.d[:, m:], self.d.reshape(-1)
        # Factors of the outer products: f d_h from the left, u and d_h from the right.
        left, right = zeros(streams, m), zeros(streams, 2, m)
        self.f_dh, rights = self.native(left), self.native(right)
        self.u, self.right_dh = rights[:, 0], rights[:, 1]
        self.product = self.deviation[:, None, m:], self.cross.mT
        self.steps = (
            (self.products, left[:, None, :, None], right[:, :, None, :]),
            (self.products[:, 0], right[:, 0, :, None], left[:, None, :]),
            (self.cross, left[:, :, None], self.deviation[:, None, m:]),
        )

    @staticmethod
    def zeros(
        streams: int, feature_dim: int, target_dim: int, device: torch.device | str
    ) -> StreamSums:
        """Make the sums of streams that have seen nothing."""

        def zeros(*shape: int) -> Tensor:
            return torch.zeros(streams, *shape, dtype=torch.float64, device=device)

        with torch.inference_mode(False):
            mean, products = zeros(feature_dim + target_dim), zeros(2, feature_dim, feature_dim)
            return StreamSums(zeros(), mean, products, zeros(feature_dim, target_dim))

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy makes its own views: copied ones would look at memory of their own.
        return StreamSums, tuple(self.tensors().values())

    def tensors(self) -> dict[str, Tensor]:
        """Return the sums by name."""
        names = ("count", "mean", "products", "cross")
        return {name: getattr(self, name) for name in names}

    def load(self, held: dict[str, Tensor]) -> None:
        """Take what ``tensors`` returned."""
        for name, value in self.tensors().items():
            value.copy_(held[name])

    def clear(self, streams: Tensor | Sequence[int] | slice) -> None:
        """Forget the given streams."""
        for value in self.tensors().values():
            value[streams] = 0.0

    def fix_mean(self, first: int, mean: Tensor) -> None:
        """Give all streams these means, from the column ``first`` on."""
        self.mean[:, first : first + len(mean)] = mean

    def native(self, values: Tensor) -> Any:
        """View a tensor as an array of ``xp``."""
        return values.numpy() if self.xp is np else values

    def tensor(self, values: Any) -> Tensor:
        """View an array of ``xp`` as a tensor."""
        return torch.from_numpy(values) if self.xp is np else values

    def centre(self, features: Tensor, targets: Tensor, active: Tensor | None) -> None:
        """Hold d_h and d_y, zero where not active."""
        for values, mean, deviation in zip((features, targets), *self.halves, strict=True):
            self.xp.subtract(self.native(values), mean, out=deviation)
        if active is not None:
            self.deviation[~active] = 0.0

    def deviation_power(self) -> float:
        """Return the sum of all squared deviations."""
        return float(self.flat @ self.flat)

    def absorb(self, active: Tensor | None, *, moving_mean: bool) -> None:
        """Apply the rank-one updates at the top of this file."""
        xp, dh, dy, f_dh = self.xp, self.dh, self.dy, self.f_dh
        self.n += 1.0 if active is None else self.native(active)
        if moving_mean:
            # A stream that has seen nothing has nothing to divide.
            self.inverse_count[:, 0] = 1 / (self.n if active is None else self.n + (self.n == 0))
            self.mean.addcmul_(self.deviation, self.inverse)
            xp.multiply(dh, 1 - self.inverse_count, out=f_dh)
        else:
            f_dh[:] = dh
        v = self._cross_times_target()
        power = xp.linalg.vecdot(dy, dy)[:, None]
        # Q changes by f d_h u' + u (f d_h)', with u = v + f |d_y|^2 d_h / 2.
        xp.add(v, (0.5 * power) * f_dh, out=self.u)
        self.right_dh[:] = dh
        for sums, left, right in self.steps:  # torch: one pass each, the last one large
            sums.addcmul_(left, right)

    def _cross_times_target(self) -> Any:
        """Return v = B d_y, (num_streams, feature_dim)."""
        # NumPy's product is the faster one on a single thread. With more, its threads and those
        # of torch would wait for each other.
        if self.xp is np and torch.get_num_threads() == 1:
            return np.matmul(self.b, self.dy[:, :, None])[:, :, 0]
        return self.native(torch.bmm(*self.product))[:, 0]


def diagonal(matrices: Any) -> Any:
    """View the leading diagonals of matrices (..., rows, columns), columns >= rows, to write to."""
    rows, columns = matrices.shape[-2:]
    return matrices.reshape(*matrices.shape[:-2], rows * columns)[..., :: columns + 1]
