"""One step of all streams in compiled code, four streams at a time.

The features of a compiled reservoir are

    h' = elu(gain * normalize(W h + b)),   normalize(z) = (z - mean z) / sqrt(var z + epsilon),

sums and scores those of ``plain``. A stream that has no pair, or a place of a group that has no
stream, deviates by zero and thus changes by nothing.

Numba compiles this file at its first use on a machine and keeps the result beside it. It looks for
changes in the file of the function that is called, and in no other: ``BUILT_ON`` changes this file
with the two that it is built on, and a test says what to write there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from learnable_novelty.observer.online.linear_algebra import (
    factorize,
    half_solve,
    product,
    solve,
    sum_of_logs,
)
from learnable_novelty.observer.online.streams import (
    BY_DETERMINANTS,
    BY_READOUT,
    DOUBTFUL,
    NOT_FINITE,
    TOO_LARGE,
    Setting,
)
from learnable_novelty.observer.online.vectors import (
    GROUP,
    compiled,
    elu,
    fma,
    get,
    get4,
    pack,
    put,
    put4,
    root,
    spread,
    where_greater,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
BUILT_ON = {"linear_algebra.py": "84f03bd4ed3fe196", "vectors.py": "26ce54599351cb88"}
COUNT, ACTIVE, KNOWN = range(3)
ORIGIN, MEAN, DEVIATION, SCALE, INVERSE, PIVOTS = range(6)
POWER, GRAM, FACTOR = SCALE, 0, 1
"""Places in the arrays of ``compiled.GroupedState``."""
PAD = 40
"""Rows between matrices of four streams."""


@compiled
def transpose(values: Floats, group: int, on: Any, out: Floats) -> None:
    """Write the rows of a group of streams as columns, zero where there is no pair."""
    first, last, zero = GROUP * group, len(values) - 1, spread(0.0)
    r0, r1 = values[first], values[min(first + 1, last)]
    r2, r3 = values[min(first + 2, last)], values[min(first + 3, last)]
    for i in range(values.shape[1]):
        put(out, i, where_greater(on, zero, pack(r0[i], r1[i], r2[i], r3[i]), zero))


@compiled
def layer(weights: Floats, biases: Floats, fan_in: int, hidden: Floats, out: Floats) -> None:
    """Put W h + b into ``out``, four rows at a time."""
    for i in range(0, len(biases), 4):
        s0, s1 = spread(biases[i]), spread(biases[i + 1])
        s2, s3 = spread(biases[i + 2]), spread(biases[i + 3])
        for k in range(fan_in):
            h = get(hidden, k)
            s0, s1 = fma(spread(weights[i, k]), h, s0), fma(spread(weights[i + 1, k]), h, s1)
            s2, s3 = fma(spread(weights[i + 2, k]), h, s2), fma(spread(weights[i + 3, k]), h, s3)
        put4(out, i, 1, s0, s1, s2, s3)


@compiled
def make_features(mlp: Any, m: int, fan_in: int, hidden: Floats, drive: Floats) -> None:
    """Apply all layers to what ``hidden`` holds, in its place."""
    share = spread(1.0 / m)
    for depth in range(len(mlp.weights)):
        layer(mlp.weights[depth], mlp.biases[depth], fan_in, hidden, drive)
        if mlp.linear_last and depth == len(mlp.weights) - 1:
            for i in range(m):
                put(hidden, i, get(drive, i))
            return
        mean, variance = spread(0.0), spread(0.0)
        for i in range(m):
            mean = mean + get(drive, i)
        mean = mean * share
        for i in range(m):
            deviation = get(drive, i) - mean
            variance = fma(deviation, deviation, variance)
        scale = spread(mlp.gain) / root(fma(variance, share, spread(mlp.epsilon)))
        for i in range(m):
            put(hidden, i, elu((get(drive, i) - mean) * scale))
        fan_in = m


@compiled
def take_off(values: Floats, sums: Floats, count: int, on: Any) -> Any:
    """Hold deviations, zero where there is no pair; return the sum of their squares."""
    zero = spread(0.0)
    total, origin, mean, out = zero, sums[ORIGIN], sums[MEAN], sums[DEVIATION]
    for k in range(count):
        deviation = (get(values, k) - get(origin, k)) - get(mean, k)
        deviation = where_greater(on, zero, deviation, zero)
        total = fma(deviation, deviation, total)
        put(out, k, deviation)
    return total


@compiled
def centre(
    inputs: Floats, features: Floats, targets: Floats, mlp: Any, state: Any, group: int
) -> Any:
    """Hold the deviations of a group's pairs; return the sum of their squares, NaN if not finite.

    Features are computed where ``mlp`` has layers, and are given where it has none.
    """
    m, side, on = state.feature_dim, state.side, get(state.counts[group], ACTIVE)
    values, total, zero = state.room, spread(0.0), spread(0.0)
    transpose(inputs, group, on, values)
    for k in range(inputs.shape[1]):  # the features of an infinite input can be finite
        total = fma(get(values, k), zero, total)
    if len(mlp.weights):
        drive = values[max(inputs.shape[1], side) :]
        make_features(mlp, m, inputs.shape[1], values, drive)
    else:
        transpose(features, group, on, values)
    total = total + take_off(values, state.features[group], m, on)
    transpose(targets, group, on, values)
    return total + take_off(values, state.targets[0, group], targets.shape[1], on)


@compiled
def centre_errors(state: Any, group: int, setting: Setting, signs: Floats) -> Any:
    """Hold the deviations of e = s (y - yhat), as ``plain`` does; return the sum of squares."""
    side, d, room, zero = state.side, state.targets.shape[3], state.room, spread(0.0)
    if state.counts[group, KNOWN, 0] == 0.0:
        normal_matrix(state, group, setting, room)
    own, floor, cross = state.features[group], state.targets[1, group], state.cross[0, group]
    dh, scale, inverse = own[DEVIATION], own[SCALE], own[INVERSE]
    dy, out, mean = state.targets[0, group, DEVIATION], floor[DEVIATION], floor[MEAN]
    on, n, power, z = get(state.counts[group], ACTIVE), get(state.counts[group], COUNT), zero, room
    for k in range(GROUP):
        room[side, k] = signs[min(GROUP * group + k, len(signs) - 1)]
    sign = get(room, side)
    if len(setting.fixed_scale) == 0:  # the first pair of a stream has the error zero
        sign = where_greater(n, zero, sign, zero)
    for i in range(side):
        put(z, i, get(scale, i) * get(dh, i))
    solve(state.matrices[group, FACTOR], side, inverse, z)
    for i in range(side):
        put(z, i, get(z, i) * get(scale, i))
    for k in range(d):
        put(out, k, get(dy, k))
    for i in range(0, side, 4):
        r0, r1 = cross[i * d :], cross[(i + 1) * d :]
        r2, r3 = cross[(i + 2) * d :], cross[(i + 3) * d :]
        z0, z1, z2, z3 = get4(z, i, 1)
        for k in range(d):
            low = fma(z0, get(r0, k), z1 * get(r1, k))
            low = fma(z2, get(r2, k), fma(z3, get(r3, k), low))
            put(out, k, get(out, k) - low)
    for k in range(d):
        error = where_greater(on, zero, sign * get(out, k) - get(mean, k), zero)
        power = fma(error, error, power)
        put(out, k, error)
    return power


@compiled
def normal_matrix(state: Any, group: int, setting: Setting, a: Floats) -> None:
    """Make the scale, A = H~'H~ + lambda I, its factor, 1/L_ii and L_ii^2."""
    m, side, n = state.feature_dim, state.side, get(state.counts[group], COUNT)
    own, one, zero = state.features[group], spread(1.0), spread(0.0)
    origin, mean, scale = own[ORIGIN], own[MEAN], own[SCALE]
    gram, factor = state.matrices[group, GRAM], state.matrices[group, FACTOR]
    inverse_count = one / where_greater(n, one, n, one)
    for i in range(m):
        if len(setting.fixed_scale):
            put(scale, i, spread(setting.fixed_scale[i]))
        else:
            variance = get(gram, i * side + i) * inverse_count
            whole = get(origin, i) + get(mean, i)
            least = spread(setting.feature_ratio) * (whole * whole)
            inverse_sd = one / root(variance * spread(float(m)))
            put(scale, i, where_greater(variance, least, inverse_sd, zero))
    for i in range(side):
        for j in range(i + 1):
            value = get(gram, i * side + j) * (get(scale, i) * get(scale, j))
            if i == j:
                value = value + spread(setting.penalty)
            put(a, i * side + j, value)
            put(a, j * side + i, value)
            put(factor, i * side + j, value)
    factorize(factor, side, own[INVERSE], own[PIVOTS])
    state.counts[group, KNOWN, 0] = 1.0


