"""The optimum, slow and readable: every partition is tried."""

from math import fsum

import numpy as np


def sse(X, groups):
    """Return the sum of squared distances to the group means."""
    return fsum(
        (X[i, j] - fsum(X[group, j]) / len(group)) ** 2
        for group in groups
        for i in group
        for j in range(X.shape[1])
    )


def groups_of(labels):
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


def partitions(records, k):
    """Yield every partition of ``records`` into groups of at least ``k``, whatever their size."""

    def place(at, groups):
        if at == len(records):
            if all(len(group) >= k for group in groups):
                yield groups
            return
        for g in range(len(groups)):
            yield from place(at + 1, [*groups[:g], [*groups[g], records[at]], *groups[g + 1 :]])
        yield from place(at + 1, [*groups, [records[at]]])

    yield from place(0, [])


def best_partition(X, k):
    """Return the groups with the least SSE among all partitions; for about 9 records."""
    return min(partitions(list(range(len(X))), k), key=lambda groups: sse(X, groups))


def optimal_sse(X, k):
    """Return the least SSE of any partition of a few records into groups of at least ``k``."""
    return sse(X, best_partition(X, k))
