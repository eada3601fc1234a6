"""The records that still have no group: a pool that groups are taken from.

The living records lie without gaps, one array per column, so that a pass over
them is a run of vector instructions. A record leaves by the last one taking its
place; therefore places are not in the order of the records, and every tie is
settled by the record's number.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.exact import add_all, add_exactly, mean_of

GLANCE = 64  # distances that are looked at together


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


def open_pool(X: np.ndarray) -> Pool:
    """Return a pool of all rows of ``X``, none of which has a label."""
    n, p = X.shape
    total = np.zeros((p, 2))
    add_all(total, X)
    return Pool(
        columns=X.T.copy(),  # a copy even of one column, since who leaves is overwritten
        records=np.arange(n),
        distance=np.empty(n),
        total=total,
        size=np.full(1, n),
        labels=np.full(n, -1),
        groups=np.zeros(1, np.int64),
    )


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
    distance, records, size = pool.distance, pool.records, pool.size[0]
    best, greatest = 0, distance[0]
    for start in range(0, size, GLANCE):
        stop = min(start + GLANCE, size)
        if any_as_far(distance[start:stop], greatest):
            for i in range(start, stop):
                if distance[i] > greatest or (
                    distance[i] == greatest and records[i] < records[best]
                ):
                    best, greatest = i, distance[i]
    return best


@compiled
def nearest(pool, places):
    """Fill ``places`` with the nearest living records, in no order; ties go to the lowest.

    No more may be asked for than live. They are a heap: the first has to go first.
    """
    distance, records, size, k = pool.distance, pool.records, pool.size[0], places.shape[0]
    for i in range(k):
        rise(distance, records, places, i, i)
    worst = distance[places[0]]
    for start in range(k, size, GLANCE):
        stop = min(start + GLANCE, size)
        if any_as_near(distance[start:stop], worst):
            for i in range(start, stop):
                if distance[i] <= worst and goes_first(distance, records, places[0], i):
                    sink(distance, records, places, i)
                    worst = distance[places[0]]


@compiled
def any_as_far(distances, least):
    """Say whether a distance is at least so great: a run of vector instructions."""
    hits = False
    for i in range(distances.shape[0]):
        hits |= distances[i] >= least
    return hits


@compiled
def any_as_near(distances, most):
    """Say whether a distance is at most so great."""
    hits = False
    for i in range(distances.shape[0]):
        hits |= distances[i] <= most
    return hits


@compiled
def goes_first(distance, records, place, other):
    """Say whether a place is farther than another, or has the higher record in a tie."""
    if distance[place] == distance[other]:
        return records[place] > records[other]
    return distance[place] > distance[other]


@compiled
def rise(distance, records, places, at, place):
    """Put a place into a heap, behind the ``at`` that it holds."""
    while at > 0 and goes_first(distance, records, place, places[(at - 1) // 2]):
        places[at] = places[(at - 1) // 2]
        at = (at - 1) // 2
    places[at] = place


@compiled
def sink(distance, records, places, place):
    """Put a place into a full heap instead of the first one."""
    at, child = 0, 1
    while child < places.shape[0]:
        if child + 1 < places.shape[0] and goes_first(
            distance, records, places[child + 1], places[child]
        ):
            child += 1
        if not goes_first(distance, records, places[child], place):
            break
        places[at] = places[child]
        at, child = child, 2 * child + 1
    places[at] = place


@compiled
def remove(pool, place):
    """Let the record at ``place`` leave; the last living record takes its place."""
    for j in range(pool.columns.shape[0]):
        add_exactly(pool.total[j], -pool.columns[j, place])
    pool.size[0] -= 1
    move(pool, pool.size[0], place)


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
    gone, distance = -1.0, pool.distance
    for i in range(places.shape[0]):
        pool.labels[pool.records[places[i]]] = pool.groups[0]
        distance[places[i]] = gone
        for j in range(pool.columns.shape[0]):
            add_exactly(pool.total[j], -pool.columns[j, places[i]])
    # Gaps among those who stay are filled from the back, where others may have left too.
    size, last = pool.size[0] - places.shape[0], pool.size[0] - 1
    for i in range(places.shape[0]):
        if places[i] < size:
            while distance[last] == gone:
                last -= 1
            move(pool, last, places[i])
            last -= 1
    pool.size[0] = size
    pool.groups[0] += 1


@compiled
def move(pool, place, to):
    """Let the record at one place stand at another."""
    for j in range(pool.columns.shape[0]):
        pool.columns[j, to] = pool.columns[j, place]
    pool.records[to] = pool.records[place]
    pool.distance[to] = pool.distance[place]
