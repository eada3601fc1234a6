"""Local search for groups that lose least when each shows its common ancestors and ranges.

The loss of a group is summed over its cells: for a category the loss of the lowest common ancestor
of the group, for a number the width of the group's range. Records move to other groups or change
places with records there, groups are dissolved, and groups of 2k are split, while the loss falls
and every group keeps k units.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels._compile import compiled
from shoal._kernels.structures.linked_lists import prepend, unlink

NONE = -1
LEAST = 1e-9  # a change must save more than a rounding error
CANDIDATES = 8  # groups with whose records one may change places


class RecodedGroups(NamedTuple):
    """Groups of records, each with what its members have in common.

    ``codes`` is -1 and ``numbers`` NaN where a value is missing; such cells lose nothing. Arrays by
    group have two more rows than groups, for groups that are only considered.
    """

    ancestors: NDArray[np.int32]  # by column, level and code
    losses: NDArray[np.float64]  # of a cell, by column, level and code
    codes: NDArray[np.int32]
    numbers: NDArray[np.float64]
    unit: NDArray[np.int64]
    group: NDArray[np.int64]  # of each record
    head: NDArray[np.int64]  # first record of each group
    after: NDArray[np.int64]  # next record of the same group
    before: NDArray[np.int64]
    size: NDArray[np.int64]
    distinct: NDArray[np.int64]  # units of each group
    level: NDArray[np.int64]  # of the lowest common ancestor
    example: NDArray[np.int64]  # code of some member
    known: NDArray[np.int64]  # members with a value
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    numbered: NDArray[np.int64]  # members with a number
    loss: NDArray[np.float64]


@compiled
def summarise(groups, place, g, skip):
    """Describe the members of group ``g``, except ``skip``, in row ``place``."""
    groups.level[place, :] = 0
    groups.example[place, :] = NONE
    groups.known[place, :] = 0
    groups.numbered[place, :] = 0
    i = groups.head[g]
    while i >= 0:
        if i != skip:
            for c in range(groups.codes.shape[1]):
                code = groups.codes[i, c]
                if code < 0:
                    continue
                if groups.known[place, c] == 0:
                    groups.example[place, c] = code
                else:
                    level, example = groups.level[place, c], groups.example[place, c]
                    while groups.ancestors[c, level, example] != groups.ancestors[c, level, code]:
                        level += 1
                    groups.level[place, c] = level
                groups.known[place, c] += 1
            for c in range(groups.numbers.shape[1]):
                value = groups.numbers[i, c]
                if value != value:
                    continue
                if groups.numbered[place, c] == 0:
                    groups.low[place, c] = groups.high[place, c] = value
                groups.low[place, c] = min(groups.low[place, c], value)
                groups.high[place, c] = max(groups.high[place, c], value)
                groups.numbered[place, c] += 1
        i = groups.after[i]
    total = 0.0
    for c in range(groups.codes.shape[1]):
        if groups.known[place, c] > 0:
            total += (
                groups.known[place, c]
                * groups.losses[c, groups.level[place, c], groups.example[place, c]]
            )
    for c in range(groups.numbers.shape[1]):
        if groups.numbered[place, c] > 0:
            total += groups.numbered[place, c] * (groups.high[place, c] - groups.low[place, c])
    groups.loss[place] = total


@compiled
def loss_with(groups, place, i, bound):
    """Return the loss of the group in row ``place`` with record ``i``, or some sum above it.

    The sum ends where it exceeds ``bound``.
    """
    total = 0.0
    for c in range(groups.codes.shape[1]):
        code = groups.codes[i, c]
        if groups.known[place, c] == 0:
            continue  # a single value is its own ancestor
        level, example = groups.level[place, c], groups.example[place, c]
        if code >= 0:
            while groups.ancestors[c, level, example] != groups.ancestors[c, level, code]:
                level += 1
        total += (groups.known[place, c] + (code >= 0)) * groups.losses[c, level, example]
        if total > bound:
            return total
    for c in range(groups.numbers.shape[1]):
        value, number = groups.numbers[i, c], groups.numbered[place, c]
        if number == 0:
            continue
        low, high = groups.low[place, c], groups.high[place, c]
        if value == value:
            low, high, number = min(low, value), max(high, value), number + 1
        total += number * (high - low)
        if total > bound:
            return total
    return total


@compiled
def has_unit(groups, g, unit, skip):
    """Return whether a record of group ``g`` other than ``skip`` belongs to a unit."""
    i = groups.head[g]
    while i >= 0:
        if i != skip and groups.unit[i] == unit:
            return True
        i = groups.after[i]
    return False


@compiled
def add_record(groups, i, g):
    """Put a record into a group; the group is not summarised."""
    if not has_unit(groups, g, groups.unit[i], NONE):
        groups.distinct[g] += 1
    prepend(groups.head, groups.after, groups.before, g, i)
    groups.group[i] = g
    groups.size[g] += 1


@compiled
def remove_record(groups, i):
    """Take a record out of its group; the group is not summarised."""
    g = groups.group[i]
    if not has_unit(groups, g, groups.unit[i], i):
        groups.distinct[g] -= 1
    unlink(groups.head, groups.after, groups.before, g, i)
    groups.size[g] -= 1


@compiled
def move(groups, i, g):
    """Move a record to another group."""
    old = groups.group[i]
    remove_record(groups, i)
    add_record(groups, i, g)
    summarise(groups, old, old, NONE)
    summarise(groups, g, g, NONE)


@compiled
def units_without(groups, g, i, unit):
    """Return the number of units of group ``g`` if record ``i`` leaves and one of ``unit`` joins.

    A ``unit`` of -1 stands for no record.
    """
    number = groups.distinct[g]
    if not has_unit(groups, g, groups.unit[i], i):
        number -= 1
    if unit >= 0 and not has_unit(groups, g, unit, i):
        number += 1
    return number


@compiled
def near_groups(groups, active, n_active, i, near, costs):
    """Fill ``near`` with the groups that lose least when record ``i`` joins them, the best first.

    Return their number; ``costs`` are the increases of the loss.
    """
    number = 0
    for at in range(n_active):
        g = active[at]
        if g == groups.group[i]:
            continue
        worst = costs[number - 1] if number == near.shape[0] else np.inf
        cost = loss_with(groups, g, i, groups.loss[g] + worst) - groups.loss[g]
        if cost >= worst:
            continue
        place = min(number, near.shape[0] - 1)
        while place > 0 and costs[place - 1] > cost:
            near[place], costs[place] = near[place - 1], costs[place - 1]
            place -= 1
        near[place], costs[place] = g, cost
        number = min(number + 1, near.shape[0])
    return number


@compiled
def improve_record(groups, k, active, n_active, i, near, costs):
    """Move a record, or let it change places, if that saves most; return what is saved."""
    a = groups.group[i]
    without_i, without_j = groups.loss.shape[0] - 2, groups.loss.shape[0] - 1
    summarise(groups, without_i, a, i)
    if groups.loss[a] - groups.loss[without_i] <= LEAST:
        return 0.0
    number = near_groups(groups, active, n_active, i, near, costs)
    best, target, partner = LEAST, NONE, NONE
    if number > 0 and units_without(groups, a, i, NONE) >= k:
        saved = groups.loss[a] - groups.loss[without_i] - costs[0]
        if saved > best:
            best, target = saved, near[0]
    for at in range(number):
        b = near[at]
        j = groups.head[b]
        while j >= 0:
            before = groups.loss[a] + groups.loss[b]
            loss_a = loss_with(groups, without_i, j, before - best)
            if loss_a < before - best:
                summarise(groups, without_j, b, j)
                loss_b = loss_with(groups, without_j, i, before - best - loss_a)
                if (
                    before - loss_a - loss_b > best
                    and units_without(groups, a, i, groups.unit[j]) >= k
                    and units_without(groups, b, j, groups.unit[i]) >= k
                ):
                    best, target, partner = before - loss_a - loss_b, b, j
            j = groups.after[j]
    if target < 0:
        return 0.0
    move(groups, i, target)
    if partner >= 0:
        move(groups, partner, a)
    return best


@compiled
def dissolve(groups, active, n_active, at, trail):
    """Distribute a group's records among the other groups if that saves; return what is saved."""
    g = active[at]
    before, cost, number = groups.loss[g], 0.0, 0
    while groups.head[g] >= 0:
        i = groups.head[g]
        best, target = before - cost - LEAST, NONE
        for other in range(n_active):
            b = active[other]
            if b != g:
                rise = loss_with(groups, b, i, groups.loss[b] + best) - groups.loss[b]
                if rise < best:
                    best, target = rise, b
        if target < 0:
            break
        cost += best
        remove_record(groups, i)
        add_record(groups, i, target)
        summarise(groups, target, target, NONE)
        trail[number] = i
        number += 1
    if groups.head[g] < 0:
        return before - cost
    for back in range(number - 1, -1, -1):
        move(groups, trail[back], g)
    return 0.0


