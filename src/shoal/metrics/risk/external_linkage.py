"""Linkage of a release with an external file of the attacker."""

import numpy as np

from shoal.errors import InputError
from shoal.metrics._array_types import Labels, Matrix
from shoal.metrics._scaling import ROUNDING_TOLERANCE, order_free_zscores
from shoal.metrics.equivalence_classes import classes

STRIDE = 1000  # records compared at a time


def linkage_with(external: Matrix, masked: Matrix, own: Labels) -> float:
    """Share of persons of an external file whose nearest released record is their own [DSS08]_.

    The attacker has the masked table and a file with names, such as a public register, and takes
    the nearest released record of each person. If t records are equally near, the right one among
    them counts 1/t. Each table is standardised separately. Unlike `linkage`, which compares with
    the original table, this measure does not assume perfect knowledge, and may estimate the risk
    better.

    Parameters
    ----------
    external : ndarray of shape (n_persons, n_columns)
        What the attacker knows of each person, in the order of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        The released values of the masked columns.
    own : ndarray of shape (n_persons,)
        The released record of each person, counted from 0, or -1 for a person who is not in the
        table, who cannot be linked correctly.

    Returns
    -------
    float
        In [0, 1]. 0 means that no link is right, 1 that every link is. With groups of at least k,
        masked in one block, the share is at most 1/k.

    References
    ----------
    .. [DSS08] Domingo-Ferrer, J., Sebé, F. and Solanas, A. (2008). A
       polynomial-time approximation to optimal multivariate microaggregation.
       Computers & Mathematics with Applications 55(4), 714-732.

    Examples
    --------
    >>> register = np.array([[1.0], [8.0], [9.0]])
    >>> released = np.array([[0.5], [0.5], [8.0], [8.0]])
    >>> round(linkage_with(register, released, np.array([1, 2, -1])), 3)
    0.333
    """
    own = np.asarray(own)
    if external.shape[1] != masked.shape[1] or own.shape != (len(external),):
        raise InputError(
            f"The external file has the shape {external.shape}, the masked table {masked.shape},"
            f" and 'own' {own.shape}. Give the same columns, and one released record per person.",
            code="shapes-differ",
        )
    labels = classes(masked)
    class_sizes = np.bincount(labels)
    _, representatives = np.unique(labels, return_index=True)
    persons = order_free_zscores(external)
    class_points = order_free_zscores(masked)[representatives]
    expected_links = 0.0
    for start in range(0, len(persons), STRIDE):
        chunk, own_records = persons[start : start + STRIDE], own[start : start + STRIDE]
        squared_distances = ((chunk[:, None] - class_points) ** 2).sum(axis=2)
        nearest = squared_distances.min(axis=1, keepdims=True)
        is_nearest = squared_distances <= nearest * (1 + ROUNDING_TOLERANCE)
        is_linked = (own_records >= 0) & is_nearest[np.arange(len(chunk)), labels[own_records]]
        expected_links += float((is_linked / (is_nearest @ class_sizes)).sum())
    return expected_links / len(persons)
