"""An assignment of patterns to rows; a row may be split into pieces with different patterns."""

import numpy as np

from shoal.steps._distinct_records import combine_columns
from shoal.steps.suppression.problem import Codes, Mask, Problem, Weights

UNDECIDED = -1


class Assignment:
    """Pieces of rows with their patterns.

    At first each row is one piece. Pieces in classes of k or more keep all their cells, and the
    others are undecided.

    Attributes
    ----------
    row, record_counts, pattern : ndarray of shape (n_pieces,)
        The row of each piece, its number of records, and its pattern.
    """

    def __init__(self, problem: Problem, is_below_k: Mask):
        self.problem = problem
        self.row = np.arange(len(problem.record_counts))
        self.record_counts = problem.record_counts.copy()
        self.pattern = np.where(is_below_k, UNDECIDED, problem.missing)

    @property
    def undecided_pieces(self) -> Codes:
        """The pieces without a pattern."""
        return np.flatnonzero(self.pattern == UNDECIDED)

    def weights(self, pieces: Codes, pattern: int | Codes) -> Weights:
        """Return the weight that a record of each piece loses with a pattern."""
        problem = self.problem
        return problem.weight(pattern) - problem.weight(problem.missing[self.row[pieces]])

    def total(self) -> float:
        """Return the weight of all suppressed cells."""
        pieces = np.arange(len(self.row))
        return float(self.weights(pieces, self.pattern) @ self.record_counts)

    def keys(self, pattern: int, pieces: Codes) -> Codes:
        """Return the keys of pieces with a pattern."""
        return self.problem.keys(pattern, self.row[pieces])

    def pieces_that_fit(self, pattern: int, pieces: Codes) -> Codes:
        """Return the pieces that can have a pattern."""
        return pieces[self.problem.fits(pattern, self.row[pieces])]

    def sizes(self, labels: Codes, n_labels: int, pieces: Codes) -> Codes:
        """Return the number of units, or else of records, of pieces with each label."""
        return self.problem.sizes(labels, n_labels, self.row[pieces], self.record_counts[pieces])

    def labels(self) -> tuple[int, Codes]:
        """Return the number of classes and the class of each piece; all must have a pattern."""
        labels, n_classes = np.zeros(len(self.row), np.int64), 0
        for pattern in np.unique(self.pattern).tolist():
            pieces = np.flatnonzero(self.pattern == pattern)
            n_new, new_labels = combine_columns(
                [self.keys(pattern, pieces)], [self.problem.span(pattern)]
            )
            labels[pieces] = new_labels + n_classes
            n_classes += n_new
        return n_classes, labels

    def split(self, pieces: Codes, record_counts: Codes, pattern: int) -> None:
        """Give a pattern to some records of each piece; a piece changed as a whole is not split."""
        is_whole = record_counts == self.record_counts[pieces]
        self.pattern[pieces[is_whole]] = pattern
        split_pieces, moved_counts = pieces[~is_whole], record_counts[~is_whole]
        self.record_counts[split_pieces] -= moved_counts
        self.row = np.concatenate([self.row, self.row[split_pieces]])
        self.record_counts = np.concatenate([self.record_counts, moved_counts])
        self.pattern = np.concatenate([self.pattern, np.full(len(split_pieces), pattern)])

    def copy(self) -> "Assignment":
        """Return a copy that can be changed independently."""
        copied = object.__new__(Assignment)
        copied.problem = self.problem
        copied.row, copied.record_counts, copied.pattern = map(
            np.copy, (self.row, self.record_counts, self.pattern)
        )
        return copied

    def merge_pieces(self) -> None:
        """Join the pieces of a row that have the same pattern."""
        order = np.lexsort((self.pattern, self.row))
        row, pattern = self.row[order], self.pattern[order]
        starts = np.flatnonzero(np.append(True, (np.diff(row) != 0) | (np.diff(pattern) != 0)))
        self.record_counts = np.add.reduceat(self.record_counts[order], starts)
        self.row, self.pattern = row[starts], pattern[starts]

    def sorted_by_row(self) -> "Assignment":
        """Return a copy whose pieces are sorted by row, and in a row by weight of pattern."""
        order = np.lexsort((self.pattern, self.problem.weight(self.pattern), self.row))
        ordered = self.copy()
        ordered.row, ordered.record_counts, ordered.pattern = (
            values[order] for values in (self.row, self.record_counts, self.pattern)
        )
        return ordered
