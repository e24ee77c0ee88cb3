"""One step of all streams in compiled code, four streams at a time.

The features of a compiled reservoir are

    h' = elu(gain * normalize(W h + b)),   normalize(z) = (z - mean z) / sqrt(var z + epsilon),

sums and scores those of ``plain_sums`` and ``plain``. A stream that has no pair, or a place of a
group that has no stream, deviates by zero and thus changes by nothing.

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
    add_outer_product,
    factorize,
    gram_of_factor,
    half_solve,
    solve,
    square,
    sum_of_logs,
)
from learnable_novelty.observer.online.streams import NOT_FINITE, TOO_LARGE, Setting
from learnable_novelty.observer.online.vectors import (
    GROUP,
    compiled,
    elu,
    fma,
    get,
    get4,
    put,
    put4,
    root,
    spread,
    where_greater,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
BUILT_ON = {"linear_algebra.py": "b8d3ed8955444412", "vectors.py": "8fc9af9ab08276fd"}


@compiled
def transpose(values: Floats, first: int, active: Flags, out: Floats) -> None:
    """Write the rows of a group of streams as columns, zero where there is no pair."""
    for k in range(GROUP):
        stream = first + k
        if stream < len(active) and active[stream]:
            for i in range(values.shape[1]):
                out[i, k] = values[stream, i]
        else:
            for i in range(values.shape[1]):
                out[i, k] = 0.0


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
    for k in range(fan_in):
        put(hidden, k, get(hidden, k) * spread(mlp.input_scale))
    for depth in range(len(mlp.weights)):
        layer(mlp.weights[depth], mlp.biases[depth], fan_in, hidden, drive)
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
def take_off(
    values: Floats, origin: Floats, mean: Floats, count: int, active: Any, out: Floats
) -> Any:
    """Hold deviations, zero where not active; return the sum of their squares."""
    zero = spread(0.0)
    total = zero
    for k in range(count):
        deviation = (get(values, k) - get(origin, k)) - get(mean, k)
        deviation = where_greater(active, zero, deviation, zero)
        total = fma(deviation, deviation, total)
        put(out, k, deviation)
    return total


@njit(error_model="numpy", cache=True)
def hold(
    inputs: Floats, features: Floats, targets: Floats, active: Flags, mlp: Any, state: Any
) -> float:
    """Hold the deviations of every active stream; return the sum of their squares or NOT_FINITE.

    Features are computed where ``mlp`` has layers, and are given where it has none.
    """
    m, side, d = state.feature_dim, state.side, targets.shape[1]
    room, power = state.room, 0.0
    flags, sums, values = room[:1], room[1:2], room[2:]
    for group in range(len(state.shared)):
        first, shared, own = group * GROUP, state.shared[group], state.own[0, group]
        for k in range(GROUP):
            stream = first + k
            flags[0, k] = 1.0 if stream < len(active) and active[stream] else 0.0
        on, total, zero = get(flags, 0), spread(0.0), spread(0.0)
        transpose(inputs, first, active, values)
        for k in range(inputs.shape[1]):  # the features of an infinite input can be finite
            total = fma(get(values, k), zero, total)
        if len(mlp.weights):
            drive = values[max(inputs.shape[1], side) :]
            make_features(mlp, m, inputs.shape[1], values, drive)
        else:
            transpose(features, first, active, values)
        out = state.deviation[0, group]
        total = total + take_off(values, shared[1:], shared[1 + side :], m, on, out)
        transpose(targets, first, active, values)
        total = total + take_off(values, own, own[d:], d, on, out[side:])
        put(sums, 0, total)
        power += sums[0].sum()
    return power if math.isfinite(power) else NOT_FINITE


@njit(error_model="numpy", cache=True)
def clear(which: Flags, state: Any, scores: Floats) -> None:
    """Set the sums and the scores of streams to zero."""
    for stream in range(len(which)):
        if not which[stream]:
            continue
        group, place = stream // GROUP, stream % GROUP
        state.known[group] = False
        state.shared[group, :, place] = 0.0
        state.own[:, group, :, place] = 0.0
        scores[:, stream] = 0.0


@compiled
def normal_matrix(state: Any, group: int, setting: Setting, a: Floats) -> None:
    """Make the scale, A = H~'H~ + lambda I, its factor, 1/L_ii and L_ii^2."""
    m, side, shared = state.feature_dim, state.side, state.shared[group]
    origin, mean, gram = shared[1:], shared[1 + side :], shared[1 + 2 * side :]
    kept = state.kept[group]
    scale, inverse, factor = kept[:side], kept[side : 2 * side], kept[3 * side :]
    n, one, zero = get(shared, 0), spread(1.0), spread(0.0)
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
    factorize(factor, side, inverse, kept[2 * side :])
    state.known[group] = True


