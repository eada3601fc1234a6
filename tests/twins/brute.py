"""Nearest, farthest and MDAV by passes over all records: slow, but for long tables not too slow."""

import numpy as np


def squared(X, point):
    """Return all squared distances to a point, summed column by column."""
    total = np.zeros(len(X))
    for j in range(X.shape[1]):
        total += (X[:, j] - point[j]) * (X[:, j] - point[j])
    return total


def farthest(X, living, point):
    """Return the record in ``living``, which is sorted, farthest from a point."""
    return living[np.argmax(squared(X[living], point))]


def nearest(X, living, point, m):
    """Return the records in ``living``, which is sorted, nearest to a point, in this order."""
    distance = squared(X[living], point)
    m = min(m, len(living))
    near = np.flatnonzero(distance <= np.partition(distance, m - 1)[m - 1])
    return living[near[np.argsort(distance[near], kind="stable")[:m]]]


def mdav(X, k):
    living, labels, groups = np.arange(len(X)), np.full(len(X), -1), 0

    def form_group(point):
        nonlocal living, groups
        labels[nearest(X, living, point, k)] = groups
        living, groups = living[labels[living] < 0], groups + 1

    while len(living) >= 3 * k:
        r = farthest(X, living, X[living].mean(axis=0))
        s = farthest(X, living, X[r])
        form_group(X[r])
        form_group(X[s])
    if len(living) >= 2 * k:
        form_group(X[farthest(X, living, X[living].mean(axis=0))])
    labels[living] = groups
    return labels
