"""Comparable units for columns that have none in common."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Columns = NDArray[np.int64]
Weights = NDArray[np.float64]

MODERATE = 256  # powers of two within which squares, and sums of them, fit into a float64


def constant(X: Matrix) -> NDArray[np.bool_]:
    """Say for each column whether all its values are the same; missing ones do not count."""
    hole = np.isnan(X)
    if not hole.any():
        return np.asarray((X[0] == X).all(axis=0))
    first = X[np.argmin(hole, axis=0), np.arange(X.shape[1])]
    return np.asarray(((first == X) | hole).all(axis=0))


def deviation(X: Matrix) -> NDArray[np.float64]:
    """Return the population standard deviation of each column, in any unit.

    Examples
    --------
    >>> deviation(np.array([[1.0, 7.0], [3.0, 7.0]]))
    array([1., 0.])
    """
    exponent = np.frexp(np.abs(X).max(axis=0))[1]
    found = np.ldexp(np.ldexp(X, -exponent).std(axis=0), exponent)
    return np.where(constant(X), 0.0, found)


def zscore(X: Matrix, columns: Columns | None = None, weights: Weights | None = None) -> Matrix:
    """Return each column with mean 0 and population standard deviation 1.

    A constant column becomes zeros: it has no spread to compare with. Very
    large and very small units are met by scaling with a power of two first,
    which rounds nothing.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_axes)
        The columns. Where a value is missing, not a number: it takes no part in
        mean and deviation, and stands at the mean afterwards.
    columns : ndarray of shape (n_axes,), optional
        The column that each axis belongs to, where a column has several. Its axes
        share one unit, and its squared distances from the mean average 1.
    weights : ndarray of shape (n_records,), optional
        How much each record counts in mean and deviation: the units are then those of
        the population that a survey speaks for.

    Returns
    -------
    ndarray of shape (n_records, n_axes)
        The scores.

    Examples
    --------
    >>> zscore(np.array([[1.0, 7.0], [3.0, 7.0]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    >>> zscore(np.array([[1.0], [np.nan], [3.0]])).ravel()
    array([-1.,  0.,  1.])
    """
    hole = np.isnan(X)
    greatest = np.fmax.reduce(np.abs(X), axis=0)
    exponent = np.frexp(np.where(np.isnan(greatest), 0, greatest))[1]
    if columns is not None:
        exponent = np.array([exponent[columns == column].max() for column in columns])
    if (np.abs(exponent) > MODERATE).any():
        X = np.ldexp(X, -exponent)
    flat = constant(X)
    if weights is not None:
        centred, spread = _weighted(X, hole, weights)
    else:
        if hole.any():
            X = np.where(hole, means(X), X)
        centred = X - X.mean(axis=0)
        centred[hole] = 0.0
        spread = centred.std(axis=0)
        if hole.any():
            spread *= np.sqrt(len(X) / np.maximum(1, (~hole).sum(axis=0)))
    if columns is not None:
        spread = np.sqrt(np.bincount(columns, spread**2))[columns]
        flat = np.bincount(columns, ~flat)[columns] == 0
    spread[flat] = np.inf
    return np.asarray(centred / spread)


def _weighted(X: Matrix, hole: NDArray[np.bool_], weights: Weights) -> tuple[Matrix, Matrix]:
    """Return the distances from the weighted mean, and the weighted standard deviation."""
    W = np.where(hole, 0.0, weights[:, np.newaxis])
    total = W.sum(axis=0)
    total[total == 0] = 1.0  # a column without any value has no spread
    centred = np.where(hole, 0.0, X - means(X))
    centred = np.where(hole, 0.0, centred - (W * centred).sum(axis=0) / total)
    return centred, np.sqrt((W * centred**2).sum(axis=0) / total)


def as_it_is(X: Matrix, columns: Columns | None = None, weights: Weights | None = None) -> Matrix:
    """Return the columns in their own units; a missing value stands at the mean."""
    del columns, weights
    hole = np.isnan(X)
    return np.where(hole, means(X), X) if hole.any() else X


def means(X: Matrix) -> Matrix:
    """Return the mean of the values that are there; 0 where there are none."""
    hole = np.isnan(X)
    first = X[np.argmin(hole, axis=0), np.arange(X.shape[1])]
    first = np.where(np.isnan(first), 0.0, first)
    excess = np.where(hole, 0.0, X - first).sum(axis=0)
    return np.asarray(first + excess / np.maximum(1, (~hole).sum(axis=0)))


SCALES: dict[str, Callable[[Matrix, Columns | None, Weights | None], Matrix]] = {
    "zscore": zscore,
    "none": as_it_is,
}
