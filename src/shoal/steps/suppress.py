"""Suppress cells until every class holds at least k records."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal._params import K
from shoal.errors import CellsSuppressed, InputError
from shoal.frame.codes import codes
from shoal.frame.new_values import RowGather
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.metrics import classes, units_per_class
from shoal.steps._step import Step, StepResult
from shoal.steps.units import number_needed, read_units

Codes = NDArray[np.int64]
Cells = NDArray[np.bool_]


class Suppress(Step):
    """Suppress cells of records in small classes until every class has k records [SS98]_.

    A class is a set of records with the same released values. A suppressed cell counts as a
    value of its own, which matches other suppressed cells only. This is the stricter of two
    definitions: where a suppressed cell matches any value, k-anonymity holds all the more.

    All records in classes of fewer than k lose the cell of one column, the one that brings most
    of them into a class of k. Those that remain lose a second cell, and so on. If fewer than k
    records remain without any cell, records of another class lose the cells that they do not
    share with these and join them. Finding the least number of cells is hard, and this heuristic
    does not always find it.

    Columns of any type can be masked; cells that are not suppressed stay as they are. The step
    hides which record of a class is whose, but not that a record had rare values: its suppressed
    cells show that.

    Parameters
    ----------
    columns : list of str
        Columns that define the classes and whose cells may be suppressed; of columns that serve
        equally well, the last one named loses cells.
    k : int
        Minimum number of records in a class. It has no default: it is the guarantee.
    unit : str, optional
        Column whose values k counts, dropped from the release. Defaults to the column with the
        role ``unit`` or ``household``.

    References
    ----------
    .. [SS98] Samarati, P. and Sweeney, L. (1998). Protecting privacy when disclosing
       information: k-anonymity and its enforcement through generalization and
       suppression. Technical Report SRI-CSL-98-04, SRI International.
    """

    name = "suppress"
    paper = "SS98"
    accepts_any_kind = True
    promises = "k-anonymity"

    def __init__(self, columns: Sequence[str], k: K, *, unit: str | None = None):
        self.columns = as_list(columns)
        self._k = k
        self.unit = unit
        self._validate()

    @property
    def k(self) -> int:
        """Minimum number of records, or of units, in a class."""
        return self._k

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        units = "" if self.unit is None else f", counted in units of {self.unit!r},"
        return (
            f"Cells were suppressed until k-anonymity with k = {self.k}{units} held; a suppressed"
            " cell counts as a value of its own."
        )

    @property
    def numeric_columns(self) -> list[str]:
        """None: the step compares values without computing with them."""
        return []

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the masked values of ``frame``."""
        del confidential, types
        units = None if self.unit is None else read_units(frame, self.unit)
        n_units = len(frame) if units is None else int(units.max()) + 1
        if n_units < self.k:
            what = "records" if units is None else "units"
            raise InputError(
                f"A class needs k={self.k} {what} but the data hold only {n_units}. Lower k.",
                code="too-few-records" if units is None else "too-few-units",
                k=self.k,
            )
        cells = cells_to_suppress(codes(frame, self.columns), self.k, units)
        own_rows = np.arange(len(frame))
        counts = cells.sum(axis=0)
        by_column = ", ".join(f"{n!r} {c}" for n, c in zip(self.columns, counts, strict=True) if c)
        return StepResult(
            {n: RowGather(own_rows, empty) for n, empty in zip(self.columns, cells.T, strict=True)},
            warnings=(
                (
                    CellsSuppressed(
                        f"{counts.sum()} of {cells.size} cells were suppressed in"
                        f" {cells.any(axis=1).sum()} records: {by_column}.",
                        code="cells-suppressed",
                        count=int(counts.sum()),
                    ),
                )
                if counts.any()
                else ()
            ),
        )


def cells_to_suppress(codes: Codes, k: int, units: Codes | None = None) -> Cells:
    """Return which cells to suppress so that every class has at least k records, or units.

    Parameters
    ----------
    codes : ndarray of shape (n_records, n_columns)
        The values as integer codes.
    k : int
        Minimum size of a class; at most the number of records, or of units.
    units : ndarray of shape (n_records,), optional
        The unit of each record, where units are counted.

    Returns
    -------
    ndarray of shape (n_records, n_columns)
        True where a cell is to be suppressed.

    Examples
    --------
    >>> cells_to_suppress(np.array([[1, 5], [1, 5], [2, 6], [2, 7]]), k=2).tolist()
    [[False, False], [False, False], [False, True], [False, True]]
    """
    cells = np.zeros(codes.shape, bool)
    units = np.arange(len(codes)) if units is None else units
    small = np.flatnonzero(_class_sizes(codes, units) < k)  # records in classes of fewer than k
    kept = list(range(codes.shape[1]))
    while len(small) and kept:
        enough = [
            _class_sizes(codes[small][:, [c for c in kept if c != lost]], units[small]) >= k
            for lost in kept
        ]
        best = max(range(len(kept)), key=lambda at: (enough[at].sum(), kept[at]))
        cells[small, kept.pop(best)] = True
        small = small[~enough[best]]
    if len(small):
        _fill_empty_class(codes, cells, small, k, units)
    return cells


def _fill_empty_class(codes: Codes, cells: Cells, empty: Codes, k: int, units: Codes) -> None:
    """Add records of another class to the fewer than k records ``empty`` that have no cell left.

    The other class is the one that loses the fewest cells by this: those that it does not share
    with the empty records, in as many of its records as it can spare, or else in all of them.
    """
    labels = classes(np.where(cells, -1, codes))
    n_records, n_units = np.bincount(labels), units_per_class(labels, units)
    first = np.unique(labels, return_index=True)[1]
    constant = (codes[empty] == codes[empty[0]]).all(axis=0)
    shared = constant & (codes[first] == codes[empty[0]]) & ~cells[first]
    lacking = k - len(np.unique(units[empty]))
    n_joining = np.where(n_units - lacking >= k, lacking, n_records)
    cost = n_joining * (~shared & ~cells[first]).sum(axis=1) - len(empty) * shared.sum(axis=1)
    cost[labels[empty[0]]] = np.iinfo(np.int64).max  # the class of the empty records itself
    best = int(np.argmin(cost))
    members = np.flatnonzero(labels == best)[::-1]
    members = members[: number_needed(units[empty], units[members], k)]
    cells[np.concatenate([empty, members])] = ~shared[best]


def _class_sizes(codes: Codes, units: Codes) -> Codes:
    """Return for each record the number of units in its class."""
    labels = classes(codes)
    return np.asarray(units_per_class(labels, units)[labels])
