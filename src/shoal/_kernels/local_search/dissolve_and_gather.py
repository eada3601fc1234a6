"""Trials of larger changes: dissolve a group, or gather near records into a new one.

A trial makes one such change, descends from there, and is kept if the SSE has fallen.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.local_search.candidates import ROUNDING
from shoal._kernels.local_search.descent import descend, update_and_queue
from shoal._kernels.local_search.grouping import (
    N_QUEUED,
    N_SAVED,
    VERSION,
    accept_trial,
    list_joins,
    move,
    pop_empty_group,
    sse_change,
    undo_trial,
    update_group,
)
from shoal._kernels.local_search.record_queue import clear_queue

# Most trials fail, and stages detect that early. Each stage tries a number of moves, a multiple
# (STAGES) of the records queued at first. The next stage begins only if the SSE exceeds that before
# the trial by at most a share (LIMITS) of the mean SSE of the changed groups.
STAGES = (1.0, 1.0, 1.5, 20.0)
LIMITS = (0.45, 0.25, 0.1, 0.0)
FIRST_LIMIT = 1.0  # the limit directly after a new group was gathered, before any descent


@compiled
def cheapest_join(grouping, record, excluded):
    """Return the near group that ``record`` can join at the least increase of the SSE, or NONE."""
    best, least = NONE, np.inf
    for near in range(list_joins(grouping, record)):
        cost = grouping.join_costs[near]
        if grouping.join_groups[near] != excluded and cost < least:
            best, least = grouping.join_groups[near], cost
    return best


@compiled
def dissolve(grouping, k, group):
    """Move the records of ``group`` to near groups; return whether all of them could move."""
    while grouping.sizes[group] > 0:
        record = grouping.members[group, grouping.sizes[group] - 1]
        target = cheapest_join(grouping, record, group)
        if target == NONE:
            return False
        move(grouping, record, target)
        update_group(grouping, target)
        if grouping.sizes[target] >= 3 * k:
            update_and_queue(grouping, k, target)
    update_group(grouping, group)
    return True


@compiled
def gather(grouping, k, record):
    """Form a group of ``record`` and its nearest; dissolve groups that become too small."""
    new_group = pop_empty_group(grouping)
    for position in range(k - 1):
        move(grouping, np.int64(grouping.near[record, position]), new_group)
    move(grouping, record, new_group)
    update_group(grouping, new_group)
    for copy in range(grouping.counts[N_SAVED]):
        update_group(grouping, grouping.copies.groups[copy])
    copy = 0
    while copy < grouping.counts[N_SAVED]:
        group = grouping.copies.groups[copy]
        if 0 < grouping.sizes[group] < k and not dissolve(grouping, k, group):
            return False
        copy += 1
    return True


@compiled
def sse_before_trial(grouping):
    """Return the SSE, before the trial, of the groups that it changed."""
    total = 0.0
    for copy in range(grouping.counts[N_SAVED]):
        total += grouping.copies.sse[copy]
    return total


@compiled
def descend_around(grouping, k, max_rise):
    """Descend around the changed groups, while the increase may still fall to ``max_rise``."""
    mean_sse = sse_before_trial(grouping) / grouping.counts[N_SAVED]
    for copy in range(grouping.counts[N_SAVED]):
        update_and_queue(grouping, k, grouping.copies.groups[copy])
    n_first = grouping.counts[N_QUEUED]
    for stage in range(len(STAGES)):
        descend(grouping, k, int(STAGES[stage] * n_first))
        if (
            grouping.counts[N_QUEUED] == 0
            or sse_change(grouping) > LIMITS[stage] * mean_sse + max_rise
        ):
            break
    clear_queue(grouping)


@compiled
def end_trial(grouping, k, is_possible):
    """End a trial: descend, and keep it if the SSE has fallen; return the decrease."""
    if is_possible:
        descend_around(grouping, k, 0.0)
        decrease = -sse_change(grouping)
        if decrease > ROUNDING * sse_before_trial(grouping):
            accept_trial(grouping)
            return decrease
    reject_trial(grouping)
    return 0.0


@compiled
def reject_trial(grouping):
    """End a trial and undo its changes.

    The queue is emptied, since a trial may end after a group was split and before any descent.
    """
    clear_queue(grouping)
    undo_trial(grouping)


@compiled
def has_changed_near(grouping, record, last_version):
    """Return whether a group near ``record``, or its own, changed after ``last_version``."""
    if grouping.version[grouping.labels[record]] > last_version:
        return True
    for position in range(grouping.near.shape[1]):
        if grouping.version[grouping.labels[grouping.near[record, position]]] > last_version:
            return True
    return False


@compiled
def dissolve_pass(grouping, k, groups, last_tried):
    """Try to dissolve each of ``groups`` in turn; return the decrease of the SSE.

    A group is skipped if nothing near it has changed since version ``last_tried``.
    """
    total = 0.0
    for group in groups:
        is_changed = False
        for record in grouping.members[group, : grouping.sizes[group]]:
            is_changed = is_changed or has_changed_near(grouping, record, last_tried[group])
        if is_changed and grouping.sse[group] > 0.0:
            last_tried[group] = grouping.counts[VERSION]
            total += end_trial(grouping, k, dissolve(grouping, k, group))
    return total


@compiled
def gather_pass(grouping, k, centres, last_tried):
    """Try a new group around each of ``centres`` in turn; return the decrease of the SSE.

    A record is skipped if nothing near it has changed since version ``last_tried``.
    """
    total = 0.0
    for centre in centres:
        if has_changed_near(grouping, centre, last_tried[centre]):
            last_tried[centre] = grouping.counts[VERSION]
            is_promising = False
            if gather(grouping, k, centre):
                mean_sse = sse_before_trial(grouping) / grouping.counts[N_SAVED]
                is_promising = sse_change(grouping) <= FIRST_LIMIT * mean_sse
            total += end_trial(grouping, k, is_promising)
    return total


@compiled
def write_gains(grouping, k):
    """Write for each record how much a new group around it may lower the SSE.

    That is the sum of the squared distances of the record and its k - 1 nearest to the
    centroids they have, less the SSE that they have as a group.
    """
    n, p = grouping.X.shape
    for record in range(n):
        total, squares = grouping.squares[grouping.labels[record], grouping.position[record]], 0.0
        for position in range(k - 1):
            neighbour = grouping.near[record, position]
            total += grouping.squares[grouping.labels[neighbour], grouping.position[neighbour]]
        for column in range(p):
            offset = 0.0
            for position in range(k - 1):
                difference = (
                    grouping.X[grouping.near[record, position], column] - grouping.X[record, column]
                )
                offset += difference
                squares += difference * difference
            squares -= offset * offset / k
        grouping.gains[record] = total - squares
