"""How well some columns determine another: linearly, by nearest neighbours, or by categories."""

from typing import NamedTuple

import numpy as np

from shoal.metrics._base import Labels, Matrix, Values

MIN_DIFFERENT = 5  # records with other values than the most frequent, for a meaningful fit


class Fit(NamedTuple):
    """Positions of the columns that determine another, and their R2."""

    columns: list[int]
    r2: float


def linear_fit(y: Values, X: Matrix, least: float, most: int = 4) -> Fit | None:
    """Return a few columns of ``X`` whose linear combination gives ``y``, if there are any.

    Columns are added one at a time, each time the one that explains most of the residual.

    Parameters
    ----------
    y : ndarray of shape (n_records,)
        The column to be explained.
    X : ndarray of shape (n_records, n_columns)
        Columns that may explain it.
    least : float
        Minimum R2, adjusted for the number of columns.
    most : int
        Maximum number of columns.

    Returns
    -------
    Fit or None
        The columns and the adjusted R2; None if ``least`` is not reached.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [2.0, 3.0], [3.0, 9.0], [4.0, 1.0], [6.0, 2.0]])
    >>> linear_fit(X[:, 0] - X[:, 1], X, 0.99)
    Fit(columns=[1, 0], r2=1.0)
    """
    n = len(y)
    residual = _standardise(y[:, None])[:, 0]
    if not residual.any():
        return None
    rest = _standardise(X)
    chosen: list[int] = []
    for used in range(1, min(most, X.shape[1], n - 2) + 1):
        spread = np.einsum("ij,ij->j", rest, rest)
        explained = np.zeros(len(spread))
        usable = spread > 1e-10 * n  # the others are rounding errors
        explained[usable] = _products(residual, rest)[usable] ** 2 / spread[usable]
        best = int(np.argmax(explained))
        if explained[best] <= 0:
            return None
        direction = rest[:, best] / np.sqrt(spread[best])
        residual = residual - direction * (direction * residual).sum()
        rest = rest - direction[:, None] * _products(direction, rest)
        chosen.append(best)
        error = (residual**2).sum() / n
        r2 = 1 - error * (n - 1) / (n - 1 - used)
        if r2 >= least:
            return Fit(chosen, float(r2) if error > 1e-12 else 1.0)
    return None


def neighbour_r2(y: Values, u: Values, *, ordered: bool = True) -> float:
    """Return how well the records nearest in ``u`` predict ``y``; it detects any smooth function.

    A record is predicted by the mean of the others with the same ``u``. Without such records, it
    is predicted by its two neighbours in the order of ``u``, or by the mean of the column where
    ``u`` has no order.

    Parameters
    ----------
    y : ndarray of shape (n_records,)
        The column to be explained.
    u : ndarray of shape (n_records,)
        The column that may explain it.
    ordered : bool
        Whether the order of ``u`` is meaningful.

    Returns
    -------
    float
        1 - (squared error) / (squared deviation from the mean): 1 where ``y`` is a function of
        ``u``, 0 or less where it is not.
    """
    n = len(y)
    centred = _standardise(y[:, None])[:, 0]
    if n < 3 or not centred.any():
        return 0.0
    code = np.unique(u, return_inverse=True)[1].ravel()
    sizes = np.bincount(code)
    sums = np.bincount(code, centred)
    size = sizes[code]
    predicted = (sums[code] - centred) / np.maximum(size - 1, 1)
    is_unique = size == 1
    if not ordered:
        predicted[is_unique] = -centred[is_unique] / (n - 1)
    elif len(sizes) > 1:
        means = sums / sizes
        before, after = np.roll(means, 1), np.roll(means, -1)
        before[0], after[-1] = means[1], means[-2]
        predicted[is_unique] = ((before + after) / 2)[code[is_unique]]
    error = centred - predicted
    return float(1 - (error**2).sum() / (centred**2).sum())


def category_fit(y: Labels, u: Labels) -> float:
    """Return how much better records with the same ``u`` predict a category than a guess does.

    Parameters
    ----------
    y : ndarray of shape (n_records,)
        The category of each record, counted from 0.
    u : ndarray of shape (n_records,)
        What may determine it, counted from 0.

    Returns
    -------
    float
        1 - (errors) / (errors of always guessing the most frequent category): 1 where ``y``
        is a function of ``u``. A record with a unique ``u`` counts as an error. 0 where hardly any
        record differs from the most frequent category.

    Examples
    --------
    >>> category_fit(np.tile([0, 0, 1, 1], 5), np.tile([0, 1, 2, 3], 5))
    1.0
    """
    n_errors = len(y) - int(np.bincount(y).max())
    if n_errors < MIN_DIFFERENT:
        return 0.0
    pairs, pair, counts = np.unique(
        u * (int(y.max()) + 1) + y, return_inverse=True, return_counts=True
    )
    of_u = pairs // (int(y.max()) + 1)
    order = np.lexsort((counts, of_u))
    starts = np.flatnonzero(np.diff(of_u[order], prepend=-1))
    ends = np.append(starts[1:], len(order)) - 1
    first = order[ends]  # for each u, the most frequent category
    second = np.where(ends > starts, counts[order[np.maximum(ends - 1, 0)]], 0)
    rank = np.cumsum(np.diff(of_u, prepend=-1) != 0) - 1
    other = np.where(first[rank] == np.arange(len(pairs)), second[rank], counts[first][rank])
    right = counts[pair.ravel()] - 1 > other[pair.ravel()]
    return float(1 - (len(y) - right.sum()) / n_errors)


def _products(values: Values, X: Matrix) -> Values:
    """Return the scalar product with each column; einsum avoids the overhead of BLAS threads."""
    return np.asarray(np.einsum("i,ij->j", values, X))


def _standardise(X: Matrix) -> Matrix:
    """Return columns with mean 0 and standard deviation 1; constant ones become 0."""
    most = np.abs(X).max(axis=0)
    X = X / np.where(most > 0, most, 1)  # avoids overflow of squares
    X = X - X.mean(axis=0)
    spread = np.sqrt(np.einsum("ij,ij->j", X, X) / len(X))
    flat = spread <= 1e-12
    return np.asarray(np.where(flat, 0, X / np.where(flat, 1, spread)))
