"""Groups of records whose values are released as common ancestors and ranges.

The loss of a group is summed over its cells: for a category the loss of the lowest common ancestor
of the group, for a number the width of the group's range. A summary of a group has what this loss
follows from; it is stored in a row, usually that of the group's number.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.constants import NONE
from shoal._kernels.structures.linked_lists import prepend, unlink


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
        if not math.isnan(value):
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
        if not math.isnan(value):
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
