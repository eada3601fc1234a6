"""How groups are formed around a seed, shared by MDAV and similar methods."""

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.compensated_sum import add_record, write_mean
from shoal._kernels.spatial import index as spatial_index
from shoal._kernels.spatial.index import form_group
from shoal._kernels.spatial.pool import (
    assign,
    copy_record,
    mean_of_remaining,
    measure_distances,
    nearest_positions,
    open_pool,
)
from shoal._kernels.spatial.search import farthest, nearest


def squared_distances_to_mean(X: np.ndarray) -> np.ndarray:
    """Return the squared distances of all records to their mean."""
    pool = open_pool(X)
    mean = np.empty(X.shape[1])
    mean_of_remaining(pool, mean)
    measure_distances(pool, mean)
    return pool.squares


@inlined
def outermost(index):
    """Return the remaining record farthest from the mean of all remaining records."""
    mean = np.empty(index.X.shape[1])
    spatial_index.mean_of_remaining(index, mean)
    return farthest(index, mean)


@inlined
def form_group_around(index, record, group):
    """Make the remaining records nearest to ``record``, removed or not, the next group.

    ``group`` has space for them; see `shoal._kernels.spatial.search.BestRecords`.
    """
    nearest(index, index.X[record], group)
    form_group(index, group.records)


@compiled
def next_remaining(order, position, labels):
    """Return the first position in ``order``, from ``position`` on, of a record without a group."""
    while labels[order[position]] >= 0:
        position += 1
    return position


@compiled
def grow_group(pool, seed, group, k):
    """Grow a group from ``seed`` to ``k`` records, each nearest to the running centroid."""
    total = np.zeros((seed.shape[0], 2))
    point = np.empty(seed.shape[0])
    position = np.empty(1, np.int64)
    add_record(total, seed)
    for size in range(1, k):
        write_mean(total, size, point)
        measure_distances(pool, point)
        nearest_positions(pool, position)
        copy_record(pool, position[0], point)
        add_record(total, point)
        assign(pool, position[0], group)
