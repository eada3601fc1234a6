"""The groups from which the modified Ward method starts, and those that result from its joins.

The extreme groups are formed already; the other records start alone, or with equal ones.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.mward.cost import NEGLIGIBLE
from shoal._kernels.mward.joins import WardGroups, open_ward_groups

Matrix = NDArray[np.float64]
Indices = NDArray[np.int64]


def scale_to_unit_extent(X: Matrix) -> Matrix:
    """Return the table centred near the origin and scaled to an extent of about 1."""
    centred = X - np.partition(X, len(X) // 2, axis=0)[len(X) // 2]
    return np.ldexp(centred, -np.frexp(np.abs(centred).max())[1])


def first_equal(X: Matrix) -> Indices:
    """Return for each record the first record with the same values.

    Examples
    --------
    >>> first_equal(np.array([[1, 2], [3, 4], [1, 2]]))
    array([0, 1, 0])
    """
    order = np.lexsort(X.T)
    is_new = np.append(True, (X[order[1:]] != X[order[:-1]]).any(axis=1))
    first = np.empty(len(X), np.int64)
    first[order] = order[is_new][np.cumsum(is_new) - 1]
    return first


def blocks_from_the_end(n: int, k: int) -> Indices:
    """Return the start of the block of each of ``n`` positions; the first block is longer.

    Equal records are split this way: the method would separate the last k repeatedly.

    Examples
    --------
    >>> blocks_from_the_end(7, 3)
    array([0, 0, 0, 0, 4, 4, 4])
    """
    block = np.maximum(0, np.arange(n) - n % k) // k
    return np.where(block > 0, block * k + n % k, 0)


class StartGroups(NamedTuple):
    """Groups by the number of their lowest record, before any search for partners.

    ``is_single`` is True for the records that are in no extreme group.
    """

    centroids: Matrix  # (n, p)
    sizes: Indices  # (n,)
    parent: Indices  # (n,)
    is_single: NDArray[np.bool_]  # (n_records,)


def initial_groups(
    rows: Matrix, representative: Indices, extremes: Sequence[Indices], k: int
) -> WardGroups:
    """Return the two extreme groups, and the other records, with equal ones together."""
    n = len(rows)
    groups = StartGroups(rows.copy(), np.ones(n, np.int64), np.arange(n), np.ones(n, bool))
    for members in extremes:
        origin = rows[members[0]]
        groups.centroids[members.min()] = origin + (rows[members] - origin).mean(axis=0)
        groups.sizes[members.min()] = k
        groups.parent[members] = members.min()
        groups.is_single[members] = False
    others = np.flatnonzero(groups.is_single)
    _, first, inverse, n_equal = np.unique(representative[others], True, True, True)
    groups.parent[others] = others[first][inverse]
    groups.sizes[others[first]] = n_equal
    for extreme in sorted(members.min() for members in extremes):
        absorb_equals(groups, extreme, others[first], k)
    return open_ward_groups(groups.centroids, groups.sizes, groups.parent, k)


def absorb_equals(groups: StartGroups, extreme: int, representatives: Indices, k: int) -> None:
    """Join an extreme group with the equal records at its centre, as joins one by one would.

    These joins cost nothing, so they come first, from the lowest record on. If the extreme group
    has the lower number, it absorbs the equal records. Otherwise their group absorbs the extreme
    group, provided that it still has fewer than k records then; if it has k or more, the two stay
    apart.
    """
    centroids, sizes, parent, is_single = groups
    differences = centroids[representatives] - centroids[extreme]
    coinciding_records = representatives[(differences**2).sum(axis=1) < NEGLIGIBLE]
    if len(coinciding_records) == 0 or parent[coinciding_records[0]] != coinciding_records[0]:
        return  # there are none, or the other extreme group has them already
    representative = coinciding_records[0]
    equals = np.flatnonzero(is_single & (parent == representative))
    n_joined_before = np.sum(equals < extreme) + sizes[representative] - len(equals)
    if extreme < representative:
        parent[equals] = extreme
        centroids[extreme] = centroids[representative]
        sizes[extreme] += sizes[representative]
    elif n_joined_before < k:
        parent[parent == extreme] = representative
        sizes[representative] += sizes[extreme]


def find_roots(parent: Indices) -> Indices:
    """Return the group of each record, named by its lowest record."""
    while (parent[parent] != parent).any():
        parent = parent[parent]
    return parent


def members_of_large_groups(group: Indices, min_size: int) -> list[Indices]:
    """Return the records of each group of at least ``min_size`` records.

    Examples
    --------
    >>> members_of_large_groups(np.array([0, 1, 0, 0, 1]), min_size=3)
    [array([0, 2, 3])]
    """
    sizes = np.bincount(group)
    records = np.flatnonzero(sizes[group] >= min_size)
    records = records[np.argsort(group[records], kind="stable")]
    return np.split(records, np.flatnonzero(np.diff(group[records])) + 1) if len(records) else []
