"""Larger changes of groups, each meant as a trial: dissolve a group, gather a new one."""

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.descent import NOBODY, ROUNDING, descend, settle
from shoal.kernels.grouping import (
    NEXT,
    TOUCHED,
    WAITING,
    empty_group,
    gap,
    keep,
    move,
    refresh,
    rise,
    take_back,
)

PATIENCE = 200  # moves tried after a change, at most


@compiled
def cheapest(s, i, shunned):
    """Return the near group that record ``i`` joins at the least rise of the SSE, or nobody."""
    best, least = NOBODY, np.inf
    for m in range(s.near.shape[1]):
        h = s.labels[s.near[i, m]]
        if h == shunned or h == s.labels[i] or h == best:
            continue
        cost = gap(s.X[i], s.centroids[h]) * (s.sizes[h] / (s.sizes[h] + 1.0))
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
def finish(s, k, fine):
    """End a trial: descend around what changed and keep it if the SSE fell; return the fall."""
    if fine:
        for t in range(s.counts[TOUCHED]):
            settle(s, k, s.touched[t])
        descend(s, k, PATIENCE)
    forget(s)
    if not fine:
        take_back(s)
        return 0.0
    before = 0.0
    for t in range(s.counts[TOUCHED]):
        before += s.sse_before[s.touched[t]]
    fall = -rise(s)
    if fall > ROUNDING * before:
        keep(s)
        return fall
    take_back(s)
    return 0.0


@compiled
def forget(s):
    """Let nobody wait."""
    while s.counts[WAITING] > 0:
        s.waits[s.queue[s.counts[NEXT]]] = False
        s.counts[NEXT] = (s.counts[NEXT] + 1) % s.queue.shape[0]
        s.counts[WAITING] -= 1


@compiled
def dissolve_pass(s, k, start, stop):
    """Try to dissolve each group in turn; return what the SSE fell by."""
    total = 0.0
    for g in range(start, stop):
        if s.sse[g] > 0.0:
            total += finish(s, k, dissolve(s, k, g))
    return total


@compiled
def gather_pass(s, k, start, stop):
    """Try a new group around each record in turn; return what the SSE fell by."""
    total = 0.0
    for i in range(start, stop):
        total += finish(s, k, gather(s, k, i))
    return total