@compiled
def begin(sums: Floats, n: Any) -> None:
    """Make the pairs of new streams their origins: they deviate by zero then."""
    origin, deviation, half, zero = sums[ORIGIN], sums[DEVIATION], spread(0.5), spread(0.0)
    for i in range(len(origin)):
        value = get(deviation, i)
        put(origin, i, where_greater(n, half, get(origin, i), value))
        put(deviation, i, where_greater(n, half, value, zero))


@compiled
def absorb(state: Any, head: int, group: int, inverse: Any, f_dh: Floats, u: Floats) -> None:
    """Advance the sums of the targets, B and Q, as ``PlainSums.absorb`` does."""
    side, d, dy = state.side, state.targets.shape[3], state.targets[head, group, DEVIATION]
    mean, power = state.targets[head, group, MEAN], state.targets[head, group, POWER]
    cross, outer, peak = state.cross[head, group], state.outer[head, group], state.peak[head, group]
    half_power, share = spread(0.0), spread(1.0) - inverse
    for k in range(d):
        y = get(dy, k)
        put(mean, k, fma(y, inverse, get(mean, k)))
        put(power, k, fma(y * y, share, get(power, k)))
        half_power = fma(y, y, half_power)
    half_power = half_power * spread(0.5)
    for i in range(0, side, 4):
        r0, r1 = cross[i * d :], cross[(i + 1) * d :]
        r2, r3 = cross[(i + 2) * d :], cross[(i + 3) * d :]
        f0, f1, f2, f3 = get4(f_dh, i, 1)
        s0, s1, s2, s3 = half_power * f0, half_power * f1, half_power * f2, half_power * f3
        for k in range(d):
            y = get(dy, k)
            b0, b1, b2, b3 = get(r0, k), get(r1, k), get(r2, k), get(r3, k)
            s0, s1, s2, s3 = fma(b0, y, s0), fma(b1, y, s1), fma(b2, y, s2), fma(b3, y, s3)
            b0, b1, b2, b3 = fma(f0, y, b0), fma(f1, y, b1), fma(f2, y, b2), fma(f3, y, b3)
            put4(r0, k, d, b0, b1, b2, b3)
        put4(u, i, 1, s0, s1, s2, s3)
    for i in range(side):
        f, v, row = get(f_dh, i), get(u, i), outer[i * side :]
        for j in range(i + 1):
            put(row, j, fma(f, get(u, j), fma(v, get(f_dh, j), get(row, j))))
        now, before = get(row, i), get(peak, i)
        put(peak, i, where_greater(now, before, now, before))


