"""Nearest records in tables of numbers and categories, with all that are equally near.

The squared distance of two records is the sum of the squared differences of their numbers and of 1
for each category that differs. A missing number, NaN, equals another missing one and is at
distance 1 from every value. Records are in blocks of near ones; a block is skipped where its
bounding box is farther from a target than the bound.
"""

from typing import Any, NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.spatial.block_order import BLOCK, locality_order

THINNING = 64  # every 64th record is compared first, for a first bound
LOWEST = -1e300  # below every weight of a match
ROUNDING = 1e-9  # relative rounding error by which a box may seem farther than its records


class MixedTable(NamedTuple):
    """Records, or targets, as standardised numbers and codes of categories, a row for each."""

    numbers: np.ndarray
    codes: np.ndarray

    def select_rows(self, rows: Any) -> "MixedTable":
        """Return some of the rows."""
        return MixedTable(self.numbers[rows], self.codes[rows])


class MixedIndex(NamedTuple):
    """Records in blocks, with the bounding box of each block.

    The rows of ``table`` are in the order of ``records``. The box of a block with a missing number
    is unbounded in that column.
    """

    table: MixedTable
    records: np.ndarray
    low: np.ndarray
    high: np.ndarray
    least_code: np.ndarray
    greatest_code: np.ndarray


def build_index(table: MixedTable) -> MixedIndex:
    """Return the index of a table."""
    scale = 2 * np.maximum(table.codes.std(axis=0), 1e-9)  # categories vary less than numbers
    order = locality_order(np.column_stack([np.nan_to_num(table.numbers), table.codes / scale]))
    numbers, codes = map(np.ascontiguousarray, table.select_rows(order))
    starts = np.arange(0, len(order), BLOCK)
    is_missing = np.isnan(numbers)
    return MixedIndex(
        table=MixedTable(numbers, codes),
        records=order,
        low=np.minimum.reduceat(np.where(is_missing, -np.inf, numbers), starts),
        high=np.maximum.reduceat(np.where(is_missing, np.inf, numbers), starts),
        least_code=np.minimum.reduceat(codes, starts),
        greatest_code=np.maximum.reduceat(codes, starts),
    )


@compiled
def mixed_square(table, record, targets, i, bound):
    """Return the squared distance of a record from target ``i``, or some sum above ``bound``."""
    total = 0.0
    for j in range(table.codes.shape[1]):
        if table.codes[record, j] != targets.codes[i, j]:
            total += 1.0
    for j in range(table.numbers.shape[1]):
        if total > bound:
            break
        value, target = table.numbers[record, j], targets.numbers[i, j]
        gap = value - target
        if gap == gap:
            total += gap * gap
        elif value == value or target == target:
            total += 1.0
    return total


@compiled
def box_square(index, b, targets, i, bound):
    """Return the squared distance of a box from target ``i``, or some sum above ``bound``."""
    total = 0.0
    for j in range(index.least_code.shape[1]):
        if not index.least_code[b, j] <= targets.codes[i, j] <= index.greatest_code[b, j]:
            total += 1.0
    for j in range(index.low.shape[1]):
        if total > bound:
            break
        target = targets.numbers[i, j]
        if target < index.low[b, j]:
            total += (index.low[b, j] - target) ** 2
        elif target > index.high[b, j]:
            total += (target - index.high[b, j]) ** 2
    return total


@compiled
def tighten_bounds(index, targets, squares):
    """Lower each bound to the least squared distance of its target from any record."""
    n, n_targets = index.records.shape[0], squares.shape[0]
    for i in range(n_targets):
        for record in range(0, n, THINNING):
            square = mixed_square(index.table, record, targets, i, squares[i])
            if square < squares[i]:
                squares[i] = square
    for b in range(index.least_code.shape[0]):
        for i in range(n_targets):
            best = squares[i]
            bound = best * (1 + ROUNDING)
            if box_square(index, b, targets, i, bound) > bound:
                continue
            for record in range(b * BLOCK, min(n, (b + 1) * BLOCK)):
                square = mixed_square(index.table, record, targets, i, best)
                if square < best:
                    best = square
            squares[i] = best


