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
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global
from numba.extending import lower_builtin, models, register_model

GROUP = 4
"""As fast as eight for eight streams, whose matrices leave the first cache, and better for one."""
compiled: Any = njit(error_model="numpy")
REGISTER = ir.VectorType(ir.DoubleType(), GROUP)
INTEGERS = ir.VectorType(ir.IntType(64), GROUP)


class Vector(types.Type):
    """The type of a row: one number of each stream of a group."""

    def __init__(self) -> None:
        super().__init__(name=f"Vector{GROUP}")


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    """A vector register."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, REGISTER)


vector, rows = Vector(), types.Array(types.float64, 2, "C")


def define(returns: Any, *args: Any, of: Any = None) -> Callable[[Any], Any]:
    """Make a function that emits LLVM instructions callable in compiled code.

    It is given the builder and the values of its arguments. ``of`` is what it is called in compiled
    code, if not by its own name.
    """

    def decorate(emit: Any) -> Any:
        name: Any = of or emit
        case = {"key": name, "cases": [returns(*args)]}
        infer_global(name, types.Function(type(emit.__name__, (ConcreteTemplate,), case)))

        @lower_builtin(name, *args)
        def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            arrays = {i for i, kind in enumerate(args) if kind is rows}
            values = [
                context.make_array(rows)(context, builder, value).data if i in arrays else value
                for i, value in enumerate(values)
            ]
            result = emit(builder, *values)
            return context.get_dummy_value() if returns is types.void else result

        return emit

    return decorate


for _operation, _name in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul"), ("truediv", "fdiv")):
    define(vector, vector, vector, of=getattr(operator, _operation))(
        lambda builder, a, b, name=_name: getattr(builder, name)(a, b)
    )


def _address(builder: Any, data: Any, index: Any) -> Any:
    offset = builder.mul(index, ir.Constant(index.type, GROUP))
    return builder.bitcast(builder.gep(data, [offset]), REGISTER.as_pointer())


def _call(builder: Any, name: str, *args: Any) -> Any:
    """Call one of LLVM's functions of vectors."""
    kind = ir.FunctionType(REGISTER, [REGISTER] * len(args))
    name = f"llvm.{name}.v{GROUP}f64"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


@define(vector, rows, types.intp)
def get(builder: Any, array: Any, index: Any) -> Any:
    """Read one row."""
    return builder.load(_address(builder, array, index), align=8, typ=REGISTER)


@define(types.void, rows, types.intp, vector)
def put(builder: Any, array: Any, index: Any, value: Any) -> None:
    """Write one row."""
    builder.store(value, _address(builder, array, index), align=8)


@define(vector, types.float64, types.float64, types.float64, types.float64)
def pack(builder: Any, *numbers: Any) -> Any:
    """Make a row of four numbers."""
    value = ir.Constant(REGISTER, ir.Undefined)
    for k, number in enumerate(numbers):
        value = builder.insert_element(value, number, ir.Constant(ir.IntType(32), k))
    return value


@define(vector, types.float64)
def spread(builder: Any, number: Any) -> Any:
    """Give all streams of a group one number."""
    return pack(builder, number, number, number, number)


@define(vector, vector, vector, vector)
def fma(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, in one rounding where the machine can."""
    return _call(builder, "fmuladd", a, b, c)


@define(vector, vector, vector, vector)
def fnma(builder: Any, c: Any, a: Any, b: Any) -> Any:
    """Return c - a b (negative multiply-add), in one rounding where the machine can."""
    return _call(builder, "fmuladd", builder.fneg(a), b, c)


@define(vector, vector)
def root(builder: Any, a: Any) -> Any:
    """Return the square root."""
    return _call(builder, "sqrt", a)


@define(vector, vector, vector, vector, vector)
def where_greater(builder: Any, a: Any, b: Any, then: Any, otherwise: Any) -> Any:
    """Return ``then`` for the streams where a > b, ``otherwise`` for the others."""
    return builder.select(builder.fcmp_ordered(">", a, b), then, otherwise)


@define(vector, vector, vector)
def times_power_of_two(builder: Any, a: Any, shifted: Any) -> Any:
    """Return 2^k a, with k in the last bits of ``shifted``."""
    bits, power = (builder.bitcast(value, INTEGERS) for value in (a, shifted))
    power = builder.shl(power, ir.Constant(INTEGERS, [52] * GROUP))
    return builder.bitcast(builder.add(bits, power), REGISTER)


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
def get4(array: Any, at: int, step: int) -> Any:
    """Read four rows, each ``step`` after the one before."""
    second, third, fourth = at + step, at + 2 * step, at + 3 * step
    return get(array, at), get(array, second), get(array, third), get(array, fourth)


@compiled
def put4(array: Any, at: int, step: int, a: Any, b: Any, c: Any, d: Any) -> None:
    """Write four rows, each ``step`` after the one before."""
    put(array, at, a)
    put(array, at + step, b)
    put(array, at + 2 * step, c)
    put(array, at + 3 * step, d)
