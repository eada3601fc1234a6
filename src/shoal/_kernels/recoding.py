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
def summarise(s, place, g, skip):
    """Describe the members of group ``g``, except ``skip``, in row ``place``."""
    s.level[place, :] = 0
    s.example[place, :] = NONE
    s.known[place, :] = 0
    s.numbered[place, :] = 0
    i = s.head[g]
    while i >= 0:
        if i != skip:
            for c in range(s.codes.shape[1]):
                code = s.codes[i, c]
                if code < 0:
                    continue
                if s.known[place, c] == 0:
                    s.example[place, c] = code
                else:
                    level, example = s.level[place, c], s.example[place, c]
                    while s.ancestors[c, level, example] != s.ancestors[c, level, code]:
                        level += 1
                    s.level[place, c] = level
                s.known[place, c] += 1
            for c in range(s.numbers.shape[1]):
                value = s.numbers[i, c]
                if value != value:
                    continue
                if s.numbered[place, c] == 0:
                    s.low[place, c] = s.high[place, c] = value
                s.low[place, c] = min(s.low[place, c], value)
                s.high[place, c] = max(s.high[place, c], value)
                s.numbered[place, c] += 1
        i = s.after[i]
    total = 0.0
    for c in range(s.codes.shape[1]):
        if s.known[place, c] > 0:
            total += s.known[place, c] * s.losses[c, s.level[place, c], s.example[place, c]]
    for c in range(s.numbers.shape[1]):
        if s.numbered[place, c] > 0:
            total += s.numbered[place, c] * (s.high[place, c] - s.low[place, c])
    s.loss[place] = total


@compiled
def joined(s, place, i, bound):
    """Return the loss of the group in row ``place`` with record ``i``, or some sum above it.

    The sum ends where it exceeds ``bound``.
    """
    total = 0.0
    for c in range(s.codes.shape[1]):
        code = s.codes[i, c]
        if s.known[place, c] == 0:
            continue  # a single value is its own ancestor
        level, example = s.level[place, c], s.example[place, c]
        if code >= 0:
            while s.ancestors[c, level, example] != s.ancestors[c, level, code]:
                level += 1
        total += (s.known[place, c] + (code >= 0)) * s.losses[c, level, example]
        if total > bound:
            return total
    for c in range(s.numbers.shape[1]):
        value, number = s.numbers[i, c], s.numbered[place, c]
        if number == 0:
            continue
        low, high = s.low[place, c], s.high[place, c]
        if value == value:
            low, high, number = min(low, value), max(high, value), number + 1
        total += number * (high - low)
        if total > bound:
            return total
    return total


@compiled
def has_unit(s, g, unit, skip):
    """Return whether a record of group ``g`` other than ``skip`` belongs to a unit."""
    i = s.head[g]
    while i >= 0:
        if i != skip and s.unit[i] == unit:
            return True
        i = s.after[i]
    return False


@compiled
def put(s, i, g):
    """Put a record into a group; the group is not summarised."""
    if not has_unit(s, g, s.unit[i], NONE):
        s.distinct[g] += 1
    first = s.head[g]
    s.after[i], s.before[i] = first, NONE
    if first >= 0:
        s.before[first] = i
    s.head[g] = i
    s.group[i] = g
    s.size[g] += 1


@compiled
def take(s, i):
    """Take a record out of its group; the group is not summarised."""
    g = s.group[i]
    if not has_unit(s, g, s.unit[i], i):
        s.distinct[g] -= 1
    if s.before[i] >= 0:
        s.after[s.before[i]] = s.after[i]
    else:
        s.head[g] = s.after[i]
    if s.after[i] >= 0:
        s.before[s.after[i]] = s.before[i]
    s.size[g] -= 1


@compiled
def move(s, i, g):
    """Move a record to another group."""
    old = s.group[i]
    take(s, i)
    put(s, i, g)
    summarise(s, old, old, NONE)
    summarise(s, g, g, NONE)


@compiled
def units_without(s, g, i, unit):
    """Return the number of units of group ``g`` if record ``i`` leaves and one of ``unit`` joins.

    A ``unit`` of -1 stands for no record.
    """
    number = s.distinct[g]
    if not has_unit(s, g, s.unit[i], i):
        number -= 1
    if unit >= 0 and not has_unit(s, g, unit, i):
        number += 1
    return number


