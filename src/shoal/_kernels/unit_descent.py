"""Move and exchange records while the SSE falls and every group keeps k units.

A record moves alone, or together with all records of its unit in the same group. It moves to a
near group, or is exchanged with a record, or with all records of a unit, there.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance
from shoal._kernels.spatial.box_tree import find_nearest, move_record
from shoal._kernels.unit_groups import NONE, VERSION, count_of, move

NEAR = 8  # groups that a record may move to
MAX_PARTNERS = 64  # records of a group that are tried for an exchange
ROUNDING = 1e-11  # share of the squares that a move must save to be more than rounding
CENTROID = 1e-13  # rounding of a centroid, in units of the extent of the table
NEGLIGIBLE = 1e-28  # squared distance from a centroid that counts as 0
MAX_MOVES = 3  # moves of one record in a row


@compiled
def mean_of_unit(groups, g, unit, mean):
    """Fill ``mean`` with the mean of a unit's records in group ``g``; return their number."""
    size = 0
    mean[:] = 0.0
    i = groups.head[g]
    while i >= 0:
        if groups.unit[i] == unit:
            size += 1
            for j in range(mean.shape[0]):
                mean[j] += groups.X[i, j]
        i = groups.after[i]
    for j in range(mean.shape[0]):
        mean[j] /= size
    return size


@compiled
def sse_increase(groups, a, b, out, n_out, back, n_back):
    """Return the increase of the SSE if ``n_out`` records move from a to b, and ``n_back`` back.

    ``out`` and ``back`` are their means. With the centroid of a as origin, the SSE of both groups
    is a constant less the squares of the sums of the groups, each divided by its size.
    """
    n_a, n_b = groups.sizes[a], groups.sizes[b]
    square_before, square_a, square_b = 0.0, 0.0, 0.0
    for j in range(out.shape[0]):
        origin = groups.centroids[a, j]
        leaving, arriving = (
            n_out * (out[j] - origin),
            n_back * (back[j] - origin) if n_back > 0 else 0.0,
        )
        other = n_b * (groups.centroids[b, j] - origin)
        square_before += other * other
        square_a += (arriving - leaving) * (arriving - leaving)
        square_b += (other + leaving - arriving) * (other + leaving - arriving)
    return (
        square_before / n_b - square_a / (n_a - n_out + n_back) - square_b / (n_b + n_out - n_back)
    )


@compiled
def may_change(groups, k, a, b, unit, n_out, partner_unit, n_back):
    """Return whether groups a and b keep k units after an exchange.

    ``n_out`` records of ``unit`` leave a, and ``n_back`` records of ``partner_unit`` leave b.
    """
    if unit == partner_unit:
        return True
    in_a, in_b = groups.distinct[a], groups.distinct[b]
    if count_of(groups, a, unit) == n_out:
        in_a -= 1
    if count_of(groups, b, unit) == 0:
        in_b += 1
    if n_back > 0:
        if count_of(groups, b, partner_unit) == n_back:
            in_b -= 1
        if count_of(groups, a, partner_unit) == 0:
            in_a += 1
    return in_a >= k and in_b >= k


@compiled
def best_exchange(groups, k, a, b, unit, out, n_out, least, margin, back):
    """Return the best exchange: increase, record of b, and whether its whole unit moves."""
    partner, whole = NONE, False
    j, last, tries = groups.head[b], NONE, MAX_PARTNERS
    while j >= 0 and tries > 0:
        partner_unit = groups.unit[j]
        if (
            last >= 0
            and partner_unit == groups.unit[last]
            and row_distance(groups.X, j, groups.X, last) == 0.0
        ):
            j = groups.after[j]
            continue
        tries -= 1
        for c in range(out.shape[0]):
            back[c] = groups.X[j, c]
        increase = sse_increase(groups, a, b, out, n_out, back, 1)
        if increase < least - margin and may_change(groups, k, a, b, unit, n_out, partner_unit, 1):
            least, partner, whole = increase, j, False
        if (
            count_of(groups, b, partner_unit) > 1
            and partner_unit != unit
            and (last < 0 or partner_unit != groups.unit[last])
        ):
            size = mean_of_unit(groups, b, partner_unit, back)
            increase = sse_increase(groups, a, b, out, n_out, back, size)
            if increase < least - margin and may_change(
                groups, k, a, b, unit, n_out, partner_unit, size
            ):
                least, partner, whole = increase, j, True
        j, last = groups.after[j], j
    return least, partner, whole


