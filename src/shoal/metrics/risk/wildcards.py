"""Records that match if a missing cell matches every value."""

import numpy as np

from shoal.metrics._array_types import AnyValues, Counts, Labels, Mask, Rows
from shoal.metrics.equivalence_classes import classes, sizes_per_class


def fewest_matches(released: AnyValues, missing: Mask, units: Labels | None = None) -> int:
    """Return the minimum number of records that a record matches, including itself.

    Two records match if they have the same value in every column in which both have a value. This
    is how sdcMicro counts frequencies of keys. Matching is not an equivalence relation: two records
    that match a third need not match each other.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        Released values, or codes for them.
    missing : ndarray of shape (n_records, n_columns)
        Whether a cell matches every value.
    units : ndarray of shape (n_records,), optional
        The unit of each record; the units among the matches are then counted.

    Returns
    -------
    int
        At least `smallest_class` with missing cells as values of their own. 1 means that at least
        one record matches no other.

    Examples
    --------
    >>> fewest_matches(np.array([[1, 5], [1, 6], [1, 0]]), np.array([[0, 0], [0, 0], [0, 1]]) > 0)
    2
    """
    return _MatchCounter(released, missing, units).fewest()


class _MatchCounter:
    """The numbers of records or units that the records of a table match.

    Equal records are one row here. Rows with the same missing cells have the same pattern.
    """

    def __init__(self, released: AnyValues, missing: Mask, units: Labels | None):
        keys = np.empty(released.shape, np.int64, order="F")
        for i, column in enumerate(released.T):
            keys[:, i] = np.where(missing[:, i], 0, classes(column[:, np.newaxis]) + 1)
        self.row_of_record = classes(keys)
        representatives = np.zeros(int(self.row_of_record.max()) + 1, np.int64)
        representatives[self.row_of_record[::-1]] = np.arange(len(keys))[::-1]
        self.keys = keys[representatives]
        self.units = units
        self.record_counts = np.bincount(self.row_of_record)
        self.sizes = sizes_per_class(self.row_of_record, units)
        self.patterns, self.pattern_of_row = np.unique(
            missing[representatives], axis=0, return_inverse=True
        )
        self.pattern_of_row = self.pattern_of_row.ravel()
        if units is not None:
            order = np.argsort(self.row_of_record, kind="stable")
            self.units_of_row = np.split(units[order], np.cumsum(self.record_counts)[:-1])

    def fewest(self) -> int:
        """Return the minimum number of matches of a row.

        A row matches at least the records equal to it. Matches are therefore counted in the order
        of the number of equal records, until this number reaches the smallest number of matches.
        """
        fewest = len(self.row_of_record)
        order = np.argsort(self.sizes, kind="stable")
        sizes = self.sizes[order]
        start = 0
        while start < len(order) and sizes[start] < fewest:
            end = int(np.searchsorted(sizes, sizes[start], side="right"))
            fewest = min(fewest, self._fewest_of_rows(order[start:end], fewest))
            start = end
        return fewest

    def _fewest_of_rows(self, rows: Rows, fewest: int) -> int:
        """Return the minimum number of matches of ``rows``, or ``fewest`` if that is smaller."""
        if self.units is None:
            return min(fewest, int(self._count_matches(rows).min()))
        bounds = self._count_matches(rows)
        for i in np.argsort(bounds, kind="stable").tolist():
            if bounds[i] >= fewest:
                break
            fewest = min(fewest, self._count_matching_units(int(rows[i]), fewest))
        return fewest

    def _count_matches(self, rows: Rows) -> Counts:
        """Return how many records each row matches, or a lower bound of how many units it matches.

        A unit may have records of several patterns, so numbers of units are not summed over the
        patterns: the bound is the largest number of units that the row matches in one pattern.
        """
        n_matches = np.zeros(len(rows), np.int64)
        for row_pattern in np.unique(self.pattern_of_row[rows]).tolist():
            in_pattern = np.flatnonzero(self.pattern_of_row[rows] == row_pattern)
            for other_pattern in range(len(self.patterns)):
                others = np.flatnonzero(self.pattern_of_row == other_pattern)
                is_compared = ~(self.patterns[row_pattern] | self.patterns[other_pattern])
                cells = self.keys[np.concatenate([rows[in_pattern], others])][:, is_compared]
                labels = classes(cells) if is_compared.any() else np.zeros(len(cells), np.int64)
                own_labels, other_labels = np.split(labels, [len(in_pattern)])
                counts = self._count_labels(other_labels, others, int(labels.max()) + 1)
                if self.units is None:
                    n_matches[in_pattern] += counts[own_labels]
                else:
                    n_matches[in_pattern] = np.maximum(n_matches[in_pattern], counts[own_labels])
        return n_matches

    def _count_labels(self, labels: Labels, rows: Rows, n_labels: int) -> Counts:
        """Return the number of records, or of units, with each label; ``rows`` have ``labels``."""
        if self.units is None:
            return np.bincount(labels, self.record_counts[rows], n_labels).astype(np.int64)
        label_of_row = np.full(len(self.record_counts), -1)
        label_of_row[rows] = labels
        label_of_record = label_of_row[self.row_of_record]
        n_units = int(self.units.max()) + 1
        has_label = label_of_record >= 0
        pairs = np.unique(label_of_record[has_label] * n_units + self.units[has_label])
        return np.bincount(pairs // n_units, minlength=n_labels)

    def _count_matching_units(self, row: int, max_count: int) -> int:
        """Return the number of units that a row matches, at most ``max_count``."""
        key = self.keys[row]
        is_compared = key != 0
        cells = self.keys[:, is_compared]
        matches = np.flatnonzero(((cells == key[is_compared]) | (cells == 0)).all(axis=1))
        matching_units: set[int] = set()
        for match in matches.tolist():
            matching_units.update(self.units_of_row[match].tolist())
            if len(matching_units) >= max_count:
                return max_count
        return len(matching_units)
