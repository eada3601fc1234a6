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
    """Records of one unit that leave ``group`` together, with their number and their mean.

    They are a single record or, if ``with_unit``, all records of the unit in the group. If ``size``
    is 0, no record leaves.
    """

    group: int
    unit: int
    with_unit: bool
    size: int
    mean: np.ndarray  # (n_columns,)


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

    ``near`` are the groups nearest to it, and ``squares`` the squared distances to their centroids.
    The means are the means of the records that leave and of the records that arrive instead.
    """

    near: np.ndarray  # (MAX_NEAR_GROUPS,)
    squares: np.ndarray  # (MAX_NEAR_GROUPS,)
    leaving_mean: np.ndarray  # (n_columns,)
    arriving_mean: np.ndarray  # (n_columns,)


class LastTrials(NamedTuple):
    """When each record was tried last, as a version of the groups, and its near groups then."""

    versions: np.ndarray  # (n_records,)
    near_groups: np.ndarray  # (n_records, MAX_NEAR_GROUPS), with NONE behind the last one


@compiled
def write_mean_of_movers(groups, record, with_unit, mean):
    """Write the mean of the records that move with ``record`` to ``mean``; return their number.

    They are the record alone or, if ``with_unit``, all records of its unit in its group.
    """
    if not with_unit:
        for column in range(mean.shape[0]):
            mean[column] = groups.X[record, column]
        return ONE
    size = ZERO
    mean[:] = 0.0
    other = groups.head[groups.labels[record]]
    while other >= 0:
        if groups.unit[other] == groups.unit[record]:
            size += 1
            for column in range(mean.shape[0]):
                mean[column] += groups.X[other, column]
        other = groups.next_record[other]
    for column in range(mean.shape[0]):
        mean[column] /= size
    return size


@compiled
def sse_increase(groups, leaving, arriving):
    """Return the increase of the SSE if records change groups, alone or in exchange for others.

    With the centroid of the first group as origin, the SSE of both groups is a constant minus the
    squares of the sums of the groups, each divided by its size.
    """
    first, second = leaving.group, arriving.group
    first_size, second_size = groups.sizes[first], groups.sizes[second]
    original_square, first_square, second_square = 0.0, 0.0, 0.0
    for column in range(leaving.mean.shape[0]):
        origin = groups.centroids[first, column]
        leaving_sum = leaving.size * (leaving.mean[column] - origin)
        arriving_sum = 0.0
        if arriving.size > 0:
            arriving_sum = arriving.size * (arriving.mean[column] - origin)
        second_sum = second_size * (groups.centroids[second, column] - origin)
        original_square += second_sum * second_sum
        new_first_sum = arriving_sum - leaving_sum
        first_square += new_first_sum * new_first_sum
        new_second_sum = second_sum + leaving_sum - arriving_sum
        second_square += new_second_sum * new_second_sum
    return (
        original_square / second_size
        - first_square / (first_size - leaving.size + arriving.size)
        - second_square / (second_size + leaving.size - arriving.size)
    )


@compiled
def keeps_units(groups, k, leaving, arriving):
    """Return whether both groups have k units after an exchange."""
    if leaving.unit == arriving.unit:
        return True
    first, second = leaving.group, arriving.group
    first_units, second_units = groups.n_units[first], groups.n_units[second]
    if count_of(groups, first, leaving.unit) == leaving.size:
        first_units -= 1
    if count_of(groups, second, leaving.unit) == 0:
        second_units += 1
    if arriving.size > 0:
        if count_of(groups, second, arriving.unit) == arriving.size:
            second_units -= 1
        if count_of(groups, first, arriving.unit) == 0:
            first_units += 1
    return first_units >= k and second_units >= k


@compiled
def best_with_partner(groups, k, leaving, near_group, mean, margin, best):
    """Return the best of ``best`` and the exchanges of the records that leave with a near group.

    ``mean`` is scratch space. An exchange is better if its increase of the SSE is lower by more
    than ``margin``. Equal records that follow each other in a unit are tried once.
    """
    partner, previous, n_tries_left = groups.head[near_group], NONE, MAX_PARTNERS
    while partner >= 0 and n_tries_left > 0:
        unit = groups.unit[partner]
        is_new_unit = previous < 0 or unit != groups.unit[previous]
        if not is_new_unit and squared_row_distance(groups.X, partner, groups.X, previous) == 0.0:
            partner = groups.next_record[partner]
            continue
        n_tries_left -= 1
        for partner_with_unit in (False, True):
            if partner_with_unit and (
                not is_new_unit or unit == leaving.unit or count_of(groups, near_group, unit) == 1
            ):
                break
            size = write_mean_of_movers(groups, partner, partner_with_unit, mean)
            exchanged = MovingRecords(near_group, unit, partner_with_unit, size, mean)
            increase = sse_increase(groups, leaving, exchanged)
            if increase < best.sse_increase - margin and keeps_units(groups, k, leaving, exchanged):
                best = UnitMove(increase, near_group, leaving.with_unit, partner, partner_with_unit)
        partner, previous = groups.next_record[partner], partner
    return best


@compiled
def relocate(groups, record, with_unit, target):
    """Move ``record`` to ``target``, if ``with_unit`` with all records of its unit in its group."""
    group, unit = groups.labels[record], groups.unit[record]
    if not with_unit:
        move_record(groups, record, target)
        return
    other = groups.head[group]
    while other >= 0:
        next_in_list = groups.next_record[other]
        if groups.unit[other] == unit:
            move_record(groups, other, target)
        other = next_in_list


@compiled
def best_move(groups, tree, k, record, scratch):
    """Return the best `UnitMove` of a record; its target is NONE if no move lowers the SSE."""
    own_group, unit = groups.labels[record], groups.unit[record]
    best = UnitMove(0.0, NONE, False, NONE, False)
    own_square = squared_row_distance(groups.X, record, groups.centroids, own_group)
    if own_square <= NEGLIGIBLE:  # at the centroid, nothing is gained by leaving
        return best
    n_near = find_nearest(tree, groups.X[record], own_group, scratch.near, scratch.squares)
    for with_unit in (False, True):
        if with_unit and count_of(groups, own_group, unit) == 1:
            break
        size = write_mean_of_movers(groups, record, with_unit, scratch.leaving_mean)
        if size == groups.sizes[own_group]:
            continue
        leaving = MovingRecords(own_group, unit, with_unit, size, scratch.leaving_mean)
        for position in range(n_near):
            near_group = scratch.near[position]
            square_sum = own_square + scratch.squares[position]
            n_both = groups.sizes[own_group] + groups.sizes[near_group]
            margin = ROUNDING * square_sum * n_both + CENTROID_ROUNDING * np.sqrt(square_sum)
            no_records = MovingRecords(near_group, NONE, False, ZERO, scratch.arriving_mean)
            increase = sse_increase(groups, leaving, no_records)
            if increase < best.sse_increase - margin and keeps_units(
                groups, k, leaving, no_records
            ):
                best = UnitMove(increase, near_group, with_unit, NONE, False)
            best = best_with_partner(
                groups, k, leaving, near_group, scratch.arriving_mean, margin, best
            )
    return best


@compiled
def make_best_move(groups, tree, k, record, scratch):
    """Make the best move that starts with ``record``; return whether there was one."""
    group = groups.labels[record]
    best = best_move(groups, tree, k, record, scratch)
    if best.target == NONE:
        return False
    relocate(groups, record, best.with_unit, best.target)
    if best.partner != NONE:
        relocate(groups, best.partner, best.partner_with_unit, group)
    move_point(tree, group, groups.centroids[group])
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
        leaving_mean=np.empty(groups.X.shape[1]),
        arriving_mean=np.empty(groups.X.shape[1]),
    )
    n_moves = 0
    for record in range(start, stop):
        last_version = last_trials.versions[record]
        is_changed = groups.version[groups.labels[record]] > last_version
        for group in last_trials.near_groups[record]:
            is_changed = is_changed or (group >= 0 and groups.version[group] > last_version)
        if not is_changed:
            continue
        scratch.near[:] = NONE
        for _ in range(MAX_MOVES):
            if not make_best_move(groups, tree, k, record, scratch):
                break
            n_moves += 1
        last_trials.near_groups[record] = scratch.near
        last_trials.versions[record] = groups.counts[VERSION]
    return n_moves
