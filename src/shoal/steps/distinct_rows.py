"""Distinct rows of a table of codes, and keys that combine several columns."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]

MAX_KEY = 2**62  # of the number that stands for all values of a record
MAX_DENSITY = 4  # keys up to this many times the number of rows are counted without sorting


def combine_columns(
    columns: Sequence[Codes] | Codes, sizes: Sequence[int] | Codes
) -> tuple[int, Codes]:
    """Return the number of distinct rows and the label of each; sizes bound the codes."""
    key, size = np.zeros(len(columns[0]), np.int64), 1
    for column, n_codes in zip(columns, sizes, strict=True):
        if size * int(n_codes) > MAX_KEY:
            size, key = renumber_keys(key, size)
        key = key * int(n_codes) + column
        size *= int(n_codes)
    return renumber_keys(key, size)


def renumber_keys(key: Codes, size: int) -> tuple[int, Codes]:
    """Return the number of distinct keys, and the keys renumbered without gaps."""
    if size > MAX_DENSITY * len(key):
        distinct, labels = np.unique(key, return_inverse=True)
        return len(distinct), labels.ravel()
    is_present = np.zeros(size, bool)
    is_present[key] = True
    return int(is_present.sum()), (np.cumsum(is_present) - 1)[key]
