"""Vectors of eight floats, on which the processor works with one instruction.

LLVM vectorises long loops by itself, and takes sixteen or more numbers at a time: more than most
groups have members. Kernels of short loops compute with these vectors instead. Every lane of a
result is what the same operation on single numbers gives, to the bit.

The type and its operations are declared with `numba.extending`.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

SINGLE_LANES = 8  # floats in single precision


class Lanes(types.Type):
    """The numba type of a vector of `SINGLE_LANES` floats in single precision."""

    def __init__(self):
        super().__init__(name="Lanes")


LANES = Lanes()
FLOAT_BYTES = 4
VECTOR = ir.VectorType(ir.FloatType(), SINGLE_LANES)


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """How LLVM represents a vector."""

    def __init__(self, manager, numba_type):
        super().__init__(manager, numba_type, VECTOR)


def item_address(context, builder, array_type, array, indices, count):
    """Return the address of the first of ``count`` items of an array.

    Where numba checks indices, the items of the first and of the last lane are checked.
    """
    struct = context.make_array(array_type)(context, builder, array)
    first = cgutils.unpack_tuple(builder, indices)
    if context.enable_boundscheck:
        last = [*first[:-1], builder.add(first[-1], first[-1].type(count - 1))]
        cgutils.get_item_pointer(context, builder, array_type, struct, last, boundscheck=True)
    return cgutils.get_item_pointer(
        context, builder, array_type, struct, first, boundscheck=context.enable_boundscheck
    )


@intrinsic
def load_lanes(typing_context, array, indices):
    """Return the items of a contiguous array from the one at ``indices``, a tuple, on."""

    def generate(context, builder, signature, arguments):
        item = item_address(context, builder, signature.args[0], *arguments, SINGLE_LANES)
        return builder.load(builder.bitcast(item, VECTOR.as_pointer()), align=FLOAT_BYTES)

    return LANES(array, indices), generate


@intrinsic
def store_lanes(typing_context, array, indices, vector):
    """Store a vector in a contiguous array from the item at ``indices``, a tuple, on."""

    def generate(context, builder, signature, arguments):
        item = item_address(context, builder, signature.args[0], *arguments[:2], SINGLE_LANES)
        pointer = builder.bitcast(item, VECTOR.as_pointer())
        builder.store(arguments[2], pointer, align=FLOAT_BYTES)
        return context.get_dummy_value()

    return types.none(array, indices, vector), generate


@intrinsic
def fill_lanes(typing_context, value):
    """Return a vector with ``value``, in single precision, in every lane."""

    def generate(context, builder, signature, arguments):
        vector = ir.Constant(VECTOR, ir.Undefined)
        for lane in range(SINGLE_LANES):
            vector = builder.insert_element(vector, arguments[0], ir.IntType(32)(lane))
        return vector

    return LANES(types.float32), generate


def define_operator(function, instruction):
    """Let ``function``, such as `operator.add`, work on two vectors lane by lane."""

    @intrinsic
    def operation(typing_context, first, second):
        def generate(context, builder, signature, arguments):
            return getattr(builder, instruction)(*arguments)

        return first(first, second), generate

    @overload(function, inline="always")
    def implementation(first, second):
        if first == second == LANES:
            return lambda first, second: operation(first, second)
        return None


define_operator(operator.add, "fadd")
define_operator(operator.sub, "fsub")
define_operator(operator.mul, "fmul")
define_operator(operator.truediv, "fdiv")


@intrinsic
def lanes_within(typing_context, vector, limits):
    """Return a number whose bit i tells whether lane i is at most that of ``limits``."""

    def generate(context, builder, signature, arguments):
        is_within = builder.fcmp_ordered("<=", *arguments)
        bits = builder.bitcast(is_within, ir.IntType(SINGLE_LANES))
        return builder.zext(bits, ir.IntType(64))

    return types.uint64(vector, limits), generate


@intrinsic
def lanes_not_above(typing_context, vector, limits):
    """Return a number whose bit i tells whether lane i is not above that of ``limits``.

    Unlike in `lanes_within`, a lane that is not a number, or has such a limit, counts.
    """

    def generate(context, builder, signature, arguments):
        is_within = builder.fcmp_unordered("<=", *arguments)
        bits = builder.bitcast(is_within, ir.IntType(SINGLE_LANES))
        return builder.zext(bits, ir.IntType(64))

    return types.uint64(vector, limits), generate


@intrinsic
def lowest_bit(typing_context, bits):
    """Return the position of the lowest bit that is 1; ``bits`` must not be 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.uint64), generate


@intrinsic
def prefetch(typing_context, array, indices):
    """Begin to load the item of an array at ``indices``, a tuple, into the processor's cache."""

    def generate(context, builder, signature, arguments):
        item = item_address(context, builder, signature.args[0], *arguments, 1)
        address = builder.bitcast(item, cgutils.voidptr_t)
        number = ir.IntType(32)
        arguments_type = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [address.type], arguments_type)
        # To be read (0), to stay in all caches (3), data (1).
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.none(array, indices), generate
