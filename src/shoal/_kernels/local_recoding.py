"""Local search for groups that lose least if their values become common ancestors and ranges.

The loss of a group is summed over its cells: for a category the loss of the lowest common ancestor
of the group, for a number the width of the group's range. Records move to other groups or are
exchanged with records there, groups are dissolved, and groups of 2k units are split, while the loss
falls and every group keeps k units.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.structures.linked_lists import prepend, unlink

NONE = -1
MIN_SAVING = 1e-9  # less is a rounding error
MAX_NEAR_GROUPS = 8  # groups with which a record may be exchanged
N_ACTIVE, N_UNUSED = 0, 1  # indices of the counts of `GroupLists`


class RecodedGroups(NamedTuple):
    """Groups of records, with the common ancestors and ranges of the members of each.

    ``ancestors[c, level, code]`` is an ancestor of a category of column c, and
    ``losses[c, level, code]`` the loss of a cell that shows it. ``codes`` is -1 and ``numbers``
    NaN where a value is missing; such cells lose nothing. ``head[g]`` is the first record of group
    g; ``next_record`` and ``previous_record`` lead to the others.

    The arrays from ``level`` on summarise groups: the level of the lowest common ancestor, the code
    of some member, the number of members with a value, the range and the number of the members with
    a number, and the loss of the group. They have two more rows than there are groups, for groups
    that are only considered.
    """

    ancestors: NDArray[np.int32]  # (p, n_levels, n_codes)
    losses: NDArray[np.float64]  # (p, n_levels, n_codes)
    codes: NDArray[np.int32]  # (n, p)
    numbers: NDArray[np.float64]  # (n, q)
    unit: NDArray[np.int64]  # (n,)
    labels: NDArray[np.int64]  # (n,)
    head: NDArray[np.int64]  # (n_groups,)
    next_record: NDArray[np.int64]  # (n,)
    previous_record: NDArray[np.int64]  # (n,)
    sizes: NDArray[np.int64]  # (n_groups,)
    n_units: NDArray[np.int64]  # (n_groups,)
    level: NDArray[np.int64]  # (n_groups + 2, p)
    example_code: NDArray[np.int64]  # (n_groups + 2, p)
    n_values: NDArray[np.int64]  # (n_groups + 2, p)
    low: NDArray[np.float64]  # (n_groups + 2, q)
    high: NDArray[np.float64]  # (n_groups + 2, q)
    n_numbers: NDArray[np.int64]  # (n_groups + 2, q)
    loss: NDArray[np.float64]  # (n_groups + 2,)


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
def common_level(ancestors, c, level, code, other):
    """Return the first level from ``level`` on at which two codes have the same ancestor."""
    while ancestors[c, level, code] != ancestors[c, level, other]:
        level += 1
    return level


@inlined
def add_to_summary(groups, row, i):
    """Extend the common ancestors and ranges in ``row`` by record ``i``."""
    for c in range(groups.codes.shape[1]):
        code = groups.codes[i, c]
        if code >= 0:
            if groups.n_values[row, c] == 0:
                groups.example_code[row, c] = code
            groups.level[row, c] = common_level(
                groups.ancestors, c, groups.level[row, c], groups.example_code[row, c], code
            )
            groups.n_values[row, c] += 1
    for c in range(groups.numbers.shape[1]):
        value = groups.numbers[i, c]
        if value == value:
            if groups.n_numbers[row, c] == 0:
                groups.low[row, c] = groups.high[row, c] = value
            groups.low[row, c] = min(groups.low[row, c], value)
            groups.high[row, c] = max(groups.high[row, c], value)
            groups.n_numbers[row, c] += 1


@compiled
def summarise(groups, row, g, excluded):
    """Summarise the members of group ``g``, except ``excluded``, in ``row``."""
    groups.level[row, :] = 0
    groups.example_code[row, :] = NONE
    groups.n_values[row, :] = 0
    groups.n_numbers[row, :] = 0
    i = groups.head[g]
    while i >= 0:
        if i != excluded:
            add_to_summary(groups, row, i)
        i = groups.next_record[i]
    total = 0.0
    for c in range(groups.codes.shape[1]):
        if groups.n_values[row, c] > 0:
            cell_loss = groups.losses[c, groups.level[row, c], groups.example_code[row, c]]
            total += groups.n_values[row, c] * cell_loss
    for c in range(groups.numbers.shape[1]):
        if groups.n_numbers[row, c] > 0:
            total += groups.n_numbers[row, c] * (groups.high[row, c] - groups.low[row, c])
    groups.loss[row] = total


@compiled
def loss_with(groups, row, i, bound):
    """Return the loss of the group in ``row`` with record ``i``, or some sum above ``bound``."""
    total = 0.0
    for c in range(groups.codes.shape[1]):
        code = groups.codes[i, c]
        if groups.n_values[row, c] == 0:
            continue  # a single value is its own ancestor
        level, example = groups.level[row, c], groups.example_code[row, c]
        if code >= 0:
            level = common_level(groups.ancestors, c, level, example, code)
        total += (groups.n_values[row, c] + (code >= 0)) * groups.losses[c, level, example]
        if total > bound:
            return total
    for c in range(groups.numbers.shape[1]):
        value, n_numbers = groups.numbers[i, c], groups.n_numbers[row, c]
        if n_numbers == 0:
            continue
        low, high = groups.low[row, c], groups.high[row, c]
        if value == value:
            low, high, n_numbers = min(low, value), max(high, value), n_numbers + 1
        total += n_numbers * (high - low)
        if total > bound:
            return total
    return total


@compiled
def has_unit(groups, g, unit, excluded):
    """Return whether a record of group ``g`` other than ``excluded`` belongs to a unit."""
    i = groups.head[g]
    while i >= 0:
        if i != excluded and groups.unit[i] == unit:
            return True
        i = groups.next_record[i]
    return False


@compiled
def add_record(groups, i, g):
    """Add a record to a group; the group is not summarised."""
    if not has_unit(groups, g, groups.unit[i], NONE):
        groups.n_units[g] += 1
    prepend(groups.head, groups.next_record, groups.previous_record, g, i)
    groups.labels[i] = g
    groups.sizes[g] += 1


@compiled
def remove_record(groups, i):
    """Remove a record from its group; the group is not summarised."""
    g = groups.labels[i]
    if not has_unit(groups, g, groups.unit[i], i):
        groups.n_units[g] -= 1
    unlink(groups.head, groups.next_record, groups.previous_record, g, i)
    groups.sizes[g] -= 1


@compiled
def move_record(groups, i, g):
    """Move a record to another group."""
    old_group = groups.labels[i]
    remove_record(groups, i)
    add_record(groups, i, g)
    summarise(groups, old_group, old_group, NONE)
    summarise(groups, g, g, NONE)


@compiled
def units_after_exchange(groups, g, i, unit):
    """Return the number of units of group ``g`` if record ``i`` leaves and one of ``unit`` joins.

    A ``unit`` of -1 stands for no record.
    """
    n_units = groups.n_units[g]
    if not has_unit(groups, g, groups.unit[i], i):
        n_units -= 1
    if unit >= 0 and not has_unit(groups, g, unit, i):
        n_units += 1
    return n_units


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
    best, target, partner = MIN_SAVING, NONE, NONE
    if n_near > 0 and units_after_exchange(groups, a, i, NONE) >= k:
        saving = groups.loss[a] - groups.loss[without_i] - costs[0]
        if saving > best:
            best, target = saving, near[0]
    for b in near[:n_near]:
        j = groups.head[b]
        while j >= 0:
            original_loss = groups.loss[a] + groups.loss[b]
            loss_a = loss_with(groups, without_i, j, original_loss - best)
            if loss_a < original_loss - best:
                summarise(groups, without_j, b, j)
                loss_b = loss_with(groups, without_j, i, original_loss - best - loss_a)
                if (
                    original_loss - loss_a - loss_b > best
                    and units_after_exchange(groups, a, i, groups.unit[j]) >= k
                    and units_after_exchange(groups, b, j, groups.unit[i]) >= k
                ):
                    best, target, partner = original_loss - loss_a - loss_b, b, j
            j = groups.next_record[j]
    if target < 0:
        return 0.0
    move_record(groups, i, target)
    if partner >= 0:
        move_record(groups, partner, a)
    return best


@compiled
def dissolve_group(groups, active, g, moved_records):
    """Distribute a group's records among ``active`` groups if that saves; return what it saves."""
    original_loss, cost, n_moved = groups.loss[g], 0.0, 0
    while groups.head[g] >= 0:
        i = groups.head[g]
        best, target = original_loss - cost - MIN_SAVING, NONE
        for b in active:
            if b != g:
                increase = loss_with(groups, b, i, groups.loss[b] + best) - groups.loss[b]
                if increase < best:
                    best, target = increase, b
        if target < 0:
            break
        cost += best
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
