"""Preparation of a part of the table for the modified Ward method, and its resulting groups."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.mward.cost import NEGLIGIBLE
from shoal._kernels.mward.joins import Groups, open_groups

Matrix = NDArray[np.float64]
Numbers = NDArray[np.int64]


def unit_extent(X: Matrix) -> Matrix:
    """Return the table moved to about the origin and scaled to an extent of about 1."""
    moved = X - np.partition(X, len(X) // 2, axis=0)[len(X) // 2]
    return np.ldexp(moved, -np.frexp(np.abs(moved).max())[1])


def first_alike(X: Matrix) -> Numbers:
    """Return for each record the first record with the same values.

    Examples
    --------
    >>> first_alike(np.array([[1, 2], [3, 4], [1, 2]]))
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


def start_from(rows: Matrix, cell: Numbers, ends: Sequence[Numbers], k: int) -> Groups:
    """Return the groups of a part: its two ends, and the other records, equal ones together."""
    centre = rows.copy()
    size = np.ones(len(rows), np.int64)
    parent = np.arange(len(rows))
    single = np.ones(len(rows), bool)
    for end in ends:
        centre[end.min()] = rows[end[0]] + (rows[end] - rows[end[0]]).mean(axis=0)
        size[end.min()] = k
        parent[end] = end.min()
        single[end] = False
    others = np.flatnonzero(single)
    _, at, which, count = np.unique(cell[others], True, True, True)
    parent[others] = others[at][which]
    size[others[at]] = count
    for end in sorted(end.min() for end in ends):
        absorb_equals(centre, size, parent, single, end, others[at], k)
    return open_groups(centre, size, parent, k)


def absorb_equals(centre, size, parent, single, end, heads, k):
    """Join an end with the equal records at its centre, as joining one at a time would.

    These joins have no cost, so the lowest number absorbs the others one by one; it
    reaches the end while it is small, or not at all.
    """
    here = heads[((centre[heads] - centre[end]) ** 2).sum(axis=1) < NEGLIGIBLE]
    if len(here) == 0 or parent[here[0]] != here[0]:  # the other end has them already
        return
    head = here[0]
    equals = np.flatnonzero(single & (parent == head))
    before = np.sum(equals < end) + size[head] - len(equals)
    if end < head:
        parent[equals] = end
        centre[end] = centre[head]
        size[end] += size[head]
    elif before < k:
        parent[parent == end] = head
        size[head] += size[end]


def roots(parent: Numbers) -> Numbers:
    """Return the group of each record, named by its lowest record."""
    while (parent[parent] != parent).any():
        parent = parent[parent]
    return parent


def members(group: Numbers, least: int) -> list[Numbers]:
    """Return the records of each group of at least ``least`` records.

    Examples
    --------
    >>> members(np.array([0, 1, 0, 0, 1]), least=3)
    [array([0, 2, 3])]
    """
    size = np.bincount(group)
    large = np.flatnonzero(size[group] >= least)
    large = large[np.argsort(group[large], kind="stable")]
    return np.split(large, np.flatnonzero(np.diff(group[large])) + 1) if len(large) else []
