"""Frequency tables of categories and of pairs of categories, and measures of association.

A category is an integer from 0; -1 stands for a missing value, which is a category of its own.
"""

from typing import NamedTuple

import numpy as np

from shoal.metrics._array_types import Codes, Mask

MAX_DENSE = 2**22  # cells of a table that are counted one by one; larger tables are sorted


class Pairs(NamedTuple):
    """The pairs of values of two columns, as integers, and their number."""

    codes: Codes
    size: int

    @property
    def counts(self) -> Codes:
        """Number of records of each pair that occurs."""
        return self.cells[1]

    @property
    def cells(self) -> tuple[Codes, Codes]:
        """The pairs that occur, and the number of records of each."""
        if is_counted_by_sorting(self.size, len(self.codes)):
            pairs, counts = np.unique(self.codes, return_counts=True)
            return pairs, counts
        dense = np.bincount(self.codes)
        pairs = np.flatnonzero(dense)
        return pairs, dense[pairs]


def is_counted_by_sorting(n_cells: int, n_records: int) -> bool:
    """Return whether a table has so many cells that pairs are sorted instead of counted."""
    return n_cells > max(MAX_DENSE, 4 * n_records)


def count_levels(*columns: Codes) -> int:
    """Return the number of codes that columns may have, the code of a missing value included."""
    return max(int(column.max(initial=-1)) for column in columns) + 2


def occurring_categories(first: Codes, second: Codes) -> tuple[Mask, Mask]:
    """Return for two columns which categories occur in them; missing values are not categories."""
    size = count_levels(first, second)
    in_first, in_second = (
        np.bincount(column + 1, minlength=size)[1:] > 0 for column in (first, second)
    )
    return in_first, in_second


def pair_codes(first: Codes, second: Codes, levels_of_second: int | None = None) -> Pairs:
    """Return the pairs of values of two columns of the same records."""
    n_levels = count_levels(second) if levels_of_second is None else levels_of_second
    return Pairs((first + 1) * n_levels + second + 1, count_levels(first) * n_levels)


def entropy(counts: Codes) -> float:
    """Return the entropy of a distribution in bits."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def cramers_v(first: Codes, second: Codes) -> float:
    """Return Cramér's V of two columns; 0 where one of them is constant."""
    n_levels = count_levels(second)
    cells, counts = pair_codes(first, second, n_levels).cells
    first_counts, second_counts = np.bincount(first + 1), np.bincount(second + 1)
    n_levels_of_smaller = min((first_counts > 0).sum(), (second_counts > 0).sum())
    if n_levels_of_smaller < 2:
        return 0.0
    expected = first_counts[cells // n_levels] / len(first) * second_counts[cells % n_levels]
    phi_squared = float((counts / expected * (counts / len(first))).sum()) - 1
    return float(np.sqrt(min(1.0, max(0.0, phi_squared / (n_levels_of_smaller - 1)))))


def distribution_distances(original: Codes, masked: Codes) -> tuple[float, float]:
    """Return the total variation and the Hellinger distance of two columns of codes from 0."""
    n_codes = int(max(original.max(), masked.max())) + 1
    if is_counted_by_sorting(n_codes, len(original)):
        positions = np.unique(np.concatenate([original, masked]), return_inverse=True)[1].ravel()
        original, masked, n_codes = (
            positions[: len(original)],
            positions[len(original) :],
            int(positions.max()) + 1,
        )
    p, q = (np.bincount(codes, minlength=n_codes) / len(codes) for codes in (original, masked))
    hellinger = ((np.sqrt(p) - np.sqrt(q)) ** 2).sum() / 2
    return float(np.abs(p - q).sum() / 2), float(np.sqrt(hellinger))
