"""Distinct records of a table: keys and labels of equal rows, and the result of a step for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ShoalWarning

Codes = NDArray[np.int64]

MAX_KEY = 2**62  # largest integer that stands for all values of a record
MAX_DENSITY = 4  # keys up to this multiple of the number of rows are counted without sorting


def label_distinct_rows(
    columns: Sequence[Codes] | Codes, sizes: Sequence[int] | Codes
) -> tuple[int, Codes]:
    """Return the number of distinct rows and the label of each row; ``sizes`` bound the codes."""
    key = np.zeros(len(columns[0]), np.int64)
    size = 1
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


@dataclass(frozen=True, eq=False)
class DistinctResult:
    """New values of distinct records, in pieces: equal records may get different values.

    Parameters
    ----------
    rows : ndarray of shape (n_pieces,)
        The distinct record that each piece belongs to, ascending.
    record_counts : ndarray of shape (n_pieces,)
        The number of records of each piece.
    values : dict
        The new values of each column, one for each piece.
    warnings : tuple of ShoalWarning
        The warnings of the step.
    """

    rows: Codes
    record_counts: Codes
    values: Mapping[str, Any]
    warnings: tuple[ShoalWarning, ...] = ()


def align_counts(first_counts: Codes, second_counts: Codes) -> tuple[Codes, Codes, Codes]:
    """Split records at the boundaries of two sequences of counts.

    Parameters
    ----------
    first_counts : ndarray of shape (n_first,)
        Numbers of records, in order; none is 0.
    second_counts : ndarray of shape (n_second,)
        Numbers of the same records, in the same order; none is 0.

    Returns
    -------
    first, second, counts
        For each part, the entry of either sequence that it belongs to, and its number of records.

    Examples
    --------
    >>> align_counts(np.array([3, 2]), np.array([1, 4]))
    (array([0, 0, 1]), array([0, 1, 1]), array([1, 2, 2]))
    """
    ends = np.cumsum(first_counts), np.cumsum(second_counts)
    common_ends = np.union1d(*ends)
    first, second = (np.searchsorted(cumulative, common_ends) for cumulative in ends)
    return first, second, np.diff(common_ends, prepend=0)
