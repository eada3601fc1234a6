"""Distinct rows of a table of codes, and keys that combine several columns."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]

MAX_KEY = 2**62  # of the number that stands for all values of a record
DENSE = 4  # keys up to this many times the number of rows are counted without sorting


def combine(columns: Sequence[Codes] | Codes, sizes: Sequence[int] | Codes) -> tuple[int, Codes]:
    """Return the number of distinct rows and the label of each; sizes bound the codes."""
    key, size = np.zeros(len(columns[0]), np.int64), 1
    for column, number in zip(columns, sizes, strict=True):
        if size * int(number) > MAX_KEY:
            size, key = compact(key, size)
        key = key * int(number) + column
        size *= int(number)
    return compact(key, size)


def compact(key: Codes, size: int) -> tuple[int, Codes]:
    """Return the number of distinct keys, and the keys renumbered without gaps."""
    if size > DENSE * len(key):
        distinct, labels = np.unique(key, return_inverse=True)
        return len(distinct), labels.ravel()
    used = np.zeros(size, bool)
    used[key] = True
    return int(used.sum()), (np.cumsum(used) - 1)[key]
