"""Columns on a scale that does not depend on their units of measurement."""

from collections.abc import Iterator
from itertools import groupby
from math import fsum

import numpy as np

from shoal.errors import InputError
from shoal.geometry.standardise import MAX_EXPONENT
from shoal.metrics._array_types import Labels, Mask, Matrix, Values

# Squared distances that differ by a smaller share are equal up to rounding.
ROUNDING_TOLERANCE = 1e-9


def order_free_zscores(X: Matrix) -> Matrix:
    """Return each column with mean 0 and population standard deviation 1.

    Sums are correctly rounded, so the scores of a record do not depend on the order of the records,
    not even in the last bit. A constant column becomes zeros.
    """
    scores = np.zeros(X.shape)
    for j in np.flatnonzero((X[0] != X).any(axis=0)):
        column = np.ldexp(X[:, j], -_exponent(X[:, j]))
        centred = column - correctly_rounded_sum(column) / len(column)
        scores[:, j] = centred / np.sqrt(correctly_rounded_sum(centred * centred) / len(column))
    return scores


def correctly_rounded_sum(values: Values) -> float:
    """Return the correctly rounded sum, which does not depend on the order of the values.

    Each round sums the leading bits of all values: multiples of one power of two, with so few bits
    that their sum is exact. The next round sums the remaining bits, until none are left.
    """
    partial_sums = []
    while (magnitude := max(values.max(), -values.min())) > 0:
        grid = np.ldexp(1.0, np.frexp(magnitude)[1] + len(values).bit_length() + 1)
        leading = (values + grid) - grid
        partial_sums.append(leading.sum())
        values = values - leading
    return fsum(partial_sums)


def scale_by_original(
    original: Matrix, masked: Matrix, columns: Labels | None = None
) -> Iterator[tuple[int, Values, Values]]:
    """Yield each column's position and its values in both tables, scaled by the original.

    On this scale, the original has mean 0 and standard deviation 1. Columns that are constant in
    the original have no scale and are skipped. If some columns have several axes, as categorical
    columns do, ``columns`` gives the column of each axis. The axes of a column are then yielded one
    after the other, on a common scale, on which the mean squared distance from the mean is 1.
    """
    columns = np.arange(original.shape[1]) if columns is None else columns
    is_varying = (
        np.bincount(columns, [(values != values[0]).any() for values in original.T])[columns] > 0
    )
    for column in np.unique(columns[is_varying]):
        axes = np.flatnonzero(columns == column)
        exponent = scaling_exponent(*(original[:, axis] for axis in axes))
        scale = np.sqrt(sum(_divide_by_power(original[:, axis], exponent).var() for axis in axes))
        for axis in axes:
            original_values, masked_values = (
                _divide_by_power(X[:, axis], exponent) for X in (original, masked)
            )
            mean = original_values.mean()
            yield int(axis), (original_values - mean) / scale, (masked_values - mean) / scale


def column_distances(
    original: Matrix, masked: Matrix, columns: Labels | None = None
) -> Iterator[Values]:
    """Yield for each varying column the scaled distance of each value from its masked value."""
    column_of_axis = np.arange(original.shape[1]) if columns is None else columns
    scaled_axes = scale_by_original(original, masked, column_of_axis)
    for _, axes in groupby(scaled_axes, key=lambda scaled: int(column_of_axis[scaled[0]])):
        squared_distances = np.zeros(len(original))
        for _, original_values, masked_values in axes:
            squared_distances += (original_values - masked_values) ** 2
        yield np.sqrt(squared_distances)


def sums_of_squares(
    original: Matrix, masked: Matrix, columns: Labels | None = None
) -> tuple[float, float]:
    """Return the sum of squared errors and the total sum of squares, scaled by the original."""
    sse = sst = 0.0
    for _, original_values, masked_values in scale_by_original(original, masked, columns):
        sse += float(((original_values - masked_values) ** 2).sum())
        sst += float((original_values**2).sum())
    return sse, sst


def varying_columns(original: Matrix, masked: Matrix) -> Mask:
    """Return which columns of the original vary; refuse changes in a column that does not.

    A constant column has no scale on which a change could be measured.
    """
    is_varying = np.asarray((original != original[0]).any(axis=0))
    changed = np.flatnonzero(~is_varying & (masked != original[0]).any(axis=0))
    if len(changed):
        raise InputError(
            f"Column {changed[0] + 1} of the quasi-identifiers is constant in the original, but"
            " changed in the masked table, so there is no scale for the change. Leave the column"
            " out.",
            code="no-unit",
            position=int(changed[0]) + 1,
        )
    return is_varying


def scaling_exponent(*columns: Values) -> int:
    """Return the power of two to divide by so that squares do not overflow, or 0 if none is needed.

    Division by a power of two is exact.
    """
    exponent = max(map(_exponent, columns))
    return exponent if abs(exponent) > MAX_EXPONENT else 0


def _exponent(values: Values) -> int:
    """Return the exponent of the power of two just above the largest magnitude."""
    return int(np.frexp(max(values.max(), -values.min()))[1])


def _divide_by_power(column: Values, exponent: int) -> Values:
    return np.asarray(np.ldexp(column, -exponent)) if exponent else column