@compiled
def begin(state: Any, group: int, d: int) -> None:
    """Make the pairs of new streams their origins: they deviate by zero then."""
    side, shared, deviation = state.side, state.shared[group], state.deviation[0, group]
    n, half, zero = get(shared, 0), spread(0.5), spread(0.0)
    for i in range(side + d):
        row, at = (shared, 1 + i) if i < side else (state.own[0, group], i - side)
        value = get(deviation, i)
        put(row, at, where_greater(n, half, get(row, at), value))
        put(deviation, i, where_greater(n, half, value, zero))


@compiled
def absorb(
    own: Floats, dy: Floats, d: int, side: int, inverse: Any, f_dh: Floats, u: Floats
) -> None:
    """Advance the sums of the targets, B and Q, as ``PlainSums.absorb`` does."""
    mean, power, peak = own[d:], own[2 * d :], own[3 * d :]
    cross, outer = own[3 * d + side :], own[3 * d + side + side * d :]
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
        f0, f1, f2, f3 = get4(f_dh, i)
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
def centre_errors(state: Any, group: int, d: int, on: Any, sign: Any, z: Floats) -> Any:
    """Hold the deviations of e = s (y - yhat), as ``floor.centre_errors``; return their power."""
    side, kept, zero = state.side, state.kept[group], spread(0.0)
    scale, inverse, factor = kept[:side], kept[side : 2 * side], kept[3 * side :]
    deviation, out = state.deviation[0, group], state.deviation[1, group][side:]
    cross, mean = state.own[0, group][3 * d + side :], state.own[1, group][d:]
    dy, power = deviation[side:], zero
    for i in range(side):
        put(z, i, get(scale, i) * get(deviation, i))
    solve(factor, side, inverse, z)
    for i in range(side):
        put(z, i, get(z, i) * get(scale, i))
    for k in range(d):
        put(out, k, get(dy, k))
    for i in range(0, side, 4):
        r0, r1 = cross[i * d :], cross[(i + 1) * d :]
        r2, r3 = cross[(i + 2) * d :], cross[(i + 3) * d :]
        z0, z1, z2, z3 = get4(z, i)
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
def log_ratio(
    own: Floats, d: int, squared: Floats, kept: Floats, m: int, side: int, setting: Setting,
    room: Floats,
) -> None:  # fmt: skip
    """Put log det(A^2 + eta Q) / 2 - log det A into room[0], and NaN where that loses digits."""
    peak, outer = own[3 * d :], own[3 * d + side + side * d :]
    scale, pivots = kept[:side], kept[2 * side :]
    inverse, spare, inner = room[4 : 4 + side], room[4 + side :], room[4 + 2 * side :]
    largest, smallest = spread(0.0), spread(np.inf)
    for i in range(side):
        weight = spread(setting.weight) * get(scale, i)
        for j in range(i + 1):
            at = i * side + j
            put(inner, at, fma(get(outer, at), weight * get(scale, j), get(squared, at)))
        value = fma(get(peak, i), weight * get(scale, i), get(squared, i * side + i))
        largest = where_greater(value, largest, value, largest)
    factorize(inner, side, inverse, spare)
    for i in range(m):
        pivot = get(inner, i * side + i)
        smallest = where_greater(smallest, pivot, pivot, smallest)
    sum_of_logs(inner, pivots, 1, m, side, room)
    most, least = largest * spread(setting.determinant_share), smallest * smallest
    put(room, 0, where_greater(most, least, spread(np.nan), get(room, 0)))


@compiled
def log_by_readout(
    own: Floats, d: int, kept: Floats, m: int, side: int, setting: Setting, room: Floats
) -> None:
    """Put log det(L'L + eta XX') / 2 - log det(L) into room[0], and NaN where that loses digits.

    X = L^-1 B: half of the readout is enough, and A is not squared.
    """
    scale, inverse, factor = kept[:side], kept[side:], kept[3 * side :]
    cross, diagonal, pivots = own[3 * d + side :], room[4 : 4 + side], room[4 + side :]
    spare, inner = room[4 + 2 * side :], room[4 + 3 * side :]
    columns, zero = inner[side * side :], spread(0.0)
    gram_of_factor(factor, side, inner)
    for first in range(0, d, 8):  # eight columns of B at a time, those beyond it zero
        for i in range(side):
            for k in range(8):
                at = first + k
                value = get(scale, i) * get(cross, i * d + at) if at < d else zero
                put(columns, 8 * i + k, value)
        half_solve(factor, side, inverse, columns)
        add_outer_product(columns, side, spread(setting.weight), inner)
    for i in range(m):
        put(diagonal, i, get(inner, i * side + i) * spread(setting.readout_share))
    factorize(inner, side, spare, pivots)
    sum_of_logs(inner, factor, side + 1, m, side, room)
    for i in range(m):
        lost = where_greater(get(diagonal, i), get(pivots, i), spread(np.nan), get(room, 0))
        put(room, 0, lost)


