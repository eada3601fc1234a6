"""Missing values: join patterns of missing cells, and describe what was suppressed or imputed."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.frame.columns import Column
from shoal.metrics.findings.contributors import count_contributors
from shoal.partitioners import Partition
from shoal.steps.units import n_candidates_needed

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]
Groups = Mapping[str, Partition]


def group_by_pattern(missing: Mask) -> list[Rows]:
    """Return the records of each pattern of missing cells."""
    pattern = np.unique(missing, axis=0, return_inverse=True)[1].ravel()
    return np.split(np.argsort(pattern, kind="stable"), np.cumsum(np.bincount(pattern))[:-1])


def join_patterns(
    missing: Mask, Z: Matrix, columns: Rows, k: int, units: Rows | None = None
) -> Mask:
    """Suppress further cells until every pattern of missing cells has at least ``k`` records.

    The pattern with the fewest records is joined with another one. Its records lose the cells
    that the other pattern lacks. The other pattern gives as many records as both need to attain
    k, or all if it cannot spare them, and these lose the cells that the small pattern lacks. The
    other pattern is the one that costs the fewest cells; its records nearest to the mean of the
    small pattern, on the columns known in both, are given first. Ties go to a pattern that is
    small itself, then to the one with fewer missing cells, then to the one whose missing cells
    are in later columns.

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
        smallest_rows, other_rows = (
            rows_of.pop(tuple(patterns[i].tolist())) for i in (smallest, other)
        )
        is_shared = ~common_pattern[columns]
        centre = Z[smallest_rows][:, is_shared].mean(axis=0)
        distances = ((Z[other_rows][:, is_shared] - centre) ** 2).sum(axis=1)
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


def describe_missing(
    columns: Sequence[Column],
    released: Mapping[str, Mask],
    groups: Groups,
    *,
    is_imputed: bool = False,
) -> list[str]:
    """Return sentences on the cells that were suppressed or imputed.

    Parameters
    ----------
    columns : list of Column
        The original columns.
    released : mapping of str to ndarray
        True where a released column has no value.
    groups : mapping of str to Partition
        The groups of each column.
    is_imputed : bool
        Whether missing values were imputed; otherwise patterns were joined.

    Returns
    -------
    list of str
        At most one sentence each on suppressed cells, on imputed cells, and on groups whose
        value rests on fewer than k values.
    """
    original = {column.name: column.is_missing for column in columns}
    n_suppressed = {
        name: int((released[name] & ~was_missing).sum()) for name, was_missing in original.items()
    }
    n_imputed = {
        name: int((~released[name] & was_missing).sum()) for name, was_missing in original.items()
    }
    n_groups_of_few = {
        name: _few_values(groups[name], was_missing)
        for name, was_missing in original.items()
        if n_imputed[name]
    }
    sentences = []
    if any(n_suppressed.values()):
        sentences.append(
            f"{_count_cells_phrase(n_suppressed)} suppressed: the other records of the group have"
            " no value, and the value of a single record is not released for all."
            if is_imputed
            else f"{_count_cells_phrase(n_suppressed)} suppressed, to join patterns of missing"
            " cells that fewer than k records share."
        )
    if any(n_imputed.values()):
        sentences.append(
            f"{_count_cells_phrase(n_imputed)} missing and now hold{_verb_ending(n_imputed)} the"
            " value of the group."
        )
    if any(n_groups_of_few.values()):
        sentences.append(
            f"In some groups ({list_counts(n_groups_of_few)}) the released value rests on fewer"
            " than k known values: all records show it, but fewer contributed to it."
        )
    return sentences


def _few_values(groups: Partition, missing: Mask) -> int:
    """Return the number of groups with at least two values, but fewer than k."""
    n_contributing = count_contributors(groups.labels, ~missing)
    return int(((n_contributing > 1) & (n_contributing < groups.k)).sum())


def _count_cells_phrase(counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    cells, verb = ("cell", "was") if total == 1 else ("cells", "were")
    return f"{total} {cells} ({list_counts(counts)}) {verb}"


def list_counts(counts: Mapping[str, int]) -> str:
    """Return the counts above 0 by column, for a sentence."""
    return ", ".join(f"{name!r} {number}" for name, number in counts.items() if number)


def _verb_ending(counts: Mapping[str, int]) -> str:
    return "s" if sum(counts.values()) == 1 else ""
