"""The entry kernel of a local search, and the groups that it works on.

Python calls one kernel for all kinds of passes: a separate entry kernel for each would contain the
descent once more, and the descent takes longest to compile.
"""

import numpy as np

from shoal._kernels import compile_ahead
from shoal._kernels._compile import compiled
from shoal._kernels.local_search.descent import descend
from shoal._kernels.local_search.dissolve_and_gather import dissolve_pass, gather_pass, write_gains
from shoal._kernels.local_search.grouping import (
    Grouping,
    accept_trial,
    allocate_grouping,
    fill_groups,
)
from shoal._kernels.local_search.record_queue import clear_queue, queue_all

FILL_GROUPS, QUEUE_ALL, DESCEND, CLEAR_QUEUE, DISSOLVE, GATHER, WRITE_GAINS = range(7)
NO_NUMBERS = np.empty(0, np.int64)


def open_grouping(X: np.ndarray, near: np.ndarray, labels: np.ndarray, k: int) -> Grouping:
    """Return the groups of ``labels``, each of at most 2k - 1 records.

    ``near`` are the nearest others of each record, to whose groups it may move.
    """
    grouping = allocate_grouping(X, near, labels, k)
    compile_ahead.wait()
    run_pass(grouping, k, FILL_GROUPS, NO_NUMBERS, NO_NUMBERS, 0)
    return grouping


@compiled
def run_pass(grouping, k, action, numbers, last_tried, max_moves):
    """Run one of the actions above; return the decrease of the SSE by trials.

    ``numbers`` are the groups to dissolve or the records to gather around, ``last_tried`` the
    version at which each was last tried, ``max_moves`` the moves to try in a descent; the other
    actions ignore them. WRITE_GAINS writes into ``grouping.gains``.
    """
    if action == DISSOLVE:
        return dissolve_pass(grouping, k, numbers, last_tried)
    if action == GATHER:
        return gather_pass(grouping, k, numbers, last_tried)
    if action == FILL_GROUPS:
        fill_groups(grouping)
    elif action == QUEUE_ALL:
        queue_all(grouping)
    elif action == DESCEND:
        descend(grouping, k, max_moves)
        accept_trial(grouping)
    elif action == CLEAR_QUEUE:
        clear_queue(grouping)
    elif action == WRITE_GAINS:
        write_gains(grouping, k)
    return 0.0
