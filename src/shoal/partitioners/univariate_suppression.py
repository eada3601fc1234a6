"""The best groups of one column when some records may be suppressed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import InputError

Values = NDArray[np.float64]


class Suppressed(NamedTuple):
    """Groups of one column without some of its records.

    ``labels`` has -1 for suppressed records; ``sse`` is the sum of squares of the others.
    """

    labels: NDArray[np.int64]
    sse: float


def univariate_with_suppression(values: ArrayLike, k: int, most: int) -> Suppressed:
    """Group one column with the least loss when up to ``most`` records are suppressed [LM13]_.

    A few outliers may cost more than all other records. Some best groups are runs of the sorted
    records with suppressed ones between them, so a shortest path over records and suppressions
    finds them: the least loss of the first j records with t suppressed is that of j - 1 records
    with t - 1, or that of j - m records with t and a group of the last m, k to 2k - 1 of them.
    Of equal losses the one with fewer suppressions, then the shortest last group, is taken.

    Parameters
    ----------
    values : array-like of shape (n_records,)
        The column.
    k : int
        Least number of records in a group.
    most : int
        Greatest number of suppressed records; at least k are left.

    Returns
    -------
    Suppressed
        The group of each record, counted from 0 by value, and the sum of squares.

    References
    ----------
    .. [LM13] Laszlo, M. and Mukherjee, S. (2013). Optimal univariate microaggregation with
       data suppression. Journal of Systems and Software 86(3), 677-682.

    Examples
    --------
    >>> univariate_with_suppression([0, 1, 2, 90, 10, 11], 2, 1)
    Suppressed(labels=array([ 0,  0,  0, -1,  1,  1]), sse=2.5)
    """
    x = np.asarray(values, np.float64)
    if x.ndim != 1 or not np.isfinite(x).all() or not 1 <= k <= len(x) or most < 0:
        raise InputError(
            f"One column of at least k={k} finite numbers is needed, with k of 1 or more and no"
            f" negative number of suppressions. Got the shape {x.shape}.",
            code="matrix-not-accepted",
        )
    most = min(most, len(x) - k)
    order = np.argsort(x, kind="stable")
    loss, last_size = _least_losses(x[order], k, most)
    total = float(np.min(loss[-1]))
    n_suppressed = int(np.argmax(loss[-1] <= total * (1 + 1e-12)))
    labels, j, groups = np.full(len(x), -1), len(x), []
    while j > 0:
        size = int(last_size[j, n_suppressed])
        if size:
            groups.append(order[j - size : j])
            j -= size
        else:
            j, n_suppressed = j - 1, n_suppressed - 1
    for label, records in enumerate(reversed(groups)):
        labels[records] = label
    return Suppressed(labels, total)


def _least_losses(x: Values, k: int, most: int) -> tuple[Values, NDArray[np.int64]]:
    """Return the least loss of the first j values with t suppressed, and the last group of each.

    The size of the last group is 0 where the last value is suppressed.
    """
    n = len(x)
    x = x - x[n // 2]  # sums of squares lose no digits
    loss, last_size = np.full((n + 1, most + 1), np.inf), np.zeros((n + 1, most + 1), np.int64)
    loss[0, 0] = 0.0
    for j in range(1, n + 1):
        loss[j, 1:] = loss[j - 1, :-1]
        for size in range(min(k, j + 1), min(2 * k - 1, j) + 1):
            last_values = x[j - size : j]
            candidate = loss[j - size] + float(((last_values - last_values.mean()) ** 2).sum())
            is_better = candidate < loss[j]
            loss[j, is_better], last_size[j, is_better] = candidate[is_better], size
    return loss, last_size
