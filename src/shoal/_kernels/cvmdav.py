"""CV-MDAV: groups are extended by records closer to them than to their own neighbours.

The method is that of Chettri, Paul and Dutta (2013).
"""

import math

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.compensated_sum import add_record, write_mean
from shoal._kernels.distances import squared_distance
from shoal._kernels.group_formation import form_group_around, outermost
from shoal._kernels.spatial.block_order import BLOCK
from shoal._kernels.spatial.index import assign, form_group, needs_rebuild
from shoal._kernels.spatial.search import BestRecords, nearest, open_best_records


@compiled
def neighbourhood_distance(index, candidate, neighbourhood):
    """Return the distance of a remaining record to the mean of itself and its nearest others.

    ``neighbourhood`` has space for all of these.
    """
    p = index.X.shape[1]
    total, mean = np.zeros((p, 2)), np.empty(p)
    nearest(index, index.X[candidate], neighbourhood)
    for record in neighbourhood.records:
        add_record(total, index.X[record])
    write_mean(total, neighbourhood.records.shape[0], mean)
    return math.sqrt(squared_distance(index.X, candidate, mean))


@compiled
def extend_last_group(index, members, candidates, gamma):
    """Add the candidates that pass a test to the group formed last, to 2k - 1 records at most.

    A candidate passes if its distance to the group's centroid is below ``gamma`` times its distance
    to the mean of itself and its k nearest other remaining records. All candidates are tested, even
    after one that fails.
    """
    k, p = members.shape[0], index.X.shape[1]
    total, centroid = np.zeros((p, 2)), np.empty(p)
    neighbourhood = open_best_records(k + 1)
    for record in members:
        add_record(total, index.X[record])

    size = k
    for record in candidates:
        if size == 2 * k - 1:
            break
        write_mean(total, size, centroid)
        distance_to_group = math.sqrt(squared_distance(index.X, record, centroid))
        if distance_to_group < gamma * neighbourhood_distance(index, record, neighbourhood):
            add_record(total, index.X[record])
            assign(index, record, index.n_groups[0] - 1)
            size += 1


@compiled
def form_groups(index, k, gamma, work):
    """Form groups until about ``work`` distances are measured; return whether to go on."""
    nearby = open_best_records(2 * k)
    group, candidates = nearby.records[:k], nearby.records[k:]

    while index.size[0] >= 3 * k and work > 0 and not needs_rebuild(index):
        n_blocks_before = index.n_blocks_read[0]
        nearest(index, index.X[outermost(index)], nearby)
        form_group(index, group)
        extend_last_group(index, group, candidates, gamma)
        work -= BLOCK * (index.n_blocks_read[0] - n_blocks_before)

    if 2 * k <= index.size[0] < 3 * k:
        form_group_around(index, outermost(index), BestRecords(group, nearby.squares))
    return index.size[0] >= 2 * k
