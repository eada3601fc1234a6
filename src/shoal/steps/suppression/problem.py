"""The problem of local suppression: distinct rows, the weights of columns, and k."""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.steps._distinct_records import MAX_KEY, align_counts, combine_columns, renumber_keys

if TYPE_CHECKING:
    from shoal.steps.suppression.assignment import Assignment

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]
Weights = NDArray[np.float64]
Rows = Codes | slice

ALL_ROWS = slice(None)

MAX_PATTERNS = 4096  # patterns that are enumerated; those of fewest columns come first
# Weight of a cell of importance 0, as a share of the least weight: not 0, so that such cells are
# not suppressed needlessly.
FREE_WEIGHT = 1e-6


class Attempt(NamedTuple):
    """A pattern to try on groups of at least ``min_size``, at a cost for each of their records."""

    cost: float
    min_size: int
    pattern: int


class Problem:
    """Distinct rows of a table in which cells are to be suppressed.

    Patterns are bit masks: bit j is set if column j has no value.

    Parameters
    ----------
    codes : ndarray of shape (n_records, n_columns)
        The values as integers from 0.
    missing : ndarray of shape (n_records, n_columns)
        Whether a value was missing before; it cannot be suppressed and matches suppressed cells.
    k : int
        Minimum size of a class; at most the number of records, or of units.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if units are counted.
    importance : sequence of float, optional
        Weight of a cell of each column; 1 by default.
    counts : ndarray of shape (n_records,), optional
        Number of records that each of ``codes`` stands for; 1 by default.
    """

    def __init__(
        self,
        codes: Codes,
        missing: Mask,
        k: int,
        units: Codes | None = None,
        importance: Sequence[float] | None = None,
        counts: Codes | None = None,
    ):
        self.k, self.n_columns = k, codes.shape[1]
        self.importance = np.ones(self.n_columns) if importance is None else np.array(importance)
        positive = self.importance[self.importance > 0]
        min_weight = float(positive.min()) if len(positive) else 1.0
        self.weights = np.where(self.importance > 0, self.importance, FREE_WEIGHT * min_weight)
        sizes = codes.max(axis=0) + 2  # code 0 stands for a missing value
        columns = [
            np.where(is_missing, 0, code + 1)
            for is_missing, code in zip(missing.T, codes.T, strict=True)
        ]
        if units is not None:
            columns, sizes = [*columns, units], np.append(sizes, units.max() + 1)
        n_rows, self.row_of_record = combine_columns(columns, sizes)
        first_records = np.zeros(n_rows, np.int64)
        first_records[self.row_of_record[::-1]] = np.arange(len(codes))[::-1]
        self.codes = np.empty((n_rows, self.n_columns), np.int64, order="F")
        for i, column in enumerate(columns[: self.n_columns]):
            self.codes[:, i] = column[first_records]
        self.units = None if units is None else units[first_records]
        self.record_counts = np.bincount(self.row_of_record, counts, n_rows).astype(np.int64)
        self.missing = _as_patterns(self.codes == 0)
        self._keys = _Keys(self.codes, sizes[: self.n_columns])
        self._counts = counts
        self.n_records = int(self.record_counts.sum())

    @property
    def full_pattern(self) -> int:
        """The pattern of a record without any value."""
        return int((1 << self.n_columns) - 1)

    @property
    def is_complete(self) -> list[bool]:
        """Whether each column has no missing value."""
        return [bool(column.all()) for column in (self.codes != 0).T]

    @property
    def has_whole_weights(self) -> bool:
        """Whether all weights of columns are whole numbers."""
        return bool((self.weights == np.rint(self.weights)).all())

    def weight(self, pattern: int | Codes, weights: Weights | None = None) -> Weights:
        """Return the total weight of the columns in one or several patterns."""
        column_weights = self.weights if weights is None else weights
        total = np.zeros(np.shape(pattern))
        for column, weight in enumerate(column_weights):
            total += weight * ((np.asarray(pattern) >> column) & 1)
        return total

    def patterns(self) -> Iterator[int]:
        """Yield patterns, the lightest first; among equal ones, those of later columns first.

        Where there are too many, patterns of few columns and the full one are yielded.
        """
        patterns = np.array(sorted(self._enumerate()))
        columns = np.zeros(len(patterns), np.int64)
        for column in range(self.n_columns):
            columns += (patterns >> column) & 1
        order = np.lexsort([-patterns, columns, np.round(self.weight(patterns), 9)])
        yield from patterns[order].tolist()

    @cached_property
    def attempts(self) -> list[Attempt]:
        """Patterns with sizes of groups, the cheapest first; of equal cost, the largest groups.

        A group of s < k records needs k - s further ones, which cost as much. Attempts of equal
        cost and size are in the order of `patterns`.
        """
        attempts = []
        for pattern in self.patterns():
            weight = round(float(self.weight(pattern)), 9)
            for size in range(1, self.k + 1):
                attempts.append(Attempt(round(weight * self.k / size, 9), size, pattern))
        return sorted(attempts, key=lambda attempt: (attempt.cost, -attempt.min_size))

    @property
    def has_all_patterns(self) -> bool:
        """Whether `patterns` yields every pattern."""
        return bool(1 << self.n_columns <= MAX_PATTERNS)

    @property
    def min_excluded_weight(self) -> float:
        """The least weight of the patterns that `patterns` leaves out."""
        return float(np.sort(self.weights)[: self._max_columns + 1].sum())

    @property
    def _max_columns(self) -> int:
        """The greatest number of columns for which all patterns are enumerated."""
        n_columns, n_patterns = 0, 1
        while n_patterns + math.comb(self.n_columns, n_columns + 1) <= MAX_PATTERNS:
            n_columns += 1
            n_patterns += math.comb(self.n_columns, n_columns)
        return n_columns

    def _enumerate(self) -> set[int]:
        """Return all patterns, or those of few columns and a chain of them to the full one."""
        if self.has_all_patterns:
            return set(range(1 << self.n_columns))
        patterns = {
            sum(1 << column for column in columns)
            for n_chosen in range(self._max_columns + 1)
            for columns in combinations(range(self.n_columns), n_chosen)
        }
        chain = 0  # a chain of patterns to the full one: the least important columns first
        for column in sorted(range(self.n_columns), key=lambda j: (self.weights[j], -j)):
            chain |= 1 << column
            patterns.add(chain)
        return patterns

    def keys(self, pattern: int, rows: Rows = ALL_ROWS) -> Codes:
        """Return integers that are equal where rows agree in the columns outside a pattern."""
        return self._keys(pattern, rows)

    def span(self, pattern: int) -> int:
        """Return a number that is above all keys of a pattern."""
        return self._keys.span(pattern)

    def labels(self, pattern: int, rows: Rows = ALL_ROWS) -> tuple[int, Codes]:
        """Return the number of distinct keys of rows, and the keys renumbered from 0."""
        return renumber_keys(self.keys(pattern, rows), self.span(pattern))

    def fits(self, pattern: int, rows: Rows = ALL_ROWS) -> Mask:
        """Return whether rows have a value in all columns outside a pattern."""
        return np.asarray(self.missing[rows] & ~pattern == 0)

    def sizes(
        self, labels: Codes, n_labels: int, rows: Rows, record_counts: Codes | None = None
    ) -> Codes:
        """Return the number of units, or else of records, with each label.

        ``record_counts`` is the number of records of each row to count; all of them by default.
        """
        if self.units is not None:
            n_units = int(self.units.max()) + 1
            pairs = np.unique(labels * n_units + self.units[rows])
            return np.bincount(pairs // n_units, minlength=n_labels)
        counts = self.record_counts[rows] if record_counts is None else record_counts
        return np.bincount(labels, counts, n_labels).astype(np.int64)

    def split_entries(self, pieces: "Assignment") -> tuple[Codes, Codes, Codes]:
        """Split the records that were given to the problem where they get different patterns.

        Parameters
        ----------
        pieces : Assignment
            The pieces of the rows, sorted by row.

        Returns
        -------
        entry, record_counts, pattern
            For each piece of an entry of the constructor's ``codes``: that entry, ascending; the
            number of records, and their pattern.
        """
        order = np.argsort(self.row_of_record, kind="stable")
        counts = np.ones(len(order), np.int64) if self._counts is None else self._counts
        part_entries, part_pieces, record_counts = align_counts(counts[order], pieces.record_counts)
        by_entry = np.argsort(order[part_entries], kind="stable")
        return (
            order[part_entries][by_entry],
            record_counts[by_entry],
            pieces.pattern[part_pieces][by_entry],
        )

    def cells(self, entries: Codes, patterns: Codes) -> Mask:
        """Return which cells of entries of ``codes`` are suppressed, given their patterns."""
        suppressed_bits = patterns & ~self.missing[self.row_of_record[entries]]
        return np.column_stack(
            [suppressed_bits >> column & 1 == 1 for column in range(self.n_columns)]
        )


class _Keys:
    """Integers that stand for the values of rows in the columns outside a pattern."""

    def __init__(self, codes: Codes, sizes: Codes):
        self.columns, self.sizes = codes.T, [int(size) for size in sizes]
        self._last: tuple[int, int, Codes] = (-1, 0, np.empty(0, np.int64))

    def span(self, pattern: int) -> int:
        """Return a number that is above all keys of a pattern."""
        span = math.prod(size for j, size in enumerate(self.sizes) if not pattern >> j & 1)
        return span if span <= MAX_KEY else self._labels(pattern)[0]

    def __call__(self, pattern: int, rows: Rows) -> Codes:
        columns = [j for j in range(len(self.sizes)) if not pattern >> j & 1]
        if not columns:
            return np.zeros(len(self.columns[0][rows]), np.int64)
        if math.prod(self.sizes[j] for j in columns) > MAX_KEY:
            return self._labels(pattern)[1][rows]
        keys: Codes = self.columns[columns[0]][rows].copy()
        for column in columns[1:]:
            keys *= self.sizes[column]
            keys += self.columns[column][rows]
        return keys

    def _labels(self, pattern: int) -> tuple[int, Codes]:
        """Return labels instead of keys that would be too large, cached for the last pattern."""
        if self._last[0] != pattern:
            columns = [j for j in range(len(self.sizes)) if not pattern >> j & 1]
            labels = combine_columns(
                [self.columns[j] for j in columns], [self.sizes[j] for j in columns]
            )
            self._last = (pattern, *labels)
        return self._last[1:]


def _as_patterns(mask: Mask) -> Codes:
    """Return the columns that are True in each row of a mask, as a pattern."""
    pattern = np.zeros(len(mask), np.int64)
    for column in range(mask.shape[1]):
        pattern |= mask[:, column].astype(np.int64) << column
    return pattern
