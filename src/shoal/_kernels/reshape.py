"""Larger changes of groups, each meant as a trial: dissolve a group, gather a new one."""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.descent import NOBODY, ROUNDING, descend, settle
from shoal._kernels.grouping import (
    TOUCHED,
    VERSION,
    WAITING,
    empty_group,
    gap,
    keep,
    move,
    refresh,
    rise,
    take_back,
)
from shoal._kernels.waiting import forget

# Most trials fail, and that shows early: after the records that waited first have tried their
# moves so many times, a trial goes on only if the SSE lies above what it was by no more than
# these shares of a group's usual SSE.
PATIENCE = (1.0, 1.0, 1.5, 20.0)
HOPE = (0.45, 0.25, 0.1, 0.0)
DESPAIR = 1.0  # the same at once after a new group was gathered


@compiled
def cheapest(s, i, shunned):
    """Return the near group that record ``i`` joins at the least rise of the SSE, or nobody."""
    best, least = NOBODY, np.inf
    for m in range(s.near.shape[1]):
        h = s.labels[s.near[i, m]]
        if h == shunned or h == s.labels[i] or h == best:
            continue
        cost = gap(s.X, i, s.centroids, h) * (s.sizes[h] / (s.sizes[h] + 1.0))
        if cost < least:
            best, least = h, cost
    return best


@compiled
def dissolve(s, k, g):
    """Let the records of group ``g`` join near groups; say whether all of them could."""
    while s.sizes[g] > 0:
        i = s.members[g, s.sizes[g] - 1]
        h = cheapest(s, i, g)
        if h == NOBODY:
            return False
        move(s, i, h)
        refresh(s, h)
        if s.sizes[h] >= 3 * k:
            settle(s, k, h)
    refresh(s, g)
    return True


@compiled
def gather(s, k, i):
    """Make a group of record ``i`` and its nearest; groups left too small dissolve."""
    h = empty_group(s)
    for m in range(k - 1):
        move(s, s.near[i, m], h)
    move(s, i, h)
    refresh(s, h)
    for t in range(s.counts[TOUCHED]):
        refresh(s, s.touched[t])
    t = 0
    while t < s.counts[TOUCHED]:
        g = s.touched[t]
        if 0 < s.sizes[g] < k and not dissolve(s, k, g):
            return False
        t += 1
    return True


@compiled
def before(s):
    """Return the SSE, before the trial, of the groups that it changed."""
    total = 0.0
    for t in range(s.counts[TOUCHED]):
        total += s.sse_before[t]
    return total


@compiled
def recover(s, k, allowed):
    """Descend around what changed, while a rise of at most ``allowed`` can be hoped for."""
    usual = before(s) / s.counts[TOUCHED]
    for t in range(s.counts[TOUCHED]):
        settle(s, k, s.touched[t])
    first = s.counts[WAITING]
    for stage in range(len(PATIENCE)):
        descend(s, k, int(PATIENCE[stage] * first))
        if s.counts[WAITING] == 0 or rise(s) > HOPE[stage] * usual + allowed:
            break
    forget(s)


@compiled
def finish(s, k, fine):
    """End a trial: recover, and keep it if the SSE fell; return the fall."""
    if fine:
        recover(s, k, 0.0)
        fall = -rise(s)
        if fall > ROUNDING * before(s):
            keep(s)
            return fall
    take_back(s)
    return 0.0


@compiled
def changed_near(s, i, since):
    """Say whether a group near record ``i``, or its own, changed after the version ``since``."""
    if s.version[s.labels[i]] > since:
        return True
    for m in range(s.near.shape[1]):
        if s.version[s.labels[s.near[i, m]]] > since:
            return True
    return False


@compiled
def dissolve_pass(s, k, groups, tried):
    """Try to dissolve each of ``groups`` in turn; return what the SSE fell by.

    A group is left alone if nothing near it has changed since it was ``tried``.
    """
    total = 0.0
    for g in groups:
        fresh = False
        for m in range(s.sizes[g]):
            fresh = fresh or changed_near(s, s.members[g, m], tried[g])
        if fresh and s.sse[g] > 0.0:
            tried[g] = s.counts[VERSION]
            total += finish(s, k, dissolve(s, k, g))
    return total


@compiled
def gather_pass(s, k, centres, tried):
    """Try a new group around each of ``centres`` in turn; return what the SSE fell by.

    A record is left alone if nothing near it has changed since it was ``tried``.
    """
    total = 0.0
    for i in centres:
        if changed_near(s, i, tried[i]):
            tried[i] = s.counts[VERSION]
            fine = gather(s, k, i) and rise(s) <= DESPAIR * before(s) / s.counts[TOUCHED]
            total += finish(s, k, fine)
    return total


@compiled
def promises(s, k):
    """Return for each record what its group and those of its nearest may gain by a new group.

    That is the sum of the squared distances of the record and its k - 1 nearest to the
    centroids they have, less the SSE that they have as a group.
    """
    n, p = s.X.shape
    found = np.empty(n)
    for i in range(n):
        total, squares = s.apart[s.labels[i], s.place[i]], 0.0
        for m in range(k - 1):
            j = s.near[i, m]
            total += s.apart[s.labels[j], s.place[j]]
        for c in range(p):
            pull = 0.0
            for m in range(k - 1):
                d = s.X[s.near[i, m], c] - s.X[i, c]
                pull += d
                squares += d * d
            squares -= pull * pull / k
        found[i] = total - squares
    return found
