"""TFRP: groups around the records farthest from two fixed reference points, in turn.

The method is that of Chang, Li and Huang (2007). Its second phase is in
`shoal._kernels.group_dissolution`.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.group_formation import form_group_around, next_remaining
from shoal._kernels.spatial.block_order import BLOCK
from shoal._kernels.spatial.index import needs_rebuild
from shoal._kernels.spatial.search import open_best_records


@compiled
def form_groups(index, k, queues, positions, work):
    """Form groups from the two queues in turn until about ``work`` distances are measured.

    The two rows of ``queues`` are the records by decreasing distance to a reference point, and
    ``positions`` are the positions of the next records there. Return whether to go on.
    """
    group = open_best_records(k)
    while index.size[0] >= k and work > 0 and not needs_rebuild(index):
        n_blocks_before = index.n_blocks_read[0]
        side = index.n_groups[0] % 2
        positions[side] = next_remaining(queues[side], positions[side], index.labels)
        form_group_around(index, queues[side, positions[side]], group)
        work -= BLOCK * (index.n_blocks_read[0] - n_blocks_before)
    return index.size[0] >= k
