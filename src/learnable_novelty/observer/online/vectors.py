"""Arithmetic on four streams at once, for compiled code.

A step of one stream is loops of 32 numbers, which leave half of the vector instructions to sums
over their own lanes and to remainders. So streams are taken in groups of four, the stream is the
innermost index, (rows, GROUP), and compiled code has a type for a row, ``Vector``, with the
arithmetic of a number: what is written with it reads as the step of one stream, and does four. No
stream of a group sees another.
"""

from __future__ import annotations

import math
import operator
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

GROUP = 4
"""As fast as eight for eight streams, whose matrices leave the first cache, and better for one."""
compiled: Any = njit(error_model="numpy")
primitive: Any = intrinsic

DOUBLE, REGISTER = ir.DoubleType(), ir.VectorType(ir.DoubleType(), GROUP)
INTEGERS = ir.VectorType(ir.IntType(64), GROUP)


class Vector(types.Type):
    """The type of a row: one number of each stream of a group."""

    def __init__(self) -> None:
        super().__init__(name=f"Vector{GROUP}")


vector = Vector()


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    """A vector register."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, REGISTER)


def _address(context: Any, builder: Any, kind: Any, rows: Any, index: Any) -> Any:
    """Point to row ``index`` of an array (rows, GROUP)."""
    array = context.make_array(kind)(context, builder, rows)
    offset = builder.mul(index, ir.Constant(index.type, GROUP))
    return builder.bitcast(builder.gep(array.data, [offset]), REGISTER.as_pointer())


def _call(builder: Any, name: str, args: Any) -> Any:
    """Call one of LLVM's functions of vectors."""
    kind = ir.FunctionType(REGISTER, [REGISTER] * len(args))
    name = f"llvm.{name}.v{GROUP}f64"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


@primitive
def get(typing: Any, rows: Any, index: Any) -> Any:
    """Read one row."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _address(context, builder, signature.args[0], *args)
        return builder.load(pointer, align=8, typ=REGISTER)

    return vector(rows, types.intp), emit


@primitive
def put(typing: Any, rows: Any, index: Any, value: Any) -> Any:
    """Write one row."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _address(context, builder, signature.args[0], *args[:2])
        builder.store(args[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(rows, types.intp, vector), emit


@primitive
def spread(typing: Any, number: Any) -> Any:
    """Give all streams of a group one number."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        undefined, zero = ir.Constant(REGISTER, ir.Undefined), ir.Constant(ir.IntType(32), 0)
        first = builder.insert_element(undefined, args[0], zero)
        order = ir.Constant(ir.VectorType(ir.IntType(32), GROUP), [0] * GROUP)
        return builder.shuffle_vector(first, undefined, order)

    return vector(types.float64), emit


@primitive
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, in one rounding where the machine can."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, "fmuladd", args)

    return vector(vector, vector, vector), emit


@primitive
def fnma(typing: Any, c: Any, a: Any, b: Any) -> Any:
    """Return c - a b (negative multiply-add), in one rounding where the machine can."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, "fmuladd", [builder.fneg(args[1]), args[2], args[0]])

    return vector(vector, vector, vector), emit


@primitive
def root(typing: Any, a: Any) -> Any:
    """Return the square root."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, "sqrt", args)

    return vector(vector), emit


@primitive
def where_greater(typing: Any, a: Any, b: Any, then: Any, otherwise: Any) -> Any:
    """Return ``then`` for the streams where a > b, ``otherwise`` for the others."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return vector(vector, vector, vector, vector), emit


@primitive
def times_power_of_two(typing: Any, a: Any, shifted: Any) -> Any:
    """Return 2^k a, with k in the last bits of ``shifted``."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits, power = (builder.bitcast(value, INTEGERS) for value in args)
        power = builder.shl(power, ir.Constant(INTEGERS, [52] * GROUP))
        return builder.bitcast(builder.add(bits, power), REGISTER)

    return vector(vector, vector), emit


def _define(operation: Any, name: str) -> None:
    """Give rows one of the operations of numbers."""

    @primitive
    def apply(typing: Any, a: Any, b: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, name)(*args)

        return vector(vector, vector), emit

    @overload(operation)
    def choose(a: Any, b: Any) -> Any:
        def use(a: Any, b: Any) -> Any:
            return apply(a, b)

        return use if isinstance(a, Vector) and isinstance(b, Vector) else None


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
def get4(rows: Any, index: int) -> Any:
    """Read four rows."""
    return get(rows, index), get(rows, index + 1), get(rows, index + 2), get(rows, index + 3)


@compiled
def put4(rows: Any, index: int, step: int, a: Any, b: Any, c: Any, d: Any) -> None:
    """Write four rows, each ``step`` after the one before."""
    put(rows, index, a)
    put(rows, index + step, b)
    put(rows, index + 2 * step, c)
    put(rows, index + 3 * step, d)