@compiled
def split(groups, k, g, new):
    """Move records of a group of 2k units or more into a new group, until both hold k.

    The first is the one whose leaving saves most, the others cost least. Return whether both hold k
    units; otherwise nothing changes.
    """
    without, best, first = groups.loss.shape[0] - 1, -1.0, NONE
    i = groups.head[g]
    while i >= 0:
        summarise(groups, without, g, i)
        if groups.loss[g] - groups.loss[without] > best:
            best, first = groups.loss[g] - groups.loss[without], i
        i = groups.after[i]
    move(groups, first, new)
    while groups.distinct[new] < k:
        least, chosen = np.inf, NONE
        i = groups.head[g]
        while i >= 0:
            cost = loss_with(groups, new, i, least)
            if cost < least and not has_unit(groups, new, groups.unit[i], NONE):
                least, chosen = cost, i
            i = groups.after[i]
        move(groups, chosen, new)
    if groups.distinct[g] >= k:
        return True
    while groups.head[new] >= 0:
        move(groups, groups.head[new], g)
    return False


@compiled
def improve(groups, k, active, n_active, free, n_free, records, may_dissolve):
    """Improve some groups by one pass over their records.

    Parameters
    ----------
    groups : RecodedGroups
        All groups; changed in place.
    k : int
        Least number of units of a group.
    active : ndarray
        The groups to improve, the first ``n_active`` entries; changed in place.
    n_active : int
        Their number.
    free : ndarray
        Numbers of groups that do not exist, the first ``n_free`` entries; changed in place.
    n_free : int
        Their number.
    records : ndarray
        The records to try to move, in order.
    may_dissolve : ndarray of bool
        The groups that may be dissolved.

    Returns
    -------
    n_active, n_free : int
        The numbers after the pass.
    saved : float
        How much the loss fell.
    """
    near, costs = np.empty(CANDIDATES, np.int64), np.empty(CANDIDATES)
    trail = np.empty(groups.group.shape[0], np.int64)
    saved = 0.0
    for at in range(records.shape[0]):
        saved += improve_record(groups, k, active, n_active, records[at], near, costs)
    at = 0
    while at < n_active and n_active > 1:
        gain = dissolve(groups, active, n_active, at, trail) if may_dissolve[active[at]] else 0.0
        if gain > 0.0:
            saved += gain
            free[n_free] = active[at]
            n_free += 1
            n_active -= 1
            active[at] = active[n_active]
        else:
            at += 1
    at = 0
    while at < n_active:
        g = active[at]
        if groups.distinct[g] >= 2 * k and n_free > 0 and groups.loss[g] > LEAST:
            new, before = free[n_free - 1], groups.loss[g]
            if split(groups, k, g, new):
                saved += before - groups.loss[g] - groups.loss[new]
                active[n_active] = new
                n_active += 1
                n_free -= 1
                continue
        at += 1
    return n_active, n_free, saved
