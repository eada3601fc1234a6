"""Minimal sample uniques by all combinations of columns."""

from itertools import combinations


def minimal_uniques(rows, largest):
    """Return for each record the sets of columns that are minimal sample uniques."""
    n_columns = len(rows[0])
    minimal = [[] for _ in rows]
    for size in range(1, largest + 1):
        for columns in combinations(range(n_columns), size):
            keys = [tuple(row[c] for c in columns) for row in rows]
            for record, key in enumerate(keys):
                if keys.count(key) > 1 or any(row is None for row in key):
                    continue
                if not any(set(subset) <= set(columns) for subset in minimal[record]):
                    minimal[record].append(columns)
    return minimal
