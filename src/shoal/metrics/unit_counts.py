"""Classes counted in units: persons, households or firms of whatever number of records."""

import numpy as np
from numpy.typing import NDArray

from shoal.metrics._base import Labels, Values, measure
from shoal.metrics.anonymity import classes, ranks


def units_per_class(labels: Labels, units: Labels) -> Labels:
    """Return the number of different units in each class, or group.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, counted from 0.
    units : ndarray of shape (n_records,)
        The unit of each record, counted from 0.

    Returns
    -------
    ndarray of shape (n_classes,)
        From 1 to the number of records of the class.

    Examples
    --------
    >>> units_per_class(np.array([0, 0, 0, 1]), np.array([4, 4, 7, 4])).tolist()
    [2, 1]
    """
    number = int(units.max()) + 1
    return np.bincount(np.unique(labels * number + units) // number)


def weights_in_class(labels: Labels, units: Labels) -> Values:
    """Return weights by which each unit counts once in every class that it has records in.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, counted from 0.
    units : ndarray of shape (n_records,)
        The unit of each record, counted from 0.

    Returns
    -------
    ndarray of shape (n_records,)
        One divided by the number of records that the unit has in the class.

    Examples
    --------
    >>> weights_in_class(np.array([0, 0, 0, 1]), np.array([4, 4, 7, 4])).tolist()
    [0.5, 0.5, 1.0, 1.0]
    """
    pair = ranks(labels * (int(units.max()) + 1) + units)
    return np.asarray(1 / np.bincount(pair)[pair])


def commonest_values(labels: Labels, units: Labels, values: Labels) -> tuple[Labels, Labels]:
    """Let each unit stand in each class for one of its values there.

    That is the value that most units of the class hold; ties go to the lowest. So a unit adds
    no value of its own where it shares one with others, and where all units of a class share
    a value, all stand for it.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, counted from 0.
    units : ndarray of shape (n_records,)
        The unit of each record, counted from 0.
    values : ndarray of shape (n_records,)
        The value of each record, counted from 0.

    Returns
    -------
    label, value : ndarray
        The class and the value of each unit, one entry for each class that it has records in.

    Examples
    --------
    >>> units, values = np.array([0, 0, 1, 2]), np.array([5, 7, 7, 6])
    >>> commonest_values(np.zeros(4, np.int64), units, values)[1].tolist()
    [7, 7, 6]
    """
    n_units, n_values = int(units.max()) + 1, int(values.max()) + 1
    held = np.unique((ranks(labels * n_units + units)) * n_values + values)
    member, value = np.divmod(held, n_values)
    pairs = np.unique(labels * n_units + units)  # the class and unit of each member
    label = pairs[member] // n_units
    holders = ranks(label * n_values + value)
    order = np.lexsort((value, -np.bincount(holders)[holders], member))
    first = order[np.unique(member[order], return_index=True)[1]]
    return label[first], value[first]


@measure(kind="risk", better="higher", unit="units")
def fewest_units(released: NDArray[np.generic], units: Labels) -> int:
    """Least number of different units in a set of records that look alike.

    A unit is a person, a household or a firm; it may have several records.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or numbers that stand for their values.
    units : ndarray of shape (n_records,)
        The unit of each record, as a number.

    Returns
    -------
    int
        The *k* that the release attains, counted in units; 1 means that all records of some
        class are of one unit. Never more than `smallest_class`.

    Examples
    --------
    >>> fewest_units(np.array([[1], [1], [3], [3]]), np.array([0, 0, 1, 2]))
    1
    """
    return int(units_per_class(classes(released), units).min())


@measure(kind="risk", better="lower")
def largest_unit_share(released: NDArray[np.generic], units: Labels) -> float:
    """Greatest share that one unit has of the records of a class.

    Whoever picks a record of the class at random picks one of that unit with this chance, so
    it is the chance to learn a confidential value of a person who is known to have many records.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or numbers that stand for their values.
    units : ndarray of shape (n_records,)
        The unit of each record, as a number.

    Returns
    -------
    float
        In (0, 1]. At most 1/k where every unit of a class has as many records there as any
        other; 1 means that all records of some class are of one unit.

    Examples
    --------
    >>> largest_unit_share(np.array([[1], [1], [1], [1]]), np.array([0, 0, 0, 1]))
    0.75
    """
    label = classes(released)
    share = np.bincount(label)
    pairs, count = np.unique(label * (int(units.max()) + 1) + units, return_counts=True)
    return float((count / share[pairs // (int(units.max()) + 1)]).max())
