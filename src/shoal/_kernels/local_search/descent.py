"""Descent: move records between near groups while the SSE falls.

A record moves to a near group (relocate), is swapped with a record there (swap), or moves there
while a record of that group moves on to a third (chain). Only the groups of its nearest others are
tried, and no group falls below k.

With c and n the centroids and sizes of groups a and b, and x and y a record of each, the SSE of
both changes by

    relocate   |x - c_b|² n_b / (n_b + 1) - |x - c_a|² n_a / (n_a - 1),
    swap       -2 (y - x) (c_a - c_b) - |y - x|² (1 / n_a + 1 / n_b),
    chain      |x - c_b|² - |y - c_b|² - |y - x|² / n_b - |x - c_a|² n_a / (n_a - 1), and by the
               cost of y joining the third group.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.constants import NONE
from shoal._kernels.lanes import prefetch
from shoal._kernels.local_search.candidates import (
    DISCOUNT,
    LeavingRecord,
    list_candidates,
)
from shoal._kernels.local_search.grouping import (
    N_QUEUED,
    QUEUE_START,
    least_join_cost,
    list_joins,
    list_near_groups,
    move,
    prefetch_group,
    store_join_cost,
    update_group,
)
from shoal._kernels.local_search.record_queue import pop_record, queue_group
from shoal._kernels.local_search.split import split


class Move(NamedTuple):
    """A move of a record to group ``target``, and the change of the SSE.

    Without a ``partner`` (NONE), the record is relocated. A partner, which is a record of the
    target, moves to the group of the record (swap) or to a third group (chain).
    """

    sse_change: float
    target: int
    partner: int
    partner_target: int


@compiled
def update_joins(grouping, record):
    """Store the two near groups that ``record`` can join at the least cost, and the costs."""
    first, second, least, next_least = NONE, NONE, np.inf, np.inf
    for near in range(list_joins(grouping, record)):
        group, cost = grouping.join_groups[near], grouping.join_costs[near]
        if cost < least:
            first, second, least, next_least = group, first, cost, least
        elif cost < next_least:
            second, next_least = group, cost
    joins = grouping.joins
    joins.groups[record, 0], joins.groups[record, 1] = first, second
    joins.costs[record, 0], joins.costs[record, 1] = least, next_least
    if first != NONE:
        joins.versions[record, 0] = grouping.version[first]
    if second != NONE:
        joins.versions[record, 1] = grouping.version[second]
    store_join_cost(grouping, record)


@inlined
def has_joins(grouping, record):
    """Return whether the stored joins of ``record`` are those of the present groups."""
    first, second = grouping.joins.groups[record, 0], grouping.joins.groups[record, 1]
    group = grouping.labels[record]
    return (
        first != NONE
        and first != group
        and second != group
        and grouping.version[first] == grouping.joins.versions[record, 0]
        and (second == NONE or grouping.version[second] == grouping.joins.versions[record, 1])
    )


@inlined
def best_move(grouping, k, record):
    """Return the best `Move` of ``record``; its target is NONE if no move lowers the SSE."""
    group = grouping.labels[record]
    size, square = grouping.sizes[group], grouping.squares[group, grouping.position[record]]
    may_leave = size > k
    sse_saved = square * (size / (size - 1.0)) if may_leave else 0.0
    leaving = LeavingRecord(record, group, may_leave, square, sse_saved)
    n_near = list_near_groups(grouping, record, grouping.near_groups)
    for near in range(n_near):
        prefetch_group(grouping, grouping.near_groups[near])
    list_candidates(grouping, leaving, n_near)
    best = Move(0.0, NONE, NONE, NONE)
    for near in range(n_near):
        target, margin = grouping.near_groups[near], grouping.candidates.margins[near]
        if may_leave:
            target_size = grouping.sizes[target]
            sse_change = (
                grouping.candidates.squares[near] * (target_size / (target_size + 1.0)) - sse_saved
            )
            if sse_change < best.sse_change - margin:
                best = Move(sse_change, target, NONE, NONE)
        for item in range(grouping.candidates.starts[near], grouping.candidates.starts[near + 1]):
            best = best_with_partner(grouping, leaving, near, item, best)
    return best


@inlined
def measure_candidate(grouping, leaving, near, item):
    """Return the changes of the SSE by a swap and a chain with a candidate, in double precision.

    That by a chain is without the cost of the second move.
    """
    target, position = grouping.near_groups[near], grouping.candidates.positions[item]
    group, target_size = leaving.group, grouping.sizes[target]
    partner, projection, square = grouping.members[target, position], 0.0, 0.0
    for column in range(grouping.X.shape[1]):
        difference = grouping.X[partner, column] - grouping.X[leaving.record, column]
        direction = grouping.centroids[group, column] - grouping.centroids[target, column]
        projection += difference * direction
        square += difference * difference
    weight = 1.0 / grouping.sizes[group] + 1.0 / target_size
    chain_change = (
        grouping.candidates.squares[near]
        - grouping.squares[target, position]
        - square / target_size
        - leaving.sse_saved
    )
    return -2.0 * projection - weight * square, chain_change


@compiled
def best_with_partner(grouping, leaving, near, item, best):
    """Return the best of ``best`` and the moves with a candidate in a near group.

    The moves are measured unless the bounds decide. Joins that have changed are computed again only
    if a chain at `DISCOUNT` requires it: later moves depend on the costs that are stored.
    """
    target, bound = grouping.near_groups[near], grouping.candidates.chain_changes[item]
    partner = grouping.members[target, grouping.candidates.positions[item]]
    margin, bound_margin = (
        grouping.candidates.margins[near],
        grouping.candidates.bound_margins[near],
    )
    discounted_cost, is_current = DISCOUNT * least_join_cost(grouping, partner), False
    chain_change, is_measured = 0.0, bound == -np.inf
    if leaving.may_leave:
        is_current = has_joins(grouping, partner)
        is_requiring_joins = bound + bound_margin + discounted_cost < best.sse_change - margin
        is_measured = is_measured or not (is_current or is_requiring_joins)
    if is_measured:
        swap_change, chain_change = measure_candidate(grouping, leaving, near, item)
        if swap_change < best.sse_change - margin:
            best = Move(swap_change, target, partner, leaving.group)
        if not leaving.may_leave or not chain_change + discounted_cost < best.sse_change - margin:
            return best
    if not is_current:
        update_joins(grouping, partner)
    choice = 1 if grouping.joins.groups[partner, 0] == leaving.group else 0
    cost = grouping.joins.costs[partner, choice]
    if not is_measured:
        if bound - bound_margin + cost > best.sse_change - margin:
            return best
        _, chain_change = measure_candidate(grouping, leaving, near, item)
    if chain_change + cost < best.sse_change - margin:
        partner_target = grouping.joins.groups[partner, choice]
        best = Move(chain_change + cost, target, partner, partner_target)
    return best


@compiled
def update_and_queue(grouping, k, group):
    """Compute ``group`` again, split it if it is too large, and queue its records."""
    update_group(grouping, group)
    if grouping.sizes[group] >= 2 * k:
        split(grouping, k, group)
    queue_group(grouping, group)


@inlined
def prefetch_queued(grouping):
    """Begin to load what lists the near groups of the two records that are next in the queue."""
    if grouping.counts[N_QUEUED] > 1:
        start = grouping.counts[QUEUE_START]
        prefetch(grouping.near, (grouping.queue[(start + 1) % grouping.queue.shape[0]], 0))
        record = grouping.queue[start]
        prefetch(grouping.X, (record, 0))
        for position in range(grouping.near.shape[1]):
            prefetch(grouping.labels, (np.int64(grouping.near[record, position]),))


@compiled
def descend(grouping, k, max_moves):
    """Try the moves of the queued records until the queue is empty, or ``max_moves`` were tried.

    Return how many more may be tried.
    """
    while grouping.counts[N_QUEUED] > 0 and max_moves > 0:
        max_moves -= 1
        record = pop_record(grouping)
        prefetch_queued(grouping)
        group = grouping.labels[record]
        best = best_move(grouping, k, record)
        if best.target == NONE:
            continue
        move(grouping, record, best.target)
        if best.partner != NONE:
            move(grouping, best.partner, best.partner_target)
            if best.partner_target != group:
                update_and_queue(grouping, k, best.partner_target)
        update_and_queue(grouping, k, group)
        update_and_queue(grouping, k, best.target)
    return max_moves
