"""Split groups of 2k records or more."""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance
from shoal._kernels.local_search.grouping import empty_group, move, refresh
from shoal._kernels.local_search.record_queue import queue_group


@compiled
def farthest_member(s, g, P, at):
    """Return the record of group ``g`` that is farthest from row ``at`` of ``P``."""
    best, most = s.members[g, 0], -1.0
    for m in range(s.sizes[g]):
        distance = row_distance(s.X, s.members[g, m], P, at)
        if distance > most:
            best, most = s.members[g, m], distance
    return best


@compiled
def set_apart(s, k, g, centre, part):
    """Write the ``k`` records of group ``g`` nearest to record ``centre`` into a part."""
    for m in range(s.sizes[g]):
        s.across[m] = row_distance(s.X, s.members[g, m], s.X, centre)
    for t in range(k):
        best = 0
        for m in range(1, s.sizes[g]):
            if s.across[m] < s.across[best]:
                best = m
        s.parts[part, t] = s.members[g, best]
        s.across[best] = np.inf


@compiled
def separation(s, g, part):
    """Return the decrease of the SSE when a part of group ``g`` becomes a group."""
    size, count, total = s.sizes[g], s.parts.shape[1], 0.0
    for j in range(s.X.shape[1]):
        pull = 0.0
        for t in range(count):
            pull += s.X[s.parts[part, t], j] - s.centroids[g, j]
        total += pull * pull
    return total * (1.0 / count + 1.0 / (size - count))


@compiled
def split(s, k, g):
    """Split group ``g`` until it has fewer than 2k records; queue the new groups.

    The record farthest from the centroid, or the one farthest from that, becomes a
    group with its nearest: whichever lowers the SSE more.
    """
    while s.sizes[g] >= 2 * k:
        one = farthest_member(s, g, s.centroids, g)
        set_apart(s, k, g, one, 0)
        set_apart(s, k, g, farthest_member(s, g, s.X, one), 1)
        part = 0
        if separation(s, g, 1) > separation(s, g, 0):
            part = 1
        h = empty_group(s)
        for t in range(k):
            move(s, s.parts[part, t], h)
        refresh(s, g)
        refresh(s, h)
        queue_group(s, h)
