"""Check a partition and a lower bound of the SSE independently: plain NumPy, nothing of Shoal.

A certificate is one dual value per record. It proves that no partition into groups of at least k
records has an SSE below the sum of the duals if no k records have an SSE below the sum of their own
duals. Larger groups need no check: cover a group of s records evenly by its subsets of k, so that
each record is covered once; the SSEs of these subsets weigh s (k - 1) / (k (s - 1)) of that of the
group, which is less than 1.

The check is exhaustive, by branch and bound. The SSE of k records is the sum of the squared
distances of all pairs over k. A group is built from its record of greatest dual; each record that
may still join adds at least its distances to the members and half of the distances to its nearest
records, as many as will join after it, less its dual.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

CHUNK = 200  # records whose distances to all others are in memory at once

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class NotAPartition(ValueError):
    """A group has fewer than k records."""


def squared_distances(X: Floats, Y: Floats) -> Floats:
    """Return the squared distances of all rows of ``X`` to all rows of ``Y``."""
    total = np.zeros((len(X), len(Y)))
    for column in range(X.shape[1]):
        total += np.subtract.outer(X[:, column], Y[:, column]) ** 2
    return total


def sums_of_nearest(X: Floats, most: int) -> Floats:
    """Return for each record the sums of the squared distances to its 0 to ``most`` nearest."""
    sums = np.zeros((len(X), most + 1))
    for start in range(0, len(X), CHUNK):
        distances = squared_distances(X[start : start + CHUNK], X)
        rows = np.arange(len(distances))
        distances[rows, start + rows] = np.inf
        nearest = np.sort(np.partition(distances, most, axis=1)[:, :most], axis=1)
        sums[start : start + CHUNK, 1:] = np.cumsum(nearest, axis=1)
    return sums


def lowest_reduced_cost(
    X: Floats,
    k: int,
    sums: Floats,
    need: int,
    cost: float,
    later: Integers,
    extra: Floats,
    tolerance: float,
) -> float:
    """Return the lowest SSE minus duals of groups of ``k`` for which ``need`` records are missing.

    ``cost`` is that of the members so far, ``later`` are the records that may join, and ``extra``
    is what each of them adds beside the members. Costs above ``-tolerance`` are returned as 0.
    """
    floor = extra + sums[later, need - 1] / (2 * k)
    order = np.argsort(floor, kind="stable")
    later, extra, floor = later[order], extra[order], floor[order]
    lowest = 0.0
    for at in range(len(later) - need + 1):
        if cost + floor[at : at + need].sum() >= lowest - tolerance:
            break
        new_cost = cost + extra[at]
        if need == 1:
            lowest = min(lowest, new_cost)
            continue
        rest = later[at + 1 :]
        beside = extra[at + 1 :] + squared_distances(X[later[at : at + 1]], X[rest])[0] / k
        found = lowest_reduced_cost(X, k, sums, need - 1, new_cost, rest, beside, tolerance)
        lowest = min(lowest, found)
    return lowest


def check_duals(
    table: ArrayLike,
    k: int,
    values: ArrayLike,
    records: Iterable[int] | None = None,
    tolerance: float = 1e-9,
) -> float:
    """Return the lowest SSE minus duals of all groups of ``k``; 0 if the duals are feasible.

    Parameters
    ----------
    table : array-like of shape (n_records, n_columns)
        The records.
    k : int
        Least number of records in a group, at least 2.
    values : array-like of shape (n_records,)
        The duals: a value per record.
    records : iterable of int, optional
        Records of greatest dual whose groups are checked; all where None.
    tolerance : float
        Times the mean dual: rounding errors that do not count.

    Returns
    -------
    float
        The lowest reduced cost. If it is 0, the sum of the duals is a lower bound of the SSE of
        every partition, up to the tolerance per record.
    """
    X, duals = np.asarray(table, np.float64), np.asarray(values, np.float64)
    sums = sums_of_nearest(X, k - 2)
    order, rank = np.argsort(-duals, kind="stable"), np.empty(len(X), int)
    rank[order] = np.arange(len(X))
    tolerance, lowest = tolerance * float(np.abs(duals).mean()), 0.0
    for first in order if records is None else records:
        later = order[rank[first] + 1 :]
        extra = squared_distances(X[[first]], X[later])[0] / k - duals[later]
        found = lowest_reduced_cost(X, k, sums, k - 1, -duals[first], later, extra, tolerance)
        lowest = min(lowest, found)
    return float(lowest)


def check_partition(table: ArrayLike, k: int, labels: ArrayLike) -> float:
    """Return the SSE of a partition; raise `NotAPartition` if a group has too few records."""
    X, groups, total = np.asarray(table, np.float64), np.asarray(labels), 0.0
    for label in np.unique(groups):
        group = X[groups == label]
        if len(group) < k:
            raise NotAPartition(f"A group has {len(group)} records; k is {k}.")
        total += float(((group - group.mean(axis=0)) ** 2).sum())
    return total
