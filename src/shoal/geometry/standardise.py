"""Standardise columns so that distances compare them in the same units."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Values = NDArray[np.float64]  # one for each column
Columns = NDArray[np.int64]
Weights = NDArray[np.float64]

MAX_EXPONENT = 256  # up to this power of two, sums of squares neither overflow nor underflow


def is_constant(X: Matrix) -> NDArray[np.bool_]:
    """Return a mask of the columns whose values, apart from missing ones, are all equal."""
    is_missing = np.isnan(X)
    if not is_missing.any():
        return np.asarray((X[0] == X).all(axis=0))
    reference = X[np.argmin(is_missing, axis=0), np.arange(X.shape[1])]
    return np.asarray(((reference == X) | is_missing).all(axis=0))


def standard_deviation(X: Matrix) -> Values:
    """Return the population standard deviation of each column, without overflow.

    Examples
    --------
    >>> standard_deviation(np.array([[1.0, 7.0], [3.0, 7.0]]))
    array([1., 0.])
    """
    exponent = np.frexp(np.abs(X).max(axis=0))[1]
    deviations = np.ldexp(np.ldexp(X, -exponent).std(axis=0), exponent)
    return np.where(is_constant(X), 0.0, deviations)


def zscore(X: Matrix, columns: Columns | None = None, weights: Weights | None = None) -> Matrix:
    """Return each column with mean 0 and population standard deviation 1.

    A constant column becomes zeros. Very large and very small values are scaled by a power
    of two first, which is exact.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_axes)
        The columns as axes, with NaN for missing values. Missing values do not affect the mean and
        the standard deviation; they become 0, the mean.
    columns : ndarray of shape (n_axes,), optional
        The column that each axis belongs to, if some columns have several axes. The axes of a
        column are divided by the same scale, on which the mean squared distance from the mean is 1.
    weights : ndarray of shape (n_records,), optional
        Weight of each record in the mean and the standard deviation, such as its survey weight.

    Returns
    -------
    ndarray of shape (n_records, n_axes)
        The z-scores.

    Examples
    --------
    >>> zscore(np.array([[1.0, 7.0], [3.0, 7.0]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    >>> zscore(np.array([[1.0], [np.nan], [3.0]])).ravel()
    array([-1.,  0.,  1.])
    """
    is_missing = np.isnan(X)
    max_magnitude = np.fmax.reduce(np.abs(X), axis=0)
    exponent = np.frexp(np.where(np.isnan(max_magnitude), 0, max_magnitude))[1]
    if columns is not None:
        exponent = np.array([exponent[columns == column].max() for column in columns])
    if (np.abs(exponent) > MAX_EXPONENT).any():
        X = np.ldexp(X, -exponent)
    is_constant_axis = is_constant(X)
    if weights is not None:
        centred, spread = _weighted_moments(X, is_missing, weights)
    else:
        if is_missing.any():
            X = np.where(is_missing, means(X), X)
        centred = X - X.mean(axis=0)
        centred[is_missing] = 0.0
        spread = centred.std(axis=0)
        if is_missing.any():
            spread *= np.sqrt(len(X) / np.maximum(1, (~is_missing).sum(axis=0)))
    if columns is not None:
        spread = np.sqrt(np.bincount(columns, spread**2))[columns]
        is_constant_axis = np.bincount(columns, ~is_constant_axis)[columns] == 0
    spread[is_constant_axis] = np.inf
    return np.asarray(centred / spread)


def _weighted_moments(
    X: Matrix, is_missing: NDArray[np.bool_], weights: Weights
) -> tuple[Matrix, Values]:
    """Return the differences from the weighted mean, and the weighted standard deviation."""
    cell_weights = np.where(is_missing, 0.0, weights[:, np.newaxis])
    total = cell_weights.sum(axis=0)
    total[total == 0] = 1.0  # a column without values
    centred = np.where(is_missing, 0.0, X - means(X))
    centred = np.where(is_missing, 0.0, centred - (cell_weights * centred).sum(axis=0) / total)
    return centred, np.sqrt((cell_weights * centred**2).sum(axis=0) / total)


def fill_missing_with_mean(
    X: Matrix, columns: Columns | None = None, weights: Weights | None = None
) -> Matrix:
    """Return the columns unchanged, except that missing values become the mean."""
    del columns, weights
    is_missing = np.isnan(X)
    return np.where(is_missing, means(X), X) if is_missing.any() else X


def means(X: Matrix) -> Values:
    """Return the mean of each column without missing values, or 0 if all values are missing."""
    is_missing = np.isnan(X)
    reference = X[np.argmin(is_missing, axis=0), np.arange(X.shape[1])]
    reference = np.where(np.isnan(reference), 0.0, reference)
    difference_sums = np.where(is_missing, 0.0, X - reference).sum(axis=0)
    return np.asarray(reference + difference_sums / np.maximum(1, (~is_missing).sum(axis=0)))


STANDARDISATIONS: dict[str, Callable[[Matrix, Columns | None, Weights | None], Matrix]] = {
    "zscore": zscore,
    "none": fill_missing_with_mean,
}