@compiled
def near_groups(s, active, n_active, i, near, costs):
    """Fill ``near`` with the groups that lose least when record ``i`` joins them, the best first.

    Return their number; ``costs`` are the increases of the loss.
    """
    number = 0
    for at in range(n_active):
        g = active[at]
        if g == s.group[i]:
            continue
        worst = costs[number - 1] if number == near.shape[0] else np.inf
        cost = joined(s, g, i, s.loss[g] + worst) - s.loss[g]
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
def improve_record(s, k, active, n_active, i, near, costs):
    """Move a record, or let it change places, if that saves most; return what is saved."""
    a = s.group[i]
    without_i, without_j = s.loss.shape[0] - 2, s.loss.shape[0] - 1
    summarise(s, without_i, a, i)
    if s.loss[a] - s.loss[without_i] <= LEAST:
        return 0.0
    number = near_groups(s, active, n_active, i, near, costs)
    best, target, partner = LEAST, NONE, NONE
    if number > 0 and units_without(s, a, i, NONE) >= k:
        saved = s.loss[a] - s.loss[without_i] - costs[0]
        if saved > best:
            best, target = saved, near[0]
    for at in range(number):
        b = near[at]
        j = s.head[b]
        while j >= 0:
            before = s.loss[a] + s.loss[b]
            here = joined(s, without_i, j, before - best)
            if here < before - best:
                summarise(s, without_j, b, j)
                there = joined(s, without_j, i, before - best - here)
                if (
                    before - here - there > best
                    and units_without(s, a, i, s.unit[j]) >= k
                    and units_without(s, b, j, s.unit[i]) >= k
                ):
                    best, target, partner = before - here - there, b, j
            j = s.after[j]
    if target < 0:
        return 0.0
    move(s, i, target)
    if partner >= 0:
        move(s, partner, a)
    return best


@compiled
def dissolve(s, active, n_active, at, trail):
    """Distribute a group's records among the other groups if that saves; return what is saved."""
    g = active[at]
    before, cost, number = s.loss[g], 0.0, 0
    while s.head[g] >= 0:
        i = s.head[g]
        best, target = before - cost - LEAST, NONE
        for other in range(n_active):
            b = active[other]
            if b != g:
                rise = joined(s, b, i, s.loss[b] + best) - s.loss[b]
                if rise < best:
                    best, target = rise, b
        if target < 0:
            break
        cost += best
        take(s, i)
        put(s, i, target)
        summarise(s, target, target, NONE)
        trail[number] = i
        number += 1
    if s.head[g] < 0:
        return before - cost
    for back in range(number - 1, -1, -1):
        move(s, trail[back], g)
    return 0.0


@compiled
def split(s, k, g, new):
    """Move records of a group of 2k units or more into a new group, until both hold k.

    The first is the one whose leaving saves most, the others cost least. Return whether both hold k
    units; otherwise nothing changes.
    """
    without, best, first = s.loss.shape[0] - 1, -1.0, NONE
    i = s.head[g]
    while i >= 0:
        summarise(s, without, g, i)
        if s.loss[g] - s.loss[without] > best:
            best, first = s.loss[g] - s.loss[without], i
        i = s.after[i]
    move(s, first, new)
    while s.distinct[new] < k:
        least, chosen = np.inf, NONE
        i = s.head[g]
        while i >= 0:
            cost = joined(s, new, i, least)
            if cost < least and not has_unit(s, new, s.unit[i], NONE):
                least, chosen = cost, i
            i = s.after[i]
        move(s, chosen, new)
    if s.distinct[g] >= k:
        return True
    while s.head[new] >= 0:
        move(s, s.head[new], g)
    return False


@compiled
def improve(s, k, active, n_active, free, n_free, records, look):
    """Improve some groups by one pass over their records.

    Parameters
    ----------
    s : RecodedGroups
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
        The records to look at, in order.
    look : ndarray of bool
        The groups that may be dissolved.

    Returns
    -------
    n_active, n_free : int
        The numbers after the pass.
    saved : float
        How much the loss fell.
    """
    near, costs = np.empty(CANDIDATES, np.int64), np.empty(CANDIDATES)
    trail = np.empty(s.group.shape[0], np.int64)
    saved = 0.0
    for at in range(records.shape[0]):
        saved += improve_record(s, k, active, n_active, records[at], near, costs)
    at = 0
    while at < n_active and n_active > 1:
        gain = dissolve(s, active, n_active, at, trail) if look[active[at]] else 0.0
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
        if s.distinct[g] >= 2 * k and n_free > 0 and s.loss[g] > LEAST:
            new, before = free[n_free - 1], s.loss[g]
            if split(s, k, g, new):
                saved += before - s.loss[g] - s.loss[new]
                active[n_active] = new
                n_active += 1
                n_free -= 1
                continue
        at += 1
    return n_active, n_free, saved