@compiled
def add_pairs(state: Any, group: int, setting: Setting) -> None:
    """Advance all sums of a group by the deviations that are held."""
    side, counts, one = state.side, state.counts[group], spread(1.0)
    own, gram = state.features[group], state.matrices[group, GRAM]
    mean, dh = own[MEAN], own[DEVIATION]
    f_dh, u = state.room[:side], state.room[side : 2 * side]
    moving_mean, inverse = len(setting.fixed_scale) == 0, spread(0.0)
    if moving_mean and counts[COUNT].min() == 0.0:
        begin(own, get(counts, COUNT))
        begin(state.targets[0, group], get(counts, COUNT))
    n = get(counts, COUNT) + get(counts, ACTIVE)
    put(counts, COUNT, n)
    if moving_mean:
        inverse = get(counts, ACTIVE) / where_greater(n, one, n, one)
    for i in range(side):
        put(mean, i, fma(get(dh, i), inverse, get(mean, i)))
        put(f_dh, i, get(dh, i) * (one - inverse))
    for head in range(len(state.outer)):
        absorb(state, head, group, inverse, f_dh, u)
    for i in range(side):
        f, row = get(f_dh, i), gram[i * side :]
        for j in range(i + 1):
            put(row, j, fma(f, get(dh, j), get(row, j)))


@compiled
def log_ratio(
    state: Any, head: int, group: int, squared: Floats, setting: Setting, room: Floats
) -> None:
    """Put log det(A^2 + eta Q) / 2 - log det A into room[0], and NaN where that loses digits."""
    m, side, scale = state.feature_dim, state.side, state.features[group, SCALE]
    peak, outer = state.peak[head, group], state.outer[head, group]
    inverse, pivots, inner = room[2:], room[2 + side :], room[2 + 2 * side :]
    largest, smallest = spread(0.0), spread(np.inf)
    for i in range(side):
        factor = spread(setting.resolution) * get(scale, i)
        for j in range(i + 1):
            at = i * side + j
            put(inner, at, fma(get(outer, at), factor * get(scale, j), get(squared, at)))
        value = fma(get(peak, i), factor * get(scale, i), get(squared, i * side + i))
        largest = where_greater(value, largest, value, largest)
    factorize(inner, side, inverse, pivots)
    for i in range(m):
        pivot = get(pivots, i)
        smallest = where_greater(smallest, pivot, pivot, smallest)
    sum_of_logs(inner, state.features[group, PIVOTS], 1, m, side, room)
    most = largest * spread(setting.determinant_share)
    put(room, 0, where_greater(most, smallest, spread(np.nan), get(room, 0)))


