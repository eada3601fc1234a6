"""The two groups that the modified Ward method starts from."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.distances import squared_distance, squared_row_distance
from shoal._kernels.mward.cost import rounded

Matrix = NDArray[np.float64]
Indices = NDArray[np.int64]

STRIDE = 10_000_000  # pairs compared between two checks for an interrupt
ROUNDING = 1e-9  # relative rounding error of a sum of two distances


class OutwardRows(NamedTuple):
    """Rows by decreasing distance to the mean, with these distances and their original numbers."""

    rows: np.ndarray  # (n_records, n_columns)
    radius: np.ndarray  # (n_records,)
    numbers: np.ndarray  # (n_records,)


def extreme_groups_by_rank(rank: Indices, k: int) -> list[Indices]:
    """Return the ``k`` records of lowest and the ``k`` records of highest rank."""
    order = np.argsort(rank)
    return [order[:k], order[-k:]]


def extreme_groups_by_distance(
    rows: Matrix, representative: Indices, k: int, upper_first: bool, nearest_to_seed: bool
) -> list[Indices]:
    """Return two groups grown from the two most distant rows, the lower row first.

    Each grows by the row nearest to its mean so far or, if ``nearest_to_seed``, by the rows
    nearest to the one it started from. With ``upper_first`` the upper row grows first, which
    matters if both are nearest to the same rows. Equal rows have the same ``representative``
    and are compared once.
    """
    distinct = np.sort(np.unique(representative, return_index=True)[1])
    seeds = distinct[list(most_distant_rows(rows[distinct]))]
    is_free = np.ones(len(rows), bool)
    is_free[seeds] = False
    return [
        grow_extreme_group(rows, seed, k, is_free, nearest_to_seed)
        for seed in (seeds[::-1] if upper_first else seeds)
    ]


def most_distant_rows(rows: Matrix) -> tuple[int, int]:
    """Return the two most distant rows; ties go to the lowest pair.

    The distance of two rows is at most the sum of their distances to the mean, so
    rows are compared from the outermost inwards until no pair can be farther apart.
    """
    radius = np.sqrt(((rows - rows.mean(axis=0)) ** 2).sum(axis=1))
    order = np.argsort(-radius, kind="stable")
    outward_rows = OutwardRows(rows[order], radius[order], order)
    pair, greatest, start = np.sort(order[:2]), 0.0, 1
    while start < len(rows):
        start, greatest = compare_rows(outward_rows, pair, greatest, start, STRIDE)
    return pair[0], pair[1]


@compiled
def compare_rows(outward_rows, pair, greatest, start, work):
    """Compare rows with all rows before them, and store the most distant two in ``pair``.

    ``greatest`` is the squared distance of ``pair`` so far. Return the next row to compare, and
    the new distance.
    """
    rows, radius, numbers = outward_rows.rows, outward_rows.radius, outward_rows.numbers
    for row in range(start, rows.shape[0]):
        least = np.sqrt(greatest) * (1 - ROUNDING)
        if radius[0] + radius[row] < least:
            return rows.shape[0], greatest
        if work < 0:
            return row, greatest
        for other in range(row):
            if radius[other] + radius[row] < least:
                break
            work -= 1
            square = rounded(squared_row_distance(rows, row, rows, other))
            if square >= greatest:
                lower = min(numbers[row], numbers[other])
                higher = max(numbers[row], numbers[other])
                if square > greatest or lower < pair[0] or (lower == pair[0] and higher < pair[1]):
                    greatest = square
                    pair[0] = lower
                    pair[1] = higher
    return rows.shape[0], greatest


@compiled
def grow_extreme_group(rows, seed, k, is_free, nearest_to_seed):
    """Return ``seed`` and the free rows that join it, each nearest to the mean so far.

    If ``nearest_to_seed``, they are the rows nearest to the seed itself.
    """
    group = np.full(k, seed)
    total = rows[seed].copy()
    mean = np.empty(rows.shape[1])
    for size in range(1, k):
        for column in range(mean.shape[0]):
            mean[column] = rows[seed, column] if nearest_to_seed else total[column] / size
        best, least = NONE, np.inf
        for row in range(rows.shape[0]):
            if is_free[row]:
                square = rounded(squared_distance(rows, row, mean))
                if square < least:
                    best, least = row, square
        group[size] = best
        is_free[best] = False
        for column in range(mean.shape[0]):
            total[column] += rows[best, column]
    return group
