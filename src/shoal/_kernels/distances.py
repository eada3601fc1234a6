"""Pairs of records: whether two are the same, and how far apart all are."""

import numpy as np

from shoal._kernels._compile import compiled


@compiled
def same_values(X, a, b):
    """Say whether two records have the same values."""
    for j in range(X.shape[1]):
        if X[a, j] != X[b, j]:
            return False
    return True


@compiled
def squared_distances(X):
    """Return the squared distances of all pairs of rows, summed column by column.

    It is for tables of a few hundred records, as memory is n by n.
    """
    n = X.shape[0]
    distance = np.zeros((n, n))
    for a in range(n):
        for b in range(a):
            for j in range(X.shape[1]):
                gap = X[a, j] - X[b, j]
                distance[a, b] += gap * gap
            distance[b, a] = distance[a, b]
    return distance
