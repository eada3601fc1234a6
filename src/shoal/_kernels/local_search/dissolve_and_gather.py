"""Trials of larger changes: dissolve a group, or gather near records into a new one.

A trial makes one such change, descends from there, and is kept if the SSE has fallen.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.local_search.descent import NONE, ROUNDING, descend, update_and_queue
from shoal._kernels.local_search.grouping import (
    N_QUEUED,
    N_SAVED,
    VERSION,
    accept_trial,
    join_cost,
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
def cheapest_join(grouping, i, excluded):
    """Return the near group that ``i`` can join at the least increase of the SSE, or NONE."""
    best, least = NONE, np.inf
    for m in range(grouping.near.shape[1]):
        h = grouping.labels[grouping.near[i, m]]
        if h == excluded or h == grouping.labels[i] or h == best:
            continue
        cost = join_cost(grouping, i, h)
        if cost < least:
            best, least = h, cost
    return best


@compiled
def dissolve(grouping, k, g):
    """Move the records of group ``g`` to near groups; return whether all of them could move."""
    while grouping.sizes[g] > 0:
        i = grouping.members[g, grouping.sizes[g] - 1]
        h = cheapest_join(grouping, i, g)
        if h == NONE:
            return False
        move(grouping, i, h)
        update_group(grouping, h)
        if grouping.sizes[h] >= 3 * k:
            update_and_queue(grouping, k, h)
    update_group(grouping, g)
    return True


@compiled
def gather(grouping, k, i):
    """Form a group of record ``i`` and its nearest; dissolve groups that become too small."""
    h = pop_empty_group(grouping)
    for m in range(k - 1):
        move(grouping, grouping.near[i, m], h)
    move(grouping, i, h)
    update_group(grouping, h)
    for t in range(grouping.counts[N_SAVED]):
        update_group(grouping, grouping.copies.groups[t])
    t = 0
    while t < grouping.counts[N_SAVED]:
        g = grouping.copies.groups[t]
        if 0 < grouping.sizes[g] < k and not dissolve(grouping, k, g):
            return False
        t += 1
    return True


@compiled
def sse_before_trial(grouping):
    """Return the SSE, before the trial, of the groups that it changed."""
    total = 0.0
    for t in range(grouping.counts[N_SAVED]):
        total += grouping.copies.sse[t]
    return total


@compiled
def descend_around(grouping, k, max_rise):
    """Descend around the changed groups, while the increase may still fall to ``max_rise``."""
    mean_sse = sse_before_trial(grouping) / grouping.counts[N_SAVED]
    for t in range(grouping.counts[N_SAVED]):
        update_and_queue(grouping, k, grouping.copies.groups[t])
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
def has_changed_near(grouping, i, last_version):
    """Return whether a group near record ``i``, or its own, changed after ``last_version``."""
    if grouping.version[grouping.labels[i]] > last_version:
        return True
    for m in range(grouping.near.shape[1]):
        if grouping.version[grouping.labels[grouping.near[i, m]]] > last_version:
            return True
    return False


@compiled
def dissolve_pass(grouping, k, groups, last_tried):
    """Try to dissolve each of ``groups`` in turn; return the decrease of the SSE.

    A group is skipped if nothing near it has changed since version ``last_tried``.
    """
    total = 0.0
    for g in groups:
        is_changed = False
        for i in grouping.members[g, : grouping.sizes[g]]:
            is_changed = is_changed or has_changed_near(grouping, i, last_tried[g])
        if is_changed and grouping.sse[g] > 0.0:
            last_tried[g] = grouping.counts[VERSION]
            total += end_trial(grouping, k, dissolve(grouping, k, g))
    return total


@compiled
def gather_pass(grouping, k, centres, last_tried):
    """Try a new group around each of ``centres`` in turn; return the decrease of the SSE.

    A record is skipped if nothing near it has changed since version ``last_tried``.
    """
    total = 0.0
    for i in centres:
        if has_changed_near(grouping, i, last_tried[i]):
            last_tried[i] = grouping.counts[VERSION]
            is_promising = False
            if gather(grouping, k, i):
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
    for i in range(n):
        total, squares = grouping.squares[grouping.labels[i], grouping.position[i]], 0.0
        for m in range(k - 1):
            j = grouping.near[i, m]
            total += grouping.squares[grouping.labels[j], grouping.position[j]]
        for c in range(p):
            offset = 0.0
            for m in range(k - 1):
                gap = grouping.X[grouping.near[i, m], c] - grouping.X[i, c]
                offset += gap
                squares += gap * gap
            squares -= offset * offset / k
        grouping.gains[i] = total - squares
