"""Units that are alone in a class, so that the columns of the classes single them out."""

import numpy as np

from shoal.metrics._array_types import Labels


def count_unique_units(labels: Labels, units: Labels | None = None) -> int:
    """Return the number of units that are alone in a class.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, numbered from 0.
    units : ndarray of shape (n_records,), optional
        The unit of each record, numbered from 0; if None, every record is a unit.

    Returns
    -------
    int
        Number of units that have a record in a class without records of other units.

    Examples
    --------
    >>> count_unique_units(np.array([0, 1, 1, 2, 2]))
    1
    >>> count_unique_units(np.array([0, 1, 1, 2, 2]), np.array([0, 0, 1, 2, 2]))
    2
    """
    if units is None:
        return int((np.bincount(labels) == 1).sum())
    n_units = int(units.max()) + 1
    pairs = np.unique(labels * n_units + units)
    class_of_pair, unit_of_pair = np.divmod(pairs, n_units)
    is_one_unit = np.bincount(class_of_pair) == 1
    return len(np.unique(unit_of_pair[is_one_unit[class_of_pair]]))


def unique_share(labels: Labels, units: Labels | None = None) -> float:
    """Return the share of units that are alone in a class.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, numbered from 0.
    units : ndarray of shape (n_records,), optional
        The unit of each record, numbered from 0; if None, every record is a unit.

    Returns
    -------
    float
        In [0, 1]; 0 means that no unit is singled out.

    Examples
    --------
    >>> unique_share(np.array([0, 1, 1, 2, 2]))
    0.2
    """
    n_units = len(labels) if units is None else len(np.unique(units))
    return count_unique_units(labels, units) / n_units
