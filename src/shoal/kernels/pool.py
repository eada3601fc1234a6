"""The records that still have no group: a pool that groups are taken from.

The living records lie without gaps, one array per column, so that a pass over
them is a run of vector instructions. A record leaves by the last one taking its
place; therefore places are not in the order of the records, and every tie is
settled by the record's number.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.exact import add_exactly, add_record, mean_of


class Pool(NamedTuple):
    """Living records and the labels given so far.

    ``columns[:, :size]`` are the living records, ``records[:size]`` their numbers
    and ``distance[:size]`` their squared distances to the point last measured.
    ``total`` is their sum, as a leading part and its rounding error per column.
    """

    columns: np.ndarray
    records: np.ndarray
    distance: np.ndarray
    total: np.ndarray
    size: np.ndarray
    labels: np.ndarray
    groups: np.ndarray


@compiled
def open_pool(X):
    """Return a pool of all rows of ``X``, none of which has a label."""
    n, p = X.shape
    pool = Pool(
        np.ascontiguousarray(X.T),
        np.arange(n),
        np.empty(n),
        np.zeros((p, 2)),
        np.full(1, n),
        np.full(n, -1),
        np.zeros(1, np.int64),
    )
    for i in range(n):
        add_record(pool.total, X[i])
    return pool


@compiled
def centre(pool, point):
    """Write the mean of the living records into ``point``."""
    mean_of(pool.total, pool.size[0], point)


@compiled
def locate(pool, place, point):
    """Write the record at ``place`` into ``point``."""
    for j in range(point.shape[0]):
        point[j] = pool.columns[j, place]


@compiled
def measure(pool, point):
    """Fill ``pool.distance`` with the squared distances of the living to ``point``."""
    stretch = 512  # a run of distances that stays in the fastest cache over all columns
    size = pool.size[0]
    for start in range(0, size, stretch):
        stop = min(start + stretch, size)
        distance = pool.distance[start:stop]
        distance[:] = 0.0
        for j in range(point.shape[0]):
            column = pool.columns[j, start:stop]
            here = point[j]
            for i in range(distance.shape[0]):
                gap = column[i] - here
                distance[i] += gap * gap


@compiled
def farthest(pool):
    """Return the place with the greatest distance; ties go to the lowest record."""
    best = 0
    for i in range(1, pool.size[0]):
        if pool.distance[i] > pool.distance[best] or (
            pool.distance[i] == pool.distance[best] and pool.records[i] < pool.records[best]
        ):
            best = i
    return best


@compiled
def nearest(pool, places):
    """Fill ``places`` with the nearest living records, nearest first; ties go to the lowest."""
    found = 0
    for i in range(pool.size[0]):
        distance = pool.distance[i]
        if found == places.shape[0] and distance > pool.distance[places[found - 1]]:
            continue
        at = found
        while at > 0 and (
            distance < pool.distance[places[at - 1]]
            or (
                distance == pool.distance[places[at - 1]]
                and pool.records[i] < pool.records[places[at - 1]]
            )
        ):
            at -= 1
        if at == places.shape[0]:
            continue
        if found < places.shape[0]:
            found += 1
        for later in range(found - 1, at, -1):
            places[later] = places[later - 1]
        places[at] = i


@compiled
def remove(pool, place):
    """Let the record at ``place`` leave; the last living record takes its place."""
    last = pool.size[0] - 1
    for j in range(pool.columns.shape[0]):
        add_exactly(pool.total[j], -pool.columns[j, place])
        pool.columns[j, place] = pool.columns[j, last]
    pool.records[place] = pool.records[last]
    pool.distance[place] = pool.distance[last]
    pool.size[0] = last


@compiled
def place_of(pool, record):
    """Return the place of a living record."""
    place = 0
    while pool.records[place] != record:
        place += 1
    return place


@compiled
def assign(pool, place, group):
    """Put the record at ``place`` into a group; it leaves the pool."""
    pool.labels[pool.records[place]] = group
    remove(pool, place)


@compiled
def take(pool, places):
    """Make the records at ``places`` the next group; they leave the pool."""
    # From the back, so that no place still to be emptied is refilled before its turn.
    for place in np.sort(places)[::-1]:
        assign(pool, place, pool.groups[0])
    pool.groups[0] += 1
