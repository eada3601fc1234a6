"""Equivalence classes: the records of a release with the same values."""

import numpy as np
from numpy.typing import NDArray

from shoal.metrics._array_types import AnyValues, Labels
from shoal.metrics._ranks import dense_ranks

# An odd factor, so that different values of a column have different hashes.
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def classes(released: AnyValues) -> Labels:
    """Return the equivalence class of each record; records of a class have the same values.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        Released values, or codes for them.

    Returns
    -------
    ndarray of shape (n_records,)
        The class of each record, numbered from 0.
    """
    if released.shape[1] == 1 and released.dtype.kind in "iu":
        return dense_ranks(released[:, 0])
    hashes = np.zeros(len(released), np.uint64)
    for column in released.T:
        hashes = (hashes ^ _as_uint64(column)) * HASH_FACTOR
        hashes ^= hashes >> np.uint64(32)
    order = np.argsort(hashes)
    is_first = np.diff(hashes[order], prepend=~hashes[order[:1]]) != 0
    labels = np.empty(len(released), np.int64)
    labels[order] = np.cumsum(is_first) - 1
    representatives = order[is_first][labels]  # a record of the same class for each record
    if all(np.array_equal(key[representatives], key) for key in map(_as_uint64, released.T)):
        return labels
    return _classes_by_column(released)


def _as_uint64(column: AnyValues) -> NDArray[np.uint64]:
    """Return 64-bit integers that are equal if and only if the values are."""
    if column.dtype == np.float64:
        values = column.astype(np.float64) + 0.0  # no negative zero
        values[np.isnan(values)] = np.nan
        return np.asarray(values.view(np.uint64))
    if column.dtype.kind in "biu":
        return column.astype(np.uint64)
    return dense_ranks(column).astype(np.uint64)


def _classes_by_column(released: AnyValues) -> Labels:
    """Return the classes without hashing, which is slower; needed only if two hashes collide."""
    labels = np.zeros(len(released), np.int64)
    for column in released.T:
        codes = dense_ranks(column)
        labels = dense_ranks(labels * (codes.max() + 1) + codes)
    return labels


def sizes_per_class(labels: Labels, units: Labels | None = None) -> Labels:
    """Return the number of records of each class, or of units if ``units`` is given.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, numbered from 0.
    units : ndarray of shape (n_records,), optional
        The unit of each record as an integer.

    Returns
    -------
    ndarray of shape (n_classes,)
        The size of each class.

    Examples
    --------
    >>> sizes_per_class(np.array([0, 0, 1]), np.array([7, 7, 8]))
    array([1, 1])
    """
    return np.bincount(labels) if units is None else units_per_class(labels, units)


def units_per_class(labels: Labels, units: Labels) -> Labels:
    """Return the number of distinct units in each class, or group.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, numbered from 0.
    units : ndarray of shape (n_records,)
        The unit of each record, numbered from 0.

    Returns
    -------
    ndarray of shape (n_classes,)
        The number of units, from 1 to the number of records of the class.

    Examples
    --------
    >>> units_per_class(np.array([0, 0, 0, 1]), np.array([4, 4, 7, 4])).tolist()
    [2, 1]
    """
    n_units = int(units.max()) + 1
    return np.bincount(np.unique(labels * n_units + units) // n_units)
