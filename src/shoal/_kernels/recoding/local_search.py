"""Local search for groups that lose least if their values become common ancestors and ranges.

Records move to other groups or are exchanged with records there, groups are dissolved, and groups
of 2k units are split, while the loss falls and every group keeps k units. The loss is that of
`groups`.
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

MIN_SAVING = 1e-9  # less is a rounding error
MAX_NEAR_GROUPS = 8  # groups with which a record may be exchanged
N_ACTIVE, N_UNUSED = 0, 1  # indices of the counts of `GroupLists`


class GroupLists(NamedTuple):
    """The groups that a pass improves, and the numbers that no group has.

    These are ``active[: counts[N_ACTIVE]]`` and ``unused[: counts[N_UNUSED]]``. Of the active
    groups, those that ``may_dissolve`` marks may be dissolved.
    """

    active: NDArray[np.int64]  # (n_groups,)
    unused: NDArray[np.int64]  # (n_groups,)
    counts: NDArray[np.int64]  # (2,)
    may_dissolve: NDArray[np.bool_]  # (n_groups,)


@compiled
def list_near_groups(groups, active, i, near, costs):
    """Fill ``near`` with the ``active`` groups that lose least if ``i`` joins them, best first.

    Return their number; ``costs`` are the increases of the loss.
    """
    n_near = 0
    for g in active:
        if g == groups.labels[i]:
            continue
        worst = costs[n_near - 1] if n_near == near.shape[0] else np.inf
        cost = loss_with(groups, g, i, groups.loss[g] + worst) - groups.loss[g]
        if cost >= worst:
            continue
        slot = min(n_near, near.shape[0] - 1)
        while slot > 0 and costs[slot - 1] > cost:
            near[slot], costs[slot] = near[slot - 1], costs[slot - 1]
            slot -= 1
        near[slot], costs[slot] = g, cost
        n_near = min(n_near + 1, near.shape[0])
    return n_near


@compiled
def improve_record(groups, k, active, i, near, costs):
    """Make the best move or exchange of record ``i``, if one saves; return what it saves."""
    a = groups.labels[i]
    without_i, without_j = groups.loss.shape[0] - 2, groups.loss.shape[0] - 1
    summarise(groups, without_i, a, i)
    if groups.loss[a] - groups.loss[without_i] <= MIN_SAVING:
        return 0.0
    n_near = list_near_groups(groups, active, i, near, costs)
    greatest_saving, target, partner = MIN_SAVING, NONE, NONE
    if n_near > 0 and units_after_exchange(groups, a, i, NONE) >= k:
        saving = groups.loss[a] - groups.loss[without_i] - costs[0]
        if saving > greatest_saving:
            greatest_saving, target = saving, near[0]
    for b in near[:n_near]:
        j = groups.head[b]
        while j >= 0:
            original_loss = groups.loss[a] + groups.loss[b]
            loss_a = loss_with(groups, without_i, j, original_loss - greatest_saving)
            if loss_a < original_loss - greatest_saving:
                summarise(groups, without_j, b, j)
                loss_b = loss_with(groups, without_j, i, original_loss - greatest_saving - loss_a)
                if (
                    original_loss - loss_a - loss_b > greatest_saving
                    and units_after_exchange(groups, a, i, groups.unit[j]) >= k
                    and units_after_exchange(groups, b, j, groups.unit[i]) >= k
                ):
                    greatest_saving, target, partner = original_loss - loss_a - loss_b, b, j
            j = groups.next_record[j]
    if target < 0:
        return 0.0
    move_record(groups, i, target)
    if partner >= 0:
        move_record(groups, partner, a)
    return greatest_saving


@compiled
def dissolve_group(groups, active, g, moved_records):
    """Distribute a group's records among ``active`` groups if that saves; return what it saves."""
    original_loss, cost, n_moved = groups.loss[g], 0.0, 0
    while groups.head[g] >= 0:
        i = groups.head[g]
        least_increase, target = original_loss - cost - MIN_SAVING, NONE
        for b in active:
            if b != g:
                increase = loss_with(groups, b, i, groups.loss[b] + least_increase) - groups.loss[b]
                if increase < least_increase:
                    least_increase, target = increase, b
        if target < 0:
            break
        cost += least_increase
        remove_record(groups, i)
        add_record(groups, i, target)
        summarise(groups, target, target, NONE)
        moved_records[n_moved] = i
        n_moved += 1
    if groups.head[g] < 0:
        return original_loss - cost
    for i in moved_records[:n_moved][::-1]:
        move_record(groups, i, g)
    return 0.0


