"""What the order of the rows reveals: a sorted column, or the rows of one unit side by side."""

import numpy as np

from shoal.metrics._array_types import Labels, Values
from shoal.metrics._ranks import rank_correlation


def order_correlation(values: Values) -> float:
    """Return the rank correlation of a column with the row number.

    Parameters
    ----------
    values : ndarray of shape (n_records,)
        The column; NaN is ignored.

    Returns
    -------
    float
        Spearman's correlation in [-1, 1], with mean ranks for ties: 1 or -1 if the table is sorted
        by the column, near 0 for rows in random order, and 0 if the column is constant.

    Examples
    --------
    >>> order_correlation(np.array([1.0, 2.0, 3.0, 9.0]))
    1.0
    """
    present_values = values[~np.isnan(values)]
    rows = np.arange(len(present_values), dtype=np.float64)
    return rank_correlation(present_values, rows) or 0.0


def unit_contiguity(units: Labels) -> float:
    """Return to what degree the records of a unit are in consecutive rows, adjusted for chance.

    Parameters
    ----------
    units : ndarray of shape (n_records,)
        The unit of each record, counted from 0.

    Returns
    -------
    float
        1 if the rows of every unit are consecutive, about 0 for rows in random order, and 0 if
        every unit has one record or all records belong to one unit. Moving a single record changes
        the result only slightly.

    Examples
    --------
    >>> unit_contiguity(np.array([0, 0, 1, 1, 2]))
    1.0
    """
    sizes = np.bincount(units)
    n_units = np.count_nonzero(sizes)
    max_adjacent = len(units) - n_units  # pairs of consecutive rows of one unit
    if max_adjacent == 0 or n_units == 1:
        return 0.0
    expected = float((sizes * (sizes - 1.0)).sum() / len(units))
    adjacent = int((units[1:] == units[:-1]).sum())
    if max_adjacent <= expected:
        return 0.0
    return float((adjacent - expected) / (max_adjacent - expected))
