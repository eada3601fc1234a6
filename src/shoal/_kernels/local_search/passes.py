"""Entry points of the local search.

All functions call one kernel, `run_action`: separate kernels would each contain the descent, which
takes longest to compile.
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
    run_action(grouping, k, FILL_GROUPS, NO_NUMBERS, NO_NUMBERS, 0)
    return grouping


def queue_all_records(grouping: Grouping, k: int) -> None:
    """Queue all records, to try their moves."""
    run_action(grouping, k, QUEUE_ALL, NO_NUMBERS, NO_NUMBERS, 0)


def try_moves(grouping: Grouping, k: int, max_moves: int) -> None:
    """Try the moves of at most ``max_moves`` queued records."""
    run_action(grouping, k, DESCEND, NO_NUMBERS, NO_NUMBERS, max_moves)


def empty_queue(grouping: Grouping, k: int) -> None:
    """Give up the moves that were not tried."""
    run_action(grouping, k, CLEAR_QUEUE, NO_NUMBERS, NO_NUMBERS, 0)


def try_to_dissolve(
    grouping: Grouping, k: int, groups: np.ndarray, last_tried: np.ndarray
) -> float:
    """Try to dissolve each of ``groups``; return the decrease of the SSE.

    ``last_tried`` holds the version at which each group was last tried.
    """
    return run_action(grouping, k, DISSOLVE, groups, last_tried, 0)


def try_to_gather(grouping: Grouping, k: int, centres: np.ndarray, last_tried: np.ndarray) -> float:
    """Try a new group around each of ``centres``; return the decrease of the SSE.

    ``last_tried`` holds the version at which each record was last tried.
    """
    return run_action(grouping, k, GATHER, centres, last_tried, 0)


def gains_of_gathering(grouping: Grouping, k: int) -> np.ndarray:
    """Return for each record how much a new group around it may lower the SSE."""
    run_action(grouping, k, WRITE_GAINS, NO_NUMBERS, NO_NUMBERS, 0)
    return grouping.gains


@compiled
def run_action(grouping, k, action, numbers, last_tried, max_moves):
    """Run one of the actions above; return the decrease of the SSE by trials.

    The functions above state which of the arguments an action needs; it ignores the others.
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
        accept_trial(grouping)  # moves save copies of groups, also outside a trial
    elif action == CLEAR_QUEUE:
        clear_queue(grouping)
    elif action == WRITE_GAINS:
        write_gains(grouping, k)
    return 0.0
