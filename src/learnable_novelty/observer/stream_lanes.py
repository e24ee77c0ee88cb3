"""One step of four streams in lockstep: every number of the step is a vector of four, its lanes.

A step of one stream is loops of 32 numbers, which leave half of the vector instructions to sums
over their own lanes and to remainders. Here the stream is the innermost index, (rows, LANES), and
compiled code has a type for a row, ``Lanes``, with the arithmetic of a number: what is written
below reads as the step of one stream, and does four. No lane sees another. A stream that has no
pair, or a lane that has no stream, deviates by zero and thus changes by nothing.

The features of a compiled reservoir are

    h' = elu(gain * normalize(W h + b)),   normalize(z) = (z - mean z) / sqrt(var z + epsilon),

sums and scores those of ``stream_sums`` and ``stream_step``. Matrices are row by row, their sides
filled up to a multiple of four with features that are always zero; symmetric ones are held in the
lower triangle.

Numba compiles this file at its first use on a machine and keeps the result beside it. It looks for
changes in the file of the function that is called, and in no other: hence all of it is in one file.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model
from numpy.typing import NDArray

from learnable_novelty.observer.stream_step import Setting

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LANES = 4
"""As fast as eight for eight streams, whose matrices leave the first cache, and better for one."""
NOT_FINITE, SINGULAR = -1, -2
compiled: Any = njit(error_model="numpy")
primitive: Any = intrinsic

DOUBLE, VECTOR = ir.DoubleType(), ir.VectorType(ir.DoubleType(), LANES)
INTEGERS = ir.VectorType(ir.IntType(64), LANES)


class Lanes(types.Type):
    """The type of a row of numbers, one per stream."""

    def __init__(self) -> None:
        super().__init__(name=f"Lanes{LANES}")


lanes = Lanes()


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """A vector register."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


def _address(context: Any, builder: Any, kind: Any, rows: Any, index: Any) -> Any:
    """Point to row ``index`` of an array (rows, LANES)."""
    held = context.make_array(kind)(context, builder, rows)
    offset = builder.mul(index, ir.Constant(index.type, LANES))
    return builder.bitcast(builder.gep(held.data, [offset]), VECTOR.as_pointer())


def _call(builder: Any, name: str, args: Any) -> Any:
    """Call one of LLVM's functions of vectors."""
    kind = ir.FunctionType(VECTOR, [VECTOR] * len(args))
    name = f"llvm.{name}.v{LANES}f64"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


