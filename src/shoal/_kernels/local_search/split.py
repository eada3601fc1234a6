"""Split groups of 2k records or more in two, one of them with k records.

The new group is formed as MDAV forms groups, around a record at the border.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.local_search.grouping import move, pop_empty_group, update_group
from shoal._kernels.local_search.record_queue import queue_group


@compiled
def farthest_member(grouping, g, points, point):
    """Return the record of group ``g`` that is farthest from row ``point`` of ``points``."""
    best, greatest = grouping.members[g, 0], -1.0
    for m in range(grouping.sizes[g]):
        i = grouping.members[g, m]
        distance = squared_row_distance(grouping.X, i, points, point)
        if distance > greatest:
            best, greatest = i, distance
    return best


@compiled
def write_new_members(grouping, k, g, centre, choice):
    """Write the ``k`` records of group ``g`` nearest to a record to ``new_members[choice]``."""
    for m in range(grouping.sizes[g]):
        i = grouping.members[g, m]
        grouping.member_squares[m] = squared_row_distance(grouping.X, i, grouping.X, centre)
    for t in range(k):
        best = 0
        for m in range(1, grouping.sizes[g]):
            if grouping.member_squares[m] < grouping.member_squares[best]:
                best = m
        grouping.new_members[choice, t] = grouping.members[g, best]
        grouping.member_squares[best] = np.inf


@compiled
def sse_decrease(grouping, g, choice):
    """Return the decrease of the SSE when ``new_members[choice]`` leave group ``g`` for a new one.

    With a sum d of the differences of m of the n records to the centroid, it is
    |d|² (1 / m + 1 / (n - m)).
    """
    size, count, total = grouping.sizes[g], grouping.new_members.shape[1], 0.0
    for j in range(grouping.X.shape[1]):
        offset = 0.0
        for t in range(count):
            offset += grouping.X[grouping.new_members[choice, t], j] - grouping.centroids[g, j]
        total += offset * offset
    return total * (1.0 / count + 1.0 / (size - count))


@compiled
def split(grouping, k, g):
    """Split group ``g`` until it has fewer than 2k records; queue the new groups.

    The record farthest from the centroid, or the one farthest from that, becomes a
    group with its nearest: whichever lowers the SSE more.
    """
    while grouping.sizes[g] >= 2 * k:
        outermost = farthest_member(grouping, g, grouping.centroids, g)
        opposite = farthest_member(grouping, g, grouping.X, outermost)
        write_new_members(grouping, k, g, outermost, 0)
        write_new_members(grouping, k, g, opposite, 1)
        choice = 0
        if sse_decrease(grouping, g, 1) > sse_decrease(grouping, g, 0):
            choice = 1
        h = pop_empty_group(grouping)
        for t in range(k):
            move(grouping, grouping.new_members[choice, t], h)
        update_group(grouping, g)
        update_group(grouping, h)
        queue_group(grouping, h)
