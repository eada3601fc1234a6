"""Who comes closer to a point than its own record, and who is as near."""

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.boxes import DEEPEST, LEAF, NONE_YET, bound, measure_leaf


@compiled
def count_closer(tree, weights, point, low, high, enough):
    """Weigh the records whose squared distance is below ``low``, and those from there to ``high``.

    The search ends as soon as ``enough`` weight lies below; the second number
    then means nothing.
    """
    boxes = np.empty(DEEPEST, np.int64)
    gaps = np.empty(LEAF)
    boxes[0] = 1
    waiting, closer, level = 1, NONE_YET, NONE_YET
    while waiting > 0 and closer < enough:
        waiting -= 1
        box = boxes[waiting]
        if box < tree.start.shape[0]:
            near, far = 2 * box, 2 * box + 1
            near_floor, far_floor = bound(tree, near, point), bound(tree, far, point)
            if far_floor < near_floor:
                near, far, near_floor, far_floor = far, near, far_floor, near_floor
            if far_floor <= high:
                boxes[waiting] = far
                waiting += 1
            if near_floor <= high:
                boxes[waiting] = near
                waiting += 1
            continue
        start = measure_leaf(tree, box, point, gaps)
        for i in range(tree.living[box]):
            if gaps[i] < low:
                closer += weights[tree.records[start + i]]
            elif gaps[i] <= high:
                level += weights[tree.records[start + i]]
    return closer, level


@compiled
def rank_own(tree, weights, points, own, slack, enough, start, stop, closer, level):
    """Count who is closer than, and as near as, the own of the points from ``start`` to ``stop``.

    ``own`` holds a record of the tree for each point. Distances that differ by a
    share of ``slack`` or less are level.
    """
    for i in range(start, stop):
        place, distance = tree.place[own[i]], 0.0
        for j in range(points.shape[1]):
            gap = tree.columns[j, place] - points[i, j]
            distance += gap * gap
        low, high = distance * (1 - slack), distance * (1 + slack)
        closer[i], level[i] = count_closer(tree, weights, points[i], low, high, enough)
