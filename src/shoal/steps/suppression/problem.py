"""The problem of local suppression: distinct rows, the weights of columns, and k."""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.steps._distinct_records import MAX_KEY, align_counts, label_distinct_rows, renumber_keys

if TYPE_CHECKING:
    from shoal.steps.suppression.assignment import Assignment

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]
Weights = NDArray[np.float64]
Rows = Codes | slice

ALL_ROWS = slice(None)

MAX_PATTERNS = 4096  # patterns to enumerate; if there are more, only patterns of few columns are
# Weight of a cell of importance 0, as a share of the smallest positive weight. It is not 0, so that
# such cells are not suppressed needlessly.
FREE_WEIGHT = 1e-6


class Attempt(NamedTuple):
    """A pattern to try on groups of at least ``min_size`` records, and its cost for each record."""

    cost: float
    min_size: int
    pattern: int


class SuppressionProblem:
    """Distinct rows of a table in which cells are to be suppressed.

    An *entry* is a row of ``codes``, which stands for one record or for several equal ones. A *row*
    of the problem stands for all entries with the same values and unit. An `Assignment` divides the
    records of a row into *pieces*, each with one *pattern*: a bit mask, in which bit j is set if
    column j has no value.

    Parameters
    ----------
    codes : ndarray of shape (n_entries, n_columns)
        The values as integers from 0.
    missing : ndarray of shape (n_entries, n_columns)
        True where a value was missing before. Such cells cannot be suppressed, and match suppressed
        cells.
    k : int
        Minimum size of a class; at most the number of records, or of units.
    units : ndarray of shape (n_entries,), optional
        The unit of each entry, if units are counted.
    importance : sequence of float, optional
        Weight of a cell of each column; 1 by default.
    counts : ndarray of shape (n_entries,), optional
        Number of records that each entry stands for; 1 by default.
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
        self.k = k
        self.n_columns = codes.shape[1]
        self.importance = np.ones(self.n_columns) if importance is None else np.array(importance)
        positive_importance = self.importance[self.importance > 0]
        min_weight = float(positive_importance.min()) if len(positive_importance) else 1.0
        self.weights = np.where(self.importance > 0, self.importance, FREE_WEIGHT * min_weight)
        sizes = codes.max(axis=0) + 2  # code 0 stands for a missing value
        columns = [
            np.where(is_missing, 0, code + 1)
            for is_missing, code in zip(missing.T, codes.T, strict=True)
        ]
        if units is not None:
            columns, sizes = [*columns, units], np.append(sizes, units.max() + 1)
        n_rows, self.row_of_entry = label_distinct_rows(columns, sizes)
        first_entries = np.zeros(n_rows, np.int64)
        first_entries[self.row_of_entry[::-1]] = np.arange(len(codes))[::-1]
        self.codes = np.empty((n_rows, self.n_columns), np.int64, order="F")
        for i, column in enumerate(columns[: self.n_columns]):
            self.codes[:, i] = column[first_entries]
        self.units = None if units is None else units[first_entries]
        self.record_counts = np.bincount(self.row_of_entry, counts, n_rows).astype(np.int64)
        self.missing = _patterns_of_mask(self.codes == 0)
        self._row_keys = _RowKeys(self.codes, sizes[: self.n_columns])
        self._counts = counts
        self.n_records = int(self.record_counts.sum())

    @property
    def full_pattern(self) -> int:
        """The pattern of a record without any value."""
        return int((1 << self.n_columns) - 1)

    @property
    def complete_columns(self) -> list[bool]:
        """Whether each column is free of missing values, as a list."""
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
        """Yield patterns, the lightest first.

        If weights are equal, patterns of fewer columns come first, then patterns of later columns.

        If there are more than `MAX_PATTERNS`, only patterns of few columns and a chain of patterns
        up to the full one are yielded.
        """
        patterns = np.array(sorted(self._enumerate_patterns()))
        columns = np.zeros(len(patterns), np.int64)
        for column in range(self.n_columns):
            columns += (patterns >> column) & 1
        order = np.lexsort([-patterns, columns, np.round(self.weight(patterns), 9)])
        yield from patterns[order].tolist()

    @cached_property
    def attempts(self) -> list[Attempt]:
        """Patterns with sizes of groups, the cheapest first; if costs are equal, the largest first.

        A group of s < k records needs k - s further records, each of which loses the same weight.
        Attempts of equal cost and size are in the order of `patterns`.
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
        """The minimum weight of the patterns that `patterns` leaves out."""
        return float(np.sort(self.weights)[: self._max_columns + 1].sum())

    @property
    def _max_columns(self) -> int:
        """The largest number of columns for which all patterns are enumerated."""
        n_columns = 0
        n_patterns = 1
        while n_patterns + math.comb(self.n_columns, n_columns + 1) <= MAX_PATTERNS:
            n_columns += 1
            n_patterns += math.comb(self.n_columns, n_columns)
        return n_columns

    def _enumerate_patterns(self) -> set[int]:
        """Return the patterns that `patterns` yields, unordered."""
        if self.has_all_patterns:
            return set(range(1 << self.n_columns))
        patterns = {
            sum(1 << column for column in columns)
            for n_chosen in range(self._max_columns + 1)
            for columns in combinations(range(self.n_columns), n_chosen)
        }
        nested_pattern = 0  # columns are added to it in the order of their weights
        for column in sorted(range(self.n_columns), key=lambda j: (self.weights[j], -j)):
            nested_pattern |= 1 << column
            patterns.add(nested_pattern)
        return patterns

    def keys(self, pattern: int, rows: Rows = ALL_ROWS) -> Codes:
        """Return a key of each row; rows that agree outside the pattern have equal keys."""
        return self._row_keys.keys(pattern, rows)

    def span(self, pattern: int) -> int:
        """Return a number that is above all keys of a pattern."""
        return self._row_keys.span(pattern)

    def labels(self, pattern: int, rows: Rows = ALL_ROWS) -> tuple[int, Codes]:
        """Return the number of classes of the rows under a pattern, and the class of each row."""
        return renumber_keys(self.keys(pattern, rows), self.span(pattern))

    def fits(self, pattern: int, rows: Rows = ALL_ROWS) -> Mask:
        """Return whether rows have a value in all columns outside a pattern."""
        return np.asarray(self.missing[rows] & ~pattern == 0)

    def sizes(
        self, labels: Codes, n_labels: int, rows: Rows, record_counts: Codes | None = None
    ) -> Codes:
        """Return the number of units, or of records without units, with each label.

        ``record_counts`` is the number of records to count of each row; by default, all its
        records.
        """
        if self.units is not None:
            n_units = int(self.units.max()) + 1
            pairs = np.unique(labels * n_units + self.units[rows])
            return np.bincount(pairs // n_units, minlength=n_labels)
        counts = self.record_counts[rows] if record_counts is None else record_counts
        return np.bincount(labels, counts, n_labels).astype(np.int64)

    def split_entries(self, pieces: "Assignment") -> tuple[Codes, Codes, Codes]:
        """Return the patterns of the entries, which may be divided among several pieces.

        Parameters
        ----------
        pieces : Assignment
            The pieces of the rows, sorted by row.

        Returns
        -------
        entries : ndarray of shape (n_parts,)
            The entry that each part belongs to, ascending. A part consists of the records of one
            entry in one piece.
        record_counts : ndarray of shape (n_parts,)
            The number of records of each part.
        patterns : ndarray of shape (n_parts,)
            The pattern of each part.
        """
        entries_by_row = np.argsort(self.row_of_entry, kind="stable")
        counts = np.ones(len(entries_by_row), np.int64) if self._counts is None else self._counts
        position_of_part, piece_of_part, record_counts = align_counts(
            counts[entries_by_row], pieces.record_counts
        )
        entries = entries_by_row[position_of_part]
        order = np.argsort(entries, kind="stable")
        return entries[order], record_counts[order], pieces.patterns[piece_of_part][order]

    def cells(self, entries: Codes, patterns: Codes) -> Mask:
        """Return which cells are suppressed, given entries and their patterns."""
        suppressed_bits = patterns & ~self.missing[self.row_of_entry[entries]]
        return np.column_stack(
            [suppressed_bits >> column & 1 == 1 for column in range(self.n_columns)]
        )


class _RowKeys:
    """Integers that stand for the values of rows in the columns outside a pattern."""

    def __init__(self, codes: Codes, sizes: Codes):
        self.columns = codes.T
        self.sizes = [int(size) for size in sizes]
        self._cached_labels: tuple[int, int, Codes] = (-1, 0, np.empty(0, np.int64))

    def span(self, pattern: int) -> int:
        """Return a number that is above all keys of a pattern."""
        span = math.prod(size for j, size in enumerate(self.sizes) if not pattern >> j & 1)
        return span if span <= MAX_KEY else self._labels(pattern)[0]

    def keys(self, pattern: int, rows: Rows) -> Codes:
        """Return the key of each row; rows with equal values have equal keys."""
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
        if self._cached_labels[0] != pattern:
            columns = [j for j in range(len(self.sizes)) if not pattern >> j & 1]
            labels = label_distinct_rows(
                [self.columns[j] for j in columns], [self.sizes[j] for j in columns]
            )
            self._cached_labels = (pattern, *labels)
        return self._cached_labels[1:]


def _patterns_of_mask(mask: Mask) -> Codes:
    """Return for each row of a mask the pattern of the columns in which it is True."""
    patterns = np.zeros(len(mask), np.int64)
    for column in range(mask.shape[1]):
        patterns |= mask[:, column].astype(np.int64) << column
    return patterns
