"""TFRP: groups around the records farthest from two fixed reference points, in turn.

The method is that of Chang, Li and Huang (2007). Its second phase is in
`shoal._kernels.group_dissolution`.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.group_formation import form_group_around, next_living
from shoal._kernels.spatial.block_order import BLOCK
from shoal._kernels.spatial.index import needs_rebuild


@compiled
def form_groups(index, k, queues, positions, work):
    """Form groups from the two queues in turn until about ``work`` distances are measured.

    ``queues`` holds all records by falling distance to each reference point, with shape (2, n),
    and ``positions`` those of the next records there. Return whether to go on.
    """
    group, squares = np.empty(k, np.int64), np.empty(k)
    while index.size[0] >= k and work > 0 and not needs_rebuild(index):
        n_read_before = index.n_blocks_read[0]
        queue_number = index.n_groups[0] % 2
        positions[queue_number] = next_living(
            queues[queue_number], positions[queue_number], index.labels
        )
        form_group_around(index, queues[queue_number, positions[queue_number]], group, squares)
        work -= BLOCK * (index.n_blocks_read[0] - n_read_before)
    return index.size[0] >= k
