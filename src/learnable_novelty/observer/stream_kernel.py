"""One step of all streams in compiled code, stream by stream, on the arrays of ``stream_sums``.

The sums change by the rank-one terms written there, and the score is that of ``stream_step``,

    S = alpha [ log2 det(A^2 + eta Q) - 2 log2 det A ],

or, where the pivots of A^2 + eta Q have lost digits, alpha log2 det(I + eta W W') with W = A^-1 B;
here each stream decides that for itself. A floor stream (``stream_floor``) has the features of its
stream, so it shares A and costs one more factorization and three more passes over sums like B.

Nearly all of the work is products with the rows of a matrix, ``dots``, ``subtract`` and
``factorize``, taken four rows at a time so that they fill the registers.

Numba compiles this file at its first use on a machine and keeps the result beside it. It looks for
changes in the file of the function that is called, and in no other: hence all of it is in one file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.observer.stream_step import Setting
from learnable_novelty.observer.stream_sums import StreamSums

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

BLOCK = 64
"""How many columns of a readout are made at a time."""
LANES = 16
"""Lengths that are multiples of this leave no remainder to the vector instructions."""
compiled: Any = njit(error_model="numpy")
# Sums in another order and with fused products: NaN and infinity keep their rules.
reordered: Any = njit(error_model="numpy", fastmath={"reassoc", "contract"})


class Sums(NamedTuple):
    """The arrays of one ``StreamSums``."""

    n: Floats
    """How many pairs, (num_streams,)."""
    mean: Floats
    """Of features and targets, (num_streams, feature_dim + target_dim)."""
    deviation: Floats
    """Of the latest pair from the mean before it, of the same shape."""
    products: Floats
    """Q and H'H, (2, num_streams, feature_dim, feature_dim)."""
    cross: Floats
    """B, (num_streams, feature_dim, target_dim)."""


class Work(NamedTuple):
    """What a step computes: of every stream what the next step can use, the rest of one stream."""

    known: Flags
    """Whether scale and factor are those of the sums, (num_streams,)."""
    by_readout: Flags
    """Whether the latest score came through the readout, (num_streams,)."""
    scale: Floats
    """1/(sd sqrt(m)) of every feature, zero if constant, (num_streams, feature_dim)."""
    factor: Floats
    """L, A = L L', (num_streams, feature_dim, feature_dim)."""
    a: Floats
    """A, and A^-1 where the readout is needed."""
    square: Floats
    """A^2, the lower triangle."""
    inner: Floats
    """The matrix whose determinant is taken."""
    columns: Floats
    """Some columns of B, as rows."""
    readout: Floats
    """Some columns of W."""
    row: Floats
    push: Floats


class CompiledStreams:
    """Takes steps of all streams, and holds the room for them."""

    def __init__(self, num_streams: int, feature_dim: int, target_dim: int) -> None:
        m, width = feature_dim, target_dim if target_dim < feature_dim else BLOCK
        self._work = Work(
            known=np.zeros(num_streams, np.bool_),
            by_readout=np.zeros(num_streams, np.bool_),
            scale=np.zeros((num_streams, m)),
            factor=np.zeros((num_streams, m, m)),
            a=np.zeros((m, m)),
            square=np.zeros((m, m)),
            inner=np.zeros((m, m)),
            columns=np.zeros((width, m)),
            readout=np.zeros((m, width)),
            row=np.zeros(m),
            push=np.zeros(m),
        )

        self._all = np.ones(num_streams, np.bool_)
        self._sums: dict[int, Sums] = {}

    def forget(self) -> None:
        """Do not use what was computed from sums that have changed since."""
        self._work.known[:] = False

    def centre(
        self,
        sums: StreamSums,
        inputs: Tensor,
        features: Tensor,
        targets: Tensor,
        active: Tensor | None,
    ) -> bool:
        """Do what ``PlainStreams.centre`` does."""
        x, h, y = inputs.numpy(), features.numpy(), targets.numpy()
        return centre(x, h, y, self._mask(active), sums.mu, sums.d)

    def _mask(self, active: Tensor | None) -> Flags:
        return self._all if active is None else active.contiguous().numpy()

    def _views(self, head: StreamSums) -> Sums:
        """Return the arrays of sums, which are the same ones at every step."""
        held = self._sums.get(id(head))
        if held is None:
            held = Sums(head.n, head.mu, head.d, head.outer_and_gram, head.b)
            self._sums[id(head)] = held
        return held

    def advance(
        self,
        heads: Sequence[StreamSums],
        signs: Floats,
        active: Tensor | None,
        setting: Setting,
        scores: Floats,
    ) -> Floats:
        """Do what ``PlainStreams.advance`` does."""
        after = scores.copy()
        sums, floor = self._views(heads[0]), self._views(heads[-1])
        advance(self._mask(active), signs, sums, floor, setting, self._work, after)
        return after


