"""Original frequencies of categories, estimated from a release by PRAM."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from shoal.errors import InputError
from shoal.metrics._array_types import Matrix

MAX_CONDITION = 1e10  # a matrix with a larger condition number counts as singular
MAX_ROUNDING_ERROR = 0.01  # allowed in the sum of a row, since published matrices are rounded


class FrequencyEstimate(NamedTuple):
    """Estimated frequencies of the original categories.

    Attributes
    ----------
    frequencies : ndarray
        The estimates, in the shape of the released table. They are unbiased, so some may be
        negative; their sum is the number of released records.
    standard_errors : ndarray
        Estimated standard errors of the estimates, given the original records.
    """

    frequencies: Matrix
    standard_errors: Matrix


def estimate_frequencies(
    released: ArrayLike, matrix: ArrayLike, column_matrix: ArrayLike | None = None
) -> FrequencyEstimate:
    r"""Estimate the original frequencies of a table that was released by PRAM with a known matrix.

    With the matrix :math:`P` (rows: original categories, columns: released categories) and the
    original frequencies :math:`t`, the expected released frequencies are :math:`P^\top t`. So
    :math:`(P^\top)^{-1} t^*` is an unbiased estimate from the released frequencies :math:`t^*`
    [GKWW98]_. As every record changes independently, the covariance matrix of :math:`t^*` is
    :math:`\sum_k t_k (\operatorname{diag}(p_k) - p_k p_k^\top)` with the rows :math:`p_k` of
    :math:`P`. The standard errors use the estimates instead of :math:`t` [HH02]_. They measure only
    the error from the random changes, not the sampling error.

    Parameters
    ----------
    released : array-like of shape (n_categories,) or (n_categories, n_columns)
        Frequencies of the released categories, in the order of the matrix. The columns of a
        two-way table are the values of another column.
    matrix : array-like of shape (n_categories, n_categories)
        Probability that the category of a row is released as the category of a column, as
        published in the report. Rows are scaled to sum to one.
    column_matrix : array-like of shape (n_columns, n_columns), optional
        Matrix of the other column of a two-way table, if PRAM changed that column too,
        independently. By default it did not.

    Returns
    -------
    FrequencyEstimate
        Estimates and standard errors, in the shape of ``released``.

    References
    ----------
    .. [GKWW98] Gouweleeuw, J. M., Kooiman, P., Willenborg, L. C. R. J. and de Wolf, P.-P.
       (1998). Post randomisation for statistical disclosure control: theory and
       implementation. Journal of Official Statistics 14(4), 463-478.
    .. [HH02] van den Hout, A. and van der Heijden, P. G. M. (2002). Randomized response,
       statistical disclosure control and misclassification: a review. International
       Statistical Review 70(2), 269-288.

    Examples
    --------
    >>> estimate = estimate_frequencies([70, 30], [[0.9, 0.1], [0.2, 0.8]])
    >>> estimate.frequencies.round(1), estimate.standard_errors.round(1)
    (array([71.4, 28.6]), array([4.7, 4.7]))
    """
    table = _as_frequencies(released)
    P = _as_stochastic_matrix(matrix, table.shape[0], "matrix")
    if column_matrix is None:
        columns = table if table.ndim == 2 else table[:, np.newaxis]
        estimates = [_estimate(column, P) for column in columns.T]
        frequencies, errors = (np.column_stack(arrays) for arrays in zip(*estimates, strict=True))
    else:
        if table.ndim != 2:
            raise _not_accepted_error("released", "a two-way table, since there are two matrices")
        Q = _as_stochastic_matrix(column_matrix, table.shape[1], "column_matrix")
        frequencies, errors = _estimate(table.ravel(), np.asarray(np.kron(P, Q), np.float64))
    return FrequencyEstimate(frequencies.reshape(table.shape), errors.reshape(table.shape))


def _estimate(released: Matrix, P: Matrix) -> tuple[Matrix, Matrix]:
    """Return the estimates and their standard errors for one vector of frequencies."""
    inverse = np.linalg.inv(P)
    frequencies = released @ inverse
    covariance = np.diag(frequencies @ P) - P.T @ (frequencies[:, np.newaxis] * P)
    variances = ((covariance @ inverse) * inverse).sum(axis=0)
    return frequencies, np.sqrt(np.maximum(variances, 0.0))


def _as_frequencies(released: ArrayLike) -> Matrix:
    table = np.asarray(released, np.float64)
    if table.ndim not in (1, 2) or not table.size or not np.isfinite(table).all():
        raise _not_accepted_error("released", "a vector or a two-way table of frequencies")
    return table


def _as_stochastic_matrix(entries: ArrayLike, size: int, name: str) -> Matrix:
    """Return a matrix whose rows sum to one; refuse rows with other sums, and singular matrices."""
    matrix = np.asarray(entries, np.float64)
    if matrix.shape != (size, size):
        raise _not_accepted_error(
            name, f"a {size} x {size} matrix, since the table has {size} categories"
        )
    sums = matrix.sum(axis=1)
    if (
        not np.isfinite(matrix).all()
        or (matrix < 0).any()
        or (np.abs(sums - 1) > MAX_ROUNDING_ERROR).any()
    ):
        raise _not_accepted_error(name, "probabilities, each row with the sum 1")
    matrix = np.asarray(matrix / sums[:, np.newaxis])
    if np.linalg.cond(matrix) > MAX_CONDITION:
        raise InputError(
            f"The frequencies cannot be estimated: {name!r} is singular, so different original"
            " tables have the same expected release. Join categories.",
            code="matrix-singular",
            need=name,
        )
    return matrix


def _not_accepted_error(name: str, expected: str) -> InputError:
    return InputError(f"{name!r} must be {expected}.", code="matrix-not-accepted", need=name)
