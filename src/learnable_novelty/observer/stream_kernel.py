"""The steps of all streams in compiled code: in lockstep, and one by one where digits are lost.

``stream_lanes`` takes the step. Where the pivots of A^2 + eta Q have lost digits, the score is

    alpha log2 det(I + eta W W'),   W = A^-1 B,

which is computed here, for those streams alone: each decides for itself.

Nearly all of the work is products with the rows of a matrix, ``dots``, ``subtract`` and
``factorize``, taken four rows at a time so that they fill the registers.

Numba compiles this file at its first use on a machine and keeps the result beside it. It looks for
changes in the file of the function that is called, and in no other: hence all that ``read_out``
calls is in this file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.observer.lane_sums import LaneState, LaneSums
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.reservoirs.compiled_mlp import (
    NO_LAYERS,
    CompiledMLP,
    compile_features,
)
from learnable_novelty.observer.stream_lanes import (
    NOT_FINITE,
    SINGULAR,
    advance,
    clear,
    hold,
    step,
)
from learnable_novelty.observer.stream_step import Setting

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

BLOCK = 64
"""How many columns of a readout are made at a time."""
MULTIPLE = 16
"""Lengths that are multiples of this leave no remainder to the vector instructions."""
compiled: Any = njit(error_model="numpy")
# Sums in another order and with fused products: NaN and infinity keep their rules.
reordered: Any = njit(error_model="numpy", fastmath={"reassoc", "contract"})


class Work(NamedTuple):
    """What the readout of one stream needs."""

    by_readout: Flags
    """Whether the latest score came through the readout, (num_streams,)."""
    scale: Floats
    """1/(sd sqrt(m)) of every feature, zero if constant, (feature_dim,)."""
    factor: Floats
    """L, A = L L', with L' in the upper triangle."""
    inner: Floats
    """The matrix whose determinant is taken."""
    readout: Floats
    """Some columns of W."""
    row: Floats

    @staticmethod
    def zeros(num_streams: int, feature_dim: int, target_dim: int) -> Work:
        """Make the room."""
        m, width = feature_dim, target_dim if target_dim < feature_dim else BLOCK
        return Work(
            by_readout=np.zeros(num_streams, np.bool_),
            scale=np.zeros(m),
            factor=np.zeros((m, m)),
            inner=np.zeros((m, m)),
            readout=np.zeros((m, width)),
            row=np.zeros(m),
        )


class CompiledStreams:
    """Takes steps of all streams, and holds their sums: those of floors too, with two heads."""

    def __init__(
        self, reservoir: Reservoir, num_heads: int, num_streams: int, target_dim: int
    ) -> None:
        m = reservoir.feature_dim
        self._reservoir = reservoir
        self._features = compile_features(reservoir)
        sizes = num_streams, m, target_dim
        self._state = LaneState.zeros(num_heads, num_streams, reservoir.input_dim, m, target_dim)
        self.heads = [LaneSums(self._state, head, sizes) for head in range(num_heads)]
        self._work = Work.zeros(*sizes)
        self._shape = (num_streams, reservoir.input_dim)
        self._no_features = np.zeros((num_streams, m))
        self._layers = NO_LAYERS
        self._read = True  # the first step compiles all
        self._pair: tuple[Floats, Floats, Floats]
        """Inputs, features where compiled code does not make them, and targets."""
        self._lost = np.zeros((num_heads, num_streams), np.bool_)
        self._all = np.ones(num_streams, np.bool_)

    def forget(self) -> None:
        """Do not use what was computed from sums that have changed since."""
        self._state.known[:] = False

    def clear(self, streams: Tensor | Sequence[int] | slice, scores: Floats) -> None:
        """Do what ``PlainStreams.clear`` does."""
        mask = np.zeros(len(self._all), np.bool_)
        mask[streams.numpy() if isinstance(streams, Tensor) else streams] = True
        clear(mask, self._state, scores)

    def take(self, inputs: Tensor, targets: Tensor, active: Tensor | None) -> torch.dtype:
        """Do what ``PlainStreams.take`` does; features are left to ``advance`` where it can."""
        made, features, dtype = self._features, self._no_features, inputs.dtype
        self._layers = NO_LAYERS
        if type(made) is CompiledMLP and dtype is torch.float64 and inputs.shape == self._shape:
            self._layers = made.layers()
        else:  # also for what the reservoir refuses
            with torch.no_grad():
                found = self._reservoir.forward(inputs)
            features, dtype = doubles(found), found.dtype
        self._pair = doubles(inputs), features, doubles(targets)
        return dtype

    def advance(
        self, draw: Callable[[], Floats], active: Tensor | None, setting: Setting, scores: Floats
    ) -> Floats | None:
        """Do what ``PlainStreams.advance`` does."""
        after, lost, by_readout = scores.copy(), self._lost, self._work.by_readout
        mask = self._all if active is None else active.contiguous().numpy()
        given = *self._pair, mask, self._layers
        if len(after) == 1:
            found = step(*given, setting, self._state, after, lost)
        elif hold(*given, self._state):  # signs are drawn for finite pairs only
            found = advance(mask, draw(), setting, self._state, after, lost)
        else:
            found = NOT_FINITE
        if found == NOT_FINITE:
            return None
        if found == SINGULAR:
            raise np.linalg.LinAlgError("the normal matrix is not positive definite")
        if found or self._read:
            read_out(mask, lost, setting, self._state, self._work, after)
            self._read = np.count_nonzero(by_readout) > 0
        return after


def doubles(values: Tensor) -> Floats:
    """View values as an array of float64, or convert them to one."""
    return values.numpy() if values.dtype is torch.float64 else values.double().numpy()


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


@compiled
def solve(factor: Floats, length: int, w: Floats) -> None:
    """Put (L L')^-1 w in the place of w, in ``length`` columns.

    w_i = (w_i - sum_k<i L_ik w_k) / L_ii from the first row on, and with L' from the last row on.
    """
    m = len(factor)
    for i in range(m):
        subtract(factor[i], w, 0, i, length, w[i])
        divide(w[i], length, factor[i, i])
    for i in range(m - 1, -1, -1):
        subtract(factor[i], w, i + 1, m, length, w[i])
        divide(w[i], length, factor[i, i])


@reordered
def divide(x: Floats, length: int, by: float) -> None:
    """Divide some numbers by one."""
    inverse = 1.0 / by
    for k in range(length):
        x[k] *= inverse


@compiled
def log_det_of_readout(cross: Any, target_dim: int, weight: float, work: Work) -> float:
    """Compute log det(I + eta W W') / 2 from W = A^-1 B, some columns at a time."""
    m, inner, width = len(work.row), work.inner, work.readout.shape[1]
    size = min(m, target_dim)  # of the smaller one, I + eta W W' or I + eta W'W
    inner[:] = 0.0
    for i in range(size):
        inner[i, i] = 1.0
    for first in range(0, target_dim, width):
        length = take_columns(cross, target_dim, first, work.scale, work.readout)
        solve(work.factor, length, work.readout)
        if target_dim < m:
            add_inner_product(work.readout, weight, inner)
        else:
            add_outer_product(work.readout, length, weight, inner, work.row)
    return factorize(inner, size)


@compiled
def take_columns(cross: Any, target_dim: int, first: int, scale: Floats, out: Floats) -> int:
    """Put scaled columns of B, from ``first`` on, into ``out``; return how many, some of zeros."""
    width = out.shape[1]
    length = min(width, target_dim - first)
    filled = min(width, -(-length // MULTIPLE) * MULTIPLE)
    for i in range(len(scale)):
        for k in range(length):
            out[i, k] = cross[i * target_dim + first + k] * scale[i]
        for k in range(length, filled):
            out[i, k] = 0.0
    return filled


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


@njit(error_model="numpy", cache=True)
def read_out(
    active: Flags, lost: Flags, setting: Setting, state: Any, work: Work, scores: Floats
) -> None:
    """Write the scores of the active streams whose determinants have lost digits."""
    m, side, lanes = len(work.row), state.side, state.shared.shape[2]
    target_dim = state.deviation.shape[2] - side
    for stream in range(len(active)):
        if not active[stream]:
            continue
        group, lane = stream // lanes, stream % lanes
        work.by_readout[stream] = False
        for k in range(len(scores)):
            if not lost[k, stream]:
                continue
            if not work.by_readout[stream]:
                kept = state.kept[group, :, lane]
                work.scale[:] = kept[:m]
                for i in range(m):
                    for j in range(i + 1):
                        work.factor[i, j] = work.factor[j, i] = kept[(3 + i) * side + j]
                work.by_readout[stream] = True
            cross = state.own[k, group, target_dim:, lane]
            found = log_det_of_readout(cross, target_dim, setting.weight, work)
            scores[k, stream] = 2.0 * setting.bits * found
