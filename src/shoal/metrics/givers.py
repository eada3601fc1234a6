"""How many records stand behind a released value."""

import numpy as np
from numpy.typing import NDArray

from shoal.metrics._base import Labels


def givers(labels: Labels, given: NDArray[np.bool_], units: Labels | None = None) -> Labels:
    """Return how many records of each group gave a value.

    What is released of a group with missing values rests on those that are there. A mean of one
    value is that value.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        Group of each record, from 0 on.
    given : ndarray of shape (n_records,)
        Whether the record has a value.
    units : ndarray of shape (n_records,), optional
        The person, household or firm of each record; these are counted then, each once in a
        group.

    Returns
    -------
    ndarray of shape (n_groups,)
        At least 0; a group without missing values has as many givers as records.

    Examples
    --------
    >>> labels, given = np.array([0, 0, 0, 1, 1]), np.array([True, True, False, True, False])
    >>> givers(labels, given)
    array([2, 1])
    >>> givers(labels, given, units=np.array([7, 7, 8, 9, 9]))
    array([1, 1])
    """
    number = int(labels.max(initial=-1)) + 1
    if units is None:
        return np.bincount(labels[given], minlength=number)
    pairs = np.unique(np.column_stack([labels, units])[given], axis=0)
    return np.bincount(pairs[:, 0], minlength=number)
