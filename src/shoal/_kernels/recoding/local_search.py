"""Local search for groups that lose least if their values become common ancestors and ranges.

Records move to other groups or are exchanged with records there, groups are dissolved, and groups
of 2k units are split, while the loss falls and every group keeps k units. `groups`
defines the loss.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.recoding.groups import (
    add_record,
    has_unit,
    loss_with,
    move_record,
    remove_record,
    summarise,
    units_after_exchange,
)

MIN_SAVING = 1e-9  # smaller savings are rounding errors
MAX_NEAR_GROUPS = 8  # groups with which a record may be exchanged
N_ACTIVE, N_UNUSED = 0, 1  # indices of the counts of `GroupLists`


class GroupLists(NamedTuple):
    """The groups that a pass improves, and the numbers that no group has.

    The groups are ``active[: counts[N_ACTIVE]]``, and the numbers ``unused[: counts[N_UNUSED]]``.
    ``may_dissolve`` marks the groups that may be dissolved.
    """

    active: NDArray[np.int64]  # (n_groups,)
    unused: NDArray[np.int64]  # (n_groups,)
    counts: NDArray[np.int64]  # (2,)
    may_dissolve: NDArray[np.bool_]  # (n_groups,)


class NearGroups(NamedTuple):
    """Space for the groups that lose least if a record joins them, best first.

    ``costs`` are the increases of their losses.
    """

    groups: NDArray[np.int64]  # (MAX_NEAR_GROUPS,)
    costs: NDArray[np.float64]  # (MAX_NEAR_GROUPS,)


@compiled
def list_near_groups(groups, active, record, near):
    """List the ``active`` groups that lose least if ``record`` joins them; return their number."""
    n_near, max_near, costs = 0, near.groups.shape[0], near.costs
    for group in active:
        if group == groups.labels[record]:
            continue
        worst = costs[n_near - 1] if n_near == max_near else np.inf
        cost = loss_with(groups, group, record, groups.loss[group] + worst) - groups.loss[group]
        if cost >= worst:
            continue
        slot = min(n_near, max_near - 1)
        while slot > 0 and costs[slot - 1] > cost:
            near.groups[slot], costs[slot] = near.groups[slot - 1], costs[slot - 1]
            slot -= 1
        near.groups[slot], costs[slot] = group, cost
        n_near = min(n_near + 1, max_near)
    return n_near


@compiled
def improve_record(groups, k, active, record, near):
    """Make the best move or exchange of a record, if one saves; return what it saves."""
    own_group = groups.labels[record]
    # Rows for the summaries of two groups, each without one of its records.
    without_record, without_other = groups.loss.shape[0] - 2, groups.loss.shape[0] - 1
    summarise(groups, without_record, own_group, record)
    if groups.loss[own_group] - groups.loss[without_record] <= MIN_SAVING:
        return 0.0
    n_near = list_near_groups(groups, active, record, near)
    greatest_saving, target, partner = MIN_SAVING, NONE, NONE
    if n_near > 0 and units_after_exchange(groups, own_group, record, NONE) >= k:
        saving = groups.loss[own_group] - groups.loss[without_record] - near.costs[0]
        if saving > greatest_saving:
            greatest_saving, target = saving, near.groups[0]
    for near_group in near.groups[:n_near]:
        original_loss = groups.loss[own_group] + groups.loss[near_group]
        other = groups.head[near_group]
        while other >= 0:
            max_loss = original_loss - greatest_saving
            own_loss = loss_with(groups, without_record, other, max_loss)
            if own_loss < max_loss:
                summarise(groups, without_other, near_group, other)
                near_loss = loss_with(groups, without_other, record, max_loss - own_loss)
                saving = original_loss - own_loss - near_loss
                if (
                    saving > greatest_saving
                    and units_after_exchange(groups, own_group, record, groups.unit[other]) >= k
                    and units_after_exchange(groups, near_group, other, groups.unit[record]) >= k
                ):
                    greatest_saving, target, partner = saving, near_group, other
            other = groups.next_record[other]
    if target < 0:
        return 0.0
    move_record(groups, record, target)
    if partner >= 0:
        move_record(groups, partner, own_group)
    return greatest_saving


@compiled
def dissolve_group(groups, active, group, moved_records):
    """Move a group's records to other ``active`` groups if that saves; return what it saves."""
    original_loss, cost, n_moved = groups.loss[group], 0.0, 0
    while groups.head[group] >= 0:
        record = groups.head[group]
        least_increase, target = original_loss - cost - MIN_SAVING, NONE
        for other in active:
            if other != group:
                max_loss = groups.loss[other] + least_increase
                increase = loss_with(groups, other, record, max_loss) - groups.loss[other]
                if increase < least_increase:
                    least_increase, target = increase, other
        if target < 0:
            break
        cost += least_increase
        remove_record(groups, record)
        add_record(groups, record, target)
        summarise(groups, target, target, NONE)
        moved_records[n_moved] = record
        n_moved += 1
    if groups.head[group] < 0:
        return original_loss - cost
    for record in moved_records[:n_moved][::-1]:
        move_record(groups, record, group)
    return 0.0


