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
    wide = values * SPLIT
    high = wide - (wide - values)
    low = values - high
    return exact_sum(high * high) + exact_sum(2 * high * low) + exact_sum(low * low)
