"""Distances that also depend on the confidential columns."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def with_confidential(
    X: Matrix, Y: Matrix, dependence: float, columns: tuple[int, int] | None = None
) -> Matrix:
    """Extend the quasi-identifiers by the confidential columns, to preserve dependence.

    With mX quasi-identifiers and mY confidential columns, the confidential columns have the weight
    ``beta = sqrt(dependence / (1 - dependence) * mX / mY)``, so that their share in squared
    distances is ``dependence``, whatever the numbers of columns [RFSP16]_.

    Parameters
    ----------
    X : ndarray of shape (n_records, mX)
        Quasi-identifiers in comparable units.
    Y : ndarray of shape (n_records, mY)
        Confidential columns in comparable units.
    dependence : float
        In [0, 1]. 0 groups by the quasi-identifiers only, 1 by the confidential columns only.
    columns : tuple of int, optional
        The numbers of columns mX and mY, if columns have several axes; by default every axis is a
        column.

    Returns
    -------
    ndarray of shape (n_records, n_axes)
        The axes that distances are computed on, the quasi-identifiers first.

    References
    ----------
    .. [RFSP16] Rebollo-Monedero, D., Forné, J., Soriano, M. and Puiggalí Allepuz, J.
       (2016). k-Anonymous microaggregation with preservation of statistical
       dependence. Information Sciences 342, 1-23.

    Examples
    --------
    >>> with_confidential(np.ones((1, 1)), np.ones((1, 1)), 0.5)
    array([[1., 1.]])
    """
    if dependence == 0:
        return X
    if dependence == 1:
        return Y
    mX, mY = columns or (X.shape[1], Y.shape[1])
    beta = math.sqrt(dependence / (1 - dependence) * mX / mY)
    return np.hstack([X, beta * Y])


def predicted_confidential(X: Matrix, Y: Matrix, regression: Any) -> Matrix:
    """Return the confidential columns as the quasi-identifiers predict them, E[Y | x] [RFSP16]_.

    Passed to `with_confidential` in place of Y, the predictions give groups that depend on the
    quasi-identifiers only. This is the variant (x, beta E[Y | x]) of the paper, in which the group
    of a record is a function of x: records with equal quasi-identifiers lie at one point.

    Parameters
    ----------
    X : ndarray of shape (n_records, mX)
        Quasi-identifiers in comparable units.
    Y : ndarray of shape (n_records, mY)
        Confidential columns in comparable units.
    regression : object
        Any regression with scikit-learn's ``fit`` and ``predict``; it is fitted to X and Y.

    Returns
    -------
    ndarray of shape (n_records, mY)
        The predictions, in the units of Y.

    References
    ----------
    .. [RFSP16] Rebollo-Monedero, D., Forné, J., Soriano, M. and Puiggalí Allepuz, J.
       (2016). k-Anonymous microaggregation with preservation of statistical
       dependence. Information Sciences 342, 1-23.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> predicted_confidential(X, np.array([[0.0], [3.0], [0.0]]), LinearRegression()).ravel()
    array([1., 1., 1.])
    """
    predicted = np.asarray(regression.fit(X, Y).predict(X), np.float64)
    return predicted.reshape(Y.shape)
