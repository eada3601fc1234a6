"""Intersection of several releases of the same people: who remains a candidate in all of them."""

import numpy as np

from shoal.metrics._array_types import Labels, Matrix, Values
from shoal.metrics.equivalence_classes import classes

TOLERANCE = 1e-6  # standard deviations by which a mean may differ, since files round means
MIN_AGREEMENT = 0.9  # share of the classes whose released value must agree with their rows


def remaining_candidates(labels: Labels, units: Labels | None = None) -> Labels:
    """Return for each record how many records share its class in all releases, including itself.

    Anyone who knows the class of a person in every release knows that the person is in the
    intersection of these classes.

    Parameters
    ----------
    labels : ndarray of shape (n_records, n_releases)
        Class of each record in each release. Records that are not in a release share a label there,
        such as -1, since their absence is known too.
    units : ndarray of shape (n_records,), optional
        The person, household or firm of each record; units are then counted instead of records.

    Returns
    -------
    ndarray of shape (n_records,)
        At least 1; 1 means that the record is identified.

    Examples
    --------
    >>> remaining_candidates(np.array([[0, 0], [0, 1], [1, 1], [1, 1]]))
    array([1, 1, 2, 2])
    """
    joint = classes(labels)
    if units is None:
        return np.asarray(np.bincount(joint)[joint])
    pairs = np.unique(np.column_stack([joint, units]), axis=0)
    return np.asarray(np.bincount(pairs[:, 0])[joint])


def has_same_rows(original: Matrix, released: Matrix, labels: Labels) -> bool:
    """Return whether a release has the rows of an original table in the same order.

    In this order, released values are means or medians of the original values of their classes.

    Parameters
    ----------
    original, released : ndarray of shape (n_records, n_columns)
        Numeric columns of both tables; NaN is ignored.
    labels : ndarray of shape (n_records,)
        Class of each released record.

    Returns
    -------
    bool
        Whether the rows agree; False if there is no numeric column.

    Examples
    --------
    >>> X, masked = np.array([[1.0], [3.0], [7.0], [9.0]]), np.array([[2.0], [2.0], [8.0], [8.0]])
    >>> has_same_rows(X, masked, np.array([0, 0, 1, 1]))
    True
    >>> has_same_rows(X[[0, 2, 1, 3]], masked, np.array([0, 0, 1, 1]))
    False
    """
    if original.shape != released.shape or not original.shape[1]:
        return False
    order = np.argsort(labels, kind="stable")
    starts = np.unique(labels[order], return_index=True)[1]
    for column, masked in zip(original.T, released.T, strict=True):
        tolerance = TOLERANCE * max(float(np.nanstd(column)), np.finfo(float).tiny)
        values_by_class = np.split(column[order], starts[1:])
        agrees = [
            _is_mean_or_median(released_value, values[~np.isnan(values)], tolerance)
            for released_value, values in zip(masked[order[starts]], values_by_class, strict=True)
        ]
        if np.mean(agrees) < MIN_AGREEMENT:
            return False
    return True


def _is_mean_or_median(released_value: float, values: Values, tolerance: float) -> bool:
    """Return whether a value is the mean or median of ``values``, or True if either is missing."""
    if np.isnan(released_value) or not len(values):
        return True
    distance_to_mean = abs(values.mean() - released_value)
    return bool(min(distance_to_mean, abs(np.median(values) - released_value)) <= tolerance)


def nearest_class(points: Matrix, released: Matrix, labels: Labels) -> Labels:
    """Return for each point the class with the nearest released values.

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
    # The import takes a second, and most runs have no earlier release.
    from sklearn.neighbors import KDTree

    distinct_labels, representatives = np.unique(labels, return_index=True)
    tree = KDTree(released[representatives])
    return np.asarray(distinct_labels[tree.query(points, return_distance=False)[:, 0]])
