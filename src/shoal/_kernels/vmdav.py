"""V-MDAV: groups around the outermost records, extended by near ones up to 2k - 1 records."""

import math

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.growth import form_group_around, next_living
from shoal._kernels.spatial.block_order import BLOCK
from shoal._kernels.spatial.index import assign, needs_rebuild
from shoal._kernels.spatial.search import NONE_FOUND, extend_nearest, nearest


@compiled
def extend(index, members, k, gamma):
    """Add records to the group formed last, to 2k - 1 at most.

    The living record nearest to any member is added while its distance to the
    group is below ``gamma`` times its distance to the nearest other living one.
    ``members`` holds the k records of the group, with space for those that join.
    """
    joining, to_group = np.empty(1, np.int64), np.empty(1)
    pair, squares = np.empty(2, np.int64), np.empty(2)
    n_joining = NONE_FOUND
    for size in range(k, 2 * k - 1):
        # The nearest other of the last to join is known already.
        for record in members[: size if n_joining == 0 else size - 1]:
            n_joining = extend_nearest(index, index.X[record], joining, to_group, n_joining)

        nearest(index, index.X[joining[0]], pair, squares)
        other = 1 if pair[0] == joining[0] else 0
        if not math.sqrt(to_group[0]) < gamma * math.sqrt(squares[other]):
            return
        assign(index, joining[0], index.n_groups[0] - 1)
        members[size] = joining[0]
        joining[0], to_group[0] = pair[other], squares[other]


@compiled
def form_groups(index, order, k, gamma, work):
    """Form groups until about ``work`` distances are measured; return whether to go on.

    ``order`` are the records by falling distance to the mean of the whole table.
    """
    members, squares = np.empty(2 * k, np.int64), np.empty(k)
    head = 0
    while index.size[0] >= 2 * k and work > 0 and not needs_rebuild(index):
        blocks_read = index.blocks_read[0]
        head = next_living(order, head, index.labels)
        form_group_around(index, order[head], members[:k], squares)
        extend(index, members, k, gamma)
        work -= BLOCK * (index.blocks_read[0] - blocks_read)
    return index.size[0] >= 2 * k
