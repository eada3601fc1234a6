"""Recode columns to coarser categories until every class holds at least k records."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np

from shoal._params import Between, K
from shoal.errors import InputError, ValuesGeneralised
from shoal.frame.new_values import RowGather, TextColumn
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.steps._step import Step, StepResult
from shoal.steps.hierarchies import RecodedColumn, RecodingLoss, read_hierarchy
from shoal.steps.lattice import Lattice, Optimum, search
from shoal.steps.units import read_units


class Generalise(Step):
    """Recode each column to one level of its hierarchy, with the least loss [SS98]_.

    All values of a column are replaced by their ancestors at the same level (full-domain
    recoding). Of all combinations of levels whose classes hold at least k records, the one with
    the least loss is released; the search is exact. Records in smaller classes may be suppressed
    up to a limit, and then all their cells are empty.

    The hierarchies are those of the column types: a ``hierarchy``, or ``prefixes``. A column
    without a hierarchy either keeps its values or becomes ``*`` as a whole.

    Parameters
    ----------
    columns : list of str
        Columns to recode.
    k : int
        Minimum number of records in a class. It has no default: it is the guarantee.
    suppression : float
        Greatest share of the records that may be suppressed.
    loss : {"distinctions", "entropy"}
        What is minimised, averaged over all cells: the share of the other values of its hierarchy
        that a cell is no longer told from, or the bits that would tell it from those values, as a
        share of all bits of the column (non-uniform entropy).
    unit : str, optional
        Column whose values k counts, dropped from the release. Defaults to the column with the
        role ``unit`` or ``household``.

    References
    ----------
    .. [SS98] Samarati, P. and Sweeney, L. (1998). Protecting privacy when disclosing
       information: k-anonymity and its enforcement through generalization and
       suppression. Technical Report SRI-CSL-98-04, SRI International.
    """

    name = "generalise"
    paper = "SS98"
    accepts_any_kind = True
    promises = "k-anonymity"

    def __init__(
        self,
        columns: Sequence[str],
        k: K,
        *,
        suppression: Annotated[float, Between(0, 1)] = 0.0,
        loss: RecodingLoss = "distinctions",
        unit: str | None = None,
    ):
        self.columns = as_list(columns)
        self._k = k
        self.suppression = suppression
        self.loss = loss
        self.unit = unit
        self._validate()

    @property
    def k(self) -> int:
        """Minimum number of records, or of units, in a class."""
        return self._k

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        units = "" if self.unit is None else f", counted in units of {self.unit!r}"
        return f"Values were generalised until k-anonymity with k = {self.k}{units} held."

    @property
    def recoded_columns(self) -> list[str]:
        """The columns whose released values are categories of another level."""
        return self.columns

    @property
    def numeric_columns(self) -> list[str]:
        """None: the step compares values without computing with them."""
        return []

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the recoded values of ``frame``."""
        del confidential
        types = types or {}
        units = None if self.unit is None else read_units(frame, self.unit)
        columns = [read_hierarchy(frame, n, types.get(n), self.loss) for n in self.columns]
        lattice = Lattice(
            np.column_stack([column.codes for column in columns]),
            [column.levels for column in columns],
            self.k,
            int(self.suppression * len(frame)),
            units,
        )
        found = search(lattice)
        if found is None:
            what = "records" if units is None else "units"
            raise InputError(
                f"A class needs k={self.k} {what}, and the data hold fewer. Lower k.",
                code="too-few-records" if units is None else "too-few-units",
                k=self.k,
            )
        values = {
            column.name: self._released(column, level, found)
            for column, level in zip(columns, found.node, strict=True)
        }
        return StepResult(values, warnings=(self._describe(columns, found),))

    def _released(
        self, column: RecodedColumn, level: int, found: Optimum
    ) -> RowGather | TextColumn:
        if level == 0:
            return RowGather(np.arange(len(column.codes)), found.suppressed)
        labels = column.released(level)
        labels[found.suppressed] = None
        return TextColumn(labels)

    def _describe(self, columns: Sequence[RecodedColumn], found: Optimum) -> ValuesGeneralised:
        levels = ", ".join(
            f"{column.name!r} {level} of {len(column.labels) - 1}"
            for column, level in zip(columns, found.node, strict=True)
        )
        suppressed = int(found.suppressed.sum())
        records = f" {suppressed:,} records were suppressed." if suppressed else ""
        return ValuesGeneralised(
            f"Columns were recoded to levels of their hierarchies: {levels}. {100 * found.loss:.3g}"
            f" % of the {self.loss} were lost, the least of all {found.nodes:,} combinations of"
            f" levels.{records}",
            code="values-generalised",
            columns=tuple(self.columns),
            figures={
                "loss": found.loss,
                "suppressed": suppressed,
                "evaluated": found.evaluated,
                "nodes": found.nodes,
                "levels": {
                    column.name: column.use_of_levels(np.where(found.suppressed, -1, level))
                    for column, level in zip(columns, found.node, strict=True)
                },
            },
        )
