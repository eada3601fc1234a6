"""Groups of records whose values are released as common ancestors and ranges.

The loss of a group is summed over its cells: for a category the loss of the lowest common ancestor
of the group, for a number the width of the group's range. The summary of a group is all that this
loss depends on; it is stored in a row, usually that of the group's number.
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
    NaN where a value is missing; such cells lose nothing. ``head[group]`` is the first record of a
    group; ``next_record`` and ``previous_record`` lead to the others.

    The arrays from ``level`` on summarise groups: the level of the lowest common ancestor, the code
    of some member, the number of members with a value, the range and the number of the members with
    a number, and the loss of the group. They have two more rows than there are groups, for groups
    whose loss is computed before a record moves.
    """

    ancestors: NDArray[np.int32]  # (n_code_columns, n_levels, n_codes)
    losses: NDArray[np.float64]  # (n_code_columns, n_levels, n_codes)
    codes: NDArray[np.int32]  # (n_records, n_code_columns)
    numbers: NDArray[np.float64]  # (n_records, n_number_columns)
    unit: NDArray[np.int64]  # (n_records,)
    labels: NDArray[np.int64]  # (n_records,)
    head: NDArray[np.int64]  # (n_groups,)
    next_record: NDArray[np.int64]  # (n_records,)
    previous_record: NDArray[np.int64]  # (n_records,)
    sizes: NDArray[np.int64]  # (n_groups,)
    n_units: NDArray[np.int64]  # (n_groups,)
    level: NDArray[np.int64]  # (n_groups + 2, n_code_columns)
    example_code: NDArray[np.int64]  # (n_groups + 2, n_code_columns)
    n_values: NDArray[np.int64]  # (n_groups + 2, n_code_columns)
    low: NDArray[np.float64]  # (n_groups + 2, n_number_columns)
    high: NDArray[np.float64]  # (n_groups + 2, n_number_columns)
    n_numbers: NDArray[np.int64]  # (n_groups + 2, n_number_columns)
    loss: NDArray[np.float64]  # (n_groups + 2,)


@compiled
def common_level(ancestors, column, level, code, other_code):
    """Return the first level from ``level`` on at which two codes have the same ancestor."""
    while ancestors[column, level, code] != ancestors[column, level, other_code]:
        level += 1
    return level


@inlined
def add_to_summary(groups, row, record):
    """Extend the common ancestors and ranges in ``row`` by ``record``."""
    for column in range(groups.codes.shape[1]):
        code = groups.codes[record, column]
        if code >= 0:
            if groups.n_values[row, column] == 0:
                groups.example_code[row, column] = code
            level, example = groups.level[row, column], groups.example_code[row, column]
            groups.level[row, column] = common_level(groups.ancestors, column, level, example, code)
            groups.n_values[row, column] += 1
    for column in range(groups.numbers.shape[1]):
        value = groups.numbers[record, column]
        if not math.isnan(value):
            if groups.n_numbers[row, column] == 0:
                groups.low[row, column] = groups.high[row, column] = value
            groups.low[row, column] = min(groups.low[row, column], value)
            groups.high[row, column] = max(groups.high[row, column], value)
            groups.n_numbers[row, column] += 1


@compiled
def summarise(groups, row, group, excluded):
    """Summarise the members of ``group``, except ``excluded``, in ``row``."""
    groups.level[row, :] = 0
    groups.example_code[row, :] = NONE
    groups.n_values[row, :] = 0
    groups.n_numbers[row, :] = 0
    record = groups.head[group]
    while record >= 0:
        if record != excluded:
            add_to_summary(groups, row, record)
        record = groups.next_record[record]
    total = 0.0
    for column in range(groups.codes.shape[1]):
        if groups.n_values[row, column] > 0:
            level, example = groups.level[row, column], groups.example_code[row, column]
            total += groups.n_values[row, column] * groups.losses[column, level, example]
    for column in range(groups.numbers.shape[1]):
        if groups.n_numbers[row, column] > 0:
            width = groups.high[row, column] - groups.low[row, column]
            total += groups.n_numbers[row, column] * width
    groups.loss[row] = total


@compiled
def loss_with(groups, row, record, bound):
    """Return the loss of the group in ``row`` with ``record``, or a sum above ``bound``."""
    total = 0.0
    for column in range(groups.codes.shape[1]):
        code = groups.codes[record, column]
        if groups.n_values[row, column] == 0:
            continue  # a single value is its own ancestor
        level, example = groups.level[row, column], groups.example_code[row, column]
        if code >= 0:
            level = common_level(groups.ancestors, column, level, example, code)
        n_values = groups.n_values[row, column] + (code >= 0)
        total += n_values * groups.losses[column, level, example]
        if total > bound:
            return total
    for column in range(groups.numbers.shape[1]):
        value, n_numbers = groups.numbers[record, column], groups.n_numbers[row, column]
        if n_numbers == 0:
            continue
        low, high = groups.low[row, column], groups.high[row, column]
        if not math.isnan(value):
            low, high, n_numbers = min(low, value), max(high, value), n_numbers + 1
        total += n_numbers * (high - low)
        if total > bound:
            return total
    return total


@compiled
def has_unit(groups, group, unit, excluded):
    """Return whether a record of ``group`` other than ``excluded`` belongs to a unit."""
    record = groups.head[group]
    while record >= 0:
        if record != excluded and groups.unit[record] == unit:
            return True
        record = groups.next_record[record]
    return False


@compiled
def add_record(groups, record, group):
    """Add a record to a group; the group is not summarised."""
    if not has_unit(groups, group, groups.unit[record], NONE):
        groups.n_units[group] += 1
    prepend(groups.head, groups.next_record, groups.previous_record, group, record)
    groups.labels[record] = group
    groups.sizes[group] += 1


@compiled
def remove_record(groups, record):
    """Remove a record from its group; the group is not summarised."""
    group = groups.labels[record]
    if not has_unit(groups, group, groups.unit[record], record):
        groups.n_units[group] -= 1
    unlink(groups.head, groups.next_record, groups.previous_record, group, record)
    groups.sizes[group] -= 1


@compiled
def move_record(groups, record, target):
    """Move a record to another group."""
    group = groups.labels[record]
    remove_record(groups, record)
    add_record(groups, record, target)
    summarise(groups, group, group, NONE)
    summarise(groups, target, target, NONE)


@compiled
def units_after_exchange(groups, group, record, unit):
    """Return the number of units of ``group`` if ``record`` leaves and one of ``unit`` joins.

    A ``unit`` of -1 stands for no record.
    """
    n_units = groups.n_units[group]
    if not has_unit(groups, group, groups.unit[record], record):
        n_units -= 1
    if unit >= 0 and not has_unit(groups, group, unit, record):
        n_units += 1
    return n_units
