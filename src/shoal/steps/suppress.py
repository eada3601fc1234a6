"""Cells of records that few others look like are left empty."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal._params import K
from shoal.errors import CellsSuppressed, InputError
from shoal.frame import tables
from shoal.frame.tables import Frame, RowGather
from shoal.frame.types import Type
from shoal.metrics import classes, units_per_class
from shoal.steps._step import Outcome, Step, named
from shoal.steps.units import enough, read_units

Codes = NDArray[np.int64]
Cells = NDArray[np.bool_]


class Suppress(Step):
    """Empty cells of records in small classes until every class has k records [SS98]_.

    A class is a set of records with the same released values, where an empty cell
    counts as a value like any other: the strict reading, under which a hole does not
    look like the value that it hides. So it is k-anonymity in the full sense, and under
    the other reading, by which a hole looks like everything, all the more.

    Records in classes of fewer than k lose, all in the same column, the cell that
    brings the most of them into a class of k; those still alone lose a second cell,
    and so on. If fewer than k records are left without any cell, records of another
    class join them and lose what they do not share. The least number of cells is hard
    to find, and this is not always it.

    Columns of any type can be masked; what is not suppressed stays as it is. Who is
    in a class is hidden; that a record stood out is not, for its holes tell.

    Parameters
    ----------
    columns : list of str
        Columns that classes are counted on and cells are taken from; where it
        makes no difference, columns named later lose first.
    k : int
        Least number of records that look alike. It has no default: it is the
        guarantee.
    unit : str, optional
        Column whose values k counts; by itself the column with the role ``unit`` or
        ``household``. It is dropped.

    References
    ----------
    .. [SS98] Samarati, P. and Sweeney, L. (1998). Protecting privacy when disclosing
       information: k-anonymity and its enforcement through generalization and
       suppression. Technical Report SRI-CSL-98-04, SRI International.
    """

    name = "suppress"
    paper = "SS98"
    of_any_kind = True
    promises = "k-anonymity"

    def __init__(self, columns: Sequence[str], k: K, *, unit: str | None = None):
        self.columns = named(columns)
        self._k = k
        self.unit = unit
        self._settle()

    @property
    def k(self) -> int:
        """Least number of records that look alike."""
        return self._k

    @property
    def guarantee(self) -> str:
        """What the step promises, in sentences for the report."""
        units = "" if self.unit is None else f", counted in units of {self.unit!r},"
        return (
            f"Cells were suppressed until k-anonymity with k = {self.k}{units} held; an empty cell"
            " counts as a value like any other."
        )

    @property
    def numbers(self) -> list[str]:
        """No column: values are compared, not computed with."""
        return []

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> Outcome:
        """Return the masked values of ``frame``."""
        del confidential, types
        units = None if self.unit is None else read_units(frame, self.unit)
        number = len(frame) if units is None else int(units.max()) + 1
        if number < self.k:
            what = "records" if units is None else "units"
            raise InputError(
                f"A class needs k={self.k} {what} but the data hold only {number}. Lower k.",
                code="too-few-records" if units is None else "too-few-units",
                k=self.k,
            )
        cells = cells_to_suppress(tables.codes(frame, self.columns), self.k, units)
        every = np.arange(len(frame))
        lost = cells.sum(axis=0)
        told = ", ".join(f"{n!r} {c}" for n, c in zip(self.columns, lost, strict=True) if c)
        return Outcome(
            {n: RowGather(every, hole) for n, hole in zip(self.columns, cells.T, strict=True)},
            warnings=(
                (
                    CellsSuppressed(
                        f"{lost.sum()} of {cells.size} cells were suppressed in"
                        f" {cells.any(axis=1).sum()} records: {told}.",
                        code="cells-suppressed",
                        count=int(lost.sum()),
                    ),
                )
                if lost.any()
                else ()
            ),
        )


def cells_to_suppress(codes: Codes, k: int, units: Codes | None = None) -> Cells:
    """Return which cells to empty so that every class has at least k records, or units.

    Parameters
    ----------
    codes : ndarray of shape (n_records, n_columns)
        Numbers that stand for the values.
    k : int
        Least size of a class, at most the number of records, or of units.
    units : ndarray of shape (n_records,), optional
        The unit of each record, where units are counted.

    Returns
    -------
    ndarray of shape (n_records, n_columns)
        True where a cell is to be emptied.

    Examples
    --------
    >>> cells_to_suppress(np.array([[1, 5], [1, 5], [2, 6], [2, 7]]), k=2).tolist()
    [[False, False], [False, False], [False, True], [False, True]]
    """
    cells = np.zeros(codes.shape, bool)
    units = np.arange(len(codes)) if units is None else units
    alone = np.flatnonzero(_sizes(codes, units) < k)
    kept = list(range(codes.shape[1]))
    while len(alone) and kept:
        saved = [
            _sizes(codes[alone][:, [c for c in kept if c != lost]], units[alone]) >= k
            for lost in kept
        ]
        best = max(range(len(kept)), key=lambda at: (saved[at].sum(), kept[at]))
        cells[alone, kept.pop(best)] = True
        alone = alone[~saved[best]]
    if len(alone):
        _join(codes, cells, alone, k, units)
    return cells


def _join(codes: Codes, cells: Cells, bare: Codes, k: int, units: Codes) -> None:
    """Let records of another class look like the fewer than k that are left without cells.

    The class is the one that loses the fewest cells by it: all that it does not share
    with those records, in as many records as it can spare or else in all of them.
    """
    number = classes(np.where(cells, -1, codes))
    records, size = np.bincount(number), units_per_class(number, units)
    first = np.unique(number, return_index=True)[1]
    alike = (codes[bare] == codes[bare[0]]).all(axis=0)
    shared = alike & (codes[first] == codes[bare[0]]) & ~cells[first]
    lacking = k - len(np.unique(units[bare]))
    joining = np.where(size - lacking >= k, lacking, records)
    lost = joining * (~shared & ~cells[first]).sum(axis=1) - len(bare) * shared.sum(axis=1)
    lost[number[bare[0]]] = np.iinfo(np.int64).max  # they cannot help themselves
    best = int(np.argmin(lost))
    members = np.flatnonzero(number == best)[::-1]
    members = members[: enough(units[bare], units[members], k)]
    cells[np.concatenate([bare, members])] = ~shared[best]


def _sizes(codes: Codes, units: Codes) -> Codes:
    """Return for each record the number of units in its class."""
    number = classes(codes)
    return np.asarray(units_per_class(number, units)[number])
