"""Threshold clustering: seeds are more than two steps apart in the graph of near records.

The method is that of Higgins, Sävje and Sekhon (2016).
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance


@compiled
def neighbour_graph(near):
    """Return where the list of each record starts, and all lists of neighbours, both ways.

    Two records are neighbours if one is among the ``near`` of the other; those of record i are
    ``neighbours[start[i] : start[i + 1]]``. A pair that is near both ways is in both lists twice.
    """
    n, m = near.shape
    start = np.zeros(n + 1, np.int64)
    for i in range(n):
        start[i + 1] += m
        for j in near[i]:
            start[j + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    next_free = start[:n].copy()
    neighbours = np.empty(2 * n * m, np.int64)
    for i in range(n):
        for j in near[i]:
            neighbours[next_free[i]] = j
            next_free[i] += 1
            neighbours[next_free[j]] = i
            next_free[j] += 1
    return start, neighbours


@compiled
def cluster_around_seeds(X, start, neighbours):
    """Return the groups: seeds with their neighbours, then all others with the nearest seed.

    In the order of the records, one that is more than two steps from every seed becomes a seed.
    Each of the others is two steps from at least one seed, and joins the nearest such seed; ties go
    to the seed that comes first.
    """
    labels, seeds = label_neighbours_of_seeds(start, neighbours)
    final_labels = labels.copy()
    for i in range(X.shape[0]):
        if labels[i] >= 0:
            continue
        best, least = -1, np.inf
        for entry in range(start[i], start[i + 1]):
            group = labels[neighbours[entry]]
            if group >= 0 and group != best:
                distance = squared_row_distance(X, i, X, seeds[group])
                if best < 0 or distance < least or (distance == least and group < best):
                    best, least = group, distance
        final_labels[i] = best
    return final_labels


@compiled
def label_neighbours_of_seeds(start, neighbours):
    """Return the groups of seeds and their neighbours, -1 for all others, and the seeds by group.

    A record becomes a seed if neither it nor any of its neighbours is in a group.
    """
    n = start.shape[0] - 1
    labels = np.full(n, -1)
    seeds = np.zeros(n, np.int64)
    n_groups = 0
    for i in range(n):
        is_seed = labels[i] < 0
        for entry in range(start[i], start[i + 1]):
            is_seed = is_seed and labels[neighbours[entry]] < 0
        if is_seed:
            labels[i] = n_groups
            for entry in range(start[i], start[i + 1]):
                labels[neighbours[entry]] = n_groups
            seeds[n_groups] = i
            n_groups += 1
    return labels, seeds
