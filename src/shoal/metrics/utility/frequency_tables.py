"""Frequency tables of categories and of pairs of categories, and measures of association.

A category is an integer from 0; -1 stands for a missing value, which is a category of its own.
"""

from typing import NamedTuple

import numpy as np

from shoal.metrics._array_types import Codes, Counts, Mask

MAX_DENSE = 2**22  # up to this number of cells, each cell has a counter, however few the records


class CellCodes(NamedTuple):
    """The cell of each record in a two-way table of ``n_cells`` cells, as an integer."""

    codes: Codes
    n_cells: int

    @property
    def counts(self) -> Counts:
        """Number of records in each cell that is not empty."""
        return self.occurring[1]

    @property
    def occurring(self) -> tuple[Codes, Counts]:
        """The cells that are not empty, and the number of records in each."""
        if is_sparse(self.n_cells, len(self.codes)):
            cells, counts = np.unique(self.codes, return_counts=True)
            return cells, counts
        counts_of_all = np.bincount(self.codes)
        cells = np.flatnonzero(counts_of_all)
        return cells, counts_of_all[cells]


def is_sparse(n_cells: int, n_records: int) -> bool:
    """Return whether a table has so many cells that sorting the records is faster than counting."""
    return n_cells > max(MAX_DENSE, 4 * n_records)


def count_levels(*columns: Codes) -> int:
    """Return the number of levels of the given columns together, including the missing value."""
    return max(int(column.max(initial=-1)) for column in columns) + 2


def occurring_categories(first: Codes, second: Codes) -> tuple[Mask, Mask]:
    """Return which categories occur in each of two columns; a missing value is not a category."""
    n_levels = count_levels(first, second)
    in_first, in_second = (
        np.bincount(column + 1, minlength=n_levels)[1:] > 0 for column in (first, second)
    )
    return in_first, in_second


def pair_codes(first: Codes, second: Codes, levels_of_second: int | None = None) -> CellCodes:
    """Return the cell of each record in the two-way table of two columns.

    ``levels_of_second`` is the number of levels of the second column, which is counted by default.
    The cells of two tables can be compared only if this number is the same for both.
    """
    n_levels = count_levels(second) if levels_of_second is None else levels_of_second
    return CellCodes((first + 1) * n_levels + second + 1, count_levels(first) * n_levels)


def entropy(counts: Codes) -> float:
    """Return the entropy of a distribution in bits."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def cramers_v(first: Codes, second: Codes) -> float:
    """Return Cramér's V of two columns, or 0 if one of them is constant."""
    n_levels = count_levels(second)
    cells, counts = pair_codes(first, second, n_levels).occurring
    row_counts, column_counts = np.bincount(first + 1), np.bincount(second + 1)
    min_levels = min((row_counts > 0).sum(), (column_counts > 0).sum())
    if min_levels < 2:
        return 0.0
    expected = row_counts[cells // n_levels] / len(first) * column_counts[cells % n_levels]
    phi_squared = float((counts / expected * (counts / len(first))).sum()) - 1
    return float(np.sqrt(min(1.0, max(0.0, phi_squared / (min_levels - 1)))))


def distribution_distances(original: Codes, masked: Codes) -> tuple[float, float]:
    """Return the total variation and the Hellinger distance of two columns of codes from 0."""
    n_codes = int(max(original.max(), masked.max())) + 1
    if is_sparse(n_codes, len(original)):
        dense_codes = np.unique(np.concatenate([original, masked]), return_inverse=True)[1].ravel()
        original, masked = np.split(dense_codes, [len(original)])
        n_codes = int(dense_codes.max()) + 1
    p, q = (np.bincount(codes, minlength=n_codes) / len(codes) for codes in (original, masked))
    hellinger = ((np.sqrt(p) - np.sqrt(q)) ** 2).sum() / 2
    return float(np.abs(p - q).sum() / 2), float(np.sqrt(hellinger))
