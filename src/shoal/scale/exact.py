"""Sums of floats as whole numbers: exact, so that no order of pieces changes them."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

BITS = 53  # of a float's mantissa
DEEPEST = 1126  # every float is a whole multiple of 2 ** -DEEPEST
UNIT = Fraction(1, 2**DEEPEST)
HALF = 26  # bits: sums of so many bits stay exact over 2 ** 26 values
SPLIT = 2.0**27 + 1  # parts a float into two halves of its bits


def exact_sum(values: Values) -> int:
    """Return the sum of floats in units of ``UNIT``, without any rounding.

    Mantissas are summed apart for each exponent, in two halves, so that a float64 holds
    each of these sums exactly.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite floats, at most 2 ** 26 of them.

    Returns
    -------
    int
        The sum; adding the sums of two parts gives the sum of both, in any order.

    Examples
    --------
    >>> float(exact_sum(np.array([1e16, 1.0, -1e16])) * UNIT)
    1.0
    """
    if not len(values):
        return 0
    fraction, exponent = np.frexp(values)
    mantissa = fraction * 2.0**BITS
    high = np.floor(mantissa * 2.0**-HALF)
    low = mantissa - high * 2.0**HALF
    least = int(exponent.min())
    total = 0
    for part, shift in ((high, HALF), (low, 0)):
        for at, found in enumerate(np.bincount(exponent - least, part)):
            total += int(found) << (at + shift)
    return total << (least - BITS + DEEPEST)


def exact_squares(values: Values) -> int:
    """Return the sum of the squares of floats in units of ``UNIT``, without any rounding.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Floats of at most 1e150; squares of those below 1e-140 are rounded one by one.

    Returns
    -------
    int
        The sum of the squares.

    Examples
    --------
    >>> float(exact_squares(np.array([3.0, 4.0])) * UNIT)
    25.0
    """
    high, low = _halves(values)
    return exact_sum(high * high) + exact_sum(2 * high * low) + exact_sum(low * low)


def exact_products(weights: Values, values: Values) -> tuple[int, int]:
    """Return the sums of w x and of w x x in units of ``UNIT``, all but exact.

    The error of a product is itself a float; only that of the last product is rounded, to
    some 30 digits.

    Parameters
    ----------
    weights, values : ndarray of shape (n,)
        Floats; the largest of w x x must not overflow.

    Returns
    -------
    tuple of int and int
        The two sums.

    Examples
    --------
    >>> total, squares = exact_products(np.array([3.0, 0.5]), np.array([1e8, 2.0]))
    >>> float(total * UNIT), float((squares - exact_sum(np.array([3e16]))) * UNIT)
    (300000001.0, 2.0)
    """
    once, missed = _product(weights, values)
    twice, missed_twice = _product(once, values)
    total = exact_sum(once) + exact_sum(missed)
    squares = exact_sum(twice) + exact_sum(missed_twice) + exact_sum(missed * values)
    return total, squares


def _product(a: Values, b: Values) -> tuple[Values, Values]:
    """Return products and what each of them misses by rounding."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    product = a * b
    missed = a_high * b_high - product
    return product, missed + a_high * b_low + a_low * b_high + a_low * b_low


def _halves(values: Values) -> tuple[Values, Values]:
    """Part floats into two halves of their bits, whose products are exact."""
    wide = values * SPLIT
    high = wide - (wide - values)
    return high, values - high
