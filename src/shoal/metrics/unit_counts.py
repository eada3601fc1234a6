"""Class sizes in units: persons, households or firms with any number of records."""

import numpy as np
from numpy.typing import NDArray

from shoal.metrics._base import Labels, Values, measure
from shoal.metrics.anonymity import classes, ranks, units_per_class


def weights_in_class(labels: Labels, units: Labels) -> Values:
    """Return weights with which each unit counts once in every class where it has records.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, numbered from 0.
    units : ndarray of shape (n_records,)
        The unit of each record, numbered from 0.

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
    """Return one value for each unit in each class.

    Of its own values, it is the one that most units of the class have; ties go to the lowest. If
    all units of a class share a value, it is the value of all of them.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, numbered from 0.
    units : ndarray of shape (n_records,)
        The unit of each record, numbered from 0.
    values : ndarray of shape (n_records,)
        The value of each record, numbered from 0.

    Returns
    -------
    label, value : ndarray
        The class and the value of each unit, one entry for each class where it has records.

    Examples
    --------
    >>> units, values = np.array([0, 0, 1, 2]), np.array([5, 7, 7, 6])
    >>> commonest_values(np.zeros(4, np.int64), units, values)[1].tolist()
    [7, 7, 6]
    """
    n_units, n_values = int(units.max()) + 1, int(values.max()) + 1
    triples = np.unique((ranks(labels * n_units + units)) * n_values + values)
    member, value = np.divmod(triples, n_values)
    pairs = np.unique(labels * n_units + units)  # the class and unit of each member
    label = pairs[member] // n_units
    holders = ranks(label * n_values + value)
    order = np.lexsort((value, -np.bincount(holders)[holders], member))
    first = order[np.unique(member[order], return_index=True)[1]]
    return label[first], value[first]


@measure(kind="risk", better="higher", unit="units")
def fewest_units(released: NDArray[np.generic], units: Labels) -> int:
    r"""Smallest number of distinct units in an equivalence class.

    A unit is a person, a household or a firm; it may have several records.

    With :math:`m_c` distinct units in class c,

    .. math:: k = \min_c m_c.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.
    units : ndarray of shape (n_records,)
        Code of the unit of each record.

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
    r"""Greatest share of the records of a class that belong to one unit.

    It is the probability that a random record of the class is one of that unit, and so of
    learning a confidential value of a person who is known to have many records.

    If :math:`n_{cu}` of the :math:`n_c` records of class c belong to unit u,

    .. math:: \max_c \max_u \frac{n_{cu}}{n_c}.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.
    units : ndarray of shape (n_records,)
        Code of the unit of each record.

    Returns
    -------
    float
        In (0, 1]. At most 1/k if all units of a class have the same number of records there; 1
        means that all records of some class are of one unit.

    Examples
    --------
    >>> largest_unit_share(np.array([[1], [1], [1], [1]]), np.array([0, 0, 0, 1]))
    0.75
    """
    labels = classes(released)
    n_units = int(units.max()) + 1
    pairs, count = np.unique(labels * n_units + units, return_counts=True)
    return float((count / np.bincount(labels)[pairs // n_units]).max())
