"""Distance of the confidential values of a class from those of the table: t-closeness."""

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.metrics._base import Labels, Values, measure
from shoal.metrics.anonymity import classes, ranks
from shoal.metrics.diversity import Codes, Tally, tally
from shoal.metrics.unit_counts import units_per_class, weights_in_class


@measure(kind="risk", better="lower", per="confidential")
def t_closeness(
    released: Codes,
    confidential_codes: Codes,
    ordered: NDArray[np.bool_],
    units: Labels | None = None,
) -> Values:
    r"""Greatest distance between the confidential values of a class and those of all [LLV07]_.

    It is the earth mover's distance of the two distributions. In an ordered column with m different
    values, moving from the i-th to the j-th costs :math:`|i - j| / (m - 1)`; between categories
    every move costs 1. With the shares :math:`p_{cj}` of the values in class c and :math:`q_j` in
    the table, this is

    .. math:: \max_c \frac{1}{m - 1} \sum_{i=1}^{m-1} \Bigl| \sum_{j \le i} (p_{cj} - q_j) \Bigr|
              \quad \text{or} \quad \max_c \frac{1}{2} \sum_j |p_{cj} - q_j|.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.
    confidential_codes : ndarray of shape (n_records, n_confidential)
        The confidential columns, or codes that keep the order of their values.
    ordered : sequence of bool, one per confidential column
        Whether the values have an order, as numbers do.
    units : ndarray of shape (n_records,), optional
        The unit of each record: each unit then counts once in a class and once in the table,
        divided evenly among its records there.

    Returns
    -------
    ndarray of shape (n_confidential,)
        The *t* that the release attains in each column, in [0, 1]. 0 means that no
        class reveals more about its members than the whole table does; 1 that some class is at
        the greatest possible distance.

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
            f"'ordered' must state for each of the {confidential_codes.shape[1]} confidential"
            " columns whether its values have an order.",
            code="parameter-not-accepted",
            parameter="ordered",
        )
    labels = classes(released)
    tallies = [divided_tally(labels, column, units) for column in confidential_codes.T]
    return np.array(
        [
            distance_from_table(entry, in_order).max()
            for entry, in_order in zip(tallies, ordered, strict=True)
        ]
    )


def divided_tally(
    label: Labels, column: Codes, units: Labels | None = None, records: Labels | None = None
) -> Tally:
    """Count the values of ``column`` in each class; a unit counts once, divided among its records.

    Without ``units`` every record counts; each entry may stand for several ``records``.
    """
    if units is None:
        return tally(label, column, records=records)
    value = ranks(column)
    in_table = weights_in_class(np.zeros(len(label), np.int64), units)
    total = np.bincount(value, in_table)
    pairs, place = np.unique(label * len(total) + value, return_inverse=True)
    count = np.bincount(place.ravel(), weights_in_class(label, units))
    size = units_per_class(label, units)
    return Tally(pairs // len(total), pairs % len(total), count, size, total)


def distance_from_table(entry: Tally, ordered: bool) -> Values:
    """Return the distance of each class in a tally from the whole table."""
    return _ordered_distance(entry) if ordered else _unordered_distance(entry)


def _unordered_distance(entry: Tally) -> Values:
    """Return for each class half the sum of |p - q| over all values."""
    class_share = entry.count / entry.size[entry.label]
    table_share = entry.total[entry.value] / entry.total.sum()
    # Values that a class lacks add their share of the table: 1 less the shares of those it has.
    gaps = np.bincount(entry.label, np.abs(class_share - table_share) - table_share)
    return np.asarray((gaps + 1) / 2)


def _ordered_distance(entry: Tally) -> Values:
    """Return for each class the mean over ranks of |P - Q|, the cumulative shares.

    P is a step function with few steps and Q is increasing, so on each step of P the
    ranks where Q is below come first: two differences of cumulative sums. The cost is
    linear in the number of records, not in classes times values.
    """
    m, n = len(entry.total), entry.total.sum()
    if m == 1:
        return np.zeros(len(entry.size))
    below = np.cumsum(entry.total)  # n * Q at each rank
    running = np.concatenate([[0], np.cumsum(below)])

    first = np.cumsum(entry.distinct) - entry.distinct
    size = entry.size[entry.label]
    reached = np.cumsum(entry.count)  # size * P from this entry's value on
    reached -= (reached - entry.count)[first][entry.label]
    end = np.append(entry.value[1:], m)
    end[np.append(first[1:], len(end)) - 1] = m
    # Counts are whole; rounding errors of divided units do not change the areas.
    whole = reached.dtype.kind == "i"
    cross = np.searchsorted(below, -(-reached * n // size) if whole else reached * n / size)
    cross = np.clip(cross, entry.value, end)

    height = reached * n / size  # n * P, a float: the areas below may not fit into an int64
    area_below = height * (cross - entry.value) - (running[cross] - running[entry.value])
    area_above = (running[end] - running[cross]) - height * (end - cross)
    steps = np.bincount(entry.label, area_below + area_above)
    start = running[entry.value[first]]  # P is 0 up to the least value of the class
    return np.asarray((steps + start) / (n * (m - 1)))
