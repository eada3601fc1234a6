"""Move and exchange records while the SSE falls and every group keeps k units.

A record moves alone, or together with all records of its unit in the same group. It moves to a
near group, or is exchanged with a record, or with all records of a unit, there.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.spatial.box_tree import find_nearest, move_point
from shoal._kernels.unit_groups import NONE, VERSION, count_of, move_record

MAX_NEAR_GROUPS = 8  # nearest groups, to which a record may move
MAX_PARTNERS = 64  # records of a group that are tried for an exchange
ROUNDING = 1e-11  # share of the squares up to which a change may be a rounding error
CENTROID_ROUNDING = 1e-13  # rounding error of a centroid, in units of the extent of the table
NEGLIGIBLE = 1e-28  # squared distance from a centroid that counts as 0
MAX_MOVES = 3  # moves of one record in a row
# NumPy integers, since numba compiles an inner kernel again for every plain constant passed to it.
ONE, ZERO = np.int64(1), np.int64(0)


class MovingRecords(NamedTuple):
    """Records of one unit that leave a group together: their unit, their number and their mean."""

    unit: int
    size: int
    mean: np.ndarray


@compiled
def write_mean(groups, i, with_unit, mean):
    """Write record ``i``, or the mean of its unit in its group, to ``mean``; return how many."""
    if not with_unit:
        for c in range(mean.shape[0]):
            mean[c] = groups.X[i, c]
        return ONE
    size = ZERO
    mean[:] = 0.0
    j = groups.head[groups.labels[i]]
    while j >= 0:
        if groups.unit[j] == groups.unit[i]:
            size += 1
            for c in range(mean.shape[0]):
                mean[c] += groups.X[j, c]
        j = groups.next_record[j]
    for c in range(mean.shape[0]):
        mean[c] /= size
    return size


@compiled
def sse_increase(groups, a, b, leaving, arriving):
    """Return the increase of the SSE if some records move from group a to b, and others back.

    With the centroid of a as origin, the SSE of both groups is a constant less the squares of the
    sums of the groups, each divided by its size.
    """
    n_a, n_b = groups.sizes[a], groups.sizes[b]
    square_before, square_a, square_b = 0.0, 0.0, 0.0
    for c in range(leaving.mean.shape[0]):
        origin = groups.centroids[a, c]
        leaving_sum = leaving.size * (leaving.mean[c] - origin)
        arriving_sum = arriving.size * (arriving.mean[c] - origin) if arriving.size > 0 else 0.0
        sum_b = n_b * (groups.centroids[b, c] - origin)
        square_before += sum_b * sum_b
        square_a += (arriving_sum - leaving_sum) * (arriving_sum - leaving_sum)
        square_b += (sum_b + leaving_sum - arriving_sum) * (sum_b + leaving_sum - arriving_sum)
    return (
        square_before / n_b
        - square_a / (n_a - leaving.size + arriving.size)
        - square_b / (n_b + leaving.size - arriving.size)
    )


@compiled
def keeps_units(groups, k, a, b, leaving, arriving):
    """Return whether groups a and b keep k units after an exchange."""
    if leaving.unit == arriving.unit:
        return True
    units_a, units_b = groups.n_units[a], groups.n_units[b]
    if count_of(groups, a, leaving.unit) == leaving.size:
        units_a -= 1
    if count_of(groups, b, leaving.unit) == 0:
        units_b += 1
    if arriving.size > 0:
        if count_of(groups, b, arriving.unit) == arriving.size:
            units_b -= 1
        if count_of(groups, a, arriving.unit) == 0:
            units_a += 1
    return units_a >= k and units_b >= k


@compiled
def best_exchange(groups, k, a, b, leaving, least, margin, mean):
    """Return the best exchange: increase, record of b, and whether its whole unit moves.

    The record is NONE if no increase is below ``least`` by more than ``margin``; ``mean`` is
    scratch space. Equal records that follow each other are tried once.
    """
    partner, partner_with_unit = NONE, False
    j, previous, n_tries_left = groups.head[b], NONE, MAX_PARTNERS
    while j >= 0 and n_tries_left > 0:
        is_new_unit = previous < 0 or groups.unit[j] != groups.unit[previous]
        if not is_new_unit and squared_row_distance(groups.X, j, groups.X, previous) == 0.0:
            j = groups.next_record[j]
            continue
        n_tries_left -= 1
        for with_unit in (False, True):
            if with_unit and (
                not is_new_unit
                or groups.unit[j] == leaving.unit
                or count_of(groups, b, groups.unit[j]) == 1
            ):
                break
            arriving = MovingRecords(groups.unit[j], write_mean(groups, j, with_unit, mean), mean)
            increase = sse_increase(groups, a, b, leaving, arriving)
            if increase < least - margin and keeps_units(groups, k, a, b, leaving, arriving):
                least, partner, partner_with_unit = increase, j, with_unit
        j, previous = groups.next_record[j], j
    return least, partner, partner_with_unit


@compiled
def relocate(groups, i, with_unit, h):
    """Move record ``i`` to group ``h``, if ``with_unit`` with all records of its unit."""
    g, unit = groups.labels[i], groups.unit[i]
    if not with_unit:
        move_record(groups, i, h)
        return
    j = groups.head[g]
    while j >= 0:
        next_in_list = groups.next_record[j]
        if groups.unit[j] == unit:
            move_record(groups, j, h)
        j = next_in_list


@compiled
def best_move(groups, tree, k, i, near, squares, means):
    """Return the best move of record ``i``: its target, and its partner or NONE.

    Each of the two is followed by whether the whole unit moves. The target is NONE if no move
    lowers the SSE. ``near`` and ``squares`` are filled with the nearest groups, ``means`` are
    scratch space.
    """
    a, unit = groups.labels[i], groups.unit[i]
    least, target, with_unit, partner, partner_with_unit = 0.0, NONE, False, NONE, False
    own_square = squared_row_distance(groups.X, i, groups.centroids, a)
    if own_square <= NEGLIGIBLE:  # at the centroid, nothing is gained by leaving
        return target, with_unit, partner, partner_with_unit
    n_near = find_nearest(tree, groups.X[i], a, near, squares)
    for whole_unit in (False, True):
        if whole_unit and count_of(groups, a, unit) == 1:
            break
        leaving = MovingRecords(unit, write_mean(groups, i, whole_unit, means[0]), means[0])
        no_movers = MovingRecords(NONE, ZERO, means[1])
        if leaving.size == groups.sizes[a]:
            continue
        for m in range(n_near):
            b, square_sum = near[m], own_square + squares[m]
            n_both = groups.sizes[a] + groups.sizes[b]
            margin = ROUNDING * square_sum * n_both + CENTROID_ROUNDING * np.sqrt(square_sum)
            increase = sse_increase(groups, a, b, leaving, no_movers)
            if increase < least - margin and keeps_units(groups, k, a, b, leaving, no_movers):
                least, target, with_unit, partner = increase, b, whole_unit, NONE
            increase, j, j_with_unit = best_exchange(
                groups, k, a, b, leaving, least, margin, means[1]
            )
            if j != NONE:
                least, target, with_unit = increase, b, whole_unit
                partner, partner_with_unit = j, j_with_unit
    return target, with_unit, partner, partner_with_unit


@compiled
def make_best_move(groups, tree, k, i, near, squares, means):
    """Make the best move that starts with record ``i``; return whether there was one."""
    a = groups.labels[i]
    target, with_unit, partner, partner_with_unit = best_move(
        groups, tree, k, i, near, squares, means
    )
    if target == NONE:
        return False
    relocate(groups, i, with_unit, target)
    if partner != NONE:
        relocate(groups, partner, partner_with_unit, a)
    move_point(tree, a, groups.centroids[a])
    move_point(tree, target, groups.centroids[target])
    return True


@compiled
def try_moves(groups, tree, k, last_tried, last_near_groups, start, stop):
    """Try to move each record from ``start`` to ``stop``; return the number of moves.

    A record is skipped if neither its group nor its ``last_near_groups`` have changed since
    version ``last_tried``.
    """
    near, squares = np.empty(MAX_NEAR_GROUPS, np.int64), np.empty(MAX_NEAR_GROUPS)
    means = np.empty((2, groups.X.shape[1]))
    n_moves = 0
    for i in range(start, stop):
        is_changed = groups.version[groups.labels[i]] > last_tried[i]
        for g in last_near_groups[i]:
            is_changed = is_changed or (g >= 0 and groups.version[g] > last_tried[i])
        if not is_changed:
            continue
        near[:] = NONE
        for _ in range(MAX_MOVES):
            if not make_best_move(groups, tree, k, i, near, squares, means):
                break
            n_moves += 1
        last_near_groups[i] = near
        last_tried[i] = groups.counts[VERSION]
    return n_moves
