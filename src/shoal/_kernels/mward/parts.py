"""Preparation of a part of the table for the modified Ward method, and its resulting groups."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.mward.cost import NEGLIGIBLE
from shoal._kernels.mward.joins import WardGroups, open_ward_groups

Matrix = NDArray[np.float64]
Numbers = NDArray[np.int64]


def unit_extent(X: Matrix) -> Matrix:
    """Return the table moved to about the origin and scaled to an extent of about 1."""
    moved = X - np.partition(X, len(X) // 2, axis=0)[len(X) // 2]
    return np.ldexp(moved, -np.frexp(np.abs(moved).max())[1])


def first_equal(X: Matrix) -> Numbers:
    """Return for each record the first record with the same values.

    Examples
    --------
    >>> first_equal(np.array([[1, 2], [3, 4], [1, 2]]))
    array([0, 1, 0])
    """
    rows = np.lexsort(X.T)
    new = np.append(True, (X[rows[1:]] != X[rows[:-1]]).any(axis=1))
    first = np.empty(len(X), np.int64)
    first[rows] = rows[new][np.cumsum(new) - 1]
    return first


def blocks_from_the_end(n: int, k: int) -> Numbers:
    """Return the start of the block of each of ``n`` positions; the first block is longer.

    Equal records are split this way: the method would separate the last k repeatedly.

    Examples
    --------
    >>> blocks_from_the_end(7, 3)
    array([0, 0, 0, 0, 4, 4, 4])
    """
    block = np.maximum(0, np.arange(n) - n % k) // k
    return np.where(block > 0, block * k + n % k, 0)


def initial_groups(
    rows: Matrix, representative: Numbers, ends: Sequence[Numbers], k: int
) -> WardGroups:
    """Return the groups of a part: its two ends, and the other records, equal ones together."""
    centroids = rows.copy()
    sizes = np.ones(len(rows), np.int64)
    parent = np.arange(len(rows))
    is_single = np.ones(len(rows), bool)
    for end in ends:
        centroids[end.min()] = rows[end[0]] + (rows[end] - rows[end[0]]).mean(axis=0)
        sizes[end.min()] = k
        parent[end] = end.min()
        is_single[end] = False
    others = np.flatnonzero(is_single)
    _, first, inverse, count = np.unique(representative[others], True, True, True)
    parent[others] = others[first][inverse]
    sizes[others[first]] = count
    for end in sorted(end.min() for end in ends):
        absorb_equals(centroids, sizes, parent, is_single, end, others[first], k)
    return open_ward_groups(centroids, sizes, parent, k)


def absorb_equals(centroids, sizes, parent, is_single, end, heads, k):
    """Join an end with the equal records at its centre, as joining one at a time would.

    These joins have no cost, so the lowest number absorbs the others one by one; it
    reaches the end while it is small, or not at all.
    """
    at_end = heads[((centroids[heads] - centroids[end]) ** 2).sum(axis=1) < NEGLIGIBLE]
    if len(at_end) == 0 or parent[at_end[0]] != at_end[0]:  # the other end has them already
        return
    head = at_end[0]
    equals = np.flatnonzero(is_single & (parent == head))
    before = np.sum(equals < end) + sizes[head] - len(equals)
    if end < head:
        parent[equals] = end
        centroids[end] = centroids[head]
        sizes[end] += sizes[head]
    elif before < k:
        parent[parent == end] = head
        sizes[head] += sizes[end]


def roots(parent: Numbers) -> Numbers:
    """Return the group of each record, named by its lowest record."""
    while (parent[parent] != parent).any():
        parent = parent[parent]
    return parent


def members_of_large(group: Numbers, least: int) -> list[Numbers]:
    """Return the records of each group of at least ``least`` records.

    Examples
    --------
    >>> members_of_large(np.array([0, 1, 0, 0, 1]), least=3)
    [array([0, 2, 3])]
    """
    size = np.bincount(group)
    large = np.flatnonzero(size[group] >= least)
    large = large[np.argsort(group[large], kind="stable")]
    return np.split(large, np.flatnonzero(np.diff(group[large])) + 1) if len(large) else []
