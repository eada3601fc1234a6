"""Exact sums of float arrays as Python integers, independent of the order of summation.

The sums of parts of a table are computed by different processes, sent and added. Integers in units
of ``UNIT`` allow all of that; `shoal._kernels.exact_sums` stores a sum as an array of floats
instead, which suits compiled loops over many small groups.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

MANTISSA_BITS = 53
UNIT_EXPONENT = 1126  # every float is an integer multiple of 2 ** -UNIT_EXPONENT
UNIT = Fraction(1, 2**UNIT_EXPONENT)
LOW_BITS = 26  # bits of integers of which a float64 can sum 2 ** 26 exactly
SPLITTER = 2.0**27 + 1  # Veltkamp's constant: splits a float into two halves of its bits


def exact_integer_sum(values: Values) -> int:
    """Return the sum of floats in units of ``UNIT``, without rounding.

    Mantissas are summed separately for each exponent, in two halves, so that each of these
    sums fits into a float64 exactly.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite floats, at most 2 ** 26 of them.

    Returns
    -------
    int
        The sum in units of ``UNIT``; sums of parts can be added in any order.

    Examples
    --------
    >>> float(exact_integer_sum(np.array([1e16, 1.0, -1e16])) * UNIT)
    1.0
    """
    if not len(values):
        return 0
    fraction, exponent = np.frexp(values)
    mantissa = fraction * 2.0**MANTISSA_BITS
    high = np.floor(mantissa * 2.0**-LOW_BITS)
    low = mantissa - high * 2.0**LOW_BITS
    smallest = int(exponent.min())
    total = 0
    for half, shift in ((high, LOW_BITS), (low, 0)):
        for above_smallest, subtotal in enumerate(np.bincount(exponent - smallest, half)):
            total += int(subtotal) << (above_smallest + shift)
    return total << (smallest - MANTISSA_BITS + UNIT_EXPONENT)


def exact_squares(values: Values) -> int:
    """Return the sum of the squares of floats in units of ``UNIT``, without rounding.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Floats of at most 1e150; the squares of those below 1e-140 are rounded.

    Returns
    -------
    int
        The sum of the squares in units of ``UNIT``.

    Examples
    --------
    >>> float(exact_squares(np.array([3.0, 4.0])) * UNIT)
    25.0
    """
    high, low = _halves(values)
    return (
        exact_integer_sum(high * high)
        + exact_integer_sum(2 * high * low)
        + exact_integer_sum(low * low)
    )


def exact_products(weights: Values, values: Values) -> tuple[int, int]:
    """Return the sums of w x and of w x² in units of ``UNIT``, to about 30 digits.

    The rounding error of a product is itself a float and summed as well; only the product of
    such an error and a value is rounded.

    Parameters
    ----------
    weights, values : ndarray of shape (n,)
        Floats; the largest w x² must not overflow.

    Returns
    -------
    tuple of int and int
        The sum of w x and the sum of w x², in units of ``UNIT``.

    Examples
    --------
    >>> total, squares = exact_products(np.array([3.0, 0.5]), np.array([1e8, 2.0]))
    >>> float(total * UNIT), float((squares - exact_integer_sum(np.array([3e16]))) * UNIT)
    (300000001.0, 2.0)
    """
    product, error = _product(weights, values)
    square, square_error = _product(product, values)
    total = exact_integer_sum(product) + exact_integer_sum(error)
    squares = (
        exact_integer_sum(square)
        + exact_integer_sum(square_error)
        + exact_integer_sum(error * values)
    )
    return total, squares


def _product(a: Values, b: Values) -> tuple[Values, Values]:
    """Return products and their rounding errors (Dekker)."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    product = a * b
    error = a_high * b_high - product
    return product, error + a_high * b_low + a_low * b_high + a_low * b_low


def _halves(values: Values) -> tuple[Values, Values]:
    """Split floats into two halves of their bits, whose products are exact (Veltkamp)."""
    scaled = values * SPLITTER
    high = scaled - (scaled - values)
    return high, values - high
