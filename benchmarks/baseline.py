"""The baseline: a plain compiled MDAV, without an index or vector instructions.

The records without a group are stored without gaps, row by row. A round makes three passes over
them, each a plain loop over records and columns: O(n²/k) distances in all. The mean comes from a
running sum.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def measure_distances(rows, size, point, distance):
    """Write the squared distances of the rows to ``point``."""
    for i in range(size):
        total = 0.0
        for j in range(rows.shape[1]):
            difference = rows[i, j] - point[j]
            total += difference * difference
        distance[i] = total


@njit(cache=True)
def farthest(distance, records, size):
    """Return the row with the greatest distance; ties go to the lowest record."""
    best = 0
    for i in range(1, size):
        if distance[i] > distance[best] or (
            distance[i] == distance[best] and records[i] < records[best]
        ):
            best = i
    return best


@njit(cache=True)
def form_group(rows, records, size, total, distance, labels, label, nearest):
    """Label the nearest rows and close the gaps that they leave; return how many rows remain.

    The rows are inserted into ``nearest``, which is sorted by distance and record.
    """
    k = nearest.shape[0]
    n_nearest = 0
    for i in range(size):
        if n_nearest == k and distance[i] > distance[nearest[k - 1]]:
            continue
        position = n_nearest
        while position > 0 and (
            distance[i] < distance[nearest[position - 1]]
            or (
                distance[i] == distance[nearest[position - 1]]
                and records[i] < records[nearest[position - 1]]
            )
        ):
            position -= 1
        if position == k:
            continue
        n_nearest = min(n_nearest + 1, k)
        for moved in range(n_nearest - 1, position, -1):
            nearest[moved] = nearest[moved - 1]
        nearest[position] = i
    nearest.sort()
    for row in nearest[::-1]:
        labels[records[row]] = label
        size -= 1
        records[row] = records[size]
        for j in range(rows.shape[1]):
            total[j] -= rows[row, j]
            rows[row, j] = rows[size, j]
    return size


@njit(cache=True)
def mdav(X, k):
    """Return the labels of MDAV."""
    size = X.shape[0]
    rows, records = X.copy(), np.arange(size)
    labels = np.full(size, -1)
    label = 0
    distance, nearest = np.empty(size), np.empty(k, np.int64)
    seed, opposite = np.empty(X.shape[1]), np.empty(X.shape[1])
    total = X.sum(axis=0)
    while size >= 2 * k:
        pair = size >= 3 * k
        for j in range(X.shape[1]):
            seed[j] = total[j] / size
        measure_distances(rows, size, seed, distance)
        seed[:] = rows[farthest(distance, records, size)]
        measure_distances(rows, size, seed, distance)
        opposite[:] = rows[farthest(distance, records, size)]
        size = form_group(rows, records, size, total, distance, labels, label, nearest)
        label += 1
        if pair:
            measure_distances(rows, size, opposite, distance)
            size = form_group(rows, records, size, total, distance, labels, label, nearest)
            label += 1
    for i in range(size):
        labels[records[i]] = label
    return labels
