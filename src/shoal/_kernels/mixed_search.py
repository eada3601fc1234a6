"""Nearest records in tables of numbers and categories, with all that are equally near.

The squared distance of two records is the sum of the squared differences of their numbers and of 1
for each category that differs. A missing number, NaN, equals another missing one and is at
distance 1 from every value. Records are in blocks of near ones; a block is skipped where its
bounding box is farther from a target than the bound.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.spatial.block_order import BLOCK, order_by_halving

THINNING = 64  # every 64th record is compared first, for a first bound
ROUNDING = 1e-9  # relative rounding error by which a box may seem farther than its records


class MixedIndex(NamedTuple):
    """Records in blocks, with the bounding box of each block.

    ``numbers`` and ``codes`` are in the order of ``records``. The box of a block with a missing
    number is unbounded in that column.
    """

    numbers: np.ndarray
    codes: np.ndarray
    records: np.ndarray
    low: np.ndarray
    high: np.ndarray
    least_code: np.ndarray
    greatest_code: np.ndarray


def build_index(numbers: np.ndarray, codes: np.ndarray) -> MixedIndex:
    """Return the index of a table of standardised numbers and codes of categories."""
    n = len(numbers)
    spread = 2 * np.maximum(codes.std(axis=0), 1e-9)  # categories vary less than numbers
    rows = np.column_stack([np.nan_to_num(numbers), codes / spread, np.zeros(n)])
    order = np.arange(n)
    order_by_halving(rows.astype(np.float32), order)
    numbers, codes = np.ascontiguousarray(numbers[order]), np.ascontiguousarray(codes[order])
    starts = np.arange(0, n, BLOCK)
    missing = np.isnan(numbers)
    low = np.minimum.reduceat(np.where(missing, -np.inf, numbers), starts)
    high = np.maximum.reduceat(np.where(missing, np.inf, numbers), starts)
    least_code, greatest_code = (
        np.minimum.reduceat(codes, starts),
        np.maximum.reduceat(codes, starts),
    )
    return MixedIndex(numbers, codes, order, low, high, least_code, greatest_code)


@compiled
def mixed_square(numbers, codes, record, points, point_codes, i, bound):
    """Return the squared distance of a record from a target, or some sum above ``bound``."""
    total = 0.0
    for j in range(codes.shape[1]):
        if codes[record, j] != point_codes[i, j]:
            total += 1.0
    for j in range(numbers.shape[1]):
        if total > bound:
            break
        value, target = numbers[record, j], points[i, j]
        gap = value - target
        if gap == gap:
            total += gap * gap
        elif value == value or target == target:
            total += 1.0
    return total


@compiled
def box_square(index, b, points, point_codes, i, bound):
    """Return the squared distance of a block's box from a target, or some sum above ``bound``."""
    total = 0.0
    for j in range(index.least_code.shape[1]):
        if not index.least_code[b, j] <= point_codes[i, j] <= index.greatest_code[b, j]:
            total += 1.0
    for j in range(index.low.shape[1]):
        if total > bound:
            break
        point = points[i, j]
        if point < index.low[b, j]:
            total += (index.low[b, j] - point) ** 2
        elif point > index.high[b, j]:
            total += (point - index.high[b, j]) ** 2
    return total


@compiled
def tighten_bounds(index, points, point_codes, squares):
    """Lower each bound to the least squared distance of its target from any record."""
    numbers, codes = index.numbers, index.codes
    n = numbers.shape[0]
    for i in range(points.shape[0]):
        for record in range(0, n, THINNING):
            square = mixed_square(numbers, codes, record, points, point_codes, i, squares[i])
            if square < squares[i]:
                squares[i] = square
    for b in range(index.least_code.shape[0]):
        for i in range(points.shape[0]):
            best = squares[i]
            bound = best * (1 + ROUNDING)
            if box_square(index, b, points, point_codes, i, bound) > bound:
                continue
            for record in range(b * BLOCK, min(n, (b + 1) * BLOCK)):
                square = mixed_square(numbers, codes, record, points, point_codes, i, best)
                if square < best:
                    best = square
            squares[i] = best


