"""Strata: sets of records with equal values in the given columns, which no group crosses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal._text import count
from shoal.errors import InputError, ShoalWarning, StrataMerged
from shoal.frame.codes import codes
from shoal.frame.replacement import RowGather
from shoal.frame.tables import Frame
from shoal.partitioners._base import squared_distances

Codes = NDArray[np.int64]
Matrix = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FrameStrata:
    """The strata of a table.

    Parameters
    ----------
    frame : Frame
        The table.
    columns : list of str
        The columns whose values define the strata, or an empty list if the table is not split.
    rows : list of ndarray
        The records of each stratum, in order.
    source_rows : ndarray of shape (n_records,), optional
        If strata were merged, the record whose values each record gets in ``columns``.
    warnings : tuple of ShoalWarning
        A warning about merged strata, if there are any.
    """

    frame: Frame
    columns: Sequence[str]
    rows: list[Rows]
    source_rows: Rows | None = None
    warnings: tuple[ShoalWarning, ...] = ()

    def location_phrase(self, stratum: int) -> str:
        """Return a phrase that names a stratum in a message, such as " of stratum 2 of 5 ...".

        A stratum is named by its number, because the values that define a small stratum may
        identify a person.
        """
        if not self.columns:
            return ""
        names = ", ".join(map(repr, self.columns))
        number = f"{stratum + 1:,} of {len(self.rows):,}"
        return f" of stratum {number} (of {names}, in order of appearance)"

    @property
    def released_values(self) -> dict[str, RowGather]:
        """The values that the columns get if strata were merged, otherwise an empty dict."""
        if self.source_rows is None:
            return {}
        none_missing = np.zeros(len(self.source_rows), bool)
        return {name: RowGather(self.source_rows, none_missing) for name in self.columns}


def split_strata(frame: Frame, columns: Sequence[str]) -> FrameStrata:
    """Return the strata that ``columns`` define; without columns, the table is one stratum."""
    if not columns:
        return FrameStrata(frame, columns, [np.arange(len(frame))])
    key = codes(frame, columns)
    stratum = np.unique(key, axis=0, return_inverse=True)[1].ravel()
    rows = np.split(np.argsort(stratum, kind="stable"), np.cumsum(np.bincount(stratum))[:-1])
    return FrameStrata(frame, columns, rows)


def refuse_small_strata(
    strata: FrameStrata, k: int, units: Codes | None = None, noun: str = "records"
) -> None:
    """Refuse strata of fewer than k records, or of fewer than k units if ``units`` is given."""
    if not strata.columns:
        return
    sizes = _sizes(strata.rows, units)
    refuse_small_sizes(sizes, k, columns=strata.columns, noun=noun)


def refuse_small_sizes(
    sizes: Sequence[int], k: int, *, columns: Sequence[str], noun: str = "records"
) -> None:
    """Refuse sizes of strata below k; the message names their ``columns``, but no stratum."""
    n_small = sum(size < k for size in sizes)
    if not n_small:
        return
    names = ", ".join(map(repr, columns))
    verb = "holds" if n_small == 1 else "hold"
    raise InputError(
        f"{n_small:,} of {len(sizes):,} strata of {names} {verb} fewer than k={k} {noun}, the"
        f" smallest {min(sizes):,}. Choose a coarser column for `within`, lower k, or set"
        ' `small_strata="merge"`.',
        code="strata-below-k",
        columns=tuple(columns),
        small=n_small,
        strata=len(sizes),
        smallest=min(sizes),
        k=k,
    )


def merge_small_strata(
    strata: FrameStrata, k: int, Z: Matrix, units: Codes | None = None, noun: str = "records"
) -> FrameStrata:
    """Join strata of fewer than k records with their nearest neighbours until none is left.

    The smallest stratum is joined first, with the stratum whose mean is nearest; ties go to the
    stratum that comes first. In the columns that define the strata, all records of joined strata
    get the values of the largest one. If they kept their own values, classes of fewer than k could
    result.

    Parameters
    ----------
    strata : FrameStrata
        The strata to start from.
    k : int
        Minimum number of records, or of units, in a stratum.
    Z : ndarray of shape (n_records, n_axes)
        The masked columns on a common scale.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if units are counted.
    noun : str
        What is counted, for messages.

    Returns
    -------
    FrameStrata
        Strata of at least k, with a warning if any were merged.
    """

    def rows_of(group: Sequence[int]) -> Rows:
        return np.sort(np.concatenate([strata.rows[i] for i in group]))

    sizes = _sizes(strata.rows, units)
    members = join_small_strata(
        len(sizes),
        k,
        lambda group: _sizes([rows_of(group)], units)[0],
        lambda group: Z[rows_of(group)].mean(axis=0),
    )
    if len(members) == len(sizes):
        return strata
    rows = [rows_of(group) for group in members]
    largest = largest_strata(members, sizes)
    source_rows = np.arange(len(Z))
    for joined_rows, i in zip(rows, largest, strict=True):
        in_largest = np.isin(joined_rows, strata.rows[i])
        source_rows[joined_rows[~in_largest]] = strata.rows[i][0]
    record_counts = [len(stratum) for stratum in strata.rows]
    sentence = describe_merged_strata(
        members, sizes, record_counts, k, columns=strata.columns, noun=noun
    )
    return FrameStrata(strata.frame, strata.columns, rows, source_rows, (StrataMerged(sentence),))


def join_small_strata(
    n_strata: int,
    k: int,
    size: Callable[[Sequence[int]], int],
    centre: Callable[[Sequence[int]], Matrix],
) -> list[list[int]]:
    """Return which strata to join so that none holds fewer than k; see `merge_small_strata`.

    Parameters
    ----------
    n_strata : int
        Number of strata.
    k : int
        Minimum size of the joined strata.
    size, centre : callable
        Functions of a list of strata that return their joint size and mean.

    Returns
    -------
    list of list of int
        The original strata in each joined stratum.
    """
    members = [[i] for i in range(n_strata)]
    sizes = [size(group) for group in members]
    centres = np.array([centre(group) for group in members])
    while len(members) > 1 and min(sizes) < k:
        smallest = int(np.argmin(sizes))
        first, second = sorted((smallest, _nearest_stratum(centres, smallest)))
        members[first] += members.pop(second)
        sizes.pop(second)
        sizes[first] = size(members[first])
        centres = np.delete(centres, second, axis=0)
        centres[first] = centre(members[first])
    return members


def _nearest_stratum(centres: Matrix, smallest: int) -> int:
    """Return the other stratum whose mean is nearest to the mean of ``smallest``."""
    with np.errstate(over="ignore", invalid="ignore"):
        distances = squared_distances(centres, centres[smallest])
    others = np.delete(np.arange(len(centres)), smallest)
    # Squares of huge values are infinite or not a number; such strata count as equally distant.
    return int(others[np.argmin(np.nan_to_num(distances[others], nan=np.inf, posinf=np.inf))])


def largest_strata(members: Sequence[Sequence[int]], sizes: Sequence[int]) -> list[int]:
    """Return the largest original stratum of each joined stratum; ties go to the first."""
    return [max(group, key=lambda stratum: (sizes[stratum], -stratum)) for group in members]


def describe_merged_strata(
    members: Sequence[Sequence[int]],
    sizes: Sequence[int],
    record_counts: Sequence[int],
    k: int,
    *,
    columns: Sequence[str],
    noun: str = "records",
) -> str:
    """Return a sentence on the merged strata, without their values, which the release hides.

    ``members`` are the strata in each joined stratum, ``sizes`` the number of records or units that
    k counts in each stratum, and ``record_counts`` the number of records of each stratum.
    """
    n_small = sum(size < k for size in sizes)
    joined_and_largest = zip(members, largest_strata(members, sizes), strict=True)
    n_moved = sum(
        record_counts[i] for group, largest in joined_and_largest for i in group if i != largest
    )
    return (
        f"{n_small:,} of {len(sizes):,} strata held fewer than k={k} {noun} and"
        f" {'was' if n_small == 1 else 'were'} merged with the nearest stratum."
        f" {count(n_moved, 'record')} of merged strata now"
        f" {'shows' if n_moved == 1 else 'show'} the values of the largest of them in"
        f" {', '.join(map(repr, columns))}."
    )


def _sizes(rows: Sequence[Rows], units: Codes | None) -> list[int]:
    """Return the number of records of each stratum, or of units if ``units`` is given."""
    if units is None:
        return [len(stratum) for stratum in rows]
    return [len(np.unique(units[stratum])) for stratum in rows]
