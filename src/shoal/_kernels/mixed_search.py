"""Nearest records in tables of numbers and categories, including all ties.

The squared distance of two records is the sum of the squared differences of their numbers and of 1
for each category that differs. A missing number, NaN, equals another missing one and is at
distance 1 from every value. Near records are stored in blocks; a block is skipped if its
bounding box is farther from a target than the bound.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.spatial.block_order import BLOCK, locality_order

SAMPLE_STEP = 64  # every 64th record is compared first, for an initial bound
ROUNDING = 1e-9  # relative rounding error by which a box may seem farther than its records


class MixedTable(NamedTuple):
    """Records, or targets, as standardised numbers and codes of categories, a row for each."""

    numbers: np.ndarray  # (n_records, n_number_columns)
    codes: np.ndarray  # (n_records, n_code_columns)

    def select_rows(self, rows: Any) -> "MixedTable":
        """Return the given rows."""
        return MixedTable(self.numbers[rows], self.codes[rows])


class MixedIndex(NamedTuple):
    """Records in blocks, with the bounding box of each block.

    The rows of ``table`` are in the order of ``records``. The box of a block with a missing number
    is unbounded in that column.
    """

    table: MixedTable
    records: np.ndarray  # (n_records,)
    min_number: np.ndarray  # (n_blocks, n_number_columns)
    max_number: np.ndarray  # (n_blocks, n_number_columns)
    min_code: np.ndarray  # (n_blocks, n_code_columns)
    max_code: np.ndarray  # (n_blocks, n_code_columns)


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
        min_number=np.minimum.reduceat(np.where(is_missing, -np.inf, numbers), starts),
        max_number=np.maximum.reduceat(np.where(is_missing, np.inf, numbers), starts),
        min_code=np.minimum.reduceat(codes, starts),
        max_code=np.maximum.reduceat(codes, starts),
    )


@compiled
def squared_mixed_distance(table, record, targets, target, bound):
    """Return the squared distance of a record from a target, or some sum above ``bound``."""
    total = 0.0
    for column in range(table.codes.shape[1]):
        if table.codes[record, column] != targets.codes[target, column]:
            total += 1.0
    for column in range(table.numbers.shape[1]):
        if total > bound:
            break
        value, target_value = table.numbers[record, column], targets.numbers[target, column]
        difference = value - target_value
        if not math.isnan(difference):
            total += difference * difference
        elif not (math.isnan(value) and math.isnan(target_value)):
            total += 1.0
    return total


@compiled
def squared_box_distance(index, block, targets, target, bound):
    """Return the squared distance of a box from a target, or some sum above ``bound``."""
    total = 0.0
    for column in range(index.min_code.shape[1]):
        code = targets.codes[target, column]
        if not index.min_code[block, column] <= code <= index.max_code[block, column]:
            total += 1.0
    for column in range(index.min_number.shape[1]):
        if total > bound:
            break
        target_value = targets.numbers[target, column]
        if target_value < index.min_number[block, column]:
            total += (index.min_number[block, column] - target_value) ** 2
        elif target_value > index.max_number[block, column]:
            total += (target_value - index.max_number[block, column]) ** 2
    return total


@compiled
def tighten_bounds(index, targets, squares):
    """Lower each bound to the least squared distance of its target from any record."""
    n, n_targets = index.records.shape[0], squares.shape[0]
    for target in range(n_targets):
        for record in range(0, n, SAMPLE_STEP):
            square = squared_mixed_distance(index.table, record, targets, target, squares[target])
            if square < squares[target]:
                squares[target] = square
    for block in range(index.min_code.shape[0]):
        for target in range(n_targets):
            least = squares[target]
            box_bound = least * (1 + ROUNDING)
            if squared_box_distance(index, block, targets, target, box_bound) > box_bound:
                continue
            for record in range(block * BLOCK, min(n, (block + 1) * BLOCK)):
                square = squared_mixed_distance(index.table, record, targets, target, least)
                if square < least:
                    least = square
            squares[target] = least


@compiled
def list_within(index, targets, bounds, position, records):
    """List the records whose squared distance from each target is at most its bound.

    The records of a target are written to ``records`` from ``position[target]`` on, which is
    increased by their number. If ``records`` is empty, they are only counted.
    """
    n = index.records.shape[0]
    for block in range(index.min_code.shape[0]):
        for target in range(bounds.shape[0]):
            bound = bounds[target]
            box_bound = bound * (1 + ROUNDING)
            if squared_box_distance(index, block, targets, target, box_bound) > box_bound:
                continue
            for record in range(block * BLOCK, min(n, (block + 1) * BLOCK)):
                square = squared_mixed_distance(index.table, record, targets, target, bound)
                if square <= bound:
                    if records.shape[0] > 0:
                        records[position[target]] = index.records[record]
                    position[target] += 1