@compiled
def list_within(index, points, point_codes, bounds, position, records):
    """List the records whose squared distance from each target is at most its bound.

    Those of target i are written to ``records`` from ``position[i]`` on, which is increased by
    their number. If ``records`` is empty, they are only counted.
    """
    numbers, codes = index.numbers, index.codes
    for b in range(index.least_code.shape[0]):
        for i in range(points.shape[0]):
            bound = bounds[i] * (1 + ROUNDING)
            if box_square(index, b, points, point_codes, i, bound) > bound:
                continue
            for record in range(b * BLOCK, min(numbers.shape[0], (b + 1) * BLOCK)):
                square = mixed_square(numbers, codes, record, points, point_codes, i, bounds[i])
                if square <= bounds[i]:
                    if records.shape[0] > 0:
                        records[position[i]] = index.records[record]
                    position[i] += 1


@compiled
def agreement(value, target, close, near):
    """Return how well two numbers agree: 3 exactly, 2 within ``close``, 1 within ``near``, else 0.

    Two missing numbers agree exactly; a missing number does not agree with any value.
    """
    gap = abs(value - target)
    if gap == 0.0 or (value != value and target != target):
        return 3
    if gap <= close:
        return 2
    return 1 if gap <= near else 0


@compiled
def agreement_patterns(numbers, codes, points, point_codes, close, near, patterns):
    """Write the pattern of agreement of each record with each target.

    A pattern is a number to base 4, with a digit for each column: numbers first, then categories,
    which agree (3) or do not (0).
    """
    for record in range(numbers.shape[0]):
        for i in range(points.shape[0]):
            pattern = 0
            for j in range(numbers.shape[1]):
                pattern = 4 * pattern + agreement(numbers[record, j], points[i, j], close, near)
            for j in range(codes.shape[1]):
                pattern = 4 * pattern + 3 * (codes[record, j] == point_codes[i, j])
            patterns[record, i] = pattern


@compiled
def match_weight(numbers, codes, record, points, point_codes, i, close, near, weights, rest, least):
    """Return the sum of the weights of the agreements between a record and a target.

    ``rest[j]`` is the greatest sum that the columns from j on can add. Where the sum cannot reach
    ``least``, some sum below it is returned.
    """
    total = 0.0
    for j in range(numbers.shape[1]):
        total += weights[j, agreement(numbers[record, j], points[i, j], close, near)]
        if total + rest[j + 1] < least:
            return total + rest[j + 1]
    for j in range(codes.shape[1]):
        level = 3 if codes[record, j] == point_codes[i, j] else 0
        total += weights[numbers.shape[1] + j, level]
    return total


@compiled
def rank_own_by_weight(
    numbers, codes, sizes, points, point_codes, starts, own, close, near, weights, rest, slack,
    correct, ties,
):  # fmt: skip
    """Count the records of the greatest weight, and how many of them are correct for each target.

    ``numbers`` and ``codes`` have a row for each class of ``sizes`` equal records. The classes of
    the correct records of target i are ``own[starts[i]:starts[i + 1]]``, once for each record. Both
    counts concern the greatest weight of a correct record; ``ties`` is 0 if another record has a
    greater one. Weights that differ by at most ``slack`` are equal.
    """
    for i in range(points.shape[0]):
        own_weight = -1e300
        correct[i] = 0
        for at in range(starts[i], starts[i + 1]):
            weight = match_weight(
                numbers, codes, own[at], points, point_codes, i, close, near, weights, rest, -1e300
            )
            if weight > own_weight + slack:
                own_weight = weight
                correct[i] = 1
            elif weight >= own_weight - slack:
                correct[i] += 1
        least = own_weight - slack
        ties[i] = 0
        for record in range(numbers.shape[0]):
            weight = match_weight(
                numbers, codes, record, points, point_codes, i, close, near, weights, rest, least
            )
            if weight > own_weight + slack:
                ties[i] = 0
                break
            if weight >= least:
                ties[i] += sizes[record]
