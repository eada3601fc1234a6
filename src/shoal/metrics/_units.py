"""Columns in units that do not depend on how they were written down."""

from collections.abc import Iterator
from math import fsum

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.metrics._base import Labels, Matrix, Values

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


def in_units_of(
    original: Matrix, masked: Matrix, columns: Labels | None = None
) -> Iterator[tuple[int, Values, Values]]:
    """Yield column by column: its number, and both tables in units of the original.

    In these units the original has mean 0 and standard deviation 1. A column that was
    constant before is left out: it has no unit. Where columns have several axes,
    these are yielded one by one, and ``columns`` says which column an axis belongs to;
    axes of one column share a unit, and its squared distances from the mean average 1.
    """
    columns = np.arange(original.shape[1]) if columns is None else columns
    spread = np.bincount(columns, [(x != x[0]).any() for x in original.T])[columns] > 0
    for column in np.unique(columns[spread]):
        axes = np.flatnonzero(columns == column)
        exponent = moderated(*(original[:, a] for a in axes))
        unit = np.sqrt(sum(_scaled(original[:, a], exponent).var() for a in axes))
        for a in axes:
            before, after = (_scaled(X[:, a], exponent) for X in (original, masked))
            mean = before.mean()
            yield int(a), (before - mean) / unit, (after - mean) / unit


def column_distances(
    original: Matrix, masked: Matrix, columns: Labels | None = None
) -> Iterator[Values]:
    """Yield for each column that varies how far each value moved, in units of the original."""
    columns = np.arange(original.shape[1]) if columns is None else columns
    squares: dict[int, Values] = {}
    for a, before, after in in_units_of(original, masked, columns):
        column = int(columns[a])
        if column not in squares:
            yield from map(np.sqrt, squares.values())
            squares = {column: np.zeros(len(original))}
        squares[column] += (before - after) ** 2
    yield from map(np.sqrt, squares.values())


def has_spread(original: Matrix, masked: Matrix) -> NDArray[np.bool_]:
    """Say which columns of the original vary; refuse a change of one that does not.

    A column without spread has no unit in which a change could be told.
    """
    spread = np.asarray((original != original[0]).any(axis=0))
    changed = np.flatnonzero(~spread & (masked != original[0]).any(axis=0))
    if len(changed):
        raise InputError(
            f"Column {changed[0] + 1} of the quasi-identifiers is constant in the original and"
            " other in the masked table. A change has no unit there: leave the column out.",
            code="no-unit",
            position=int(changed[0]) + 1,
        )
    return spread


def moderated(*columns: Values) -> int:
    """Return the power of two to divide by so that squares fit into a float64; 0 where they do.

    Scaling by a power of two rounds nothing, so it is left out where nothing needs it.
    """
    exponent = max(map(_exponent, columns))
    return exponent if abs(exponent) > MODERATE else 0


def _exponent(values: Values) -> int:
    """Return the power of two just above the greatest magnitude."""
    return int(np.frexp(max(values.max(), -values.min()))[1])


def _scaled(column: Values, exponent: int) -> Values:
    return np.asarray(np.ldexp(column, -exponent)) if exponent else column
