"""Nearest, farthest and MDAV by passes over all records: slow, but for long tables not too slow."""

import numpy as np


def squared(X, point):
    """Return all squared distances to a point, summed column by column."""
    total = np.zeros(len(X))
    for j in range(X.shape[1]):
        total += (X[:, j] - point[j]) * (X[:, j] - point[j])
    return total


def farthest(X, remaining, point):
    """Return the record in ``remaining``, which is sorted, farthest from a point."""
    return remaining[np.argmax(squared(X[remaining], point))]


def nearest(X, remaining, point, m):
    """Return the records in ``remaining``, which is sorted, nearest to a point, in this order."""
    distance = squared(X[remaining], point)
    m = min(m, len(remaining))
    near = np.flatnonzero(distance <= np.partition(distance, m - 1)[m - 1])
    return remaining[near[np.argsort(distance[near], kind="stable")[:m]]]


def mdav(X, k):
    remaining, labels, groups = np.arange(len(X)), np.full(len(X), -1), 0

    def form_group(point):
        nonlocal remaining, groups
        labels[nearest(X, remaining, point, k)] = groups
        remaining, groups = remaining[labels[remaining] < 0], groups + 1

    while len(remaining) >= 3 * k:
        r = farthest(X, remaining, X[remaining].mean(axis=0))
        s = farthest(X, remaining, X[r])
        form_group(X[r])
        form_group(X[s])
    if len(remaining) >= 2 * k:
        form_group(X[farthest(X, remaining, X[remaining].mean(axis=0))])
    labels[remaining] = groups
    return labels
