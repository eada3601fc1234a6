"""Sums and means of groups, correctly rounded: they do not depend on the order of the records.

A mean below 2.2e-308, the least float of full precision, is rounded twice; the order of the records
does not affect it either.

A sum is kept without any error as an expansion [Sh97]_: floats of increasing magnitude that do not
overlap. The last one outweighs all others together, although their sum may exceed its last bit.

.. [Sh97] Shewchuk, J. R. (1997). Adaptive precision floating-point arithmetic and fast robust
   geometric predicates. Discrete & Computational Geometry 18, 305-363.
"""

import math
from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.double_double import two_product

MAX_COMPONENTS = 64  # components of 53 bits without overlap; 40 span all exponents of a float64
MAX_CORRECTIONS = 8  # of a guess: it is a few floats away, except for numbers that underflow
MAX_UNSCALED_EXPONENT = 400  # exponent up to which no product of this module over- or underflows


class Expansion(NamedTuple):
    """A number without rounding error: the sum of the first ``size[0]`` of the ``components``."""

    components: np.ndarray  # (MAX_COMPONENTS,)
    size: np.ndarray  # (1,)


@compiled
def open_expansion():
    """Return the number 0."""
    return Expansion(np.zeros(MAX_COMPONENTS), np.zeros(1, np.int64))


@compiled
def add(expansion, value):
    """Add ``value`` to an expansion."""
    components, n_components = expansion.components, 0
    for i in range(expansion.size[0]):
        other = components[i]
        if abs(value) < abs(other):
            value, other = other, value
        leading = value + other
        rounding_error = other - (leading - value)
        if rounding_error != 0.0:
            components[n_components] = rounding_error
            n_components += 1
        value = leading
    if value != 0.0:
        components[n_components] = value
        n_components += 1
    expansion.size[0] = n_components


@compiled
def write_multiple(expansion, factor, target):
    """Write an expansion times ``factor``, a power of two, to ``target``, which may be the same."""
    target.size[0] = expansion.size[0]
    for i in range(expansion.size[0]):
        target.components[i] = factor * expansion.components[i]


@compiled
def subtract_product(expansion, factor, other):
    """Subtract ``factor`` times another expansion."""
    for i in range(other.size[0]):
        leading, rounding_error = two_product(factor, other.components[i])
        add(expansion, -leading)
        add(expansion, -rounding_error)


@compiled
def approximate_value(expansion):
    """Return the value of an expansion up to one or two units in the last place."""
    value = 0.0
    for i in range(expansion.size[0]):
        value += expansion.components[i]
    return value


@compiled
def leading_component(expansion):
    """Return the component that outweighs all others, and so has the sign of the number."""
    return expansion.components[expansion.size[0] - 1]


@compiled
def quotient(dividend, divisor, remainder):
    """Return the float nearest to the quotient of two expansions; the divisor is positive.

    A guess is corrected until the ``remainder`` is at most half the distance to the next float.
    """
    if dividend.size[0] == 0:
        return 0.0
    guess = approximate_value(dividend) / approximate_value(divisor)
    if dividend.size[0] == 1 and divisor.size[0] == 1:
        return guess
    for _ in range(MAX_CORRECTIONS):
        write_multiple(dividend, 1.0, remainder)
        subtract_product(remainder, guess, divisor)
        if remainder.size[0] == 0:
            return guess
        is_guess_too_low = leading_component(remainder) > 0.0
        spacing = np.nextafter(guess, np.inf if is_guess_too_low else -np.inf) - guess
        write_multiple(remainder, 2.0, remainder)
        subtract_product(remainder, spacing, divisor)
        if remainder.size[0] == 0:
            return guess + spacing / 2.0  # a tie: the addition rounds half to even
        sign = leading_component(remainder)
        if (sign > 0.0) != is_guess_too_low or math.isnan(sign):
            return guess
        guess += spacing
    return guess


@compiled
def exponent_of(values, records):
    """Return the exponent of the greatest absolute value of ``records``, or 0 if it is moderate."""
    greatest = 0.0
    for record in records:
        greatest = max(greatest, abs(values[record]))
    exponent = math.frexp(greatest)[1]
    return exponent if abs(exponent) > MAX_UNSCALED_EXPONENT else 0


@compiled
def sort_by_group(labels, n_groups):
    """Return the records sorted by group, and where each group begins, with the end last.

    A counting sort, so that the records of a group stay in their order.
    """
    start = np.zeros(n_groups + 1, np.int64)
    for label in labels:
        start[label + 1] += 1
    for group in range(n_groups):
        start[group + 1] += start[group]
    order, next_free = np.zeros(labels.shape[0], np.int64), start.copy()
    for record in range(labels.shape[0]):
        order[next_free[labels[record]]] = record
        next_free[labels[record]] += 1
    return order, start


@compiled
def scaled(value, exponent):
    """Return ``value`` times a power of two."""
    return value if exponent == 0 else math.ldexp(value, exponent)


@compiled
def group_means(values, weights, labels, n_groups):
    """Return the mean of each group, correctly rounded; 0 for a group without records.

    If there are no weights, pass an empty array.
    """
    means = np.zeros(n_groups)
    total, total_weight, remainder = open_expansion(), open_expansion(), open_expansion()
    has_weights = weights.shape[0] > 0
    order, start = sort_by_group(labels, n_groups)
    for group in range(n_groups):
        records = order[start[group] : start[group + 1]]
        if records.shape[0] == 0:
            continue
        total.size[0], total_weight.size[0] = 0, 0
        shift = exponent_of(values, records)
        if not has_weights:
            for record in records:
                add(total, scaled(values[record], -shift))
            add(total_weight, float(records.shape[0]))
        else:
            weight_shift = exponent_of(weights, records)
            for record in records:
                weight = scaled(weights[record], -weight_shift)
                leading, rounding_error = two_product(weight, scaled(values[record], -shift))
                add(total, leading)
                add(total, rounding_error)
                add(total_weight, weight)
        means[group] = scaled(quotient(total, total_weight, remainder), shift)
    return means


@compiled
def group_sums(values, labels, n_groups):
    """Return the sum of each group, correctly rounded."""
    sums = np.zeros(n_groups)
    total, one, remainder = open_expansion(), open_expansion(), open_expansion()
    add(one, 1.0)
    order, start = sort_by_group(labels, n_groups)
    for group in range(n_groups):
        total.size[0] = 0
        for record in order[start[group] : start[group + 1]]:
            add(total, values[record])
        sums[group] = quotient(total, one, remainder)
    return sums


@compiled
def running_sums(values, labels):
    """Return the sum of each record's group up to this record, correctly rounded.

    The records of a group must be consecutive.
    """
    sums = np.zeros(values.shape[0])
    total, one, remainder = open_expansion(), open_expansion(), open_expansion()
    add(one, 1.0)
    for record in range(values.shape[0]):
        if record > 0 and labels[record] != labels[record - 1]:
            total.size[0] = 0
        add(total, values[record])
        sums[record] = quotient(total, one, remainder)
    return sums
