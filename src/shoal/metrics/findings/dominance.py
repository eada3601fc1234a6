"""Groups whose mean reveals the value of one record, which contributes most of the sum."""

import numpy as np

from shoal.metrics._array_types import Counts, Labels, Mask, Matrix, Rows, Values


def dominated_groups(
    contributions: Matrix,
    labels: Labels,
    max_share: float,
    p_percent: float | None = None,
    units: Labels | None = None,
) -> Counts:
    """Count the groups whose mean reveals the value of one record, or of one unit.

    A group is dominated if its largest contribution, in absolute value, is more than ``max_share``
    of the sum of all contributions. With ``p_percent``, a group is also dominated if anyone who
    knows the second largest contribution can estimate the largest one to within p per cent, because
    all other contributions together are less than p per cent of it.

    In a column of both signs, most sums are near 0 anyway. In such a column, a group counts only if
    its largest contribution is also larger than the standard deviation of the column. This
    exemption does not apply with ``units``, whose contributions are sums of absolute values.

    Parameters
    ----------
    contributions : ndarray of shape (n_records, n_columns)
        Values of each record, times its weight if there are weights, or NaN for missing values.
    labels : ndarray of shape (n_records,)
        The group of each record, counted from 0.
    max_share : float
        Maximum share of the sum of a group that one contribution may have, in [0, 1].
    p_percent : float, optional
        The p of the p % rule; not checked if None.
    units : ndarray of shape (n_records,), optional
        The unit of each record, counted from 0. The records that a unit has in a group are then one
        contribution.

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
    n_dominated = [
        _is_dominated(column, labels, order, max_share, p_percent).sum()
        for column in contributions.T
    ]
    return np.array(n_dominated, np.int64)


def _is_dominated(
    contributions: Values, labels: Labels, order: Rows, max_share: float, p_percent: float | None
) -> Mask:
    """Return for each group whether it has several values, one of which dominates the others.

    The ``order`` sorts the records by group.
    """
    counts = np.bincount(labels)
    starts = np.cumsum(counts) - counts
    has_value = ~np.isnan(contributions)
    magnitudes = np.where(has_value, np.abs(contributions), 0)
    scale = magnitudes.max()
    if scale == 0:
        return np.zeros(len(counts), bool)
    magnitudes = (magnitudes / scale)[order]  # avoids overflow of sums
    largest = np.maximum.reduceat(magnitudes, starts)
    totals = np.add.reduceat(magnitudes, starts)
    is_dominated = largest > max_share * totals
    if p_percent is not None:
        others_total = totals - largest - _second_largest(magnitudes, labels[order], starts)
        is_dominated |= (others_total < p_percent / 100 * largest) & (largest > 0)
    present = contributions[has_value]
    if present.min() < 0 < present.max():
        is_dominated &= largest > (present / scale).std()
    n_values = np.add.reduceat(has_value[order], starts, dtype=np.int64)
    return np.asarray(is_dominated & (n_values > 1))


def _second_largest(magnitudes: Values, labels: Labels, starts: Counts) -> Values:
    """Return the second largest value of each group, or its only value.

    Groups are runs that begin at ``starts``.
    """
    ends = np.append(starts[1:], len(magnitudes))
    sorted_magnitudes = magnitudes[np.lexsort((magnitudes, labels))]
    return np.asarray(sorted_magnitudes[np.maximum(ends - 2, starts)])


def _sum_by_unit(contributions: Matrix, labels: Labels, units: Labels) -> tuple[Matrix, Labels]:
    """Return the contribution of each unit to each group, and the group of each contribution.

    Contributions are absolute values; each column is divided by its largest value.
    """
    n_units = int(units.max()) + 1
    pairs, pair_of_record = np.unique(labels * n_units + units, return_inverse=True)
    pair_of_record = pair_of_record.ravel()
    has_value = ~np.isnan(contributions)
    magnitudes = np.where(has_value, np.abs(contributions), 0.0)
    largest = magnitudes.max(axis=0, initial=0)
    magnitudes /= np.where(largest > 0, largest, 1.0)  # avoids overflow of sums
    sums = [np.bincount(pair_of_record, column) for column in magnitudes.T]
    has_sum = [np.bincount(pair_of_record, column) > 0 for column in has_value.T]
    return np.where(np.column_stack(has_sum), np.column_stack(sums), np.nan), pairs // n_units
