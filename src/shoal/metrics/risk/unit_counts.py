"""Units in a class: persons, households or firms, each with any number of records."""

from shoal.metrics._array_types import AnyValues, Labels
from shoal.metrics._measure import measure
from shoal.metrics.class_tallies import tally
from shoal.metrics.equivalence_classes import classes, units_per_class


@measure(kind="risk", better="higher", unit="units")
def fewest_units(released: AnyValues, units: Labels) -> int:
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
        The *k* that the release attains, counted in units, from 1 to `smallest_class`. 1 means that
        all records of at least one class belong to one unit.

    Examples
    --------
    >>> import numpy as np
    >>> fewest_units(np.array([[1], [1], [3], [3]]), np.array([0, 0, 1, 2]))
    1
    """
    return int(units_per_class(classes(released), units).min())


@measure(kind="risk", better="lower")
def largest_unit_share(released: AnyValues, units: Labels) -> float:
    r"""Largest share of the records of a class that belong to one unit.

    The share is the probability that a random record of the class belongs to that unit, and
    therefore the probability of learning a confidential value of a person who is known to have many
    records. If :math:`n_{cu}` of the :math:`n_c` records of class c belong to unit u,

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
        In (0, 1]. 1 means that all records of at least one class belong to one unit. If a class has
        only k units, the share is at least 1/k.

    Examples
    --------
    >>> import numpy as np
    >>> largest_unit_share(np.array([[1], [1], [1], [1]]), np.array([0, 0, 0, 1]))
    0.75
    """
    unit_counts = tally(classes(released), units)
    return float((unit_counts.counts / unit_counts.class_sizes[unit_counts.labels]).max())
