"""Distance of the confidential values of a class from the values of the table: t-closeness."""

import numpy as np

from shoal.errors import InputError
from shoal.metrics._array_types import AnyValues, Labels, Mask, Values
from shoal.metrics._measure import measure
from shoal.metrics.class_tallies import Tally, divided_tally
from shoal.metrics.equivalence_classes import classes


@measure(kind="risk", better="lower", per="confidential")
def t_closeness(
    released: AnyValues,
    confidential_codes: AnyValues,
    ordered: Mask,
    units: Labels | None = None,
) -> Values:
    r"""Largest distance between the confidential values of a class and of the table [LLV07]_.

    The distance is the earth mover's distance of the two distributions. In an ordered column with m
    distinct values, a move from the i-th to the j-th value costs :math:`|i - j| / (m - 1)`; between
    categories, every move costs 1. With the shares :math:`p_{cj}` of the values in class c and
    :math:`q_j` in the table, the measure is

    .. math:: \max_c \frac{1}{m - 1} \sum_{i=1}^{m-1} \Bigl| \sum_{j \le i} (p_{cj} - q_j) \Bigr|
              \quad \text{or} \quad \max_c \frac{1}{2} \sum_j |p_{cj} - q_j|.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.
    confidential_codes : ndarray of shape (n_records, n_confidential)
        The confidential columns, or codes that keep the order of their values.
    ordered : sequence of bool, one per confidential column
        Whether the values of each column have an order, as numbers do.
    units : ndarray of shape (n_records,), optional
        The unit of each record: each unit then counts once in a class and once in the table,
        divided evenly among its records there.

    Returns
    -------
    ndarray of shape (n_confidential,)
        The *t* that the release attains in each column, in [0, 1]. 0 means that every class has the
        distribution of the table, so that it reveals no more about its members than the table does.
        1 means that at least one class is at the largest possible distance.

    References
    ----------
    .. [LLV07] Li, N., Li, T. and Venkatasubramanian, S. (2007). t-Closeness: privacy
       beyond k-anonymity and l-diversity. International Conference on Data Engineering
       2007, 106-115.

    Examples
    --------
    >>> released, values = np.array([[1], [1], [2], [2]]), np.array([[0], [0], [1], [2]])
    >>> t_closeness(released, values, [True])
    array([0.375])
    >>> t_closeness(released, values, [False])
    array([0.5])
    """
    ordered = np.asarray(ordered, bool)
    if ordered.shape != confidential_codes.shape[1:]:
        raise InputError(
            f"`ordered` must state for each of the {confidential_codes.shape[1]} confidential"
            " columns whether its values have an order.",
            code="parameter-not-accepted",
            parameter="ordered",
        )
    labels = classes(released)
    return np.array(
        [
            distance_from_table(divided_tally(labels, column, units), is_ordered).max()
            for column, is_ordered in zip(confidential_codes.T, ordered, strict=True)
        ]
    )


def distance_from_table(value_counts: Tally, is_ordered: bool) -> Values:
    """Return the distance of each class in a tally from the whole table."""
    return _ordered_distance(value_counts) if is_ordered else _unordered_distance(value_counts)


def _unordered_distance(value_counts: Tally) -> Values:
    """Return for each class half the sum of |p - q| over all values."""
    p = value_counts.counts / value_counts.class_sizes[value_counts.labels]
    q = value_counts.table_counts[value_counts.values] / value_counts.table_counts.sum()
    # Values that do not occur in a class add their shares q: 1 minus the q of values that do occur.
    differences = np.bincount(value_counts.labels, np.abs(p - q) - q)
    return np.asarray((differences + 1) / 2)


def _ordered_distance(value_counts: Tally) -> Values:
    """Return for each class the mean of |P - Q| over the ranks, with the cumulative shares P and Q.

    P is a step function with few steps, and Q increases. On each step of P, the ranks at which Q is
    below P therefore come first, and the area between P and Q consists of two differences of
    cumulative sums. The cost is linear in the number of records, instead of the product of the
    numbers of classes and values.
    """
    m, n = len(value_counts.table_counts), value_counts.table_counts.sum()
    if m == 1:
        return np.zeros(len(value_counts.class_sizes))
    table_cumulative = np.cumsum(value_counts.table_counts)  # n * Q at each rank
    running_total = np.concatenate([[0], np.cumsum(table_cumulative)])

    class_starts = np.cumsum(value_counts.n_distinct) - value_counts.n_distinct
    sizes = value_counts.class_sizes[value_counts.labels]
    cumulative = np.cumsum(value_counts.counts)  # n_c * P from this value on, for a class of n_c
    cumulative -= (cumulative - value_counts.counts)[class_starts][value_counts.labels]
    step_ends = np.append(value_counts.values[1:], m)
    step_ends[np.append(class_starts[1:], len(step_ends)) - 1] = m
    # Counts are whole; rounding errors of divided units do not change the areas.
    is_whole = cumulative.dtype.kind == "i"
    crossings = np.searchsorted(
        table_cumulative, -(-cumulative * n // sizes) if is_whole else cumulative * n / sizes
    )
    crossings = np.clip(crossings, value_counts.values, step_ends)

    heights = cumulative * n / sizes  # n * P, a float: the areas below may not fit into an int64
    area_below = heights * (crossings - value_counts.values) - (
        running_total[crossings] - running_total[value_counts.values]
    )
    area_above = (running_total[step_ends] - running_total[crossings]) - heights * (
        step_ends - crossings
    )
    areas = np.bincount(value_counts.labels, area_below + area_above)
    # P is 0 below the smallest value of the class.
    areas_before_first = running_total[value_counts.values[class_starts]]
    return np.asarray((areas + areas_before_first) / (n * (m - 1)))
