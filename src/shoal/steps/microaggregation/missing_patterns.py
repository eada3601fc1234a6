"""Patterns of missing cells, and how those that fewer than k records share are joined."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.partitioners._base import squared_distances
from shoal.steps.constraints.units import n_candidates_needed

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]


def group_by_pattern(missing: Mask) -> list[Rows]:
    """Return the records of each pattern of missing cells."""
    pattern = np.unique(missing, axis=0, return_inverse=True)[1].ravel()
    return np.split(np.argsort(pattern, kind="stable"), np.cumsum(np.bincount(pattern))[:-1])


def join_patterns(
    missing: Mask, Z: Matrix, columns: Rows, k: int, units: Rows | None = None
) -> Mask:
    """Suppress further cells until every pattern of missing cells has at least ``k`` records.

    The pattern with the fewest records is joined with another one, until all have k. Its records
    lose the cells that the other pattern lacks. As many records of the other pattern join them as
    are needed for k, or all if the others would be fewer than k, and lose the cells that the small
    pattern lacks; those nearest to its mean, on the columns known in both, come first. The other
    pattern is the one that costs the fewest cells. Ties go to a pattern that is small itself, then
    to the one with fewer missing cells, then to the one whose missing cells are in later columns.

    Parameters
    ----------
    missing : ndarray of shape (n_records, n_columns)
        True where a value is missing.
    Z : ndarray of shape (n_records, n_axes)
        The columns as axes.
    columns : ndarray of shape (n_axes,)
        The column of each axis.
    k : int
        Minimum number of records, or of units, with a pattern; at most the number there are.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if units are counted.

    Returns
    -------
    ndarray of shape (n_records, n_columns)
        True where a value is missing or suppressed.
    """
    missing = missing.copy()
    rows_of = {tuple(missing[rows[0]].tolist()): rows for rows in group_by_pattern(missing)}
    while True:
        patterns = np.array(sorted(rows_of))
        records = np.array([len(rows_of[tuple(pattern)]) for pattern in patterns.tolist()])
        counts = records if units is None else _count_units(rows_of, patterns, units)
        smallest = int(np.argmin(counts))
        if counts[smallest] >= k:
            return missing
        other, n_donors = _cheapest_partner(patterns, counts, records, smallest, k)
        common_pattern = patterns[smallest] | patterns[other]
        smallest_rows = rows_of.pop(tuple(patterns[smallest].tolist()))
        other_rows = rows_of.pop(tuple(patterns[other].tolist()))
        is_shared = ~common_pattern[columns]
        centre = Z[smallest_rows][:, is_shared].mean(axis=0)
        distances = squared_distances(Z[other_rows][:, is_shared], centre)
        donors = other_rows[np.argsort(distances, kind="stable")]
        rows_with_pattern = rows_of.get(tuple(common_pattern.tolist()), other_rows[:0])
        if n_donors and units is not None:
            present_units = units[np.concatenate([smallest_rows, rows_with_pattern])]
            n_donors = n_candidates_needed(present_units, units[donors], k)
        joined_rows = np.concatenate([smallest_rows, donors[:n_donors]])
        missing[joined_rows] = common_pattern
        if n_donors < len(donors):
            rows_of[tuple(patterns[other].tolist())] = np.sort(donors[n_donors:])
        rows_with_pattern = rows_of.get(tuple(common_pattern.tolist()), other_rows[:0])
        rows_of[tuple(common_pattern.tolist())] = np.sort(
            np.concatenate([rows_with_pattern, joined_rows])
        )


def _count_units(rows_of: Mapping[tuple[bool, ...], Rows], patterns: Mask, units: Rows) -> Rows:
    """Return the number of units with each pattern."""
    return np.array([len(np.unique(units[rows_of[tuple(p)]])) for p in patterns.tolist()])


def _cheapest_partner(
    patterns: Mask, counts: Rows, records: Rows, smallest: int, k: int
) -> tuple[int, int]:
    """Return the pattern to join ``smallest`` with, and how many of its records must change.

    ``counts`` are the units with each pattern, if units are counted. A unit that must change counts
    as one record, the least that it can have.
    """
    smallest_pattern = patterns[smallest]
    common_patterns = patterns | smallest_pattern
    count_of = {row.tobytes(): count for row, count in zip(patterns, counts, strict=True)}
    n_present = np.array([count_of.get(row.tobytes(), 0) for row in common_patterns])
    # Where the common pattern is the smallest one, ``n_present`` includes its records.
    is_smallest_pattern = (common_patterns == smallest_pattern).all(axis=1)
    n_needed = np.clip(k - n_present - np.where(is_smallest_pattern, 0, counts[smallest]), 0, None)
    n_donors = np.where(counts - n_needed >= k, n_needed, records)
    n_donors[(common_patterns == patterns).all(axis=1)] = 0  # the other pattern loses no cell
    n_cells = records[smallest] * (common_patterns & ~smallest_pattern).sum(axis=1)
    n_cells += n_donors * (common_patterns & ~patterns).sum(axis=1)
    n_cells[smallest] = np.iinfo(np.int64).max
    best = int(np.lexsort((patterns.sum(axis=1), counts >= k, n_cells))[0])
    return best, int(n_donors[best])