@reordered
def dots(x: Floats, rows: Floats, first: int, last: int, length: int, out: Floats) -> None:
    """out[i] = sum_k x[k] rows[i, k] over k < length, for first <= i < last."""
    i = first
    while i + 4 <= last:
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for k in range(length):
            s0 += x[k] * rows[i, k]
            s1 += x[k] * rows[i + 1, k]
            s2 += x[k] * rows[i + 2, k]
            s3 += x[k] * rows[i + 3, k]
        out[i], out[i + 1], out[i + 2], out[i + 3] = s0, s1, s2, s3
        i += 4
    while i < last:
        s0 = 0.0
        for k in range(length):
            s0 += x[k] * rows[i, k]
        out[i] = s0
        i += 1


@reordered
def subtract(x: Floats, rows: Floats, first: int, last: int, length: int, out: Floats) -> None:
    """out[k] -= sum_i x[i] rows[i, k] over first <= i < last, for k < length."""
    i = first
    while i + 4 <= last:
        x0, x1, x2, x3 = x[i], x[i + 1], x[i + 2], x[i + 3]
        for k in range(length):
            low = x0 * rows[i, k] + x1 * rows[i + 1, k]
            out[k] -= low + (x2 * rows[i + 2, k] + x3 * rows[i + 3, k])
        i += 4
    while i < last:
        for k in range(length):
            out[k] -= x[i] * rows[i, k]
        i += 1


@reordered
def factorize(a: Floats, size: int) -> float:
    """Put the Cholesky factor L in the lower triangle; return sum_i log L_ii, or NaN.

    L_ij = (a_ij - sum_k<j L_ik L_jk) / L_jj, column by column, four rows at a time.
    """
    total = 0.0
    for j in range(size):
        pivot = a[j, j]
        for k in range(j):
            pivot -= a[j, k] * a[j, k]
        if not pivot > 0.0:
            return np.nan
        a[j, j] = math.sqrt(pivot)
        inverse = 1.0 / a[j, j]
        total += math.log(a[j, j])
        i = j + 1
        while i + 4 <= size:
            s0, s1, s2, s3 = a[i, j], a[i + 1, j], a[i + 2, j], a[i + 3, j]
            for k in range(j):
                s0 -= a[j, k] * a[i, k]
                s1 -= a[j, k] * a[i + 1, k]
                s2 -= a[j, k] * a[i + 2, k]
                s3 -= a[j, k] * a[i + 3, k]
            a[i, j], a[i + 1, j] = s0 * inverse, s1 * inverse
            a[i + 2, j], a[i + 3, j] = s2 * inverse, s3 * inverse
            i += 4
        while i < size:
            s0 = a[i, j]
            for k in range(j):
                s0 -= a[j, k] * a[i, k]
            a[i, j] = s0 * inverse
            i += 1
    return total


@reordered
def solve(factor: Floats, x: Floats) -> None:
    """Put (L L')^-1 x in the place of x."""
    m = len(factor)
    for i in range(m):
        total = x[i]
        for k in range(i):
            total -= factor[i, k] * x[k]
        x[i] = total / factor[i, i]
    for i in range(m - 1, -1, -1):
        x[i] /= factor[i, i]
        for k in range(i):
            x[k] -= factor[i, k] * x[i]


@compiled
def invert(factor: Floats, spare: Floats, out: Floats) -> None:
    """Put (L L')^-1 = M'M into ``out``, M = L^-1: M_i = (e_i - sum_k<i L_ik M_k) / L_ii."""
    m = len(factor)
    for i in range(m):
        row, inverse = out[i], 1.0 / factor[i, i]
        row[:] = 0.0
        subtract(factor[i], out, 0, i, i, row)
        row[i] = 1.0
        for k in range(i + 1):
            row[k] *= inverse
        for k in range(m):
            spare[k, i] = row[k]
    for i in range(m):
        dots(spare[i], spare, 0, i + 1, m, out[i])
        for k in range(i):
            out[k, i] = out[i, k]


