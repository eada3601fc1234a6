"""Paths through the records, slow and readable; the cuts are those of the exact twin."""

import numpy as np

from twins.centroid_mdav import centroid_mdav
from twins.mdav import farthest, mdav, mean, nearest
from twins.univariate import shortest_path

GROUPS = {"mdav": mdav, "centroid-mdav": centroid_mdav}


def follow(points, remaining, start):
    """Return ``remaining`` in an order that goes from ``start`` to the nearest one, and so on."""
    path, remaining = [], list(remaining)
    while remaining:
        start = nearest(points, remaining, points[start], 1)[0]
        path.append(start)
        remaining.remove(start)
    return path


def path_of(X, k, kind):
    first = farthest(X, range(len(X)), mean(X, range(len(X))))
    if kind == "nearest-point":
        others = [i for i in range(len(X)) if i != first]
        return [first, *follow(X, others, first)]
    labels = GROUPS[kind](X, k)
    groups = [[i for i in range(len(X)) if labels[i] == g] for g in range(max(labels) + 1)]
    centroids = np.array([mean(X, group) for group in groups])
    others = [g for g in range(len(groups)) if g != labels[first]]
    path, last = [], first
    for g in [labels[first], *follow(centroids, others, labels[first])]:
        path += follow(X, groups[g], last)
        last = path[-1]
    return path


def mhm(X, k, kind):
    return shortest_path(X, k, path_of(X, k, kind))