@primitive
def get(typing: Any, rows: Any, index: Any) -> Any:
    """Read one row."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _address(context, builder, signature.args[0], *args)
        return builder.load(pointer, align=8, typ=VECTOR)

    return lanes(rows, types.intp), emit


@primitive
def put(typing: Any, rows: Any, index: Any, value: Any) -> Any:
    """Write one row."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _address(context, builder, signature.args[0], *args[:2])
        builder.store(args[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(rows, types.intp, lanes), emit


@primitive
def spread(typing: Any, number: Any) -> Any:
    """Give all lanes one number."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        undefined, zero = ir.Constant(VECTOR, ir.Undefined), ir.Constant(ir.IntType(32), 0)
        first = builder.insert_element(undefined, args[0], zero)
        order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(first, undefined, order)

    return lanes(types.float64), emit


@primitive
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, in one rounding where the machine can."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, "fmuladd", args)

    return lanes(lanes, lanes, lanes), emit


@primitive
def less(typing: Any, c: Any, a: Any, b: Any) -> Any:
    """Return c - a b, in one rounding where the machine can."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, "fmuladd", [builder.fneg(args[1]), args[2], args[0]])

    return lanes(lanes, lanes, lanes), emit


@primitive
def root(typing: Any, a: Any) -> Any:
    """Return the square root."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, "sqrt", args)

    return lanes(lanes), emit


@primitive
def where_greater(typing: Any, a: Any, b: Any, then: Any, otherwise: Any) -> Any:
    """Return ``then`` in the lanes where a > b, ``otherwise`` in the others."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return lanes(lanes, lanes, lanes, lanes), emit


@primitive
def times_power_of_two(typing: Any, a: Any, shifted: Any) -> Any:
    """Return 2^k a, with k in the last bits of ``shifted``."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits, power = (builder.bitcast(value, INTEGERS) for value in args)
        power = builder.shl(power, ir.Constant(INTEGERS, [52] * LANES))
        return builder.bitcast(builder.add(bits, power), VECTOR)

    return lanes(lanes, lanes), emit


def _define(operation: Any, name: str) -> None:
    """Give rows one of the operations of numbers."""

    @primitive
    def apply(typing: Any, a: Any, b: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, name)(*args)

        return lanes(lanes, lanes), emit

    @overload(operation)
    def choose(a: Any, b: Any) -> Any:
        def use(a: Any, b: Any) -> Any:
            return apply(a, b)

        return use if isinstance(a, Lanes) and isinstance(b, Lanes) else None


for _operation, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _define(_operation, _name)


LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
TO_INTEGER = 1.5 * 2.0**52
"""Adding it rounds to a whole number and leaves that number in the last bits."""
SERIES = tuple(1.0 / math.factorial(k) for k in range(13, -1, -1))


@compiled
def exp(z: Any) -> Any:
    """Return e^z = 2^k e^r, |r| <= log(2)/2, |z| < 700: the series to r^13 is exact to 1e-17."""
    shifted = fma(z, spread(LOG2_E), spread(TO_INTEGER))
    k = shifted - spread(TO_INTEGER)
    r = fma(k, spread(-LN2_LOW), fma(k, spread(-LN2_HIGH), z))
    total = spread(SERIES[0])
    for i in range(1, 14):
        total = fma(total, r, spread(SERIES[i]))
    return times_power_of_two(total, shifted)


@compiled
def elu(z: Any) -> Any:
    """Return z where it is positive, e^z - 1 elsewhere, and NaN for NaN."""
    zero, least = spread(0.0), spread(-700.0)
    low = where_greater(least, z, least, where_greater(z, zero, zero, z))
    return where_greater(z, zero, z, fma(zero, low, exp(low) - spread(1.0)))


@compiled
def transpose(values: Any, first: int, active: Flags, out: Floats) -> None:
    """Write streams from ``first`` on as lanes, zero where there is no pair."""
    for lane in range(LANES):
        stream = first + lane
        if stream < len(active) and active[stream]:
            for k in range(values.shape[1]):
                out[k, lane] = values[stream, k]
        else:
            for k in range(values.shape[1]):
                out[k, lane] = 0.0


@compiled
def layer(weights: Floats, biases: Floats, fan_in: int, hidden: Floats, out: Floats) -> None:
    """Put W h + b into ``out``, four rows at a time."""
    for i in range(0, len(biases), 4):
        s0, s1 = spread(biases[i]), spread(biases[i + 1])
        s2, s3 = spread(biases[i + 2]), spread(biases[i + 3])
        for k in range(fan_in):
            h = get(hidden, k)
            s0 = fma(spread(weights[i, k]), h, s0)
            s1 = fma(spread(weights[i + 1, k]), h, s1)
            s2 = fma(spread(weights[i + 2, k]), h, s2)
            s3 = fma(spread(weights[i + 3, k]), h, s3)
        put(out, i, s0)
        put(out, i + 1, s1)
        put(out, i + 2, s2)
        put(out, i + 3, s3)


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


@njit(error_model="numpy", cache=True)
def features(inputs: Floats, mlp: Any, out: Floats) -> None:
    """Compute the features of inputs (num_samples, input_dim), (num_samples, m)."""
    m, fan_in, side = out.shape[1], inputs.shape[1], mlp.biases.shape[1]
    hidden, drive = np.zeros((max(fan_in, side), LANES)), np.zeros((side, LANES))
    every = np.ones(len(inputs), np.bool_)
    for first in range(0, len(inputs), LANES):
        transpose(inputs, first, every, hidden)
        make_features(mlp, m, fan_in, hidden, drive)
        for row in range(first, min(first + LANES, len(inputs))):
            for i in range(m):
                out[row, i] = hidden[i, row - first]


@compiled
def take_off(values: Floats, mean: Floats, count: int, active: Any, out: Floats) -> Any:
    """Hold deviations from the mean, zero where not active; return zero, NaN if one is not finite.

    The sum of zero times a number is NaN if one number is not finite.
    """
    zero = spread(0.0)
    total = zero
    for k in range(count):
        deviation = where_greater(active, zero, get(values, k) - get(mean, k), zero)
        total = fma(deviation, zero, total)
        put(out, k, deviation)
    return total


@njit(error_model="numpy", cache=True)
def hold(inputs: Any, features: Any, targets: Any, active: Flags, mlp: Any, state: Any) -> bool:
    """Hold the deviations of every active stream; return whether all its values are finite.

    Features are computed where ``mlp`` has layers, and are given where it has none.
    """
    m, side, target_dim = state.feature_dim, state.side, targets.shape[1]
    room, finite = state.room, True
    for group in range(len(state.shared)):
        first = group * LANES
        values, flags, checks = room[5:], room[:1], room[1:2]
        for lane in range(LANES):
            stream = first + lane
            flags[0, lane] = 1.0 if stream < len(active) and active[stream] else 0.0
        on, total, zero = get(flags, 0), spread(0.0), spread(0.0)
        transpose(inputs, first, active, values)
        for k in range(inputs.shape[1]):
            total = fma(get(values, k), zero, total)
        if len(mlp.weights):
            drive = values[max(inputs.shape[1], side) :]
            make_features(mlp, m, inputs.shape[1], values, drive)
        else:
            transpose(features, first, active, values)
        held = state.deviation[0, group]
        total = total + take_off(values, state.shared[group][1:], m, on, held)
        transpose(targets, first, active, values)
        total = total + take_off(values, state.own[0, group], target_dim, on, held[side:])
        put(checks, 0, total)
        for lane in range(LANES):
            finite = finite and checks[0, lane] == 0.0
    return finite


@njit(error_model="numpy", cache=True)
def clear(which: Flags, state: Any, scores: Floats) -> None:
    """Set the sums and the scores of streams to zero."""
    for stream in range(len(which)):
        if not which[stream]:
            continue
        group, lane = stream // LANES, stream % LANES
        state.known[group] = False
        state.shared[group, :, lane] = 0.0
        for k in range(len(scores)):
            state.own[k, group, :, lane] = 0.0
            scores[k, stream] = 0.0


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
        s00, s10 = less(s00, x0, x0), less(s10, x0, x1)
        s20, s30 = less(s20, x0, x2), less(s30, x0, x3)
        s11, s21, s31 = less(s11, x1, x1), less(s21, x1, x2), less(s31, x1, x3)
        s22, s32, s33 = less(s22, x2, x2), less(s32, x2, x3), less(s33, x3, x3)
    one = spread(1.0)
    put(pivots, i, s00)
    s00 = root(s00)
    v0 = one / s00
    s10, s20, s30 = s10 * v0, s20 * v0, s30 * v0
    s11 = less(s11, s10, s10)
    put(pivots, i + 1, s11)
    s11 = root(s11)
    v1 = one / s11
    s21, s31 = less(s21, s10, s20) * v1, less(s31, s10, s30) * v1
    s22 = less(less(s22, s20, s20), s21, s21)
    put(pivots, i + 2, s22)
    s22 = root(s22)
    v2 = one / s22
    s32 = less(less(s32, s20, s30), s21, s31) * v2
    s33 = less(less(less(s33, s30, s30), s31, s31), s32, s32)
    put(pivots, i + 3, s33)
    s33 = root(s33)
    put(r0, i, s00)
    put(r1, i, s10)
    put(r1, i + 1, s11)
    put(r2, i, s20)
    put(r2, i + 1, s21)
    put(r2, i + 2, s22)
    put(r3, i, s30)
    put(r3, i + 1, s31)
    put(r3, i + 2, s32)
    put(r3, i + 3, s33)
    put(inverse, i, v0)
    put(inverse, i + 1, v1)
    put(inverse, i + 2, v2)
    put(inverse, i + 3, one / s33)


@compiled
def factorize(a: Floats, side: int, inverse: Floats, pivots: Floats) -> None:
    """Put the Cholesky factor L in the lower triangle, 1/L_ii and L_ii^2 into the other two.

    L_ij = (a_ij - sum_k<j L_ik L_jk) / L_jj, row by row, four rows at a time. A pivot that is not
    positive makes its own lane NaN.
    """
    for i in range(0, side, 4):
        r0, r1 = a[i * side :], a[(i + 1) * side :]
        r2, r3 = a[(i + 2) * side :], a[(i + 3) * side :]
        for j in range(i):
            row = a[j * side :]
            s0, s1, s2, s3 = get(r0, j), get(r1, j), get(r2, j), get(r3, j)
            for k in range(j):
                x = get(row, k)
                s0, s1 = less(s0, x, get(r0, k)), less(s1, x, get(r1, k))
                s2, s3 = less(s2, x, get(r2, k)), less(s3, x, get(r3, k))
            x = get(inverse, j)
            put(r0, j, s0 * x)
            put(r1, j, s1 * x)
            put(r2, j, s2 * x)
            put(r3, j, s3 * x)
        factorize_block(r0, r1, r2, r3, i, inverse, pivots)


@compiled
def square(a: Floats, side: int, out: Floats) -> None:
    """Put A^2 into the lower triangle, in tiles of four rows and two columns."""
    for i in range(0, side, 4):
        r0, r1 = a[i * side :], a[(i + 1) * side :]
        r2, r3 = a[(i + 2) * side :], a[(i + 3) * side :]
        for j in range(0, i + 4, 2):
            c0, c1 = a[j * side :], a[(j + 1) * side :]
            s00, s10, s20, s30 = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
            s01, s11, s21, s31 = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
            for k in range(side):
                x, y = get(c0, k), get(c1, k)
                z0, z1, z2, z3 = get(r0, k), get(r1, k), get(r2, k), get(r3, k)
                s00, s01 = fma(z0, x, s00), fma(z0, y, s01)
                s10, s11 = fma(z1, x, s10), fma(z1, y, s11)
                s20, s21 = fma(z2, x, s20), fma(z2, y, s21)
                s30, s31 = fma(z3, x, s30), fma(z3, y, s31)
            at = i * side + j
            put(out, at, s00)
            put(out, at + 1, s01)
            put(out, at + side, s10)
            put(out, at + side + 1, s11)
            put(out, at + 2 * side, s20)
            put(out, at + 2 * side + 1, s21)
            put(out, at + 3 * side, s30)
            put(out, at + 3 * side + 1, s31)


@compiled
def solve(factor: Floats, side: int, inverse: Floats, x: Floats) -> None:
    """Put (L L')^-1 x in the place of x."""
    for i in range(side):
        total, row = get(x, i), factor[i * side :]
        for k in range(i):
            total = less(total, get(row, k), get(x, k))
        put(x, i, total * get(inverse, i))
    for i in range(side - 1, -1, -1):
        value, row = get(x, i) * get(inverse, i), factor[i * side :]
        put(x, i, value)
        for k in range(i):
            put(x, k, less(get(x, k), get(row, k), value))


@compiled
def normal_matrix(state: Any, group: int, m: int, setting: Setting, a: Floats) -> None:
    """Make the scale, A = H~'H~ + lambda I, its factor and 1/L_ii."""
    side, shared = state.side, state.shared[group]
    mean, gram = shared[1:], shared[1 + side :]
    kept = state.kept[group]
    scale, inverse, factor = kept[:side], kept[side : 2 * side], kept[3 * side :]
    n, one, zero = get(shared, 0), spread(1.0), spread(0.0)
    inverse_count = one / where_greater(n, one, n, one)
    for i in range(m):
        if len(setting.fixed_scale):
            put(scale, i, spread(setting.fixed_scale[i]))
        else:
            variance = get(gram, i * side + i) * inverse_count
            least = spread(setting.constant_ratio) * (get(mean, i) * get(mean, i))
            found = one / root(variance * spread(float(m)))
            put(scale, i, where_greater(variance, least, found, zero))
    for i in range(side):
        for j in range(i + 1):
            value = get(gram, i * side + j) * (get(scale, i) * get(scale, j))
            if i == j:
                value = value + spread(setting.penalty)
            put(a, i * side + j, value)
            put(a, j * side + i, value)
            put(factor, i * side + j, value)
    factorize(factor, side, inverse, kept[2 * side :])


@compiled
def absorb(
    own: Floats, dy: Floats, d: int, side: int, inverse: Any, f_dh: Floats, u: Floats
) -> None:
    """Advance the mean of the targets, B and Q, as ``StreamSums.absorb`` does."""
    mean, cross, outer = own[:d], own[d:], own[d + side * d :]
    half_power = spread(0.0)
    for k in range(d):
        y = get(dy, k)
        put(mean, k, fma(y, inverse, get(mean, k)))
        half_power = fma(y, y, half_power)
    half_power = half_power * spread(0.5)
    for i in range(0, side, 4):
        r0, r1 = cross[i * d :], cross[(i + 1) * d :]
        r2, r3 = cross[(i + 2) * d :], cross[(i + 3) * d :]
        f0, f1, f2, f3 = get(f_dh, i), get(f_dh, i + 1), get(f_dh, i + 2), get(f_dh, i + 3)
        s0, s1 = half_power * f0, half_power * f1
        s2, s3 = half_power * f2, half_power * f3
        for k in range(d):
            y = get(dy, k)
            b0, b1, b2, b3 = get(r0, k), get(r1, k), get(r2, k), get(r3, k)
            s0, s1, s2, s3 = fma(b0, y, s0), fma(b1, y, s1), fma(b2, y, s2), fma(b3, y, s3)
            put(r0, k, fma(f0, y, b0))
            put(r1, k, fma(f1, y, b1))
            put(r2, k, fma(f2, y, b2))
            put(r3, k, fma(f3, y, b3))
        put(u, i, s0)
        put(u, i + 1, s1)
        put(u, i + 2, s2)
        put(u, i + 3, s3)
    for i in range(side):
        f, v, row = get(f_dh, i), get(u, i), outer[i * side :]
        for j in range(i + 1):
            put(row, j, fma(f, get(u, j), fma(v, get(f_dh, j), get(row, j))))


@compiled
def centre_floor(state: Any, group: int, d: int, on: Any, sign: Any, z: Floats) -> None:
    """Hold the deviations of e = s (y - yhat), as ``stream_floor.centre_errors`` does."""
    side, kept, zero = state.side, state.kept[group], spread(0.0)
    scale, inverse, factor = kept[:side], kept[side : 2 * side], kept[3 * side :]
    deviation, out = state.deviation[0, group], state.deviation[1, group][side:]
    cross, mean = state.own[0, group][d:], state.own[1, group]
    dy = deviation[side:]
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
        z0, z1, z2, z3 = get(z, i), get(z, i + 1), get(z, i + 2), get(z, i + 3)
        for k in range(d):
            low = fma(z0, get(r0, k), z1 * get(r1, k))
            low = fma(z2, get(r2, k), fma(z3, get(r3, k), low))
            put(out, k, get(out, k) - low)
    for k in range(d):
        put(out, k, where_greater(on, zero, sign * get(out, k) - get(mean, k), zero))


@compiled
def sum_of_logs(factor: Floats, over: Floats, stride: int, m: int, side: int, room: Floats) -> None:
    """Put sum_i log(F_ii / over_i) into room[0]; the logarithm is taken of four ratios at a time.

    Where all features are constant each ratio is exactly one.
    """
    product = spread(1.0)
    for lane in range(LANES):
        room[0, lane] = 0.0
    for i in range(m):
        product = product * (get(factor, i * side + i) / get(over, i * stride))
        if i % 4 == 3 or i == m - 1:
            put(room, 1, product)
            product = spread(1.0)
            for lane in range(LANES):
                room[0, lane] += math.log(room[1, lane])


@compiled
def log_ratio(
    outer: Floats, squared: Floats, kept: Floats, m: int, side: int, setting: Setting, room: Floats
) -> None:
    """Put log det(A^2 + eta Q) / 2 - log det A into room[0], and NaN where that loses digits."""
    scale, pivots = kept[:side], kept[2 * side :]
    inverse, spare, inner = room[4 : 4 + side], room[4 + side :], room[4 + 2 * side :]
    largest, smallest = spread(0.0), spread(np.inf)
    for i in range(side):
        weight = spread(setting.weight) * get(scale, i)
        for j in range(i + 1):
            at = i * side + j
            value = fma(get(outer, at), weight * get(scale, j), get(squared, at))
            put(inner, at, value)
            if i == j and i < m:
                largest = where_greater(value, largest, value, largest)
    factorize(inner, side, inverse, spare)
    for i in range(m):
        pivot = get(inner, i * side + i)
        smallest = where_greater(smallest, pivot, pivot, smallest)
    sum_of_logs(inner, pivots, 1, m, side, room)
    most, least = largest * spread(setting.roundoff), smallest * smallest
    put(room, 0, where_greater(most, least, spread(np.nan), get(room, 0)))


@compiled
def gram_of_factor(factor: Floats, side: int, out: Floats) -> None:
    """Put L'L into the lower triangle."""
    zero = spread(0.0)
    for at in range(side * side):
        put(out, at, zero)
    for k in range(side):
        row = factor[k * side :]
        for i in range(k + 1):
            x = get(row, i)
            for j in range(i + 1):
                put(out, i * side + j, fma(x, get(row, j), get(out, i * side + j)))


@compiled
def half_solved(cross: Floats, first: int, d: int, kept: Floats, side: int, out: Floats) -> None:
    """Put eight columns of L^-1 B, from ``first`` on, into ``out``, (side, 8): those beyond are 0.

    x_i = (b_i - sum_k<i L_ik x_k) / L_ii.
    """
    scale, inverse, factor, zero = kept[:side], kept[side:], kept[3 * side :], spread(0.0)
    for i in range(side):
        for c in range(8):
            k = first + c
            put(out, 8 * i + c, get(scale, i) * get(cross, i * d + k) if k < d else zero)
    for i in range(side):
        row, here = factor[i * side :], out[8 * i :]
        x0, x1, x2, x3 = get(here, 0), get(here, 1), get(here, 2), get(here, 3)
        x4, x5, x6, x7 = get(here, 4), get(here, 5), get(here, 6), get(here, 7)
        for k in range(i):
            low, at = get(row, k), 8 * k
            x0, x1 = less(x0, low, get(out, at)), less(x1, low, get(out, at + 1))
            x2, x3 = less(x2, low, get(out, at + 2)), less(x3, low, get(out, at + 3))
            x4, x5 = less(x4, low, get(out, at + 4)), less(x5, low, get(out, at + 5))
            x6, x7 = less(x6, low, get(out, at + 6)), less(x7, low, get(out, at + 7))
        low = get(inverse, i)
        put(here, 0, x0 * low)
        put(here, 1, x1 * low)
        put(here, 2, x2 * low)
        put(here, 3, x3 * low)
        put(here, 4, x4 * low)
        put(here, 5, x5 * low)
        put(here, 6, x6 * low)
        put(here, 7, x7 * low)


@compiled
def add_outer_product(columns: Floats, side: int, weight: Any, out: Floats) -> None:
    """Add weight X X' to the lower triangle, X of eight columns."""
    for i in range(side):
        here, row = columns[8 * i :], out[i * side :]
        x0, x1 = get(here, 0) * weight, get(here, 1) * weight
        x2, x3 = get(here, 2) * weight, get(here, 3) * weight
        x4, x5 = get(here, 4) * weight, get(here, 5) * weight
        x6, x7 = get(here, 6) * weight, get(here, 7) * weight
        for j in range(i + 1):
            at = 8 * j
            even = fma(x0, get(columns, at), get(row, j))
            odd = x1 * get(columns, at + 1)
            even, odd = fma(x2, get(columns, at + 2), even), fma(x3, get(columns, at + 3), odd)
            even, odd = fma(x4, get(columns, at + 4), even), fma(x5, get(columns, at + 5), odd)
            even, odd = fma(x6, get(columns, at + 6), even), fma(x7, get(columns, at + 7), odd)
            put(row, j, even + odd)


@compiled
def log_by_readout(
    cross: Floats, d: int, kept: Floats, m: int, side: int, weight: float, room: Floats
) -> None:
    """Put log det(I + eta W W') / 2 into room[0], where the determinants would lose digits.

    With X = L^-1 B, W = L'^-1 X, so that det(I + eta W W') = det(L'L + eta X X') / det(L'L): half
    of the solution is enough, and A is not squared.
    """
    factor = kept[3 * side :]
    inverse, spare, inner = room[4 : 4 + side], room[4 + side :], room[4 + 2 * side :]
    columns = inner[side * side :]
    gram_of_factor(factor, side, inner)
    for first in range(0, d, 8):
        half_solved(cross, first, d, kept, side, columns)
        add_outer_product(columns, side, spread(weight), inner)
    factorize(inner, side, inverse, spare)
    sum_of_logs(inner, factor, side + 1, m, side, room)


@njit(error_model="numpy", cache=True)
def advance(
    active: Flags, signs: Floats, setting: Setting, state: Any, scores: Floats, read: Flags
) -> int:
    """Add a pair to every active stream and write its score; with two rows, also of its floor.

    Scores that the determinants would lose to rounding come through the readout, and are marked
    in ``read``. Returns 0, or SINGULAR.
    """
    m, side, num_heads = state.feature_dim, state.side, len(scores)
    d, moving_mean = state.deviation.shape[2] - side, len(setting.fixed_scale) == 0
    room = state.room
    f_dh, u, rest = room[4 : 4 + side], room[4 + side : 4 + 2 * side], room[4 + 2 * side :]
    a, squared, spare = rest[: side * side], rest[side * side :], rest[2 * side * side :]
    one, zero = spread(1.0), spread(0.0)
    for group in range(len(state.shared)):
        first, some = group * LANES, False
        for lane in range(LANES):
            on = first + lane < len(active) and active[first + lane]
            some = some or on
            room[0, lane] = 1.0 if on else 0.0
            room[1, lane] = signs[first + lane] if on else 0.0
        if not some:
            continue
        shared, kept, deviation = state.shared[group], state.kept[group], state.deviation[0, group]
        mean, gram = shared[1:], shared[1 + side :]
        on, n = get(room, 0), get(shared, 0)
        if num_heads == 2:
            if not state.known[group]:
                normal_matrix(state, group, m, setting, a)
            sign = get(room, 1)
            if moving_mean:
                sign = where_greater(n, zero, sign, zero)
            centre_floor(state, group, d, on, sign, u)
        n = n + on
        put(shared, 0, n)
        inverse = on / where_greater(n, one, n, one) if moving_mean else zero
        share = one - inverse
        for i in range(side):
            dh = get(deviation, i)
            put(mean, i, fma(dh, inverse, get(mean, i)))
            put(f_dh, i, dh * share)
        for k in range(num_heads):
            dy = state.deviation[k, group][side:]
            absorb(state.own[k, group], dy, d, side, inverse, f_dh, u)
        for i in range(side):
            f, row = get(f_dh, i), gram[i * side :]
            for j in range(i + 1):
                put(row, j, fma(f, get(deviation, j), get(row, j)))
        normal_matrix(state, group, m, setting, a)
        state.known[group] = True
        square(a, side, squared)
        put(room, 2, get(kept, 2 * side - 1))
        for k in range(num_heads):
            cross, outer = state.own[k, group][d:], state.own[k, group][d + side * d :]
            log_ratio(outer, squared, kept, m, side, setting, spare)
            some = False
            for lane in range(LANES):
                if room[0, lane] == 0.0:
                    continue
                if not math.isfinite(room[2, lane]):  # what a bad pivot does to the last one
                    return SINGULAR
                scores[k, first + lane] = 2.0 * setting.bits * spare[0, lane]
                read[k, first + lane] = math.isnan(spare[0, lane])
                some = some or read[k, first + lane]
            if not some:
                continue
            log_by_readout(cross, d, kept, m, side, setting.weight, spare)
            for lane in range(LANES):
                if room[0, lane] != 0.0 and read[k, first + lane]:
                    scores[k, first + lane] = 2.0 * setting.bits * spare[0, lane]
    return 0


@njit(error_model="numpy", cache=True)
def step(
    inputs: Any,
    features: Any,
    targets: Any,
    active: Flags,
    mlp: Any,
    setting: Setting,
    state: Any,
    scores: Floats,
    read: Flags,
) -> int:
    """Hold and advance at once, where no signs are drawn in between; or return NOT_FINITE."""
    if not hold(inputs, features, targets, active, mlp, state):
        return NOT_FINITE
    return advance(active, scores[0], setting, state, scores, read)
