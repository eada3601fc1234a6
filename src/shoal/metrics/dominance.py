"""Groups in which one record holds most of the sum: its value is near to known."""

import numpy as np
from numpy.typing import NDArray

from shoal.metrics._base import Labels, Matrix, Values

Counts = NDArray[np.int64]


def dominated_groups(
    contributions: Matrix, labels: Labels, share: float, p_percent: float | None = None
) -> Counts:
    """Count the groups whose mean gives away the value of one record.

    A group is dominated where its greatest contribution, in absolute value, is more than
    ``share`` of the sum of all; also, with ``p_percent``, where the record in second place
    can estimate the greatest contribution more closely than within p per cent: the sum of all
    others is less than ``p_percent`` per cent of it.

    In a column of both signs most sums are near 0 by themselves, so a group counts only where its
    greatest contribution is also greater than the standard deviation of the column.

    Parameters
    ----------
    contributions : ndarray of shape (n_records, n_columns)
        Values of each record, times its weight where there are weights; not a number where
        missing.
    labels : ndarray of shape (n_records,)
        The group of each record, counted from 0.
    share : float
        Greatest share of a group's sum, in [0, 1].
    p_percent : float, optional
        The p of the p % rule; not looked at where None.

    Returns
    -------
    ndarray of shape (n_columns,)
        Number of dominated groups of each column. Groups with fewer than two values are left
        out.

    Examples
    --------
    >>> dominated_groups(np.array([[9.0], [1.0], [5.0], [5.0]]), np.array([0, 0, 1, 1]), 0.8)
    array([1])
    """
    order = np.argsort(labels, kind="stable")
    counts = np.bincount(labels)
    starts = np.cumsum(counts) - counts
    found = np.zeros(contributions.shape[1], np.int64)
    for at, column in enumerate(contributions.T):
        known = ~np.isnan(column)
        size = np.where(known, np.abs(column), 0)
        if size.max() == 0:
            continue
        unit = size.max()  # sums of great values may not fit into a float64
        size = (size / unit)[order]
        several = np.add.reduceat(known[order], starts, dtype=np.int64) > 1
        most, total = np.maximum.reduceat(size, starts), np.add.reduceat(size, starts)
        dominated = most > share * total
        if p_percent is not None:
            rest = total - most - _second(size, labels[order], starts)
            dominated |= (rest < p_percent / 100 * most) & (most > 0)
        if column[known].min() < 0 < column[known].max():
            dominated &= most > (column[known] / unit).std()
        found[at] = int((dominated & several).sum())
    return found


def _second(size: Values, group: Labels, starts: Counts) -> Values:
    """Return the second greatest value of each group; groups are runs that begin at ``starts``."""
    ends = np.append(starts[1:], len(size))
    ranked = size[np.lexsort((size, group))]
    return np.asarray(ranked[np.maximum(ends - 2, starts)])
