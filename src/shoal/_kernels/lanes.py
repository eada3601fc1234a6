"""Vectors of four floats, on which the processor works with one instruction.

LLVM vectorises long loops by itself, and takes eight or sixteen items at a time: more than most
groups have members. Kernels of short loops compute with these vectors instead. Every lane of a
result is what the same operation on single floats gives, to the bit.

The type and its operations are declared with `numba.extending`.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

LANES = 4
VECTOR = ir.VectorType(ir.DoubleType(), LANES)


class Lanes(types.Type):
    """The numba type of a vector of floats."""

    def __init__(self):
        super().__init__(name=f"Lanes({LANES})")


lanes = Lanes()


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """How LLVM represents a vector."""

    def __init__(self, manager, numba_type):
        super().__init__(manager, numba_type, VECTOR)


def item_address(context, builder, array_type, array, indices):
    """Return the address of the item where a vector begins.

    Where numba checks indices, the items of the first and of the last lane are checked.
    """
    struct = context.make_array(array_type)(context, builder, array)
    first = cgutils.unpack_tuple(builder, indices)
    if context.enable_boundscheck:
        last = [*first[:-1], builder.add(first[-1], first[-1].type(LANES - 1))]
        cgutils.get_item_pointer(context, builder, array_type, struct, last, boundscheck=True)
    return cgutils.get_item_pointer(
        context, builder, array_type, struct, first, boundscheck=context.enable_boundscheck
    )


@intrinsic
def load_lanes(typing_context, array, indices):
    """Return the `LANES` items of a contiguous array from the one at ``indices``, a tuple, on."""

    def generate(context, builder, signature, arguments):
        item = item_address(context, builder, signature.args[0], *arguments)
        return builder.load(builder.bitcast(item, VECTOR.as_pointer()), align=8)

    return lanes(array, indices), generate


@intrinsic
def store_lanes(typing_context, array, indices, vector):
    """Store a vector in a contiguous array from the item at ``indices``, a tuple, on."""

    def generate(context, builder, signature, arguments):
        item = item_address(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], builder.bitcast(item, VECTOR.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.none(array, indices, vector), generate


@intrinsic
def fill_lanes(typing_context, value):
    """Return a vector with ``value`` in every lane."""

    def generate(context, builder, signature, arguments):
        return repeat(builder, arguments[0])

    return lanes(types.float64), generate


def repeat(builder, value):
    """Build a vector with ``value`` in every lane."""
    vector = ir.Constant(VECTOR, ir.Undefined)
    for lane in range(LANES):
        vector = builder.insert_element(vector, value, ir.IntType(32)(lane))
    return vector


def define_operator(function, instruction):
    """Let ``function``, such as `operator.add`, work on two vectors lane by lane."""

    @intrinsic
    def operation(typing_context, first, second):
        def generate(context, builder, signature, arguments):
            return getattr(builder, instruction)(*arguments)

        return lanes(lanes, lanes), generate

    @overload(function, inline="always")
    def implementation(first, second):
        if isinstance(first, Lanes) and isinstance(second, Lanes):
            return lambda first, second: operation(first, second)
        return None


define_operator(operator.add, "fadd")
define_operator(operator.sub, "fsub")
define_operator(operator.mul, "fmul")
define_operator(operator.truediv, "fdiv")


@intrinsic
def any_below(typing_context, vector, limit):
    """Return whether a lane of a vector is below ``limit``."""

    def generate(context, builder, signature, arguments):
        limits = repeat(builder, arguments[1])
        is_below = builder.fcmp_ordered("<", arguments[0], limits)
        bits = builder.bitcast(is_below, ir.IntType(LANES))
        return builder.icmp_unsigned("!=", bits, ir.IntType(LANES)(0))

    return types.boolean(lanes, types.float64), generate
