"""The number of records, or units, whose values contribute to an aggregate."""

import numpy as np

from shoal.metrics._array_types import Labels, Mask


def count_contributors(labels: Labels, has_value: Mask, units: Labels | None = None) -> Labels:
    """Return how many records, or units, of each group have a value.

    The mean of a group is the mean of its values that are not missing. If there is only one such
    value, the mean releases it exactly.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        Group of each record, numbered from 0.
    has_value : ndarray of shape (n_records,)
        Whether the record has a value.
    units : ndarray of shape (n_records,), optional
        The unit of each record, such as a household; units are then counted, once in a group.

    Returns
    -------
    ndarray of shape (n_groups,)
        The number for each group: at least 0, and the size of the group if no value is missing.

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