@compiled
def log_by_readout(state: Any, head: int, group: int, setting: Setting, room: Floats) -> None:
    """Put log det(L'L + eta XX') / 2 - log det(L) into room[0], and NaN where that loses digits.

    X = L^-1 B: half of the readout is enough, and A is not squared.
    """
    m, side, d = state.feature_dim, state.side, state.targets.shape[3]
    own, cross, factor = (
        state.features[group],
        state.cross[head, group],
        state.matrices[group, FACTOR],
    )
    diagonal, inverse, pivots = room[2:], room[2 + side :], room[2 + 2 * side :]
    inner, columns, zero = room[2 + 3 * side :], room[2 + 3 * side + side * side :], spread(0.0)
    root_resolution = spread(math.sqrt(setting.resolution))
    for i in range(side):
        for j in range(side):
            put(columns, i * side + j, get(factor, j * side + i) if j >= i else zero)
    product(columns, side, side, inner, False)
    for first in range(0, d, 8):  # eight columns of B at a time, those beyond it zero
        for i in range(side):
            factor_i = root_resolution * get(own[SCALE], i)
            for k in range(8):
                at = first + k
                value = factor_i * get(cross, i * d + at) if at < d else zero
                put(columns, 8 * i + k, value)
        half_solve(factor, side, own[INVERSE], columns)
        product(columns, side, 8, inner, True)
    for i in range(m):
        put(diagonal, i, get(inner, i * side + i) * spread(setting.readout_share))
    factorize(inner, side, inverse, pivots)
    sum_of_logs(inner, factor, side + 1, m, side, room)
    for i in range(m):
        lost = where_greater(get(diagonal, i), get(pivots, i), spread(np.nan), get(room, 0))
        put(room, 0, lost)


@compiled
def score(state: Any, group: int, setting: Setting, results: Any) -> None:
    """Write the scores of the active streams of a group."""
    side, room, active = state.side, state.room, state.counts[group, ACTIVE]
    # Not at equal places of memory pages: a processor would take loads of one matrix for loads of
    # what it has just stored in another.
    size = side * side
    a, squared, rest = room[2 * PAD :], room[3 * PAD + size :], room[4 * PAD + 2 * size :]
    normal_matrix(state, group, setting, a)
    product(a, side, side, squared, False)
    for head in range(len(state.outer)):
        log_ratio(state, head, group, squared, setting, rest)
        by_determinants, lost = room[0], False
        for k in range(GROUP):
            by_determinants[k] = rest[0, k]
            lost = lost or (active[k] > 0.0 and not math.isfinite(rest[0, k]))
        if lost:
            log_by_readout(state, head, group, setting, rest)
        for k in range(GROUP):
            if active[k] == 0.0:
                continue
            stream, value, route = GROUP * group + k, by_determinants[k], BY_DETERMINANTS
            if not math.isfinite(value):
                value, route = rest[0, k], BY_READOUT
            if not math.isfinite(value):
                route, results.some_doubtful[0] = DOUBTFUL, True
            results.route[head, stream] = route
            results.scores[head, stream] = 2.0 * setting.bits * value


@njit(error_model="numpy", cache=True)
def step(
    inputs: Floats,
    features: Floats,
    targets: Floats,
    active: Flags,
    signs: Floats,
    mlp: Any,
    setting: Setting,
    state: Any,
    results: Any,
    allowed: float,
) -> float:
    """Add a pair to every active stream and write its score, as ``Streams.advance`` says."""
    power, results.some_doubtful[0] = 0.0, False
    for group in range(len(state.counts)):
        for k in range(GROUP):
            stream = GROUP * group + k
            on = stream < len(active) and active[stream]
            state.counts[group, ACTIVE, k] = 1.0 if on else 0.0
        put(state.room, 0, centre(inputs, features, targets, mlp, state, group))
        power += state.room[0].sum()
    if not math.isfinite(power):
        return NOT_FINITE
    for group in range(len(state.counts) if len(state.outer) == 2 else 0):
        put(state.room, 0, centre_errors(state, group, setting, signs))
        power += state.room[0].sum()
    if not power <= allowed:
        return TOO_LARGE
    for group in range(len(state.counts)):
        if state.counts[group, ACTIVE].max() > 0.0:
            add_pairs(state, group, setting)
            score(state, group, setting, results)
    return power