@compiled
def split_group(groups, k, g, new_group):
    """Move records of a group of 2k units or more into a new group, until both hold k.

    The first record moved is the one whose removal saves most, the others those that cost least.
    Return whether both groups hold k units; otherwise nothing changes.
    """
    without_i, greatest, first_record = groups.loss.shape[0] - 1, -1.0, NONE
    i = groups.head[g]
    while i >= 0:
        summarise(groups, without_i, g, i)
        if groups.loss[g] - groups.loss[without_i] > greatest:
            greatest, first_record = groups.loss[g] - groups.loss[without_i], i
        i = groups.next_record[i]
    move_record(groups, first_record, new_group)
    while groups.n_units[new_group] < k:
        least, cheapest = np.inf, NONE
        i = groups.head[g]
        while i >= 0:
            cost = loss_with(groups, new_group, i, least)
            if cost < least and not has_unit(groups, new_group, groups.unit[i], NONE):
                least, cheapest = cost, i
            i = groups.next_record[i]
        move_record(groups, cheapest, new_group)
    if groups.n_units[g] >= k:
        return True
    while groups.head[new_group] >= 0:
        move_record(groups, groups.head[new_group], g)
    return False


@compiled
def improve_groups(groups, k, lists, records):
    """Improve the active groups by one pass over ``records``; return how much the loss fell.

    Records move first, in their order; then groups are dissolved, and then split. ``k`` is the
    least number of units of a group.
    """
    saving = move_records(groups, k, lists, records)
    saving = dissolve_groups(groups, lists, saving)
    return split_groups(groups, k, lists, saving)


@compiled
def move_records(groups, k, lists, records):
    """Make the best move or exchange of each record; return how much the loss fell."""
    near, costs = np.empty(MAX_NEAR_GROUPS, np.int64), np.empty(MAX_NEAR_GROUPS)
    active = lists.active[: lists.counts[N_ACTIVE]]
    saving = 0.0
    for i in records:
        saving += improve_record(groups, k, active, i, near, costs)
    return saving


@compiled
def dissolve_groups(groups, lists, saving):
    """Dissolve groups if that saves; return ``saving`` plus how much the loss fell."""
    active, counts = lists.active, lists.counts
    moved_records = np.empty(groups.labels.shape[0], np.int64)
    position = 0
    while position < counts[N_ACTIVE] and counts[N_ACTIVE] > 1:
        g, gain = active[position], 0.0
        if lists.may_dissolve[g]:
            gain = dissolve_group(groups, active[: counts[N_ACTIVE]], g, moved_records)
        if gain > 0.0:
            saving += gain
            lists.unused[counts[N_UNUSED]] = g
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
        g = active[position]
        if groups.n_units[g] >= 2 * k and counts[N_UNUSED] > 0 and groups.loss[g] > MIN_SAVING:
            new_group, original_loss = lists.unused[counts[N_UNUSED] - 1], groups.loss[g]
            if split_group(groups, k, g, new_group):
                saving += original_loss - groups.loss[g] - groups.loss[new_group]
                active[counts[N_ACTIVE]] = new_group
                counts[N_ACTIVE] += 1
                counts[N_UNUSED] -= 1
                continue
        position += 1
    return saving
