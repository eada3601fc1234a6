"""Who comes closer to a point than its own record, and who is as near."""

from shoal._kernels._compile import compiled
from shoal._kernels.arrange import BLOCK
from shoal._kernels.bounds import demand, hope
from shoal._kernels.promises import queue
from shoal._kernels.search import NEAREST, NONE_YET, aim, next_block, squared_distance


@compiled
def count_closer(index, weights, point, low, high, enough):
    """Weigh the records whose squared distance is below ``low``, and those from there to ``high``.

    The search ends as soon as ``enough`` weight lies below; the second number
    then means nothing.
    """
    reach = aim(point, index.origin, index.axes, index.scale, index.leading, NEAREST, index.query)
    needed = demand(high, NEAREST, index.scale, reach, point.shape[0])
    hope(index.outer_low, index.outer_high, index.query, NEAREST, index.outer_hopes)
    left = queue(index.outer_hopes, index.waiting, needed, index.hopes)
    closer, level = NONE_YET, NONE_YET
    while closer < enough:
        b, left = next_block(
            index.blocks, index.low, index.high, index.query, index.leading, NEAREST, needed,
            index.outer_hopes, index.hopes, index.waiting, left, index.gaps, index.looked,
        )  # fmt: skip
        if b < 0:
            break
        for i in range(BLOCK):
            if NEAREST * index.gaps[i] >= needed:
                record = index.records[b, i]
                squared = squared_distance(index.X, record, point)
                if squared < low:
                    closer += weights[record]
                elif squared <= high:
                    level += weights[record]
    return closer, level


@compiled
def rank_own(index, weights, points, own, slack, enough, start, stop, closer, level):
    """Count who is closer than, and as near as, the own of the points from ``start`` to ``stop``.

    ``own`` holds a record of the index for each point. Distances that differ by a
    share of ``slack`` or less are level.
    """
    for i in range(start, stop):
        squared = squared_distance(index.X, own[i], points[i])
        low, high = squared * (1 - slack), squared * (1 + slack)
        closer[i], level[i] = count_closer(index, weights, points[i], low, high, enough)
