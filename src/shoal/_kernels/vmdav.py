"""V-MDAV: groups around the outermost records, extended by near ones up to 2k - 1 records.

The method is that of Solanas and Martínez-Ballesté (2006).
"""

import math

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import ZERO
from shoal._kernels.group_formation import form_group_around, next_living
from shoal._kernels.spatial.block_order import BLOCK
from shoal._kernels.spatial.index import assign, needs_rebuild
from shoal._kernels.spatial.search import extend_nearest, nearest


@compiled
def extend_last_group(index, members, k, gamma):
    """Add records to the group formed last, to 2k - 1 at most.

    The living record nearest to any member is added while its distance to the
    group is below ``gamma`` times its distance to the nearest other living one.
    ``members`` holds the k records of the group, with space for those that join.
    """
    candidate, candidate_square = np.empty(1, np.int64), np.empty(1)
    nearest_two, squares = np.empty(2, np.int64), np.empty(2)
    n_candidates = ZERO
    for size in range(k, 2 * k - 1):
        # The record nearest to the last member is known already.
        for record in members[: size if n_candidates == 0 else size - 1]:
            n_candidates = extend_nearest(
                index, index.X[record], candidate, candidate_square, n_candidates
            )

        nearest(index, index.X[candidate[0]], nearest_two, squares)
        other = 1 if nearest_two[0] == candidate[0] else 0
        if not math.sqrt(candidate_square[0]) < gamma * math.sqrt(squares[other]):
            return
        assign(index, candidate[0], index.n_groups[0] - 1)
        members[size] = candidate[0]
        candidate[0], candidate_square[0] = nearest_two[other], squares[other]


@compiled
def form_groups(index, order, k, gamma, work):
    """Form groups until about ``work`` distances are measured; return whether to go on.

    ``order`` are the records by falling distance to the mean of the whole table.
    """
    members, squares = np.empty(2 * k, np.int64), np.empty(k)
    position = 0
    while index.size[0] >= 2 * k and work > 0 and not needs_rebuild(index):
        n_read_before = index.n_blocks_read[0]
        position = next_living(order, position, index.labels)
        form_group_around(index, order[position], members[:k], squares)
        extend_last_group(index, members, k, gamma)
        work -= BLOCK * (index.n_blocks_read[0] - n_read_before)
    return index.size[0] >= 2 * k
