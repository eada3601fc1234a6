"""Strata: parts of a table that no group crosses."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.table import frame as tables
from shoal.table.frame import Frame

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Strata:
    """The records of each stratum.

    Parameters
    ----------
    rows : list of ndarray
        The records of each stratum, in order.
    names : list of str
        What to call each; empty where the table is not split.
    """

    rows: list[Rows]
    names: list[str]

    def where(self, at: int) -> str:
        """Return what to add to a sentence about the records of a stratum."""
        return f" of stratum {self.names[at]}" if self.names[at] else ""


def split(frame: Frame, columns: Sequence[str], k: int) -> Strata:
    """Return the strata that the values of ``columns`` make; refuse one that is too small."""
    if not columns:
        return Strata([np.arange(len(frame))], [""])
    key = tables.codes(frame, columns)
    stratum = np.unique(key, axis=0, return_inverse=True)[1].ravel()
    rows = np.split(np.argsort(stratum, kind="stable"), np.cumsum(np.bincount(stratum))[:-1])
    strata = Strata(rows, [_name(frame, columns, part[0]) for part in rows])
    _refuse_small(strata, k)
    return strata


def _refuse_small(strata: Strata, k: int) -> None:
    sizes = [len(rows) for rows in strata.rows]
    small = sum(size < k for size in sizes)
    if 2 * small > len(sizes):  # no strata at all: their names may be persons
        raise InputError(
            f"A group needs k={k} records but {small} of {len(sizes)} strata hold fewer. Choose a"
            " coarser column for within."
        )
    if small:
        smallest = int(np.argmin(sizes))
        raise InputError(
            f"A group needs k={k} records but stratum {strata.names[smallest]} holds"
            f" {sizes[smallest]}. Lower k, or merge strata."
        )


def _name(frame: Frame, columns: Sequence[str], record: int) -> str:
    """Return what to call the stratum of a record."""
    values = tables.values_at(frame, columns, int(record))
    return repr(", ".join(str(value) for value in values))
