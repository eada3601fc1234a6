"""Columns in units that do not depend on how they were written down."""

from math import fsum

import numpy as np

from shoal.errors import InputError
from shoal.measure._base import Matrix


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


def in_units_of(original: Matrix, masked: Matrix) -> tuple[Matrix, Matrix]:
    """Return both tables in units of the original: its means 0, its standard deviations 1.

    A column that was constant before is left out: it has no unit.
    """
    spread = (original != original[0]).any(axis=0)
    original, masked = original[:, spread], masked[:, spread]
    exponent = np.frexp(np.abs(original).max(axis=0, initial=0.0))[1]
    original, masked = np.ldexp(original, -exponent), np.ldexp(masked, -exponent)
    mean = original.mean(axis=0)
    unit = original.std(axis=0)
    return (original - mean) / unit, (masked - mean) / unit


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


def _near_one(column: Matrix) -> Matrix:
    """Scale by a power of two, which rounds nothing, so that squares fit into a float64."""
    return np.asarray(np.ldexp(column, -np.frexp(np.abs(column).max())[1]))
