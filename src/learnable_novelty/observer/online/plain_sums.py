"""The centred sums of many streams, advanced by one pair per stream.

A pair (h, y) with deviations d_h, d_y from the means so far changes them by rank-one terms,
f = (n - 1)/n (one where the means are fixed):

    H'H += f d_h d_h',   B += f d_h d_y',   B = H'Y,
    Q   += f (v d_h' + d_h v') + f^2 |d_y|^2 d_h d_h',   v = B d_y,   Q = BB'.

Means are those of deviations from an origin, the first pair of the stream: values that differ by
little from a large number keep their digits.

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

NAMES = ("count", "origin", "mean", "power", "peak", "products", "cross")


class PlainSums:
    """The sums of all streams: float64 tensors, and views of them as arrays of ``xp``.

    Attributes:
        count: n, (num_streams,).
        origin: the first pair, or the given means, (num_streams, feature_dim + target_dim).
        mean: of the pairs, less the origin.
        power: sum of squared deviations of each target, (num_streams, target_dim).
        peak: largest diagonal of Q so far, (num_streams, feature_dim).
        products: Q and H'H, (num_streams, 2, feature_dim, feature_dim).
        cross: B, (num_streams, feature_dim, target_dim).
    """

    def __init__(self, *tensors: Tensor) -> None:
        self.count, self.origin, self.mean, self.power, self.peak, products, self.cross = tensors
        # Stored with all Q first and all H'H after them, as the factorization wants them.
        self.products = products.movedim(1, 0).contiguous().movedim(0, 1)
        self.xp: Any = np if self.count.device.type == "cpu" else torch
        with torch.inference_mode(False):  # what is made in it could not be changed outside
            self._make_views(*self.cross.shape[:2])

    def _make_views(self, streams: int, m: int) -> None:
        """Make the views that a step reads, and room for what it computes."""
        zeros = self.products.new_zeros
        self.feature_dim = m
        self.n, self.start, self.mu = map(self.native, (self.count, self.origin, self.mean))
        self.start_h, self.start_y = self.start[:, :m], self.start[:, m:]
        self.outer_and_gram = self.native(self.products.movedim(1, 0))
        self.outer, self.gram = self.outer_and_gram
        self.outer_diagonal, self.gram_diagonal = diagonal(self.outer), diagonal(self.gram)
        self.largest, self.b, self.p = map(self.native, (self.peak, self.cross, self.power))
        self.inverse = zeros(streams, 1)
        self.inverse_count = self.native(self.inverse)
        self.deviation = torch.zeros_like(self.mean)
        self.deviation_y, self.d = self.deviation[:, m:], self.native(self.deviation)
        self.dh, self.dy, self.flat = self.d[:, :m], self.d[:, m:], self.d.reshape(-1)
        # Factors of the outer products: f d_h from the left, u and d_h from the right.
        left, right = zeros(streams, m), zeros(streams, 2, m)
        self.f_dh, rights = self.native(left), self.native(right)
        self.u, self.right_dh = rights[:, 0], rights[:, 1]
        self.updates = (
            (self.products, left[:, None, :, None], right[:, :, None, :]),
            (self.products[:, 0], right[:, 0, :, None], left[:, None, :]),
            (self.cross, left[:, :, None], self.deviation_y[:, None, :]),
        )

    @staticmethod
    def zeros(streams: int, m: int, d: int, device: torch.device | str) -> PlainSums:
        """Make the sums of streams that have seen nothing."""
        shapes = ((), (m + d,), (m + d,), (d,), (m,), (2, m, m), (m, d))
        with torch.inference_mode(False):
            options: Any = {"dtype": torch.float64, "device": device}
            return PlainSums(*(torch.zeros(streams, *shape, **options) for shape in shapes))

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy makes its own views: copied ones would look at memory of their own.
        return PlainSums, tuple(self.tensors().values())

    def tensors(self) -> dict[str, Tensor]:
        """Return the sums by name, not copied."""
        return {name: getattr(self, name) for name in NAMES}

    def load(self, tensors: dict[str, Tensor]) -> None:
        """Copy what ``tensors`` returned."""
        for name, value in self.tensors().items():
            value.copy_(tensors[name])

    def clear(self, streams: Tensor | Sequence[int] | slice) -> None:
        """Forget the given streams."""
        for value in self.tensors().values():
            value[streams] = 0.0

    def native(self, values: Tensor) -> Any:
        """View a tensor as an array of ``xp``."""
        return values.numpy() if self.xp is np else values

    def tensor(self, values: Any) -> Tensor:
        """View an array of ``xp`` as a tensor."""
        return torch.from_numpy(values) if self.xp is np else values

    def centre(self, features: Any, targets: Any, active: Tensor | None) -> float:
        """Hold the deviations of pairs, zero where not active; return the sum of their squares."""
        self.xp.subtract(features, self.start_h, out=self.dh)
        self.xp.subtract(targets, self.start_y, out=self.dy)
        self.d -= self.mu
        if active is not None:
            self.deviation[~active] = 0.0
        return float(self.flat @ self.flat)

    def absorb(self, active: Tensor | None, *, moving_mean: bool) -> None:
        """Apply the rank-one updates at the top of this file."""
        xp, dh, f_dh, squares = self.xp, self.dh, self.f_dh, self.dy * self.dy
        # Q changes by f d_h u' + u (f d_h)', with u = v + f |d_y|^2 d_h / 2.
        half_power = (0.5 * squares).sum(-1)[:, None]
        self.n += 1.0 if active is None else self.native(active)
        if moving_mean:
            # A stream that has seen nothing has nothing to divide.
            self.inverse_count[:, 0] = 1 / (self.n if active is None else self.n + (self.n == 0))
            self.mean.addcmul_(self.deviation, self.inverse)
            share = 1 - self.inverse_count
            xp.multiply(dh, share, out=f_dh)
            squares *= share
        else:
            f_dh[:] = dh
        self.p += squares
        xp.add(self._cross_times_target(), half_power * f_dh, out=self.u)
        self.right_dh[:] = dh
        for sums, left, right in self.updates:  # torch: one pass each, the last one large
            sums.addcmul_(left, right)
        xp.maximum(self.largest, self.outer_diagonal, out=self.largest)

    def _cross_times_target(self) -> Any:
        """Return v = B d_y, (num_streams, feature_dim)."""
        # NumPy's product is the faster one on a single thread. With more, its threads and those
        # of torch would wait for each other.
        if self.xp is np and torch.get_num_threads() == 1:
            return np.matmul(self.b, self.dy[:, :, None])[:, :, 0]
        return self.native(torch.bmm(self.deviation_y[:, None, :], self.cross.mT))[:, 0]


def diagonal(matrices: Any) -> Any:
    """View the leading diagonals of matrices (..., rows, columns), columns >= rows, to write to."""
    rows, columns = matrices.shape[-2:]
    return matrices.reshape(*matrices.shape[:-2], rows * columns)[..., :: columns + 1]
