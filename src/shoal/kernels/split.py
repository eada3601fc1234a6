"""A group of 2k records or more becomes several."""

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.grouping import empty_group, gap, move, push_group, refresh


@compiled
def farthest_member(s, g, point):
    """Return the record of group ``g`` that is farthest from ``point``."""
    best, most = s.members[g, 0], -1.0
    for m in range(s.sizes[g]):
        distance = gap(s.X[s.members[g, m]], point)
        if distance > most:
            best, most = s.members[g, m], distance
    return best


@compiled
def nearest_members(s, k, g, centre, found):
    """Write the ``k`` records of group ``g`` nearest to record ``centre``."""
    size = s.sizes[g]
    distance = np.empty(size)
    for m in range(size):
        distance[m] = gap(s.X[s.members[g, m]], s.X[centre])
    order = np.argsort(distance, kind="mergesort")
    for m in range(k):
        found[m] = s.members[g, order[m]]


@compiled
def separation(s, g, part):
    """Return what the SSE of group ``g`` falls by when ``part`` becomes a group of its own."""
    size, count, total = s.sizes[g], part.shape[0], 0.0
    for j in range(s.X.shape[1]):
        pull = 0.0
        for i in part:
            pull += s.X[i, j] - s.centroids[g, j]
        total += pull * pull
    return total * (1.0 / count + 1.0 / (size - count))


@compiled
def split(s, k, g):
    """Split group ``g`` until it has fewer than 2k records; the new groups wait.

    The record farthest from the centroid, or the one farthest from that, becomes a
    group with its nearest: whichever lowers the SSE more.
    """
    part, other = np.empty(k, np.int64), np.empty(k, np.int64)
    while s.sizes[g] >= 2 * k:
        one = farthest_member(s, g, s.centroids[g])
        nearest_members(s, k, g, one, part)
        nearest_members(s, k, g, farthest_member(s, g, s.X[one]), other)
        chosen = part
        if separation(s, g, other) > separation(s, g, part):
            chosen = other
        h = empty_group(s)
        for i in chosen:
            move(s, i, h)
        refresh(s, g)
        refresh(s, h)
        push_group(s, h)
