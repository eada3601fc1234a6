"""Move and exchange records while the SSE falls and every group keeps k units.

A record moves alone, or with all records of its unit in the same group (a parcel); it moves
to a near group, or changes places with a record or a parcel there.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance
from shoal._kernels.spatial.box_tree import find_nearest, move_record
from shoal._kernels.unit_groups import NONE, VERSION, count_of, move

NEAR = 8  # groups that a record may move to
MOST = 64  # records of a group that are looked at for an exchange
ROUNDING = 1e-11  # share of the squares that a move must save to be more than rounding
CENTROID = 1e-13  # rounding of a centroid, in units of the extent of the table
NOTHING = 1e-28  # the same, squared
AGAIN = 3  # moves of one record in a row


@compiled
def parcel(s, g, unit, mean):
    """Fill ``mean`` with the mean of a unit's records in group ``g``; return their number."""
    size = 0
    mean[:] = 0.0
    i = s.head[g]
    while i >= 0:
        if s.unit[i] == unit:
            size += 1
            for j in range(mean.shape[0]):
                mean[j] += s.X[i, j]
        i = s.after[i]
    for j in range(mean.shape[0]):
        mean[j] /= size
    return size


@compiled
def sse_increase(s, a, b, out, w, back, v):
    """Return the increase of the SSE if w records move from a to b, and v records back.

    ``out`` and ``back`` are their means. Seen from the centroid of a, the SSE of all groups is a
    constant less the squares of the sums of the groups, each divided by its size.
    """
    n_a, n_b = s.sizes[a], s.sizes[b]
    before, here, there = 0.0, 0.0, 0.0
    for j in range(out.shape[0]):
        origin = s.centroids[a, j]
        leaving, coming = w * (out[j] - origin), v * (back[j] - origin) if v > 0 else 0.0
        other = n_b * (s.centroids[b, j] - origin)
        before += other * other
        here += (coming - leaving) * (coming - leaving)
        there += (other + leaving - coming) * (other + leaving - coming)
    return before / n_b - here / (n_a - w + v) - there / (n_b + w - v)


@compiled
def may_change(s, k, a, b, u, w, unit, v):
    """Return whether a and b keep k units if w records of u leave a, and v of ``unit`` leave b."""
    if u == unit:
        return True
    in_a, in_b = s.distinct[a], s.distinct[b]
    if count_of(s, a, u) == w:
        in_a -= 1
    if count_of(s, b, u) == 0:
        in_b += 1
    if v > 0:
        if count_of(s, b, unit) == v:
            in_b -= 1
        if count_of(s, a, unit) == 0:
            in_a += 1
    return in_a >= k and in_b >= k


@compiled
def best_exchange(s, k, a, b, u, out, w, least, margin, back):
    """Return the best exchange: increase, record of b, and whether its whole unit moves."""
    partner, whole = NONE, False
    j, last, left = s.head[b], NONE, MOST
    while j >= 0 and left > 0:
        unit = s.unit[j]
        if last >= 0 and unit == s.unit[last] and row_distance(s.X, j, s.X, last) == 0.0:
            j = s.after[j]
            continue
        left -= 1
        for c in range(out.shape[0]):
            back[c] = s.X[j, c]
        increase = sse_increase(s, a, b, out, w, back, 1)
        if increase < least - margin and may_change(s, k, a, b, u, w, unit, 1):
            least, partner, whole = increase, j, False
        if count_of(s, b, unit) > 1 and unit != u and (last < 0 or unit != s.unit[last]):
            size = parcel(s, b, unit, back)
            increase = sse_increase(s, a, b, out, w, back, size)
            if increase < least - margin and may_change(s, k, a, b, u, w, unit, size):
                least, partner, whole = increase, j, True
        j, last = s.after[j], j
    return least, partner, whole


@compiled
def relocate(s, i, whole, h):
    """Move record ``i`` to group ``h``, with all records of its unit if ``whole``."""
    g, unit = s.labels[i], s.unit[i]
    if not whole:
        move(s, i, h)
        return
    j = s.head[g]
    while j >= 0:
        following = s.after[j]
        if s.unit[j] == unit:
            move(s, j, h)
        j = following


@compiled
def improve(s, tree, k, i, near, apart, out, back):
    """Make the best move that starts with record ``i``; return whether there was one."""
    a, u = s.labels[i], s.unit[i]
    own = row_distance(s.X, i, s.centroids, a)
    if own <= NOTHING:  # at the centroid, nothing is gained by leaving
        return False
    count = find_nearest(tree, s.X[i], a, near, apart)
    least, target, together, partner, with_it = 0.0, NONE, False, NONE, False
    for mode in range(2):
        if mode == 1 and count_of(s, a, u) == 1:
            break
        w = 1
        if mode == 0:
            out[:] = s.X[i]
        else:
            w = parcel(s, a, u, out)
        if w == s.sizes[a]:
            continue
        for m in range(count):
            b = near[m]
            squares = own + apart[m]
            margin = ROUNDING * squares * (s.sizes[a] + s.sizes[b]) + CENTROID * np.sqrt(squares)
            increase = sse_increase(s, a, b, out, w, back, 0)
            if increase < least - margin and may_change(s, k, a, b, u, w, NONE, 0):
                least, target, together, partner = increase, b, mode == 1, NONE
            increase, j, whole = best_exchange(s, k, a, b, u, out, w, least, margin, back)
            if j != NONE:
                least, target, together, partner, with_it = increase, b, mode == 1, j, whole
    if target == NONE:
        return False
    relocate(s, i, together, target)
    if partner != NONE:
        relocate(s, partner, with_it, a)
    move_record(tree, a, s.centroids[a])
    move_record(tree, target, s.centroids[target])
    return True


@compiled
def sweep(s, tree, k, tried, seen, start, stop):
    """Try to move the records from ``start`` to ``stop``; return the number of moves.

    A record is left alone while its group and those it looked at are as they were.
    """
    p = s.X.shape[1]
    near, apart = np.empty(NEAR, np.int64), np.empty(NEAR)
    out, back = np.empty(p), np.empty(p)
    moved = 0
    for i in range(start, stop):
        fresh = s.version[s.labels[i]] > tried[i]
        for m in range(NEAR):
            fresh = fresh or (seen[i, m] >= 0 and s.version[seen[i, m]] > tried[i])
        if not fresh:
            continue
        near[:] = NONE
        for _ in range(AGAIN):
            if not improve(s, tree, k, i, near, apart, out, back):
                break
            moved += 1
        seen[i] = near
        tried[i] = s.counts[VERSION]
    return moved
