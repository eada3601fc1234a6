"""One small table on which every method and every measure is shown."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.partitioners import METHODS, Partitioner, partition

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]

K = 3
BLOCK = 14  # most records of a block, so that the table has a few
OPTIONS: dict[str, dict[str, Any]] = {
    "two-mu-approx": {"k": 2},
    "univariate": {"order": "first-component"},
    "mu-approx": {"random_state": 1},
    "search": {"random_state": 1},
    "prove": {"random_state": 1, "budget": 5.0},
    "blocked": {"block_size": BLOCK},
}


@cache
def table() -> Matrix:
    """Return 40 records of two columns, as z-scores: a dense clump, two loose ones, strays."""
    rng = np.random.default_rng(40)
    clumps = [
        rng.normal((1.0, 1.0), 0.35, (11, 2)),
        rng.normal((4.2, 1.6), 0.7, (12, 2)),
        rng.normal((2.4, 4.2), 0.8, (12, 2)),
        rng.uniform((0.0, 0.0), (6.5, 6.0), (5, 2)),
    ]
    X = np.round(np.concatenate(clumps), 2)
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


@cache
def confidential() -> Matrix:
    """Return a confidential column, which rises with the first and has few different values."""
    noise = np.random.default_rng(41).normal(0, 0.6, len(table()))
    return np.asarray(np.round(2 * (table()[:, 0] + noise)))[:, None]


@cache
def grouped(method: str) -> Partitioner:
    """Return a method of the registry, fitted to the table."""
    return METHODS[method](**{"k": K, **OPTIONS.get(method, {})}).fit(table())


def masked(labels: Labels, X: Matrix) -> Matrix:
    """Return the means of the groups in the place of the records."""
    sizes = np.bincount(labels)
    sums = [np.bincount(labels, column) for column in X.T]
    return np.column_stack([(total / sizes)[labels] for total in sums])


def loss(labels: Labels) -> float:
    """Return the information loss of groups of the table, in per cent."""
    X = table()
    return float(100 * ((X - masked(labels, X)) ** 2).sum() / (X**2).sum())


@cache
def least(k: int) -> float:
    """Return the least loss that groups of at least k have."""
    return loss(partition(table(), k, "optimal").labels)
