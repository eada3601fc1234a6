"""Classes whose records, or units, all share a confidential value."""

from typing import NamedTuple

import numpy as np

from shoal.metrics._array_types import Labels, Mask
from shoal.metrics.class_tallies import tally
from shoal.metrics.equivalence_classes import sizes_per_class


class SharedCounts(NamedTuple):
    """Numbers of classes whose records, or units, all share a value of a column.

    Parameters
    ----------
    homogeneous : int
        Classes of several records, or units, that all share a value or are all missing one, as
        `homogeneous_classes` counts them.
    missing : int
        Homogeneous classes that share no value, but only missing cells.
    every_record : int
        Homogeneous classes in which every record has the shared value. In the other classes, all
        units share a value, but some of their records have further values.
    """

    homogeneous: int
    missing: int
    every_record: int

    @property
    def with_value(self) -> int:
        """Number of classes that share a value rather than a missing cell."""
        return self.homogeneous - self.missing


def count_shared(
    labels: Labels, column: Labels, units: Labels | None = None, min_size: int = 2
) -> SharedCounts:
    """Count the classes whose records, or units, all share a value of a column.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, numbered from 0.
    column : ndarray of shape (n_records,)
        The value of each record as a code; missing cells have a code below 0.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if units are counted.
    min_size : int
        Minimum number of records, or units, of a class that is counted.

    Returns
    -------
    SharedCounts
        The numbers of classes, all 0 if no class discloses a value in this way.

    Examples
    --------
    >>> count_shared(np.array([0, 0, 1, 1, 2, 2]), np.array([7, 7, -1, -1, 7, 8]))
    SharedCounts(homogeneous=2, missing=1, every_record=1)
    """
    value_counts = tally(labels, column, units)
    is_homogeneous = (value_counts.n_distinct == 1) & (value_counts.class_sizes >= min_size)
    has_shared_value = is_homogeneous & shares_value(labels, column, units)
    is_in_every_record = (
        has_shared_value if units is None else has_shared_value & shares_value(labels, column)
    )
    return SharedCounts(
        int(is_homogeneous.sum()),
        int((is_homogeneous & ~has_shared_value).sum()),
        int(is_in_every_record.sum()),
    )


def shares_value(labels: Labels, column: Labels, units: Labels | None = None) -> Mask:
    """Return for each class whether all its records, or units, share a value.

    A missing cell, with a code below 0, is not a value. A unit shares all values of its records.
    """
    n_values = int(column.max()) + 2
    pairs, pair_of_record = np.unique(labels * n_values + column + 1, return_inverse=True)
    class_of_pair = pairs // n_values
    is_value = pairs % n_values > 0
    class_sizes = sizes_per_class(labels, units)
    n_holders = sizes_per_class(pair_of_record, units)
    is_shared = (n_holders == class_sizes[class_of_pair]) & is_value
    return np.asarray(np.bincount(class_of_pair, is_shared) > 0)
