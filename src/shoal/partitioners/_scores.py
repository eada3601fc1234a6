"""Scores to sort records by, shared by the methods that start from an order."""

from typing import Annotated, Any, Literal

import numpy as np

from shoal._params import AtLeast
from shoal.errors import ParameterError
from shoal.geometry.standardise import zscore
from shoal.partitioners._base import Indices, Matrix, Values

Column = Annotated[int, AtLeast(0)]
Score = Literal["first-component", "sum-of-z"] | Column
Loadings = Literal["exact", "rounded"]

SCORE_BITS = 40  # bits of a score that count; lower bits are rounding errors
EIGENVALUE_TOLERANCE = 1e-9  # eigenvalues this close to the largest count as equal to it


def score(X: Matrix, by: str | int, loadings: str = "exact") -> Values:
    """Return the score of each record.

    Scores of several columns are weighted sums of z-scores, so they do not depend on units. They
    are multiplied by a power of two and rounded to integers of `SCORE_BITS` bits, so records whose
    scores differ only by rounding stay in their order.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        The records.
    by : {"first-component", "sum-of-z"} or int
        A principal component, a sum of z-scores, or the number of a column.
    loadings : {"exact", "rounded"}, default="exact"
        Weights of the first component; see :func:`first_component`.

    Returns
    -------
    ndarray of shape (n_records,)
        The scores: values of the column, or rounded weighted sums.

    Examples
    --------
    >>> X = np.array([[1.0, 50.0], [2.0, 30.0], [3.0, 10.0]])
    >>> score(X, 1)
    array([50., 30., 10.])
    >>> order_by_score(score(X, "first-component"))
    array([0, 1, 2])
    """
    if not isinstance(by, str):
        return X[:, by]
    Z = zscore(X)
    weights = np.ones(Z.shape[1]) if by == "sum-of-z" else first_component(Z, loadings)
    total = np.zeros(len(Z))
    for column, weight in zip(Z.T, weights, strict=True):  # so that all records are summed alike
        total += column * weight
    exponent = np.frexp(np.abs(total).max())[1]
    return np.asarray(np.rint(np.ldexp(total, SCORE_BITS - exponent)))


def first_component(Z: Matrix, loadings: str = "exact") -> Values:
    """Return the weights of the columns in the first principal component of z-scores.

    The sign of an eigenvector is arbitrary, so the first column whose weight is at least half the
    largest weight counts positively. If the largest eigenvalue is multiple, its eigenvector nearest
    to that column is returned. So nothing depends on the eigenvalue solver.

    Parameters
    ----------
    Z : ndarray of shape (n_records, n_columns)
        Columns of mean 0 and standard deviation 1, or all 0.
    loadings : {"exact", "rounded"}, default="exact"
        ``"exact"`` gives the eigenvector of the correlation matrix. ``"rounded"``
        gives the correlations of the columns with the component, to three
        decimals, as a statistical package prints them.

    Returns
    -------
    ndarray of shape (n_columns,)
        The weight of each column.
    """
    eigenvalues, vectors = np.linalg.eigh(Z.T @ Z / len(Z))
    leading_vectors = vectors[:, eigenvalues >= eigenvalues[-1] * (1 - EIGENVALUE_TOLERANCE)]
    squared_weights = (leading_vectors**2).sum(axis=1)
    sign_column = int(np.argmax(squared_weights >= squared_weights.max() / 4))
    component = (
        leading_vectors @ leading_vectors[sign_column] / np.sqrt(squared_weights[sign_column])
    )
    if loadings == "rounded":
        component = np.round(component * np.sqrt(max(eigenvalues[-1], 0)), 3)
    return np.asarray(component)


def order_by_score(scores: Values, descending: bool = False) -> Indices:
    """Return the records by score; equal scores stay in the order of the records."""
    return np.argsort(-scores if descending else scores, kind="stable")


def check_column(method: Any, name: str, X: Matrix) -> None:
    """Refuse a parameter that numbers a column which ``X`` does not have."""
    column = getattr(method, name)
    if not isinstance(column, str) and column >= X.shape[1]:
        raise ParameterError(
            f"The {name!r} parameter of {type(method).__name__} asks for column {column}, but the"
            f" data have {X.shape[1]} columns, counted from 0. Choose one of 0 to"
            f" {X.shape[1] - 1}.",
            code="no-such-column",
            parameter=name,
            column=column,
        )
