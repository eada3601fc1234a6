"""Intersection of several releases of the same people: candidates that remain in all of them."""

import numpy as np

from shoal.metrics._base import Labels, Matrix
from shoal.metrics.anonymity import classes

TOLERANCE = 1e-6  # in standard deviations, for means that a file rounds
MIN_AGREEMENT = 0.9  # share of classes whose values must be those of their rows


def candidates_left(labels: Labels, units: Labels | None = None) -> Labels:
    """Return how many records share the class of each record in all releases.

    Anyone who knows the class of a person in every release knows that the person is in the
    intersection of these classes.

    Parameters
    ----------
    labels : ndarray of shape (n_records, n_releases)
        Class of each record in each release. A record that a release lacks has a
        special label there, such as -1: its absence is known too.
    units : ndarray of shape (n_records,), optional
        The person, household or firm of each record; these are then counted.

    Returns
    -------
    ndarray of shape (n_records,)
        At least 1; 1 means that the record is identified.

    Examples
    --------
    >>> candidates_left(np.array([[0, 0], [0, 1], [1, 1], [1, 1]]))
    array([1, 1, 2, 2])
    """
    joint = classes(labels)
    if units is None:
        return np.asarray(np.bincount(joint)[joint])
    pairs = np.unique(np.column_stack([joint, units]), axis=0)
    return np.asarray(np.bincount(pairs[:, 0])[joint])


def rows_agree(original: Matrix, released: Matrix, labels: Labels) -> bool:
    """Return whether the rows of a release are those of an original table, in the same order.

    They are if the released values are means or medians of the original values of their classes.

    Parameters
    ----------
    original, released : ndarray of shape (n_records, n_columns)
        Numeric columns of both tables; NaN is ignored.
    labels : ndarray of shape (n_records,)
        Class of each released record.

    Returns
    -------
    bool
        False also if there is no numeric column.

    Examples
    --------
    >>> X, masked = np.array([[1.0], [3.0], [7.0], [9.0]]), np.array([[2.0], [2.0], [8.0], [8.0]])
    >>> rows_agree(X, masked, np.array([0, 0, 1, 1]))
    True
    >>> rows_agree(X[[0, 2, 1, 3]], masked, np.array([0, 0, 1, 1]))
    False
    """
    if original.shape != released.shape or not original.shape[1]:
        return False
    order = np.argsort(labels, kind="stable")
    start = np.unique(labels[order], return_index=True)[1]
    for column, masked in zip(original.T, released.T, strict=True):
        parts = np.split(column[order], start[1:])
        value = masked[order[start]]
        near = TOLERANCE * max(float(np.nanstd(column)), np.finfo(float).tiny)
        values_of_class = [part[~np.isnan(part)] for part in parts]
        agrees = [
            np.isnan(mean) or not len(part)
            or min(abs(part.mean() - mean), abs(np.median(part) - mean)) <= near
            for part, mean in zip(values_of_class, value, strict=True)
        ]  # fmt: skip
        if np.mean(agrees) < MIN_AGREEMENT:
            return False
    return True


def nearest_class(points: Matrix, released: Matrix, labels: Labels) -> Labels:
    """Return for each point the class with the nearest released values, as an attacker would.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_axes)
        What is known of persons, on a common scale.
    released : ndarray of shape (n_records, n_axes)
        The released values on the same scale.
    labels : ndarray of shape (n_records,)
        Class of each released record.

    Returns
    -------
    ndarray of shape (n_points,)
        A class of ``labels`` for each point.

    Examples
    --------
    >>> masked, labels = np.array([[2.0], [2.0], [8.0]]), np.array([0, 0, 1])
    >>> nearest_class(np.array([[1.0], [6.0]]), masked, labels)
    array([0, 1])
    """
    from sklearn.neighbors import KDTree  # takes a second, and most runs have no earlier release

    classes_, first = np.unique(labels, return_index=True)
    tree = KDTree(released[first])
    return np.asarray(classes_[tree.query(points, return_distance=False)[:, 0]])