@compiled
def add_pairs(state: Any, group: int, d: int, on: Any, setting: Setting) -> None:
    """Advance all sums of a group by the deviations that are held."""
    side, num_heads, room = state.side, len(state.own), state.room
    shared, deviation = state.shared[group], state.deviation[0, group]
    mean, gram, one = shared[1 + side :], shared[1 + 2 * side :], spread(1.0)
    f_dh, u = room[4 : 4 + side], room[4 + side : 4 + 2 * side]
    moving_mean, new = len(setting.fixed_scale) == 0, False
    for k in range(GROUP):
        new = new or shared[0, k] == 0.0
    if moving_mean and new:
        begin(state, group, d)
    n = get(shared, 0) + on
    put(shared, 0, n)
    inverse = on / where_greater(n, one, n, one) if moving_mean else spread(0.0)
    for i in range(side):
        dh = get(deviation, i)
        put(mean, i, fma(dh, inverse, get(mean, i)))
        put(f_dh, i, dh * (one - inverse))
    for head in range(num_heads):
        dy = state.deviation[head, group][side:]
        absorb(state.own[head, group], dy, d, side, inverse, f_dh, u)
    for i in range(side):
        f, row = get(f_dh, i), gram[i * side :]
        for j in range(i + 1):
            put(row, j, fma(f, get(deviation, j), get(row, j)))


@compiled
def score(state: Any, group: int, d: int, setting: Setting, results: Any) -> None:
    """Write the scores of the active streams of a group."""
    m, side, room = state.feature_dim, state.side, state.room
    rest = room[4 + 2 * side :]
    a, squared, spare = rest[: side * side], rest[side * side :], rest[2 * side * side :]
    normal_matrix(state, group, setting, a)
    square(a, side, squared)
    for head in range(len(state.own)):
        own, kept = state.own[head, group], state.kept[group]
        log_ratio(own, d, squared, kept, m, side, setting, spare)
        room[0] = spare[0]
        lost = False
        for k in range(GROUP):
            lost = lost or (room[1, k] != 0.0 and not math.isfinite(room[0, k]))
        if lost:
            log_by_readout(own, d, kept, m, side, setting, spare)
        for k in range(GROUP):
            stream = group * GROUP + k
            if room[1, k] == 0.0:
                continue
            through = not math.isfinite(room[0, k])
            value = spare[0, k] if through else room[0, k]
            results.by_readout[head, stream] = through
            results.doubtful[head, stream] = not math.isfinite(value)
            results.scores[head, stream] = 2.0 * setting.bits * value


@njit(error_model="numpy", cache=True)
def advance(
    active: Flags, signs: Floats, setting: Setting, state: Any, results: Any, allowed: float
) -> float:
    """Add the pairs that are held to every active stream, and write the scores.

    Returns:
        The power of the errors that floors are given, or TOO_LARGE, and no sum has changed.
    """
    side, room, power = state.side, state.room, 0.0
    d, z, zero = state.deviation.shape[2] - side, room[4:], spread(0.0)
    for group in range(len(state.shared) if len(state.own) == 2 else 0):
        for k in range(GROUP):
            stream = group * GROUP + k
            on = stream < len(active) and active[stream]
            room[1, k], room[2, k] = (1.0, signs[stream]) if on else (0.0, 0.0)
        if not state.known[group]:
            normal_matrix(state, group, setting, room[4 + 2 * side :])
        sign, n = get(room, 2), get(state.shared[group], 0)
        if len(setting.fixed_scale) == 0:  # the first pair of a stream has the error zero
            sign = where_greater(n, zero, sign, zero)
        put(room, 3, centre_errors(state, group, d, get(room, 1), sign, z))
        power += room[3].sum()
    if not power <= allowed:
        return TOO_LARGE
    results.doubtful[:] = False
    for group in range(len(state.shared)):
        some = False
        for k in range(GROUP):
            stream = group * GROUP + k
            on = stream < len(active) and active[stream]
            some = some or on
            room[1, k] = 1.0 if on else 0.0
        if some:
            add_pairs(state, group, d, get(room, 1), setting)
            score(state, group, d, setting, results)
    return power


@njit(error_model="numpy", cache=True)
def step(
    inputs: Floats,
    features: Floats,
    targets: Floats,
    active: Flags,
    mlp: Any,
    setting: Setting,
    state: Any,
    results: Any,
    allowed: float,
) -> float:
    """Hold and advance at once, where no signs are drawn in between."""
    power = hold(inputs, features, targets, active, mlp, state)
    if power == NOT_FINITE:
        return power
    if not power <= allowed:
        return TOO_LARGE
    advance(active, results.scores[0], setting, state, results, allowed)
    return power
