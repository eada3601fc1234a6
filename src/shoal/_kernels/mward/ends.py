"""The two groups that the modified Ward method starts from."""

import numpy as np
from numpy.typing import NDArray

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance, squared_distance
from shoal._kernels.mward.cost import rounded

Matrix = NDArray[np.float64]
Numbers = NDArray[np.int64]


def ends_by_rank(rank: Numbers, k: int) -> list[Numbers]:
    """Return the ``k`` first and the ``k`` last places in the order of ``rank``."""
    order = np.argsort(rank)
    return [order[:k], order[-k:]]


def ends_by_distance(
    rows: Matrix, cell: Numbers, k: int, upper: bool, extreme: bool
) -> list[Numbers]:
    """Return two groups grown from the two most distant rows, the lower row first.

    Each grows by the row nearest to its mean so far or, if ``extreme``, by the rows
    nearest to the one it started from. With ``upper`` the upper row grows first, which
    matters if both are nearest to the same rows. Equal rows have the same ``cell`` and are
    compared once.
    """
    distinct = np.sort(np.unique(cell, return_index=True)[1])
    seeds = distinct[list(farthest_pair(rows[distinct]))]
    free = np.ones(len(rows), bool)
    free[seeds] = False
    return [grow(rows, seed, k, free, extreme) for seed in (seeds[::-1] if upper else seeds)]


def farthest_pair(rows):
    """Return the two most distant rows; ties go to the lowest pair.

    The distance of two rows is at most the sum of their distances to the mean, so
    rows are compared from the outermost inwards until no pair can be farther apart.
    """
    reach = np.sqrt(((rows - rows.mean(axis=0)) ** 2).sum(axis=1))
    outward = np.argsort(-reach, kind="stable")
    rows, reach = rows[outward], reach[outward]
    pair, most, start = np.sort(outward[:2]), 0.0, 1
    while start < len(rows):  # in strides, so that interrupts are handled
        start, most = compare(rows, reach, outward, pair, most, start, 10_000_000)
    return pair[0], pair[1]


@compiled
def compare(rows, reach, numbers, pair, most, start, work):
    """Compare rows with all rows before them; return the next row and the distance of ``pair``.

    ``reach`` decreases from row to row; ``numbers`` are the indices of the rows.
    """
    for s in range(start, rows.shape[0]):
        enough = np.sqrt(most) * (1 - 1e-9)
        if reach[0] + reach[s] < enough:
            return rows.shape[0], most
        if work < 0:
            return s, most
        for t in range(s):
            if reach[t] + reach[s] < enough:
                break
            work -= 1
            distance = rounded(row_distance(rows, s, rows, t))
            if distance >= most:
                a = min(numbers[s], numbers[t])
                b = max(numbers[s], numbers[t])
                if distance > most or a < pair[0] or (a == pair[0] and b < pair[1]):
                    most = distance
                    pair[0] = a
                    pair[1] = b
    return rows.shape[0], most


@compiled
def grow(rows, seed, k, free, extreme):
    """Return ``seed`` and the free rows that join it, each nearest to the mean so far.

    If ``extreme``, the seed stands for the mean.
    """
    group = np.full(k, seed)
    total = rows[seed].copy()
    mean = np.empty(rows.shape[1])
    for size in range(1, k):
        for j in range(mean.shape[0]):
            mean[j] = rows[seed, j] if extreme else total[j] / size
        best = -1
        least = np.inf
        for i in range(rows.shape[0]):
            if free[i]:
                distance = rounded(squared_distance(rows, i, mean))
                if distance < least:
                    least = distance
                    best = i
        group[size] = best
        free[best] = False
        for j in range(mean.shape[0]):
            total[j] += rows[best, j]
    return group
