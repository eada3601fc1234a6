"""Threshold clustering: seeds are more than two steps apart in the graph of near records.

The method is that of Higgins, Sävje and Sekhon (2016).
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.distances import squared_row_distance


@compiled
def neighbour_graph(near):
    """Return where the list of each record starts, and all lists of neighbours, both ways.

    Two records are neighbours if one is among the ``near`` of the other; the neighbours of a record
    are ``neighbours[start[record] : start[record + 1]]``. A pair that is near both ways is in
    both lists twice.
    """
    n, n_near = near.shape
    start = np.zeros(n + 1, np.int64)
    for record in range(n):
        start[record + 1] += n_near
        for neighbour in near[record]:
            start[neighbour + 1] += 1
    for record in range(n):
        start[record + 1] += start[record]
    next_free = start[:n].copy()
    neighbours = np.empty(2 * n * n_near, np.int64)
    for record in range(n):
        for neighbour in near[record]:
            neighbours[next_free[record]] = neighbour
            next_free[record] += 1
            neighbours[next_free[neighbour]] = record
            next_free[neighbour] += 1
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
    for record in range(X.shape[0]):
        if labels[record] >= 0:
            continue
        best, least = NONE, np.inf
        for entry in range(start[record], start[record + 1]):
            group = labels[neighbours[entry]]
            if group >= 0 and group != best:
                square = squared_row_distance(X, record, X, seeds[group])
                if best < 0 or square < least or (square == least and group < best):
                    best, least = group, square
        final_labels[record] = best
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
    for record in range(n):
        is_seed = labels[record] < 0
        for entry in range(start[record], start[record + 1]):
            is_seed = is_seed and labels[neighbours[entry]] < 0
        if is_seed:
            labels[record] = n_groups
            for entry in range(start[record], start[record + 1]):
                labels[neighbours[entry]] = n_groups
            seeds[n_groups] = record
            n_groups += 1
    return labels, seeds
