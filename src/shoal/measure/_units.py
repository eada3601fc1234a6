"""Columns in units that do not depend on how they were written down."""

from math import fsum

import numpy as np

from shoal.errors import InputError
from shoal.measure._base import Labels, Matrix


def zscores(X: Matrix) -> Matrix:
    """Return each column with mean 0 and population standard deviation 1.

    Sums are rounded once, at their end, so that a record has the same scores to
    the bit in whatever order the records come. A constant column becomes zeros.
    """
    scores = np.zeros(X.shape)
    for j in np.flatnonzero((X[0] != X).any(axis=0)):
        column = _near_one(X[:, j])
        centred = column - fsum(column.tolist()) / len(column)
        scores[:, j] = centred / np.sqrt(fsum((centred * centred).tolist()) / len(column))
    return scores


def in_units_of(
    original: Matrix, masked: Matrix, columns: Labels | None = None
) -> tuple[Matrix, Matrix]:
    """Return both tables in units of the original: its means 0, its standard deviations 1.

    A column that was constant before is left out: it has no unit. Where columns have
    several axes, ``columns`` says which column an axis belongs to; axes of one column share
    a unit, and its squared distances from the mean average 1.
    """
    spread, columns = _with_spread(original, columns)
    original, masked = original[:, spread], masked[:, spread]
    exponent = np.frexp(np.abs(original).max(axis=0, initial=0.0))[1]
    if columns is not None:
        exponent = np.array([exponent[columns == one].max() for one in columns], np.int64)
    original, masked = np.ldexp(original, -exponent), np.ldexp(masked, -exponent)
    mean = original.mean(axis=0)
    unit = original.std(axis=0)
    if columns is not None:
        unit = np.sqrt(np.bincount(columns, unit**2)[columns])
    return (original - mean) / unit, (masked - mean) / unit


def column_distances(original: Matrix, masked: Matrix, columns: Labels | None = None) -> Matrix:
    """Return how far each value moved, in units of the original; a row per record."""
    before, after = in_units_of(original, masked, columns)
    if columns is None:
        return np.asarray(np.abs(before - after))
    of = np.asarray(_with_spread(original, columns)[1])
    squares = np.zeros((len(original), len(np.unique(of))))
    for axis, column in enumerate(of):
        squares[:, column] += (before[:, axis] - after[:, axis]) ** 2
    return np.asarray(np.sqrt(squares))


def has_spread(original: Matrix, masked: Matrix) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
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


def _with_spread(
    original: Matrix, columns: Labels | None
) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], Labels | None]:
    """Say which axes belong to a column that varies, and number the columns of these."""
    spread = np.asarray((original != original[0]).any(axis=0))
    if columns is None:
        return spread, None
    spread = np.bincount(columns, spread)[columns] > 0
    return spread, np.unique(columns[spread], return_inverse=True)[1]


def _near_one(column: Matrix) -> Matrix:
    """Scale by a power of two, which rounds nothing, so that squares fit into a float64."""
    return np.asarray(np.ldexp(column, -np.frexp(np.abs(column).max())[1]))
