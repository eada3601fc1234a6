"""Move and exchange records while the SSE falls and every group keeps k units.

A record moves alone, or together with all records of its unit in the same group. It moves to a
near group, or is exchanged with a record, or with all records of a unit, there.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE, ONE, ZERO
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.spatial.box_tree import find_nearest, move_point
from shoal._kernels.units.groups import VERSION, count_of, move_record

MAX_NEAR_GROUPS = 8  # nearest groups, to which a record may move
MAX_PARTNERS = 64  # records of a group that are tried for an exchange
ROUNDING = 1e-11  # share of the squares up to which a change may be a rounding error
CENTROID_ROUNDING = 1e-13  # rounding error of a centroid, in units of the extent of the table
NEGLIGIBLE = 1e-28  # squared distance from a centroid that counts as 0
MAX_MOVES = 3  # moves of one record in a row


class MovingRecords(NamedTuple):
    """Records of one unit that leave ``group`` together: their number and their mean.

    If ``size`` is 0, no record leaves.
    """

    group: int
    unit: int
    size: int
    mean: np.ndarray  # (p,)


class UnitMove(NamedTuple):
    """A move of a record to group ``target``, in exchange with ``partner``, or alone if it is NONE.

    Each of the two moves with all records of its unit in its group if ``with_unit`` or
    ``partner_with_unit`` is True.
    """

    sse_increase: float
    target: int
    with_unit: bool
    partner: int
    partner_with_unit: bool


class MoveScratch(NamedTuple):
    """Scratch space for the moves of a record.

    ``near`` are the groups nearest to it, with the squared distances to their centroids; ``means``
    are those of the records that leave, and of those that arrive instead.
    """

    near: np.ndarray  # (MAX_NEAR_GROUPS,)
    squares: np.ndarray  # (MAX_NEAR_GROUPS,)
    means: np.ndarray  # (2, p)


class LastTrials(NamedTuple):
    """When each record was tried last, as a version of the groups, and its near groups then."""

    versions: np.ndarray  # (n,)
    near_groups: np.ndarray  # (n, MAX_NEAR_GROUPS), with NONE behind the last one


@compiled
def write_mean_of_movers(groups, i, with_unit, mean):
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
def sse_increase(groups, leaving, arriving):
    """Return the increase of the SSE if some records change groups with others, or alone.

    With the centroid of the first group as origin, the SSE of both groups is a constant less the
    squares of the sums of the groups, each divided by its size.
    """
    a, b = leaving.group, arriving.group
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
def keeps_units(groups, k, leaving, arriving):
    """Return whether both groups keep k units after an exchange."""
    if leaving.unit == arriving.unit:
        return True
    a, b = leaving.group, arriving.group
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
def best_exchange(groups, k, leaving, b, mean, least, margin):
    """Return the best exchange with group ``b``: increase, record there, and whether with its unit.

    The record is NONE if no increase is below ``least`` by more than ``margin``. Equal records that
    follow each other are tried once. ``mean`` is scratch space.
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
            size = write_mean_of_movers(groups, j, with_unit, mean)
            arriving = MovingRecords(b, groups.unit[j], size, mean)
            increase = sse_increase(groups, leaving, arriving)
            if increase < least - margin and keeps_units(groups, k, leaving, arriving):
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
def best_move(groups, tree, k, i, scratch):
    """Return the best `UnitMove` of record ``i``; its target is NONE if no move lowers the SSE."""
    a, unit = groups.labels[i], groups.unit[i]
    best = UnitMove(0.0, NONE, False, NONE, False)
    own_square = squared_row_distance(groups.X, i, groups.centroids, a)
    if own_square <= NEGLIGIBLE:  # at the centroid, nothing is gained by leaving
        return best
    n_near = find_nearest(tree, groups.X[i], a, scratch.near, scratch.squares)
    for with_unit in (False, True):
        if with_unit and count_of(groups, a, unit) == 1:
            break
        mean = scratch.means[0]
        leaving = MovingRecords(a, unit, write_mean_of_movers(groups, i, with_unit, mean), mean)
        if leaving.size == groups.sizes[a]:
            continue
        for m in range(n_near):
            b, square_sum = scratch.near[m], own_square + scratch.squares[m]
            n_both = groups.sizes[a] + groups.sizes[b]
            margin = ROUNDING * square_sum * n_both + CENTROID_ROUNDING * np.sqrt(square_sum)
            no_records = MovingRecords(b, NONE, ZERO, scratch.means[1])
            increase = sse_increase(groups, leaving, no_records)
            if increase < best.sse_increase - margin and keeps_units(
                groups, k, leaving, no_records
            ):
                best = UnitMove(increase, b, with_unit, NONE, False)
            increase, j, j_with_unit = best_exchange(
                groups, k, leaving, b, scratch.means[1], best.sse_increase, margin
            )
            if j != NONE:
                best = UnitMove(increase, b, with_unit, j, j_with_unit)
    return best


@compiled
def make_best_move(groups, tree, k, i, scratch):
    """Make the best move that starts with record ``i``; return whether there was one."""
    a = groups.labels[i]
    best = best_move(groups, tree, k, i, scratch)
    if best.target == NONE:
        return False
    relocate(groups, i, best.with_unit, best.target)
    if best.partner != NONE:
        relocate(groups, best.partner, best.partner_with_unit, a)
    move_point(tree, a, groups.centroids[a])
    move_point(tree, best.target, groups.centroids[best.target])
    return True


@compiled
def try_moves(groups, tree, k, last_trials, start, stop):
    """Try to move each record from ``start`` to ``stop``; return the number of moves.

    A record is skipped if neither its group nor the groups near it have changed since its last
    trial.
    """
    scratch = MoveScratch(
        near=np.empty(MAX_NEAR_GROUPS, np.int64),
        squares=np.empty(MAX_NEAR_GROUPS),
        means=np.empty((2, groups.X.shape[1])),
    )
    n_moves = 0
    for i in range(start, stop):
        last_version = last_trials.versions[i]
        is_changed = groups.version[groups.labels[i]] > last_version
        for g in last_trials.near_groups[i]:
            is_changed = is_changed or (g >= 0 and groups.version[g] > last_version)
        if not is_changed:
            continue
        scratch.near[:] = NONE
        for _ in range(MAX_MOVES):
            if not make_best_move(groups, tree, k, i, scratch):
                break
            n_moves += 1
        last_trials.near_groups[i] = scratch.near
        last_trials.versions[i] = groups.counts[VERSION]
    return n_moves