@compiled
def relocate(groups, i, whole, h):
    """Move record ``i`` to group ``h``, with all records of its unit if ``whole``."""
    g, unit = groups.labels[i], groups.unit[i]
    if not whole:
        move(groups, i, h)
        return
    j = groups.head[g]
    while j >= 0:
        following = groups.after[j]
        if groups.unit[j] == unit:
            move(groups, j, h)
        j = following


@compiled
def improve(groups, tree, k, i, near, squares_of_near, out, back):
    """Make the best move that starts with record ``i``; return whether there was one."""
    a, unit = groups.labels[i], groups.unit[i]
    own_square = row_distance(groups.X, i, groups.centroids, a)
    if own_square <= NEGLIGIBLE:  # at the centroid, nothing is gained by leaving
        return False
    count = find_nearest(tree, groups.X[i], a, near, squares_of_near)
    least, target, with_unit, partner, partner_with_unit = 0.0, NONE, False, NONE, False
    for whole_unit in range(2):
        if whole_unit == 1 and count_of(groups, a, unit) == 1:
            break
        n_out = 1
        if whole_unit == 0:
            out[:] = groups.X[i]
        else:
            n_out = mean_of_unit(groups, a, unit, out)
        if n_out == groups.sizes[a]:
            continue
        for m in range(count):
            b = near[m]
            squares = own_square + squares_of_near[m]
            n_both = groups.sizes[a] + groups.sizes[b]
            margin = ROUNDING * squares * n_both + CENTROID * np.sqrt(squares)
            increase = sse_increase(groups, a, b, out, n_out, back, 0)
            if increase < least - margin and may_change(groups, k, a, b, unit, n_out, NONE, 0):
                least, target, with_unit, partner = increase, b, whole_unit == 1, NONE
            increase, j, whole = best_exchange(
                groups, k, a, b, unit, out, n_out, least, margin, back
            )
            if j != NONE:
                least, target, with_unit, partner, partner_with_unit = (
                    increase,
                    b,
                    whole_unit == 1,
                    j,
                    whole,
                )
    if target == NONE:
        return False
    relocate(groups, i, with_unit, target)
    if partner != NONE:
        relocate(groups, partner, partner_with_unit, a)
    move_record(tree, a, groups.centroids[a])
    move_record(tree, target, groups.centroids[target])
    return True


@compiled
def sweep(groups, tree, k, tried, looked_at, start, stop):
    """Try to move the records from ``start`` to ``stop``; return the number of moves.

    A record is skipped if neither its group nor the groups ``looked_at`` for it have changed
    since it was ``tried``.
    """
    p = groups.X.shape[1]
    near, squares = np.empty(NEAR, np.int64), np.empty(NEAR)
    out, back = np.empty(p), np.empty(p)
    moved = 0
    for i in range(start, stop):
        is_changed = groups.version[groups.labels[i]] > tried[i]
        for m in range(NEAR):
            is_changed = is_changed or (
                looked_at[i, m] >= 0 and groups.version[looked_at[i, m]] > tried[i]
            )
        if not is_changed:
            continue
        near[:] = NONE
        for _ in range(MAX_MOVES):
            if not improve(groups, tree, k, i, near, squares, out, back):
                break
            moved += 1
        looked_at[i] = near
        tried[i] = groups.counts[VERSION]
    return moved
