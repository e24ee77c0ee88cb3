"""Linear algebra of four streams at once: the entries of a matrix are rows of ``vectors``.

Matrices are row by row, their sides filled up to a multiple of four with features that are always
zero; symmetric ones are held in the lower triangle. Loops are written out four rows at a time, for
a processor has that many multiplications in flight.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.observer.online.vectors import (
    GROUP,
    compiled,
    fma,
    fnma,
    get,
    get4,
    put,
    put4,
    root,
    spread,
)

Floats = NDArray[np.float64]


@compiled
def factorize_block(
    r0: Floats, r1: Floats, r2: Floats, r3: Floats, i: int, inverse: Floats, pivots: Floats
) -> None:
    """Do what ``factorize`` does, in the four columns from i on of the four rows from i on."""
    s00, s10, s20, s30 = get(r0, i), get(r1, i), get(r2, i), get(r3, i)
    s11, s21, s31 = get(r1, i + 1), get(r2, i + 1), get(r3, i + 1)
    s22, s32, s33 = get(r2, i + 2), get(r3, i + 2), get(r3, i + 3)
    for k in range(i):
        x0, x1, x2, x3 = get(r0, k), get(r1, k), get(r2, k), get(r3, k)
        s00, s10 = fnma(s00, x0, x0), fnma(s10, x0, x1)
        s20, s30 = fnma(s20, x0, x2), fnma(s30, x0, x3)
        s11, s21, s31 = fnma(s11, x1, x1), fnma(s21, x1, x2), fnma(s31, x1, x3)
        s22, s32, s33 = fnma(s22, x2, x2), fnma(s32, x2, x3), fnma(s33, x3, x3)
    one = spread(1.0)
    p0, s00 = s00, root(s00)
    v0 = one / s00
    s10, s20, s30 = s10 * v0, s20 * v0, s30 * v0
    s11 = fnma(s11, s10, s10)
    p1, s11 = s11, root(s11)
    v1 = one / s11
    s21, s31 = fnma(s21, s10, s20) * v1, fnma(s31, s10, s30) * v1
    s22 = fnma(fnma(s22, s20, s20), s21, s21)
    p2, s22 = s22, root(s22)
    v2 = one / s22
    s32 = fnma(fnma(s32, s20, s30), s21, s31) * v2
    s33 = fnma(fnma(fnma(s33, s30, s30), s31, s31), s32, s32)
    put4(pivots, i, 1, p0, p1, p2, s33)
    s33 = root(s33)
    above = spread(0.0)
    put4(r0, i, 1, s00, above, above, above)
    put4(r1, i, 1, s10, s11, above, above)
    put4(r2, i, 1, s20, s21, s22, above)
    put4(r3, i, 1, s30, s31, s32, s33)
    put4(inverse, i, 1, v0, v1, v2, one / s33)


@compiled
def factorize(a: Floats, side: int, inverse: Floats, pivots: Floats) -> None:
    """Put the Cholesky factor L in the lower triangle, 1/L_ii and L_ii^2 into the other two.

    L_ij = (a_ij - sum_k<j L_ik L_jk) / L_jj, row by row, four rows at a time. A pivot that is not
    positive makes its own stream NaN.
    """
    for i in range(0, side, 4):
        r0, r1 = a[i * side :], a[(i + 1) * side :]
        r2, r3 = a[(i + 2) * side :], a[(i + 3) * side :]
        for j in range(i):
            row = a[j * side :]
            s0, s1, s2, s3 = get(r0, j), get(r1, j), get(r2, j), get(r3, j)
            for k in range(j):
                x = get(row, k)
                s0, s1 = fnma(s0, x, get(r0, k)), fnma(s1, x, get(r1, k))
                s2, s3 = fnma(s2, x, get(r2, k)), fnma(s3, x, get(r3, k))
            x = get(inverse, j)
            put4(r0, j, side, s0 * x, s1 * x, s2 * x, s3 * x)
        factorize_block(r0, r1, r2, r3, i, inverse, pivots)


@compiled
def product(x: Floats, side: int, width: int, out: Floats, add: bool) -> None:
    """Put X X' into the lower triangle, or add it, X (side, width).

    In tiles of four rows and two columns.
    """
    zero = spread(0.0)
    for i in range(0, side, 4):
        r0, r1 = x[i * width :], x[(i + 1) * width :]
        r2, r3 = x[(i + 2) * width :], x[(i + 3) * width :]
        for j in range(0, i + 4, 2):
            c0, c1, at = x[j * width :], x[(j + 1) * width :], i * side + j
            s0, s1, s2, s3, t0, t1, t2, t3 = zero, zero, zero, zero, zero, zero, zero, zero
            if add:
                s0, s1, s2, s3 = get4(out, at, side)
                t0, t1, t2, t3 = get4(out, at + 1, side)
            for k in range(width):
                a, b = get(c0, k), get(c1, k)
                z0, z1, z2, z3 = get(r0, k), get(r1, k), get(r2, k), get(r3, k)
                s0, s1, s2, s3 = fma(z0, a, s0), fma(z1, a, s1), fma(z2, a, s2), fma(z3, a, s3)
                t0, t1, t2, t3 = fma(z0, b, t0), fma(z1, b, t1), fma(z2, b, t2), fma(z3, b, t3)
            put4(out, at, side, s0, s1, s2, s3)
            put4(out, at + 1, side, t0, t1, t2, t3)


@compiled
def solve(factor: Floats, side: int, inverse: Floats, x: Floats) -> None:
    """Put (L L')^-1 x in the place of x."""
    for i in range(side):
        total, row = get(x, i), factor[i * side :]
        for k in range(i):
            total = fnma(total, get(row, k), get(x, k))
        put(x, i, total * get(inverse, i))
    for i in range(side - 1, -1, -1):
        value, row = get(x, i) * get(inverse, i), factor[i * side :]
        put(x, i, value)
        for k in range(i):
            put(x, k, fnma(get(x, k), get(row, k), value))


@compiled
def half_solve(factor: Floats, side: int, inverse: Floats, x: Floats) -> None:
    """Put L^-1 X in the place of X, (side, 8): x_i = (b_i - sum_k<i L_ik x_k) / L_ii."""
    for i in range(side):
        row, low = factor[i * side :], get(inverse, i)
        (x0, x1, x2, x3), (x4, x5, x6, x7) = get4(x, 8 * i, 1), get4(x, 8 * i + 4, 1)
        for k in range(i):
            (y0, y1, y2, y3), (y4, y5, y6, y7) = get4(x, 8 * k, 1), get4(x, 8 * k + 4, 1)
            a = get(row, k)
            x0, x1, x2, x3 = fnma(x0, a, y0), fnma(x1, a, y1), fnma(x2, a, y2), fnma(x3, a, y3)
            x4, x5, x6, x7 = fnma(x4, a, y4), fnma(x5, a, y5), fnma(x6, a, y6), fnma(x7, a, y7)
        put4(x, 8 * i, 1, x0 * low, x1 * low, x2 * low, x3 * low)
        put4(x, 8 * i + 4, 1, x4 * low, x5 * low, x6 * low, x7 * low)


@compiled
def sum_of_logs(factor: Floats, over: Floats, stride: int, m: int, side: int, room: Floats) -> None:
    """Put sum_i log(F_ii / over_i) into room[0]; the logarithm is taken of four ratios at a time.

    Where all features are constant each ratio is exactly one.
    """
    product = spread(1.0)
    room[0] = 0.0
    for i in range(m):
        product = product * (get(factor, i * side + i) / get(over, i * stride))
        if i % 4 == 3 or i == m - 1:
            put(room, 1, product)
            product = spread(1.0)
            for stream in range(GROUP):
                room[0, stream] += math.log(room[1, stream])
