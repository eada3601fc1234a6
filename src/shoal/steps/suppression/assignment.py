"""An assignment of patterns to rows; a row may be split into pieces with different patterns."""

import numpy as np

from shoal.steps._distinct_records import label_distinct_rows
from shoal.steps.suppression.problem import Codes, Mask, SuppressionProblem, Weights

UNDECIDED = -1


class Assignment:
    """Pieces of rows with their patterns.

    Initially each row is one piece. Pieces in classes of k or more keep all their cells; the others
    are undecided.

    Attributes
    ----------
    rows, record_counts, patterns : ndarray of shape (n_pieces,)
        The row of each piece, its number of records, and its pattern.
    """

    def __init__(self, problem: SuppressionProblem, is_below_k: Mask):
        self.problem = problem
        self.rows = np.arange(len(problem.record_counts))
        self.record_counts = problem.record_counts.copy()
        self.patterns = np.where(is_below_k, UNDECIDED, problem.missing)

    @property
    def undecided_pieces(self) -> Codes:
        """The pieces without a pattern."""
        return np.flatnonzero(self.patterns == UNDECIDED)

    def weights(self, pieces: Codes, pattern: int | Codes) -> Weights:
        """Return the weight that each record of each piece loses if it gets the given pattern."""
        problem = self.problem
        return problem.weight(pattern) - problem.weight(problem.missing[self.rows[pieces]])

    def total(self) -> float:
        """Return the weight of all suppressed cells."""
        pieces = np.arange(len(self.rows))
        return float(self.weights(pieces, self.patterns) @ self.record_counts)

    def keys(self, pattern: int, pieces: Codes) -> Codes:
        """Return the key of each piece under a pattern; see `SuppressionProblem.keys`."""
        return self.problem.keys(pattern, self.rows[pieces])

    def pieces_that_fit(self, pattern: int, pieces: Codes) -> Codes:
        """Return the pieces that can have a pattern."""
        return pieces[self.problem.fits(pattern, self.rows[pieces])]

    def sizes(self, labels: Codes, n_labels: int, pieces: Codes) -> Codes:
        """Return the number of units, or of records without units, of the pieces of each label."""
        return self.problem.sizes(labels, n_labels, self.rows[pieces], self.record_counts[pieces])

    def labels(self) -> tuple[int, Codes]:
        """Return the number of classes and the class of each piece; all must have a pattern."""
        labels = np.zeros(len(self.rows), np.int64)
        n_classes = 0
        for pattern in np.unique(self.patterns).tolist():
            pieces = np.flatnonzero(self.patterns == pattern)
            n_new, new_labels = label_distinct_rows(
                [self.keys(pattern, pieces)], [self.problem.span(pattern)]
            )
            labels[pieces] = new_labels + n_classes
            n_classes += n_new
        return n_classes, labels

    def split(self, pieces: Codes, record_counts: Codes, pattern: int) -> None:
        """Give a pattern to ``record_counts`` records of each piece.

        A piece is split if only some of its records get the pattern.
        """
        is_whole = record_counts == self.record_counts[pieces]
        self.patterns[pieces[is_whole]] = pattern
        split_pieces = pieces[~is_whole]
        moved_counts = record_counts[~is_whole]
        self.record_counts[split_pieces] -= moved_counts
        self.rows = np.concatenate([self.rows, self.rows[split_pieces]])
        self.record_counts = np.concatenate([self.record_counts, moved_counts])
        self.patterns = np.concatenate([self.patterns, np.full(len(split_pieces), pattern)])

    def copy(self) -> "Assignment":
        """Return a copy that can be changed independently."""
        copied = object.__new__(Assignment)
        copied.problem = self.problem
        copied.rows = self.rows.copy()
        copied.record_counts = self.record_counts.copy()
        copied.patterns = self.patterns.copy()
        return copied

    def merge_pieces(self) -> None:
        """Join the pieces of a row that have the same pattern."""
        order = np.lexsort((self.patterns, self.rows))
        rows, patterns = self.rows[order], self.patterns[order]
        starts = np.flatnonzero(np.append(True, (np.diff(rows) != 0) | (np.diff(patterns) != 0)))
        self.record_counts = np.add.reduceat(self.record_counts[order], starts)
        self.rows, self.patterns = rows[starts], patterns[starts]

    def sorted_by_row(self) -> "Assignment":
        """Return a copy whose pieces are sorted by row, then by the weight of their pattern."""
        order = np.lexsort((self.patterns, self.problem.weight(self.patterns), self.rows))
        ordered = self.copy()
        ordered.rows = self.rows[order]
        ordered.record_counts = self.record_counts[order]
        ordered.patterns = self.patterns[order]
        return ordered
