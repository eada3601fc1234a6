"""The best groups of one column when a few records may be suppressed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from shoal.errors import InputError
from shoal.partitioners._base import Indices, Labels, Values


class Suppressed(NamedTuple):
    """Groups of one column in which records may be suppressed.

    ``labels`` has -1 for suppressed records; ``sse`` is the sum of squares of the others.
    """

    labels: Labels
    sse: float


def univariate_with_suppression(values: ArrayLike, k: int, most: int) -> Suppressed:
    """Group one column with the least loss when up to ``most`` records are suppressed [LM13]_.

    A few outliers may cost more than all other records. There are best groups that are runs of the
    sorted records with suppressed records between them, so a shortest path over records and
    suppressions finds them. The least loss of the first j records with t suppressed is the least
    loss of j - 1 records with t - 1 suppressed, or the least loss of j - m records with t
    suppressed plus the loss of a group of the last m records, where m is k to 2k - 1. Ties go to
    fewer suppressions, then to the shortest last group.

    Parameters
    ----------
    values : array-like of shape (n_records,)
        The column.
    k : int
        Minimum number of records in a group.
    most : int
        Maximum number of suppressed records; at least k are left.

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
    _check(x, k, most)
    most = min(most, len(x) - k)
    order = np.argsort(x, kind="stable")
    loss, last_size = _least_losses(x[order], k, most)
    total = float(np.min(loss[-1]))
    n_suppressed = int(np.argmax(loss[-1] <= total * (1 + 1e-12)))
    return Suppressed(_trace_back(last_size, n_suppressed, order), total)


def _check(x: Values, k: int, most: int) -> None:
    """Refuse a column, a k or a number of suppressions that cannot be computed with."""
    if x.ndim != 1:
        problem = f"One column of numbers is needed. Got the shape {x.shape}."
    elif not np.isfinite(x).all():
        problem = "The column has missing or infinite values. Impute or drop them first."
    elif k < 1:
        problem = f"`k` must be at least 1. Got {k} instead."
    elif len(x) < k:
        problem = f"A group needs k={k} records but the column has only {len(x):,}. Lower k."
    elif most < 0:
        problem = f"The number of suppressed records cannot be negative. Got {most}."
    else:
        return
    raise InputError(problem, code="matrix-not-accepted")


def _trace_back(last_size: Indices, n_suppressed: int, order: Indices) -> Labels:
    """Return the groups of the path that suppresses ``n_suppressed`` records, from its end."""
    labels = np.full(len(order), -1)
    groups = []
    j = len(order)
    while j > 0:
        size = int(last_size[j, n_suppressed])
        if size:
            groups.append(order[j - size : j])
            j -= size
        else:
            j, n_suppressed = j - 1, n_suppressed - 1
    for label, records in enumerate(reversed(groups)):
        labels[records] = label
    return labels


def _least_losses(x: Values, k: int, most: int) -> tuple[Values, Indices]:
    """Return the least loss of the first j values with t suppressed, and the last group of each.

    The size of the last group is 0 if the last value is suppressed.
    """
    n = len(x)
    x = x - x[n // 2]  # sums of squares lose no digits
    loss = np.full((n + 1, most + 1), np.inf)
    last_size = np.zeros((n + 1, most + 1), np.int64)
    loss[0, 0] = 0.0
    for j in range(1, n + 1):
        loss[j, 1:] = loss[j - 1, :-1]
        for size in range(min(k, j + 1), min(2 * k - 1, j) + 1):
            last_values = x[j - size : j]
            candidate = loss[j - size] + float(((last_values - last_values.mean()) ** 2).sum())
            is_better = candidate < loss[j]
            loss[j, is_better], last_size[j, is_better] = candidate[is_better], size
    return loss, last_size