@compiled
def normal_matrix(sums: Sums, stream: int, setting: Setting, work: Work) -> float:
    """Make the scale, A = H~'H~ + lambda I and its factor; return log det A / 2."""
    gram, mean, m = sums.products[1, stream], sums.mean[stream], len(work.a)
    scale, factor = work.scale[stream], work.factor[stream]
    inverse = 1.0 / max(sums.n[stream], 1.0)
    for i in range(m):
        if len(setting.fixed_scale):
            scale[i] = setting.fixed_scale[i]
        else:
            variance = gram[i, i] * inverse
            varies = variance > setting.constant_ratio * (mean[i] * mean[i])
            scale[i] = 1.0 / math.sqrt(variance * m) if varies else 0.0
    for i in range(m):
        for j in range(m):
            work.a[i, j] = gram[i, j] * (scale[i] * scale[j])
        work.a[i, i] += setting.penalty
        for j in range(i + 1):
            factor[i, j] = work.a[i, j]
    half = factorize(factor, m)
    if math.isnan(half):
        raise np.linalg.LinAlgError("the normal matrix is not positive definite")
    work.known[stream] = True
    return half


@compiled
def log_det(outer: Floats, scale: Floats, setting: Setting, work: Work) -> float:
    """Compute log det(A^2 + eta Q) / 2 from A^2 and Q, or NaN where that loses digits."""
    m, inner = len(outer), work.inner
    largest, smallest = 0.0, np.inf
    for i in range(m):
        weight = setting.weight * scale[i]
        for j in range(i + 1):
            inner[i, j] = work.square[i, j] + outer[i, j] * (weight * scale[j])
        largest = max(largest, inner[i, i])
    logs = factorize(inner, m)
    for i in range(m):
        smallest = min(smallest, inner[i, i])
    return np.nan if largest * setting.roundoff > smallest * smallest else logs


@compiled
def log_det_of_readout(cross: Floats, scale: Floats, weight: float, work: Work) -> float:
    """Compute log det(I + eta W W') / 2 from W = A^-1 B, some columns at a time."""
    m, target_dim = cross.shape
    inner, width = work.inner, work.readout.shape[1]
    size = min(m, target_dim)  # of the smaller one, I + eta W W' or I + eta W'W
    inner[:] = 0.0
    for i in range(size):
        inner[i, i] = 1.0
    for first in range(0, target_dim, width):
        length = take_columns(cross, first, scale, work.columns)
        for i in range(m):
            dots(work.a[i], work.columns, 0, length, m, work.readout[i])
        if target_dim < m:
            add_inner_product(work.readout, weight, inner)
        else:
            add_outer_product(work.readout, length, weight, inner, work.row)
    return factorize(inner, size)


@compiled
def take_columns(cross: Floats, first: int, scale: Floats, out: Floats) -> int:
    """Put scaled columns of B, from ``first`` on, into rows; return how many."""
    length = min(len(out), cross.shape[1] - first)
    for i in range(len(scale)):
        for k in range(length):
            out[k, i] = cross[i, first + k] * scale[i]
    while length % LANES and length < len(out):
        out[length] = 0.0
        length += 1
    return length


@compiled
def add_outer_product(w: Floats, length: int, weight: float, out: Floats, row: Floats) -> None:
    """Add weight W W' to the lower triangle."""
    for i in range(len(w)):
        dots(w[i], w, 0, i + 1, length, row)
        for j in range(i + 1):
            out[i, j] += weight * row[j]


@reordered
def add_inner_product(w: Floats, weight: float, out: Floats) -> None:
    """Add weight W'W to the lower triangle."""
    for row in w:
        for i in range(len(row)):
            weighted = weight * row[i]
            for j in range(i + 1):
                out[i, j] += weighted * row[j]


