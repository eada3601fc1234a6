"""Sums of squares of columns, in total and within groups, and of single records."""

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Values = NDArray[np.float64]  # one for each record or column
Labels = NDArray[np.int64]


def total_sums_of_squares(X: Matrix) -> Values:
    """Return the sum of the squared differences of each column from its mean.

    Examples
    --------
    >>> total_sums_of_squares(np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]]))
    array([8., 0.])
    """
    return np.array([((column - column.mean()) ** 2).sum() for column in X.T])


def within_group_sums_of_squares(X: Matrix, labels: Labels) -> Values:
    """Return the sum of the squared differences of each column from the means of the groups.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        The columns, without missing values.
    labels : ndarray of shape (n_records,)
        Group of each record, from 0; no group is empty.

    Returns
    -------
    ndarray of shape (n_columns,)
        The sum of squares of each column; at most its total sum of squares, up to rounding.

    Examples
    --------
    >>> within_group_sums_of_squares(np.array([[0.0], [2.0], [7.0]]), np.array([0, 0, 1]))
    array([2.])
    """
    sizes = np.bincount(labels)
    return np.array([(_differences(column, labels, sizes) ** 2).sum() for column in X.T])


def squared_errors(X: Matrix, labels: Labels) -> Values:
    """Return the squared distance of each record from the mean of its group.

    Examples
    --------
    >>> squared_errors(np.array([[0.0], [2.0], [7.0]]), np.array([0, 0, 1]))
    array([1., 1., 0.])
    """
    sizes = np.bincount(labels)
    errors = np.zeros(len(X))
    for column in X.T:
        errors += _differences(column, labels, sizes) ** 2
    return errors


def _differences(column: Values, labels: Labels, sizes: NDArray[np.int64]) -> Values:
    """Return the differences of a column from the means of the groups."""
    means = np.bincount(labels, column) / sizes
    return np.asarray(column - means[labels])
