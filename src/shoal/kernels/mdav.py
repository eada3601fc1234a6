"""MDAV: groups from the two ends of what is left."""

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.pool import centre, farthest, locate, measure, nearest, take, take_all


@compiled
def advance(pool, k, work):
    """Form groups until about ``work`` distances are measured; say whether records are left."""
    point = np.empty(pool.columns.shape[0])
    opposite = np.empty(pool.columns.shape[0])
    group = np.empty(k, np.int64)

    while pool.size[0] >= 2 * k and work > 0:
        pair = pool.size[0] >= 3 * k
        work -= 4 * pool.size[0]

        centre(pool, point)
        measure(pool, point)
        locate(pool, farthest(pool), point)
        measure(pool, point)
        locate(pool, farthest(pool), opposite)
        nearest(pool, group)
        take(pool, group)

        if pair:
            measure(pool, opposite)
            nearest(pool, group)
            take(pool, group)

    if 0 < pool.size[0] < 2 * k:
        take_all(pool)
    return pool.size[0] > 0
