"""The baseline: a plain compiled MDAV, without an index or vector instructions.

The records without a group are stored without gaps, row by row. A round makes three passes over
them, each a plain loop over records and columns: O(n²/k) distances in all. The mean comes from a
running sum.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def measure(rows, size, point, distance):
    """Write the squared distances of the rows to ``point``."""
    for i in range(size):
        total = 0.0
        for j in range(rows.shape[1]):
            gap = rows[i, j] - point[j]
            total += gap * gap
        distance[i] = total


@njit(cache=True)
def farthest(distance, records, size):
    """Return the place with the greatest distance; ties go to the lowest record."""
    best = 0
    for i in range(1, size):
        if distance[i] > distance[best] or (
            distance[i] == distance[best] and records[i] < records[best]
        ):
            best = i
    return best


@njit(cache=True)
def form_group(rows, records, size, total, distance, labels, label, places):
    """Label the nearest rows and close the gaps they leave; return how many rows are left."""
    k = places.shape[0]
    count = 0
    for i in range(size):
        if count == k and distance[i] > distance[places[k - 1]]:
            continue
        slot = count
        while slot > 0 and (
            distance[i] < distance[places[slot - 1]]
            or (
                distance[i] == distance[places[slot - 1]] and records[i] < records[places[slot - 1]]
            )
        ):
            slot -= 1
        if slot == k:
            continue
        count = min(count + 1, k)
        for later in range(count - 1, slot, -1):
            places[later] = places[later - 1]
        places[slot] = i
    places.sort()
    for place in places[::-1]:
        labels[records[place]] = label
        size -= 1
        records[place] = records[size]
        for j in range(rows.shape[1]):
            total[j] -= rows[place, j]
            rows[place, j] = rows[size, j]
    return size


@njit(cache=True)
def mdav(X, k):
    """Return the labels of MDAV."""
    rows, records, size = X.copy(), np.arange(X.shape[0]), X.shape[0]
    labels, label = np.full(size, -1), 0
    distance, places = np.empty(size), np.empty(k, np.int64)
    seed, opposite = np.empty(X.shape[1]), np.empty(X.shape[1])
    total = X.sum(axis=0)
    while size >= 2 * k:
        pair = size >= 3 * k
        for j in range(X.shape[1]):
            seed[j] = total[j] / size
        measure(rows, size, seed, distance)
        seed[:] = rows[farthest(distance, records, size)]
        measure(rows, size, seed, distance)
        opposite[:] = rows[farthest(distance, records, size)]
        size = form_group(rows, records, size, total, distance, labels, label, places)
        label += 1
        if pair:
            measure(rows, size, opposite, distance)
            size = form_group(rows, records, size, total, distance, labels, label, places)
            label += 1
    for i in range(size):
        labels[records[i]] = label
    return labels
