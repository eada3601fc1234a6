"""V-MDAV: groups around the outermost records, extended by near ones up to 2k - 1 records.

The method is that of Solanas and Martínez-Ballesté (2006).
"""

import math

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import ZERO
from shoal._kernels.group_formation import form_group_around, next_remaining
from shoal._kernels.spatial.block_order import BLOCK
from shoal._kernels.spatial.index import assign, needs_rebuild
from shoal._kernels.spatial.search import BestRecords, extend_nearest, nearest, open_best_records


@compiled
def extend_last_group(index, members, k, gamma):
    """Add records to the group formed last, to 2k - 1 at most.

    The remaining record nearest to any member is added while its distance to the group is below
    ``gamma`` times its distance to the nearest other remaining record. ``members`` contains the k
    records of the group, with space for those that join.
    """
    candidate, nearest_two, n_candidates = open_best_records(1), open_best_records(2), ZERO
    for size in range(k, 2 * k - 1):
        # The record nearest to the last member is known already.
        for record in members[: size if n_candidates == 0 else size - 1]:
            n_candidates = extend_nearest(index, index.X[record], candidate, n_candidates)

        joining = candidate.records[0]
        nearest(index, index.X[joining], nearest_two)
        other = 1 if nearest_two.records[0] == joining else 0
        square, other_square = candidate.squares[0], nearest_two.squares[other]
        if not math.sqrt(square) < gamma * math.sqrt(other_square):
            return
        assign(index, joining, index.n_groups[0] - 1)
        members[size] = joining
        candidate.records[0], candidate.squares[0] = nearest_two.records[other], other_square


@compiled
def form_groups(index, order, k, gamma, work):
    """Form groups until about ``work`` distances are measured; return whether to go on.

    ``order`` are the records by decreasing distance to the mean of the whole table.
    """
    members, position = np.empty(2 * k, np.int64), 0
    group = BestRecords(members[:k], np.empty(k))
    while index.size[0] >= 2 * k and work > 0 and not needs_rebuild(index):
        n_blocks_before = index.n_blocks_read[0]
        position = next_remaining(order, position, index.labels)
        form_group_around(index, order[position], group)
        extend_last_group(index, members, k, gamma)
        work -= BLOCK * (index.n_blocks_read[0] - n_blocks_before)
    return index.size[0] >= 2 * k
