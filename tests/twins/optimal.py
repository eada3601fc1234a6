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

    def add_record(record, groups):
        if record == n:
            if all(len(group) >= k for group in groups):
                yield groups
            return
        for g in range(len(groups)):
            yield from add_record(record + 1, [*groups[:g], [*groups[g], record], *groups[g + 1 :]])
        yield from add_record(record + 1, [*groups, [record]])

    yield from add_record(0, [])


def best_partition(X, k):
    """Return the groups with the least SSE of all partitions; for up to 9 records."""
    return min(partitions(len(X), k), key=lambda groups: sse(X, groups))


def optimal_sse(X, k):
    """Return the least SSE of any partition into groups of at least ``k``; for up to 12 records.

    The group of the lowest record is tried in every way, up to 2k - 1 records
    [DM02]; what remains is a smaller table, whose result is cached.
    """

    @cache
    def cost(group):
        return sse(X, [group])

    @cache
    def least(remaining):
        if not remaining:
            return 0.0
        sizes = range(k - 1, min(2 * k - 1, len(remaining)))
        return min(
            (
                cost(remaining[:1] + others)
                + least(tuple(i for i in remaining[1:] if i not in others))
                for size in sizes
                for others in combinations(remaining[1:], size)
            ),
            default=np.inf,
        )

    return least(tuple(range(len(X))))