@compiled
def absorb(sums: Sums, stream: int, moving_mean: bool, work: Work) -> None:
    """Advance the sums of one stream by its deviation, as ``StreamSums.absorb`` does."""
    m, mean, deviation = len(work.a), sums.mean[stream], sums.deviation[stream]
    sums.n[stream] += 1.0
    share = 1.0
    if moving_mean:
        inverse = 1.0 / sums.n[stream]
        share = 1.0 - inverse
        for k in range(len(mean)):
            mean[k] += deviation[k] * inverse
    dh, dy, f_dh, u = deviation[:m], deviation[m:], work.row, work.push
    for i in range(m):
        f_dh[i] = share * dh[i]
    for first in range(0, m, 4):  # some rows of B at a time, read and written while in cache
        last = min(first + 4, m)
        dots(dy, sums.cross[stream], first, last, len(dy), u)
        add_rank_one(sums.cross[stream][first:last], f_dh[first:last], dy)
    half_power = 0.5 * square_sum(dy)
    for i in range(m):
        u[i] += half_power * f_dh[i]
    add_rank_one(sums.products[0, stream], f_dh, u)
    add_rank_one(sums.products[0, stream], u, f_dh)
    add_rank_one(sums.products[1, stream], f_dh, dh)


@reordered
def square_sum(x: Floats) -> float:
    """Return x'x."""
    total = 0.0
    for k in range(len(x)):
        total += x[k] * x[k]
    return total


@reordered
def add_rank_one(matrix: Floats, left: Floats, right: Floats) -> None:
    """Add left right'."""
    for i in range(len(left)):
        for j in range(len(right)):
            matrix[i, j] += left[i] * right[j]


@compiled
def centre_floor(sums: Sums, floor: Sums, stream: int, sign: float, work: Work) -> None:
    """Hold the deviations of h and of e = s (y - yhat), as ``stream_floor.centre_errors`` does."""
    m, scale = len(work.a), work.scale[stream]
    deviation, held, mean = sums.deviation[stream], floor.deviation[stream], floor.mean[stream]
    z = work.push
    for i in range(m):
        z[i] = scale[i] * deviation[i]
    solve(work.factor[stream], z)
    for i in range(m):
        z[i] *= scale[i]
    held[:] = deviation
    subtract(z, sums.cross[stream], 0, m, len(mean) - m, held[m:])
    for k in range(m, len(mean)):
        held[k] = sign * held[k] - mean[k]


@njit(error_model="numpy", cache=True)
def centre(
    inputs: Any, features: Any, targets: Any, active: Flags, mean: Floats, deviation: Floats
) -> bool:
    """Hold the deviations of every active stream; return whether all its values are finite."""
    m, total = features.shape[1], 0.0
    for stream in range(len(active)):
        if not active[stream]:
            deviation[stream] = 0.0
            continue
        for k in range(inputs.shape[1]):
            total += 0.0 * inputs[stream, k]  # NaN if the value is not finite
        for k in range(m):
            deviation[stream, k] = features[stream, k] - mean[stream, k]
            total += 0.0 * deviation[stream, k]
        for k in range(targets.shape[1]):
            deviation[stream, m + k] = targets[stream, k] - mean[stream, m + k]
            total += 0.0 * deviation[stream, m + k]
    return total == 0.0


@njit(error_model="numpy", cache=True)
def advance(
    active: Flags,
    signs: Floats,
    sums: Sums,
    floor: Sums,
    setting: Setting,
    work: Work,
    scores: Floats,
) -> None:
    """Add a pair to every active stream and write its score; with two rows, also of its floor."""
    m, moving_mean, num_heads = len(work.a), len(setting.fixed_scale) == 0, len(scores)
    for stream in range(len(active)):
        if not active[stream]:
            continue
        if num_heads == 2:
            if not work.known[stream]:
                normal_matrix(sums, stream, setting, work)
            first = moving_mean and sums.n[stream] == 0.0
            centre_floor(sums, floor, stream, 0.0 if first else signs[stream], work)
            absorb(floor, stream, moving_mean, work)
        absorb(sums, stream, moving_mean, work)
        half = normal_matrix(sums, stream, setting, work)
        for i in range(m):
            dots(work.a[i], work.a, 0, i + 1, m, work.square[i])
        work.by_readout[stream] = False
        for k in range(num_heads):
            head = floor if k else sums
            found = log_det(head.products[0, stream], work.scale[stream], setting, work) - 2 * half
            if math.isnan(found):
                if not work.by_readout[stream]:
                    invert(work.factor[stream], work.inner, work.a)
                    work.by_readout[stream] = True
                found = log_det_of_readout(
                    head.cross[stream], work.scale[stream], setting.weight, work
                )
            scores[k, stream] = 2.0 * setting.bits * found