@compiled
def split_group(groups, k, group, new_group):
    """Move records of a group of 2k units or more into a new group, until both have k.

    The first record moved is the one whose removal saves most, the others those that cost least.
    Return whether both groups then have k units; otherwise nothing changes.
    """
    without_record, greatest, first_record = groups.loss.shape[0] - 1, -1.0, NONE
    record = groups.head[group]
    while record >= 0:
        summarise(groups, without_record, group, record)
        if groups.loss[group] - groups.loss[without_record] > greatest:
            greatest, first_record = groups.loss[group] - groups.loss[without_record], record
        record = groups.next_record[record]
    move_record(groups, first_record, new_group)
    while groups.n_units[new_group] < k:
        least, cheapest = np.inf, NONE
        record = groups.head[group]
        while record >= 0:
            cost = loss_with(groups, new_group, record, least)
            if cost < least and not has_unit(groups, new_group, groups.unit[record], NONE):
                least, cheapest = cost, record
            record = groups.next_record[record]
        move_record(groups, cheapest, new_group)
    if groups.n_units[group] >= k:
        return True
    while groups.head[new_group] >= 0:
        move_record(groups, groups.head[new_group], group)
    return False


@compiled
def improve_groups(groups, k, lists, records):
    """Improve the active groups by one pass over ``records``; return how much the loss fell.

    Records move first, in their order; then groups are dissolved, and then split. ``k`` is the
    minimum number of units in a group.
    """
    saving = move_records(groups, k, lists, records)
    saving = dissolve_groups(groups, lists, saving)
    return split_groups(groups, k, lists, saving)


@compiled
def move_records(groups, k, lists, records):
    """Make the best move or exchange of each record; return how much the loss fell."""
    near = NearGroups(np.empty(MAX_NEAR_GROUPS, np.int64), np.empty(MAX_NEAR_GROUPS))
    active = lists.active[: lists.counts[N_ACTIVE]]
    saving = 0.0
    for record in records:
        saving += improve_record(groups, k, active, record, near)
    return saving


@compiled
def dissolve_groups(groups, lists, saving):
    """Dissolve groups if that saves; return ``saving`` plus how much the loss fell."""
    active, counts = lists.active, lists.counts
    moved_records = np.empty(groups.labels.shape[0], np.int64)
    position = 0
    while position < counts[N_ACTIVE] and counts[N_ACTIVE] > 1:
        group, gain = active[position], 0.0
        if lists.may_dissolve[group]:
            gain = dissolve_group(groups, active[: counts[N_ACTIVE]], group, moved_records)
        if gain > 0.0:
            saving += gain
            lists.unused[counts[N_UNUSED]] = group
            counts[N_UNUSED] += 1
            counts[N_ACTIVE] -= 1
            active[position] = active[counts[N_ACTIVE]]
        else:
            position += 1
    return saving


@compiled
def split_groups(groups, k, lists, saving):
    """Split groups of 2k units or more; return ``saving`` plus how much the loss fell.

    Groups without any loss stay as they are.
    """
    active, counts = lists.active, lists.counts
    position = 0
    while position < counts[N_ACTIVE]:
        group = active[position]
        is_large = groups.n_units[group] >= 2 * k
        if is_large and counts[N_UNUSED] > 0 and groups.loss[group] > MIN_SAVING:
            new_group, original_loss = lists.unused[counts[N_UNUSED] - 1], groups.loss[group]
            if split_group(groups, k, group, new_group):
                saving += original_loss - groups.loss[group] - groups.loss[new_group]
                active[counts[N_ACTIVE]] = new_group
                counts[N_ACTIVE] += 1
                counts[N_UNUSED] -= 1
                continue
        position += 1
    return saving
