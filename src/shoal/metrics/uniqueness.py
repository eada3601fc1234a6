"""How many units some columns single out."""

import numpy as np

from shoal.metrics._base import Labels


def unique_units(labels: Labels, units: Labels | None = None) -> int:
    """Count the units of which some record is in a class of no other unit.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, counted from 0.
    units : ndarray of shape (n_records,), optional
        The unit of each record, counted from 0; every record is one where None.

    Returns
    -------
    int
        Number of units that are singled out.

    Examples
    --------
    >>> unique_units(np.array([0, 1, 1, 2, 2]))
    1
    >>> unique_units(np.array([0, 1, 1, 2, 2]), np.array([0, 0, 1, 2, 2]))
    2
    """
    if units is None:
        return int((np.bincount(labels) == 1).sum())
    n_units = int(units.max()) + 1
    pairs = np.unique(labels * n_units + units)
    of_class, unit = np.divmod(pairs, n_units)
    alone = np.bincount(of_class) == 1
    return len(np.unique(unit[alone[of_class]]))


def unique_share(labels: Labels, units: Labels | None = None) -> float:
    """Return the share of units of which some record is in a class of no other unit.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, counted from 0.
    units : ndarray of shape (n_records,), optional
        The unit of each record, counted from 0; every record is one where None.

    Returns
    -------
    float
        Share in [0, 1]; 0 means that nobody is singled out.

    Examples
    --------
    >>> unique_share(np.array([0, 1, 1, 2, 2]))
    0.2
    """
    number = len(labels) if units is None else len(np.unique(units))
    return unique_units(labels, units) / number
