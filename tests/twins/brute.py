"""Nearest, farthest and MDAV by passes over all records: slow, but for long tables not too slow."""

import numpy as np


def squared(X, point):
    """Return all squared distances to a point, summed column by column."""
    total = np.zeros(len(X))
    for j in range(X.shape[1]):
        total += (X[:, j] - point[j]) * (X[:, j] - point[j])
    return total


def farthest(X, left, point):
    """Return the lowest of the farthest; ``left`` rises."""
    return left[np.argmax(squared(X[left], point))]


def nearest(X, left, point, m):
    """Return the nearest, nearest first, the lowest first in a tie; ``left`` rises."""
    distance = squared(X[left], point)
    m = min(m, len(left))
    near = np.flatnonzero(distance <= np.partition(distance, m - 1)[m - 1])
    return left[near[np.argsort(distance[near], kind="stable")[:m]]]


def mdav(X, k):
    left, labels, groups = np.arange(len(X)), np.full(len(X), -1), 0

    def take(point):
        nonlocal left, groups
        labels[nearest(X, left, point, k)] = groups
        left, groups = left[labels[left] < 0], groups + 1

    while len(left) >= 3 * k:
        r = farthest(X, left, X[left].mean(axis=0))
        s = farthest(X, left, X[r])
        take(X[r])
        take(X[s])
    if len(left) >= 2 * k:
        take(X[farthest(X, left, X[left].mean(axis=0))])
    labels[left] = groups
    return labels
