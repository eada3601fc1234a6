"""Sums and means of groups, correctly rounded: they do not depend on the order of the records.

A mean below 2.2e-308, the least float of full precision, is rounded twice; the order of the records
does not affect it either.

A sum is kept without any error as an expansion [Sh97]_: floats of increasing magnitude that do not
overlap. The last one outweighs all others together, though these may hold more than its last bit.

.. [Sh97] Shewchuk, J. R. (1997). Adaptive precision floating-point arithmetic and fast robust
   geometric predicates. Discrete & Computational Geometry 18, 305-363.
"""

import math

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.double_double import two_product

MAX_COMPONENTS = 64  # of 53 bits that do not overlap: 40 span all exponents of a float64
MAX_CORRECTIONS = 8  # at most; the guess is a few floats away, except for numbers that underflow
MAX_UNSCALED_EXPONENT = 400  # up to which no product of this module over- or underflows


@compiled
def add_to_expansion(components, size, value):
    """Add ``value`` to the expansion in ``components[:size]``; return its new size."""
    n_components = 0
    for i in range(size):
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
    return n_components


@compiled
def copy_scaled(components, size, factor, target):
    """Write an expansion, multiplied by ``factor``, a power of two, to ``target``."""
    for i in range(size):
        target[i] = factor * components[i]


@compiled
def subtract_product(components, size, factor, factors, n_factors):
    """Subtract ``factor`` times another expansion; return the new size."""
    for i in range(n_factors):
        leading, rounding_error = two_product(factor, factors[i])
        size = add_to_expansion(components, size, -leading)
        size = add_to_expansion(components, size, -rounding_error)
    return size


@compiled
def approximate_value(components, size):
    """Return the value of an expansion up to one or two units in the last place."""
    value = 0.0
    for i in range(size):
        value += components[i]
    return value


@compiled
def quotient(total, n_total, weight, n_weight, scratch):
    """Return the float nearest to the quotient of two expansions; the divisor is positive.

    A guess is corrected until the remainder is at most half the distance to the next float.
    """
    if n_total == 0:
        return 0.0
    guess = approximate_value(total, n_total) / approximate_value(weight, n_weight)
    if n_total == 1 and n_weight == 1:
        return guess
    for _ in range(MAX_CORRECTIONS):
        copy_scaled(total, n_total, 1.0, scratch)
        size = subtract_product(scratch, n_total, guess, weight, n_weight)
        if size == 0:
            return guess
        is_guess_too_low = scratch[size - 1] > 0.0
        spacing = np.nextafter(guess, np.inf if is_guess_too_low else -np.inf) - guess
        copy_scaled(scratch, size, 2.0, scratch)
        size = subtract_product(scratch, size, spacing, weight, n_weight)
        if size == 0:
            return guess + spacing / 2.0  # a tie: the addition rounds half to even
        if (scratch[size - 1] > 0.0) != is_guess_too_low or math.isnan(scratch[size - 1]):
            return guess
        guess += spacing
    return guess


@compiled
def exponent_of(values, records):
    """Return the exponent of the greatest absolute value of some records; 0 if it is moderate."""
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
def group_means(values, weights, labels, n_groups):
    """Return the mean of each group, correctly rounded; 0 for a group without records.

    Without weights pass an empty array.
    """
    means = np.zeros(n_groups)
    total, weight = np.zeros(MAX_COMPONENTS), np.zeros(MAX_COMPONENTS)
    scratch = np.zeros(MAX_COMPONENTS)
    has_weights = weights.shape[0] > 0
    order, start = sort_by_group(labels, n_groups)
    for group in range(n_groups):
        records = order[start[group] : start[group + 1]]
        if records.shape[0] == 0:
            continue
        shift, n_total = exponent_of(values, records), 0
        if not has_weights:
            for record in records:
                n_total = add_to_expansion(total, n_total, scaled(values[record], -shift))
            n_weight = add_to_expansion(weight, 0, float(records.shape[0]))
        else:
            weight_shift, n_weight = exponent_of(weights, records), 0
            for record in records:
                scaled_weight = scaled(weights[record], -weight_shift)
                leading, rounding_error = two_product(scaled_weight, scaled(values[record], -shift))
                n_total = add_to_expansion(total, n_total, leading)
                n_total = add_to_expansion(total, n_total, rounding_error)
                n_weight = add_to_expansion(weight, n_weight, scaled_weight)
        means[group] = scaled(quotient(total, n_total, weight, n_weight, scratch), shift)
    return means


@compiled
def scaled(value, exponent):
    """Return ``value`` times a power of two."""
    return value if exponent == 0 else math.ldexp(value, exponent)


@compiled
def group_sums(values, labels, n_groups):
    """Return the sum of each group, correctly rounded."""
    sums = np.zeros(n_groups)
    total, divisor, scratch = np.zeros(MAX_COMPONENTS), np.ones(1), np.zeros(MAX_COMPONENTS)
    order, start = sort_by_group(labels, n_groups)
    for group in range(n_groups):
        size = 0
        for record in order[start[group] : start[group + 1]]:
            size = add_to_expansion(total, size, values[record])
        sums[group] = quotient(total, size, divisor, 1, scratch)
    return sums


@compiled
def running_sums(values, labels):
    """Return the sum of each record's group up to this record, correctly rounded.

    Records of a group stand next to each other.
    """
    sums = np.zeros(values.shape[0])
    total, divisor, scratch = np.zeros(MAX_COMPONENTS), np.ones(1), np.zeros(MAX_COMPONENTS)
    size = 0
    for record in range(values.shape[0]):
        if record > 0 and labels[record] != labels[record - 1]:
            size = 0
        size = add_to_expansion(total, size, values[record])
        sums[record] = quotient(total, size, divisor, 1, scratch)
    return sums
