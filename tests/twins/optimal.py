"""The optimum, slow and readable: every partition is tried."""

from functools import cache
from itertools import combinations
from math import fsum

import numpy as np


def sse(X, groups):
    """Return the sum of squared distances to the group means."""
    return fsum(
        (X[i, j] - fsum(X[group, j]) / len(group)) ** 2
        for group in map(list, groups)
        for i in group
        for j in range(X.shape[1])
    )


def groups_of(labels):
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


def partitions(n, k):
    """Yield every partition of ``n`` records into groups of at least ``k``, of any size."""

    def place(record, groups):
        if record == n:
            if all(len(group) >= k for group in groups):
                yield groups
            return
        for g in range(len(groups)):
            yield from place(record + 1, [*groups[:g], [*groups[g], record], *groups[g + 1 :]])
        yield from place(record + 1, [*groups, [record]])

    yield from place(0, [])


def best_partition(X, k):
    """Return the groups with the least SSE of all partitions; for up to 9 records."""
    return min(partitions(len(X), k), key=lambda groups: sse(X, groups))


def optimal_sse(X, k):
    """Return the least SSE of any partition into groups of at least ``k``; for up to 12 records.

    The group of the lowest record is tried in every way, up to 2k - 1 records
    [DM02]; what is left is a smaller table, whose answer is remembered.
    """

    @cache
    def cost(group):
        return sse(X, [group])

    @cache
    def least(left):
        if not left:
            return 0.0
        sizes = range(k - 1, min(2 * k - 1, len(left)))
        return min(
            (
                cost(left[:1] + others) + least(tuple(i for i in left[1:] if i not in others))
                for size in sizes
                for others in combinations(left[1:], size)
            ),
            default=np.inf,
        )

    return least(tuple(range(len(X))))
