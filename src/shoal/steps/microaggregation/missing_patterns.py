"""Patterns of missing cells: patterns that fewer than k records share are joined with others."""

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

    Until every pattern has k records, the pattern with the fewest records is joined with a partner:
    the pattern for which the fewest cells are suppressed. The records of the small pattern lose the
    cells that the partner lacks. As many records of the partner join them as are needed for k, or
    all if the others would be fewer than k, and lose the cells that the small pattern lacks.
    Records near the mean of the small pattern, on the columns known in both, join first. Ties
    between partners go to a pattern of fewer than k records, then to the pattern with fewer missing
    cells, then to the pattern whose missing cells are in later columns.

    Parameters
    ----------
    missing : ndarray of shape (n_records, n_columns)
        True where a value is missing.
    Z : ndarray of shape (n_records, n_axes)
        The columns as axes.
    columns : ndarray of shape (n_axes,)
        The column of each axis.
    k : int
        Minimum number of records, or of units, with a pattern; at most their number in the table.
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
        record_counts = np.array([len(rows_of[tuple(pattern)]) for pattern in patterns.tolist()])
        counts = record_counts if units is None else _count_units(rows_of, patterns, units)
        smallest = int(np.argmin(counts))
        if counts[smallest] >= k:
            return missing
        partner, n_donors = _cheapest_partner(patterns, counts, record_counts, smallest, k)
        common_pattern = patterns[smallest] | patterns[partner]
        smallest_rows = rows_of.pop(tuple(patterns[smallest].tolist()))
        partner_rows = rows_of.pop(tuple(patterns[partner].tolist()))
        is_shared = ~common_pattern[columns]
        centre = Z[smallest_rows][:, is_shared].mean(axis=0)
        distances = squared_distances(Z[partner_rows][:, is_shared], centre)
        donors = partner_rows[np.argsort(distances, kind="stable")]
        rows_with_pattern = rows_of.get(tuple(common_pattern.tolist()), partner_rows[:0])
        if n_donors and units is not None:
            present_units = units[np.concatenate([smallest_rows, rows_with_pattern])]
            n_donors = n_candidates_needed(present_units, units[donors], k)
        joined_rows = np.concatenate([smallest_rows, donors[:n_donors]])
        missing[joined_rows] = common_pattern
        if n_donors < len(donors):
            rows_of[tuple(patterns[partner].tolist())] = np.sort(donors[n_donors:])
        rows_with_pattern = rows_of.get(tuple(common_pattern.tolist()), partner_rows[:0])
        rows_of[tuple(common_pattern.tolist())] = np.sort(
            np.concatenate([rows_with_pattern, joined_rows])
        )


def _count_units(rows_of: Mapping[tuple[bool, ...], Rows], patterns: Mask, units: Rows) -> Rows:
    """Return the number of units with each pattern."""
    return np.array([len(np.unique(units[rows_of[tuple(p)]])) for p in patterns.tolist()])


def _cheapest_partner(
    patterns: Mask, counts: Rows, record_counts: Rows, smallest: int, k: int
) -> tuple[int, int]:
    """Return the pattern to join ``smallest`` with, and how many of its records must change.

    If units are counted, ``counts`` is the number of units with each pattern. The number of records
    that must change is then estimated by the number of units that must, the minimum possible.
    """
    smallest_pattern = patterns[smallest]
    common_patterns = patterns | smallest_pattern
    count_by_pattern = {row.tobytes(): count for row, count in zip(patterns, counts, strict=True)}
    n_with_common = np.array([count_by_pattern.get(row.tobytes(), 0) for row in common_patterns])
    # If ``smallest`` itself is the common pattern, ``n_with_common`` includes its records.
    is_smallest_pattern = (common_patterns == smallest_pattern).all(axis=1)
    n_needed = np.clip(
        k - n_with_common - np.where(is_smallest_pattern, 0, counts[smallest]), 0, None
    )
    n_donors = np.where(counts - n_needed >= k, n_needed, record_counts)
    n_donors[(common_patterns == patterns).all(axis=1)] = 0  # the other pattern loses no cell
    n_cells = record_counts[smallest] * (common_patterns & ~smallest_pattern).sum(axis=1)
    n_cells += n_donors * (common_patterns & ~patterns).sum(axis=1)
    n_cells[smallest] = np.iinfo(np.int64).max
    cheapest = int(np.lexsort((patterns.sum(axis=1), counts >= k, n_cells))[0])
    return cheapest, int(n_donors[cheapest])
