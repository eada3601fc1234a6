"""Seeds of groups and how groups grow, shared by MDAV and similar methods."""

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.compensated_sum import add_record, mean_of
from shoal._kernels.spatial.index import centre as centre_of_living
from shoal._kernels.spatial.index import take
from shoal._kernels.spatial.pool import assign, centre, locate, measure, open_pool
from shoal._kernels.spatial.pool import nearest as nearest_places
from shoal._kernels.spatial.search import farthest, nearest


def centre_distances(X: np.ndarray) -> np.ndarray:
    """Return the squared distances of all records to their mean."""
    pool = open_pool(X)
    point = np.empty(X.shape[1])
    centre(pool, point)
    measure(pool, point)
    return pool.distance


@inlined
def outermost(index):
    """Return the living record farthest from the mean of the living."""
    mean = np.empty(index.X.shape[1])
    centre_of_living(index, mean)
    return farthest(index, mean)


@inlined
def take_around(index, record, group, squares):
    """Make the living records nearest to a record, living or not, the next group."""
    nearest(index, index.X[record], group, squares)
    take(index, group)


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
        nearest_places(pool, place)
        locate(pool, place[0], point)
        add_record(total, point)
        assign(pool, place[0], group)
