"""Comparable units for columns that have none in common."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

MODERATE = 256  # powers of two within which squares, and sums of them, fit into a float64


def constant(X: Matrix) -> NDArray[np.bool_]:
    """Say for each column whether all its values are the same."""
    return np.asarray((X[0] == X).all(axis=0))


def zscore(X: Matrix) -> Matrix:
    """Return each column with mean 0 and population standard deviation 1.

    A constant column becomes zeros: it has no spread to compare with. Very
    large and very small units are met by scaling with a power of two first,
    which rounds nothing.

    Examples
    --------
    >>> zscore(np.array([[1.0, 7.0], [3.0, 7.0]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    exponent = np.frexp(np.maximum(X.max(axis=0), -X.min(axis=0)))[1]
    if (np.abs(exponent) > MODERATE).any():
        X = np.ldexp(X, -exponent)
    centred = X - X.mean(axis=0)
    spread = centred.std(axis=0)
    spread[constant(X)] = np.inf
    return np.asarray(centred / spread)


def as_it_is(X: Matrix) -> Matrix:
    """Return the columns in their own units."""
    return X


SCALES: dict[str, Callable[[Matrix], Matrix]] = {"zscore": zscore, "none": as_it_is}
