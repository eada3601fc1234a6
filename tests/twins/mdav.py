"""MDAV, slow and readable: no pool, no compiled code, lists and sums as in the paper."""

from math import fsum

import numpy as np


def squared(a, b):
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += (x - y) * (x - y)
    return total


def mean(X, records):
    return [fsum(X[i, j] for i in records) / len(records) for j in range(X.shape[1])]


def farthest(X, records, point):
    return max(records, key=lambda i: (squared(X[i], point), -i))


def nearest(X, records, point, m):
    return sorted(records, key=lambda i: (squared(X[i], point), i))[:m]


def labels_of(groups, n):
    labels = np.full(n, -1)
    for label, group in enumerate(groups):
        labels[group] = label
    return labels


def mdav(X, k):
    left, groups = list(range(len(X))), []

    def take(point):
        group = nearest(X, left, point, k)
        groups.append(group)
        for i in group:
            left.remove(i)

    while len(left) >= 3 * k:
        r = farthest(X, left, mean(X, left))
        s = farthest(X, left, X[r])
        take(X[r])
        take(X[s])
    if len(left) >= 2 * k:
        take(X[farthest(X, left, mean(X, left))])
    if left:
        groups.append(left)
    return labels_of(groups, len(X))
