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
from shoal._kernels.spatial.search import nearest


@compiled
def neighbourhood_distance(index, candidate, others, squares, point):
    """Return the distance of a living record to the mean of itself and its nearest others."""
    total = np.zeros((point.shape[0], 2))
    nearest(index, index.X[candidate], others, squares)
    for record in others:
        add_record(total, index.X[record])
    write_mean(total, others.shape[0], point)
    return math.sqrt(squared_distance(index.X, candidate, point))


@compiled
def extend_last_group(index, members, candidates, gamma):
    """Add those candidates to the group formed last that pass the test, to 2k - 1 at most.

    A candidate passes if its distance to the group's centroid is below ``gamma``
    times its distance to the mean of itself and its k nearest living others. All
    candidates are tested, also after one that fails.
    """
    k, p = members.shape[0], index.X.shape[1]
    total, point = np.zeros((p, 2)), np.empty(p)
    others, squares = np.empty(k + 1, np.int64), np.empty(k + 1)
    for record in members:
        add_record(total, index.X[record])

    size = k
    for record in candidates:
        if size == 2 * k - 1:
            break
        write_mean(total, size, point)
        distance_to_group = math.sqrt(squared_distance(index.X, record, point))
        if distance_to_group < gamma * neighbourhood_distance(
            index, record, others, squares, point
        ):
            add_record(total, index.X[record])
            assign(index, record, index.n_groups[0] - 1)
            size += 1


@compiled
def form_groups(index, k, gamma, work):
    """Form groups until about ``work`` distances are measured; return whether to go on."""
    nearby, squares = np.empty(2 * k, np.int64), np.empty(2 * k)

    while index.size[0] >= 3 * k and work > 0 and not needs_rebuild(index):
        n_read_before = index.n_blocks_read[0]
        nearest(index, index.X[outermost(index)], nearby, squares)
        form_group(index, nearby[:k])
        extend_last_group(index, nearby[:k], nearby[k:], gamma)
        work -= BLOCK * (index.n_blocks_read[0] - n_read_before)

    if 2 * k <= index.size[0] < 3 * k:
        form_group_around(index, outermost(index), nearby[:k], squares)
    return index.size[0] >= 2 * k
