"""Where a group starts and how it grows: the parts that MDAV and its relatives share."""

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.exact import add_record, mean_of
from shoal.kernels.pool import (
    assign,
    centre,
    farthest,
    locate,
    measure,
    nearest,
    open_pool,
    take,
)


@compiled
def centre_distances(X):
    """Return the squared distances of all records to their mean."""
    pool = open_pool(X)
    point = np.empty(X.shape[1])
    centre(pool, point)
    measure(pool, point)
    return pool.distance


@compiled
def outermost(pool, point):
    """Write the living record farthest from the mean of the living into ``point``."""
    centre(pool, point)
    measure(pool, point)
    locate(pool, farthest(pool), point)


@compiled
def take_around(pool, point, group):
    """Make the records nearest to ``point``, as many as ``group`` has places, the next group."""
    measure(pool, point)
    nearest(pool, group)
    take(pool, group)


@compiled
def grow(pool, seed, group, k):
    """Fill a group that holds ``seed`` alone with the records nearest to its running centroid."""
    total = np.zeros((seed.shape[0], 2))
    point = np.empty(seed.shape[0])
    place = np.empty(1, np.int64)
    add_record(total, seed)
    for size in range(1, k):
        mean_of(total, size, point)
        measure(pool, point)
        nearest(pool, place)
        locate(pool, place[0], point)
        add_record(total, point)
        assign(pool, place[0], group)
