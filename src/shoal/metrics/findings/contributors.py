"""The number of records that contribute to a released value."""

import numpy as np
from numpy.typing import NDArray

from shoal.metrics._array_types import Labels


def count_contributors(
    labels: Labels, has_value: NDArray[np.bool_], units: Labels | None = None
) -> Labels:
    """Return how many records of each group have a value.

    A group with missing values is aggregated over the others; if there is only one other value,
    it is released exactly.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        Group of each record, numbered from 0.
    has_value : ndarray of shape (n_records,)
        Whether the record has a value.
    units : ndarray of shape (n_records,), optional
        The person, household or firm of each record; these are then counted, once in a group.

    Returns
    -------
    ndarray of shape (n_groups,)
        At least 0; the size of the group if no value is missing.

    Examples
    --------
    >>> labels, has_value = np.array([0, 0, 0, 1, 1]), np.array([True, True, False, True, False])
    >>> count_contributors(labels, has_value)
    array([2, 1])
    >>> count_contributors(labels, has_value, units=np.array([7, 7, 8, 9, 9]))
    array([1, 1])
    """
    n_groups = int(labels.max(initial=-1)) + 1
    if units is None:
        return np.bincount(labels[has_value], minlength=n_groups)
    pairs = np.unique(np.column_stack([labels, units])[has_value], axis=0)
    return np.bincount(pairs[:, 0], minlength=n_groups)
