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


def form_group(X, remaining, groups, point, k):
    """Make the ``k`` remaining records nearest to a point a group."""
    groups.append(nearest(X, remaining, point, k))
    for i in groups[-1]:
        remaining.remove(i)


def mdav(X, k):
    remaining, groups = list(range(len(X))), []

    while len(remaining) >= 3 * k:
        r = farthest(X, remaining, mean(X, remaining))
        s = farthest(X, remaining, X[r])
        form_group(X, remaining, groups, X[r], k)
        form_group(X, remaining, groups, X[s], k)
    if len(remaining) >= 2 * k:
        form_group(X, remaining, groups, X[farthest(X, remaining, mean(X, remaining))], k)
    if remaining:
        groups.append(remaining)
    return labels_of(groups, len(X))