@compiled
def list_within(index, targets, bounds, position, records):
    """List the records whose squared distance from each target is at most its bound.

    Those of target i are written to ``records`` from ``position[i]`` on, which is increased by
    their number. If ``records`` is empty, they are only counted.
    """
    n = index.records.shape[0]
    for b in range(index.least_code.shape[0]):
        for i in range(bounds.shape[0]):
            bound = bounds[i] * (1 + ROUNDING)
            if box_square(index, b, targets, i, bound) > bound:
                continue
            for record in range(b * BLOCK, min(n, (b + 1) * BLOCK)):
                square = mixed_square(index.table, record, targets, i, bounds[i])
                if square <= bounds[i]:
                    if records.shape[0] > 0:
                        records[position[i]] = index.records[record]
                    position[i] += 1


class MatchWeights(NamedTuple):
    """Weights of the levels of agreement, by column: numbers first, then categories.

    Numbers agree at level 3 if they are equal, at level 2 within ``close``, at level 1 within
    ``near`` and else at level 0; categories agree at level 3 or 0. ``rest[j]`` is the greatest sum
    that the columns from j on can add, and weights that differ by at most ``slack`` are equal.
    """

    weights: np.ndarray
    rest: np.ndarray
    close: float
    near: float
    slack: float


@compiled
def agreement_level(value, target, close, near):
    """Return the level at which two numbers agree, as `MatchWeights` defines it.

    Two missing numbers agree exactly; a missing number does not agree with any value.
    """
    gap = abs(value - target)
    if gap == 0.0 or (value != value and target != target):
        return 3
    if gap <= close:
        return 2
    return 1 if gap <= near else 0


@compiled
def agreement_patterns(table, targets, close, near, patterns):
    """Write the pattern of agreement of each record with each target.

    A pattern is a number to base 4, with a digit for each column: its level of agreement.
    """
    for record in range(table.numbers.shape[0]):
        for i in range(targets.numbers.shape[0]):
            pattern = 0
            for j in range(table.numbers.shape[1]):
                value, target = table.numbers[record, j], targets.numbers[i, j]
                pattern = 4 * pattern + agreement_level(value, target, close, near)
            for j in range(table.codes.shape[1]):
                pattern = 4 * pattern + 3 * (table.codes[record, j] == targets.codes[i, j])
            patterns[record, i] = pattern


@compiled
def match_weight(table, record, targets, i, match, least):
    """Return the sum of the weights of the agreements between a record and target ``i``.

    Where the sum cannot reach ``least``, some sum below it is returned.
    """
    total, n_numbers = 0.0, table.numbers.shape[1]
    for j in range(n_numbers):
        value, target = table.numbers[record, j], targets.numbers[i, j]
        total += match.weights[j, agreement_level(value, target, match.close, match.near)]
        if total + match.rest[j + 1] < least:
            return total + match.rest[j + 1]
    for j in range(table.codes.shape[1]):
        level = 3 if table.codes[record, j] == targets.codes[i, j] else 0
        total += match.weights[n_numbers + j, level]
    return total


@compiled
def rank_own_by_weight(table, sizes, targets, own, starts, match, correct, ties):
    """Count the records of the greatest weight, and how many of them are correct for each target.

    ``table`` has a row for each class of ``sizes`` equal records. The classes of the correct
    records of target i are ``own[starts[i]:starts[i + 1]]``, once for each record. Both counts
    concern the greatest weight of a correct record; ``ties`` is 0 if another record has a greater
    one.
    """
    for i in range(ties.shape[0]):
        own_weight = LOWEST
        correct[i] = 0
        for entry in range(starts[i], starts[i + 1]):
            weight = match_weight(table, own[entry], targets, i, match, LOWEST)
            if weight > own_weight + match.slack:
                own_weight = weight
                correct[i] = 1
            elif weight >= own_weight - match.slack:
                correct[i] += 1
        least = own_weight - match.slack
        ties[i] = 0
        for record in range(table.numbers.shape[0]):
            weight = match_weight(table, record, targets, i, match, least)
            if weight > own_weight + match.slack:
                ties[i] = 0
                break
            if weight >= least:
                ties[i] += sizes[record]
