"""Trials of larger changes: dissolve a group, or form a new one."""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance
from shoal._kernels.local_search.descent import NONE, ROUNDING, descend, refresh_and_queue
from shoal._kernels.local_search.grouping import (
    N_QUEUED,
    N_SAVED,
    VERSION,
    accept_trial,
    empty_group,
    move,
    refresh,
    sse_change,
    undo_trial,
)
from shoal._kernels.local_search.record_queue import clear_queue

# Most trials fail, and that shows early: after the records queued first have tried their
# moves so many times, a trial goes on only if the SSE lies above what it was by no more than
# these shares of a group's usual SSE.
STAGES = (1.0, 1.0, 1.5, 20.0)
LIMITS = (0.45, 0.25, 0.1, 0.0)
FIRST_LIMIT = 1.0  # the same at once after a new group was gathered


@compiled
def cheapest(s, i, excluded):
    """Return the near group that ``i`` can join at the least increase of the SSE, or -1."""
    best, least = NONE, np.inf
    for m in range(s.near.shape[1]):
        h = s.labels[s.near[i, m]]
        if h == excluded or h == s.labels[i] or h == best:
            continue
        cost = row_distance(s.X, i, s.centroids, h) * (s.sizes[h] / (s.sizes[h] + 1.0))
        if cost < least:
            best, least = h, cost
    return best


@compiled
def dissolve(s, k, g):
    """Move the records of group ``g`` to near groups; return whether all of them could move."""
    while s.sizes[g] > 0:
        i = s.members[g, s.sizes[g] - 1]
        h = cheapest(s, i, g)
        if h == NONE:
            return False
        move(s, i, h)
        refresh(s, h)
        if s.sizes[h] >= 3 * k:
            refresh_and_queue(s, k, h)
    refresh(s, g)
    return True


@compiled
def gather(s, k, i):
    """Form a group of record ``i`` and its nearest; dissolve groups that become too small."""
    h = empty_group(s)
    for m in range(k - 1):
        move(s, s.near[i, m], h)
    move(s, i, h)
    refresh(s, h)
    for t in range(s.counts[N_SAVED]):
        refresh(s, s.saved[t])
    t = 0
    while t < s.counts[N_SAVED]:
        g = s.saved[t]
        if 0 < s.sizes[g] < k and not dissolve(s, k, g):
            return False
        t += 1
    return True


@compiled
def sse_before_trial(s):
    """Return the SSE, before the trial, of the groups that it changed."""
    total = 0.0
    for t in range(s.counts[N_SAVED]):
        total += s.sse_before[t]
    return total


@compiled
def descend_around(s, k, allowed):
    """Descend around the changed groups, while the increase may still fall to ``allowed``."""
    usual = sse_before_trial(s) / s.counts[N_SAVED]
    for t in range(s.counts[N_SAVED]):
        refresh_and_queue(s, k, s.saved[t])
    first = s.counts[N_QUEUED]
    for stage in range(len(STAGES)):
        descend(s, k, int(STAGES[stage] * first))
        if s.counts[N_QUEUED] == 0 or sse_change(s) > LIMITS[stage] * usual + allowed:
            break
    clear_queue(s)


@compiled
def end_trial(s, k, fine):
    """End a trial: descend, and keep it if the SSE has fallen; return the decrease."""
    if fine:
        descend_around(s, k, 0.0)
        fall = -sse_change(s)
        if fall > ROUNDING * sse_before_trial(s):
            accept_trial(s)
            return fall
    undo_trial(s)
    return 0.0


@compiled
def changed_near(s, i, since):
    """Return whether a group near record ``i``, or its own, changed after the version ``since``."""
    if s.version[s.labels[i]] > since:
        return True
    for m in range(s.near.shape[1]):
        if s.version[s.labels[s.near[i, m]]] > since:
            return True
    return False


@compiled
def dissolve_pass(s, k, groups, tried):
    """Try to dissolve each of ``groups`` in turn; return the decrease of the SSE.

    A group is left alone if nothing near it has changed since it was ``tried``.
    """
    total = 0.0
    for g in groups:
        fresh = False
        for m in range(s.sizes[g]):
            fresh = fresh or changed_near(s, s.members[g, m], tried[g])
        if fresh and s.sse[g] > 0.0:
            tried[g] = s.counts[VERSION]
            total += end_trial(s, k, dissolve(s, k, g))
    return total


@compiled
def gather_pass(s, k, centres, tried):
    """Try a new group around each of ``centres`` in turn; return the decrease of the SSE.

    A record is left alone if nothing near it has changed since it was ``tried``.
    """
    total = 0.0
    for i in centres:
        if changed_near(s, i, tried[i]):
            tried[i] = s.counts[VERSION]
            fine = (
                gather(s, k, i)
                and sse_change(s) <= FIRST_LIMIT * sse_before_trial(s) / s.counts[N_SAVED]
            )
            total += end_trial(s, k, fine)
    return total


@compiled
def gather_gains(s, k):
    """Write for each record how much a new group around it may lower the SSE.

    That is the sum of the squared distances of the record and its k - 1 nearest to the
    centroids they have, less the SSE that they have as a group.
    """
    n, p = s.X.shape
    for i in range(n):
        total, squares = s.squares[s.labels[i], s.place[i]], 0.0
        for m in range(k - 1):
            j = s.near[i, m]
            total += s.squares[s.labels[j], s.place[j]]
        for c in range(p):
            pull = 0.0
            for m in range(k - 1):
                d = s.X[s.near[i, m], c] - s.X[i, c]
                pull += d
                squares += d * d
            squares -= pull * pull / k
        s.gains[i] = total - squares
