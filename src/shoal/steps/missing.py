"""What to do with missing values: records with the same holes are grouped together."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.frame.columns import Column
from shoal.metrics.givers import givers
from shoal.partitioners import Partition
from shoal.steps.units import enough

Matrix = NDArray[np.float64]
Holes = NDArray[np.bool_]
Rows = NDArray[np.int64]
Groups = Mapping[str, Partition]


def same_pattern(hole: Holes) -> list[Rows]:
    """Return the records of each pattern of missing cells."""
    pattern = np.unique(hole, axis=0, return_inverse=True)[1].ravel()
    return np.split(np.argsort(pattern, kind="stable"), np.cumsum(np.bincount(pattern))[:-1])


def join_patterns(
    hole: Holes, Z: Matrix, columns: Rows, k: int, units: Rows | None = None
) -> Holes:
    """Suppress further cells until every pattern of missing cells has at least ``k`` records.

    Take the pattern with the fewest records. It can be joined with any other:
    its records lose what the other lacks, and so many records of the other that
    both patterns attain k (all, if the other has too few to spare) lose what it
    lacks. The other is the one that costs the fewest cells; who loses is nearest to
    the mean of the small pattern on the columns that both know. Ties go to a pattern that
    is small itself, then to the one with fewer missing cells, then to the one whose
    missing cells stand later.

    Parameters
    ----------
    hole : ndarray of shape (n_records, n_columns)
        Where a value is missing.
    Z : ndarray of shape (n_records, n_axes)
        The columns as axes.
    columns : ndarray of shape (n_axes,)
        The column of each axis.
    k : int
        Least number of records in a pattern, or of units; at most there are.
    units : ndarray of shape (n_records,), optional
        The unit of each record, where units are counted.

    Returns
    -------
    ndarray of shape (n_records, n_columns)
        Where a value is missing or suppressed.
    """
    hole = hole.copy()
    held = {tuple(hole[rows[0]].tolist()): rows for rows in same_pattern(hole)}
    while True:
        patterns = np.array(sorted(held))
        records = np.array([len(held[tuple(pattern)]) for pattern in patterns.tolist()])
        counts = records if units is None else _units_in(held, patterns, units)
        small = int(np.argmin(counts))
        if counts[small] >= k:
            return hole
        other, donors = _cheapest(patterns, counts, records, small, k)
        union = patterns[small] | patterns[other]
        few, many = (held.pop(tuple(patterns[at].tolist())) for at in (small, other))
        seen = ~union[columns]
        centre = Z[few][:, seen].mean(axis=0)
        order = np.argsort(((Z[many][:, seen] - centre) ** 2).sum(axis=1), kind="stable")
        if donors and units is not None:
            there = held.get(tuple(union.tolist()), many[:0])
            donors = enough(units[np.concatenate([few, there])], units[many[order]], k)
        joined = np.concatenate([few, many[order[:donors]]])
        hole[joined] = union
        if donors < len(many):
            held[tuple(patterns[other].tolist())] = np.sort(many[order[donors:]])
        there = held.get(tuple(union.tolist()), many[:0])
        held[tuple(union.tolist())] = np.sort(np.concatenate([there, joined]))


def _units_in(held: Mapping[tuple[bool, ...], Rows], patterns: Holes, units: Rows) -> Rows:
    """Return the number of units with each pattern."""
    return np.array([len(np.unique(units[held[tuple(p)]])) for p in patterns.tolist()])


def _cheapest(patterns: Holes, counts: Rows, records: Rows, small: int, k: int) -> tuple[int, int]:
    """Return the pattern to join ``small`` with, and how many of its records must change.

    ``counts`` are units; a unit that must change counts as one record, the least it has.
    """
    own, fewest = patterns[small], counts[small]
    union = patterns | own
    number = {row.tobytes(): count for row, count in zip(patterns, counts, strict=True)}
    there = np.array([number.get(row.tobytes(), 0) for row in union])
    stays = (union == own).all(axis=1)  # then its own records are counted there
    need = np.clip(k - there - np.where(stays, 0, fewest), 0, None)
    donors = np.where(counts - need >= k, need, records)
    donors[(union == patterns).all(axis=1)] = 0  # the other lacks all that already
    cells = records[small] * (union & ~own).sum(axis=1) + donors * (union & ~patterns).sum(axis=1)
    cells[small] = np.iinfo(np.int64).max
    best = int(np.lexsort((patterns.sum(axis=1), counts >= k, cells))[0])
    return best, int(donors[best])


def told(
    columns: Sequence[Column],
    released: Mapping[str, Holes],
    groups: Groups,
    *,
    imputed: bool = False,
) -> list[str]:
    """Say which cells were suppressed or filled in, and on how few values that rests.

    Parameters
    ----------
    columns : list of Column
        The columns as they came.
    released : mapping of str to ndarray
        Where the released columns have no value.
    groups : mapping of str to Partition
        The groups of each column.
    imputed : bool
        Whether missing values were filled in, and no patterns joined.

    Returns
    -------
    list of str
        A sentence for each thing that happened.
    """
    before = {column.name: column.is_missing for column in columns}
    hidden = {name: int((released[name] & ~hole).sum()) for name, hole in before.items()}
    filled = {name: int((~released[name] & hole).sum()) for name, hole in before.items()}
    thin = {name: _thin(groups[name], hole) for name, hole in before.items() if filled[name]}
    found = []
    if any(hidden.values()):
        found.append(
            f"{_cells(hidden)} suppressed: the other records of the group have no value, and that"
            " of a single record is not released for all."
            if imputed
            else f"{_cells(hidden)} suppressed, to join patterns of missing cells that fewer than k"
            " records share."
        )
    if any(filled.values()):
        found.append(f"{_cells(filled)} missing and now hold{_s(filled)} the value of the group.")
    if any(thin.values()):
        found.append(
            f"In some groups ({_listed(thin)}) the released value rests on fewer than k known"
            " values: all records show it, but fewer gave it."
        )
    return found


def _thin(groups: Partition, hole: Holes) -> int:
    """Count the groups whose released value two or more, but fewer than k, records gave."""
    known = givers(groups.labels, ~hole)
    return int(((known > 1) & (known < groups.k)).sum())


def _cells(counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    cells, were = ("cell", "was") if total == 1 else ("cells", "were")
    return f"{total} {cells} ({_listed(counts)}) {were}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name!r} {number}" for name, number in counts.items() if number)


def _s(counts: Mapping[str, int]) -> str:
    return "s" if sum(counts.values()) == 1 else ""
