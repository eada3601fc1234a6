"""CV-MDAV: groups that take in neighbours which lie nearer to them than to one another."""

import math

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.exact import add_record, mean_of
from shoal.kernels.growth import outermost, take_around
from shoal.kernels.pool import assign, locate, measure, nearest, place_of, take


@compiled
def distance(a, b):
    """Return the distance of two points, not squared."""
    total = 0.0
    for j in range(a.shape[0]):
        gap = a[j] - b[j]
        total += gap * gap
    return math.sqrt(total)


@compiled
def to_own_kind(pool, candidate, places, point):
    """Return the distance of a living record to the mean of itself and its nearest others."""
    total = np.zeros((candidate.shape[0], 2))
    measure(pool, candidate)
    nearest(pool, places)
    for place in places:
        locate(pool, place, point)
        add_record(total, point)
    mean_of(total, places.shape[0], point)
    return distance(candidate, point)


@compiled
def extend(pool, X, members, candidates, gamma):
    """Add those candidates to the group formed last that pass the test, to 2k - 1 at most.

    A candidate passes if its distance to the group's centroid is below ``gamma``
    times its distance to the mean of itself and its k nearest living others. A
    refusal does not end the search.
    """
    k = members.shape[0]
    total = np.zeros((X.shape[1], 2))
    point = np.empty(X.shape[1])
    neighbours = np.empty(k + 1, np.int64)
    for record in members:
        add_record(total, X[record])

    size = k
    for record in candidates:
        if size == 2 * k - 1:
            break
        mean_of(total, size, point)
        to_group = distance(X[record], point)
        if to_group < gamma * to_own_kind(pool, X[record], neighbours, point):
            add_record(total, X[record])
            assign(pool, place_of(pool, record), pool.groups[0] - 1)
            size += 1


@compiled
def rounds(pool, X, k, gamma, work):
    """Form groups until about ``work`` distances are measured; say whether to go on."""
    seed = np.empty(X.shape[1])
    places = np.empty(2 * k, np.int64)

    while pool.size[0] >= 3 * k and work > 0:
        work -= (k + 2) * pool.size[0]
        outermost(pool, seed)
        measure(pool, seed)
        nearest(pool, places)
        records = pool.records[places]
        take(pool, places[:k])
        extend(pool, X, records[:k], records[k:], gamma)

    if 2 * k <= pool.size[0] < 3 * k:
        outermost(pool, seed)
        take_around(pool, seed, places[:k])
    return pool.size[0] >= 2 * k
