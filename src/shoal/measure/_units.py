"""Columns in units that do not depend on how they were written down."""

from collections.abc import Iterator
from math import fsum

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.measure._base import Matrix, Values

MODERATE = 256  # powers of two within which squares, and sums of them, fit into a float64


def zscores(X: Matrix) -> Matrix:
    """Return each column with mean 0 and population standard deviation 1.

    Sums are rounded once, at their end, so that a record has the same scores to
    the bit in whatever order the records come. A constant column becomes zeros.
    """
    scores = np.zeros(X.shape)
    for j in np.flatnonzero((X[0] != X).any(axis=0)):
        column = np.ldexp(X[:, j], -_exponent(X[:, j]))
        centred = column - exact_sum(column) / len(column)
        scores[:, j] = centred / np.sqrt(exact_sum(centred * centred) / len(column))
    return scores


def exact_sum(values: Values) -> float:
    """Return the sum as if rounded once, whatever the order of the values.

    The leading bits of all values are multiples of one power of two, few enough
    that their sum is exact; then come the next bits, until none are left.
    """
    parts = []
    while (most := max(values.max(), -values.min())) > 0:
        grid = np.ldexp(1.0, np.frexp(most)[1] + len(values).bit_length() + 1)
        leading = (values + grid) - grid
        parts.append(leading.sum())
        values = values - leading
    return fsum(parts)


def in_units_of(original: Matrix, masked: Matrix) -> Iterator[tuple[int, Values, Values]]:
    """Yield column by column: its number, and both tables in units of the original.

    In these units the original has mean 0 and population standard deviation 1. A
    column that was constant before is left out: it has no unit.
    """
    for j in range(original.shape[1]):
        before, after = original[:, j], masked[:, j]
        if (before == before[0]).all():
            continue
        if exponent := moderated(before):
            before, after = np.ldexp(before, -exponent), np.ldexp(after, -exponent)
        mean, unit = before.mean(), before.std()
        yield j, (before - mean) / unit, (after - mean) / unit


def has_spread(original: Matrix, masked: Matrix) -> NDArray[np.bool_]:
    """Say which columns of the original vary; refuse a change of one that does not.

    A column without spread has no unit in which a change could be told.
    """
    spread = np.asarray((original != original[0]).any(axis=0))
    changed = np.flatnonzero(~spread & (masked != original[0]).any(axis=0))
    if len(changed):
        raise InputError(
            f"Column {changed[0] + 1} of the quasi-identifiers is constant in the original and"
            " other in the masked table. A change has no unit there: leave the column out."
        )
    return spread


def moderated(column: Values) -> int:
    """Return the power of two to divide by so that squares fit into a float64; 0 where they do.

    Scaling by a power of two rounds nothing, so it is left out where nothing needs it.
    """
    exponent = _exponent(column)
    return exponent if abs(exponent) > MODERATE else 0


def _exponent(column: Values) -> int:
    """Return the power of two just above the greatest magnitude."""
    return int(np.frexp(max(column.max(), -column.min()))[1])
