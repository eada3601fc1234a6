"""How well other columns determine a column: linearly, by neighbouring values, or by categories."""

from typing import NamedTuple

import numpy as np

from shoal.metrics._array_types import Labels, Matrix, Values

MIN_DIFFERENT = 5  # if fewer records differ from the most frequent category, no fit is meaningful


class LinearFit(NamedTuple):
    """Positions of the columns that determine another, and their R2."""

    columns: list[int]
    r2: float


def linear_fit(y: Values, X: Matrix, min_r2: float, max_columns: int = 4) -> LinearFit | None:
    """Return a few columns of ``X`` whose linear combination gives ``y``, if there are any.

    Columns are chosen one at a time: next comes the column that explains most of the residual.

    Parameters
    ----------
    y : ndarray of shape (n_records,)
        The column to be explained.
    X : ndarray of shape (n_records, n_columns)
        The columns that may explain it.
    min_r2 : float
        Minimum R2, adjusted for the number of columns.
    max_columns : int
        Maximum number of columns.

    Returns
    -------
    LinearFit or None
        The columns and the adjusted R2, or None if ``min_r2`` is not reached.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [2.0, 3.0], [3.0, 9.0], [4.0, 1.0], [6.0, 2.0]])
    >>> linear_fit(X[:, 0] - X[:, 1], X, 0.99)
    LinearFit(columns=[1, 0], r2=1.0)
    """
    n = len(y)
    residual = _standardise(y[:, None])[:, 0]
    if not residual.any():
        return None
    residual_columns = _standardise(X)
    chosen_columns: list[int] = []
    for n_columns in range(1, min(max_columns, X.shape[1], n - 2) + 1):
        squared_norms = np.einsum("ij,ij->j", residual_columns, residual_columns)
        explained = np.zeros(len(squared_norms))
        is_usable = squared_norms > 1e-10 * n  # smaller residuals are rounding errors
        explained[is_usable] = (
            _products(residual, residual_columns)[is_usable] ** 2 / squared_norms[is_usable]
        )
        best = int(np.argmax(explained))
        if explained[best] <= 0:
            return None
        direction = residual_columns[:, best] / np.sqrt(squared_norms[best])
        residual = residual - direction * (direction * residual).sum()
        residual_columns = residual_columns - direction[:, None] * _products(
            direction, residual_columns
        )
        chosen_columns.append(best)
        mean_squared_error = (residual**2).sum() / n
        r2 = 1 - mean_squared_error * (n - 1) / (n - 1 - n_columns)
        if r2 >= min_r2:
            return LinearFit(chosen_columns, float(r2) if mean_squared_error > 1e-12 else 1.0)
    return None


def neighbour_r2(y: Values, predictor: Values, *, ordered: bool = True) -> float:
    """Return how well ``y`` is predicted by the records with the nearest values of ``predictor``.

    This detects any smooth function. A record is predicted by the mean of the other records with
    the same value of the predictor. If there are none, it is predicted by its two neighbours in the
    order of the predictor, or by the mean of all others if the predictor has no order.

    Parameters
    ----------
    y : ndarray of shape (n_records,)
        The column to be explained.
    predictor : ndarray of shape (n_records,)
        The column that may explain it.
    ordered : bool
        Whether the order of ``predictor`` is meaningful.

    Returns
    -------
    float
        1 - (squared error) / (squared deviation from the mean): 1 if ``y`` is a function of
        ``predictor``, 0 or less if ``predictor`` says nothing about it.
    """
    n = len(y)
    centred = _standardise(y[:, None])[:, 0]
    if n < 3 or not centred.any():
        return 0.0
    codes = np.unique(predictor, return_inverse=True)[1].ravel()
    sizes = np.bincount(codes)
    sums = np.bincount(codes, centred)
    n_equal = sizes[codes]  # records with the same predictor, including the record itself
    predicted = (sums[codes] - centred) / np.maximum(n_equal - 1, 1)
    is_unique = n_equal == 1
    if not ordered:
        predicted[is_unique] = -centred[is_unique] / (n - 1)
    elif len(sizes) > 1:
        means = sums / sizes
        previous_means, next_means = np.roll(means, 1), np.roll(means, -1)
        previous_means[0], next_means[-1] = means[1], means[-2]
        predicted[is_unique] = ((previous_means + next_means) / 2)[codes[is_unique]]
    error = centred - predicted
    return float(1 - (error**2).sum() / (centred**2).sum())


def category_fit(y: Labels, predictor: Labels) -> float:
    """Return the share of the errors of a constant guess that a predictor avoids.

    Parameters
    ----------
    y : ndarray of shape (n_records,)
        The category of each record, counted from 0.
    predictor : ndarray of shape (n_records,)
        Another category of each record, which may determine ``y``, counted from 0.

    Returns
    -------
    float
        1 - (errors) / (errors of always guessing the most frequent category): 1 if ``y`` is a
        function of ``predictor``. A record is predicted from the other records with the same
        predictor; if there are none, it counts as an error. The result is 0 if fewer than five
        records differ from the most frequent category.

    Examples
    --------
    >>> category_fit(np.tile([0, 0, 1, 1], 5), np.tile([0, 1, 2, 3], 5))
    1.0
    """
    n_errors_of_constant = len(y) - int(np.bincount(y).max())
    if n_errors_of_constant < MIN_DIFFERENT:
        return 0.0
    n_categories = int(y.max()) + 1
    pairs, pair_of_record, counts = np.unique(
        predictor * n_categories + y, return_inverse=True, return_counts=True
    )
    predictor_of_pair = pairs // n_categories
    order = np.lexsort((counts, predictor_of_pair))
    starts = np.flatnonzero(np.diff(predictor_of_pair[order], prepend=-1))
    last = np.append(starts[1:], len(order)) - 1
    # For each value of the predictor, the pair with its most frequent category, and the count of
    # its second most frequent category.
    most_frequent_pairs = order[last]
    second_counts = np.where(last > starts, counts[order[np.maximum(last - 1, 0)]], 0)
    predictor_rank = np.cumsum(np.diff(predictor_of_pair, prepend=-1) != 0) - 1  # of each pair
    best_other_counts = np.where(
        most_frequent_pairs[predictor_rank] == np.arange(len(pairs)),
        second_counts[predictor_rank],
        counts[most_frequent_pairs][predictor_rank],
    )
    is_predicted = counts - 1 > best_other_counts  # the record itself does not count
    n_errors = len(y) - is_predicted[pair_of_record.ravel()].sum()
    return float(1 - n_errors / n_errors_of_constant)


def _products(values: Values, X: Matrix) -> Values:
    """Return the scalar product with each column; einsum avoids the overhead of BLAS threads."""
    return np.asarray(np.einsum("i,ij->j", values, X))


def _standardise(X: Matrix) -> Matrix:
    """Return columns with mean 0 and standard deviation 1; constant columns become 0."""
    largest = np.abs(X).max(axis=0)
    X = X / np.where(largest > 0, largest, 1)  # avoids overflow of squares
    X = X - X.mean(axis=0)
    std = np.sqrt(np.einsum("ij,ij->j", X, X) / len(X))
    is_constant = std <= 1e-12
    return np.asarray(np.where(is_constant, 0, X / np.where(is_constant, 1, std)))
