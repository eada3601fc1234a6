"""The distances of all pairs of records; for tables of a few hundred, as memory is n by n."""

import numpy as np

from shoal.kernels._compile import compiled


@compiled
def squared_distances(X):
    """Return the squared distances of all pairs of rows, summed column by column."""
    n = X.shape[0]
    distance = np.zeros((n, n))
    for a in range(n):
        for b in range(a):
            for j in range(X.shape[1]):
                gap = X[a, j] - X[b, j]
                distance[a, b] += gap * gap
            distance[b, a] = distance[a, b]
    return distance


@compiled
def nearest_sums(distance, most):
    """Return for each record the sums of its 0, 1, .. ``most`` least distances to others."""
    n = distance.shape[0]
    sums = np.zeros((n, most + 1))
    for i in range(n):
        ordered = np.sort(distance[i])  # the first is 0, the record's own
        for m in range(1, min(most, n - 1) + 1):
            sums[i, m] = sums[i, m - 1] + ordered[m]
    return sums
