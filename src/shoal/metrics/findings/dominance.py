"""Groups in which one record holds most of the sum, so that the mean reveals its value."""

import numpy as np
from numpy.typing import NDArray

from shoal.metrics._array_types import Labels, Matrix, Values

Counts = NDArray[np.int64]


def dominated_groups(
    contributions: Matrix,
    labels: Labels,
    share: float,
    p_percent: float | None = None,
    units: Labels | None = None,
) -> Counts:
    """Count the groups whose mean reveals the value of one record, or of one unit.

    A group is dominated where its greatest contribution, in absolute value, is more than
    ``share`` of the sum of all; also, with ``p_percent``, where the record in second place
    can estimate the greatest contribution more closely than within p per cent: the sum of all
    others is less than ``p_percent`` per cent of it.

    In a column of both signs most sums are near 0 by themselves, so a group counts only where its
    greatest contribution is also greater than the standard deviation of the column.

    Parameters
    ----------
    contributions : ndarray of shape (n_records, n_columns)
        Values of each record, times its weight if there are weights; NaN where missing.
    labels : ndarray of shape (n_records,)
        The group of each record, counted from 0.
    share : float
        Maximum share of the sum of a group, in [0, 1].
    p_percent : float, optional
        The p of the p % rule; not checked if None.
    units : ndarray of shape (n_records,), optional
        The unit of each record, counted from 0: the records of a unit in a group then contribute
        together.

    Returns
    -------
    ndarray of shape (n_columns,)
        Number of dominated groups of each column. Groups with fewer than two values do not
        count.

    Examples
    --------
    >>> dominated_groups(np.array([[9.0], [1.0], [5.0], [5.0]]), np.array([0, 0, 1, 1]), 0.8)
    array([1])
    """
    if units is not None:
        contributions, labels = _sum_by_unit(contributions, labels, units)
    order = np.argsort(labels, kind="stable")
    counts = np.bincount(labels)
    starts = np.cumsum(counts) - counts
    n_dominated = np.zeros(contributions.shape[1], np.int64)
    for i, column in enumerate(contributions.T):
        has_value = ~np.isnan(column)
        magnitudes = np.where(has_value, np.abs(column), 0)
        if magnitudes.max() == 0:
            continue
        largest = magnitudes.max()  # avoids overflow of sums
        magnitudes = (magnitudes / largest)[order]
        has_several = np.add.reduceat(has_value[order], starts, dtype=np.int64) > 1
        greatest, totals = (
            np.maximum.reduceat(magnitudes, starts),
            np.add.reduceat(magnitudes, starts),
        )
        is_dominated = greatest > share * totals
        if p_percent is not None:
            others_total = totals - greatest - _second_greatest(magnitudes, labels[order], starts)
            is_dominated |= (others_total < p_percent / 100 * greatest) & (greatest > 0)
        if column[has_value].min() < 0 < column[has_value].max():
            is_dominated &= greatest > (column[has_value] / largest).std()
        n_dominated[i] = int((is_dominated & has_several).sum())
    return n_dominated


def _second_greatest(magnitudes: Values, labels: Labels, starts: Counts) -> Values:
    """Return the second greatest value of each group; groups are runs that begin at ``starts``."""
    ends = np.append(starts[1:], len(magnitudes))
    sorted_magnitudes = magnitudes[np.lexsort((magnitudes, labels))]
    return np.asarray(sorted_magnitudes[np.maximum(ends - 2, starts)])


def _sum_by_unit(contributions: Matrix, labels: Labels, units: Labels) -> tuple[Matrix, Labels]:
    """Return the absolute contribution of each unit to each group, and the groups."""
    n_units = int(units.max()) + 1
    pairs, inverse = np.unique(labels * n_units + units, return_inverse=True)
    has_value = ~np.isnan(contributions)
    magnitudes = np.where(has_value, np.abs(contributions), 0.0)
    largest = magnitudes.max(axis=0, initial=0)
    magnitudes /= np.where(largest > 0, largest, 1.0)  # avoids overflow of sums
    inverse = inverse.ravel()
    sums = [np.bincount(inverse, column) for column in magnitudes.T]
    has_sum = [np.bincount(inverse, column) > 0 for column in has_value.T]
    return np.where(np.column_stack(has_sum), np.column_stack(sums), np.nan), pairs // n_units
