"""Split groups of 2k records or more in two, one of them with k records.

The new group is formed as MDAV forms groups, around a record at the border.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.local_search.grouping import move, pop_empty_group, update_group
from shoal._kernels.local_search.record_queue import queue_group


@compiled
def farthest_member(grouping, group, points, point):
    """Return the record of ``group`` that is farthest from row ``point`` of ``points``."""
    best, greatest = grouping.members[group, 0], -1.0
    for position in range(grouping.sizes[group]):
        record = grouping.members[group, position]
        square = squared_row_distance(grouping.X, record, points, point)
        if square > greatest:
            best, greatest = record, square
    return best


@compiled
def write_new_members(grouping, k, group, centre, choice):
    """Write the ``k`` records of ``group`` nearest to a record to ``new_members[choice]``."""
    for position in range(grouping.sizes[group]):
        record = grouping.members[group, position]
        grouping.member_squares[position] = squared_row_distance(
            grouping.X, record, grouping.X, centre
        )
    for slot in range(k):
        best = 0
        for position in range(1, grouping.sizes[group]):
            if grouping.member_squares[position] < grouping.member_squares[best]:
                best = position
        grouping.new_members[choice, slot] = grouping.members[group, best]
        grouping.member_squares[best] = np.inf


@compiled
def sse_decrease(grouping, group, choice):
    """Return the decrease of the SSE when ``new_members[choice]`` leave ``group`` for a new one.

    With a sum d of the differences of m of the n records to the centroid, it is
    |d|² (1 / m + 1 / (n - m)).
    """
    size, count, total = grouping.sizes[group], grouping.new_members.shape[1], 0.0
    for column in range(grouping.X.shape[1]):
        offset = 0.0
        for position in range(count):
            offset += (
                grouping.X[grouping.new_members[choice, position], column]
                - grouping.centroids[group, column]
            )
        total += offset * offset
    return total * (1.0 / count + 1.0 / (size - count))


@compiled
def split(grouping, k, group):
    """Split ``group`` until it has fewer than 2k records; queue the new groups.

    The record farthest from the centroid, or the one farthest from that, becomes a
    group with its nearest: whichever lowers the SSE more.
    """
    while grouping.sizes[group] >= 2 * k:
        outermost = farthest_member(grouping, group, grouping.centroids, group)
        opposite = farthest_member(grouping, group, grouping.X, outermost)
        write_new_members(grouping, k, group, outermost, 0)
        write_new_members(grouping, k, group, opposite, 1)
        choice = 0
        if sse_decrease(grouping, group, 1) > sse_decrease(grouping, group, 0):
            choice = 1
        new_group = pop_empty_group(grouping)
        for position in range(k):
            move(grouping, grouping.new_members[choice, position], new_group)
        update_group(grouping, group)
        update_group(grouping, new_group)
        queue_group(grouping, new_group)
