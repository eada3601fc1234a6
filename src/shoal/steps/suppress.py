"""Local suppression: suppress cells until every class holds at least k records."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from shoal._params import AtLeast, K
from shoal._text import count
from shoal.errors import CellsSuppressed, PlanError
from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.frame.replacement import RowGather
from shoal.frame.roles import as_list, name_columns
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.steps._distinct_records import DistinctResult
from shoal.steps._step import Step, StepResult, too_few_error
from shoal.steps.constraints.units import read_units
from shoal.steps.suppression.minimise import Effort, MissingMeans, Suppression, minimise
from shoal.steps.suppression.problem import SuppressionProblem

Importance = Annotated[float, AtLeast(0)]


class Suppress(Step):
    """Suppress cells of records in small classes until every class has k records [SS98]_.

    A class is a set of records with the same released values. The cells are chosen for a low
    weight: their number, or the sum of the importance of their columns. In small tables, integer
    programming finds the minimum weight; in larger tables, a greedy choice and a local search find
    a low weight. A warning states the number of cells, and a lower bound of the weight.

    Columns of any type can be masked; cells that are not suppressed stay as they are. The step
    hides which record of a class belongs to which person, but not that a record had rare values:
    its suppressed cells reveal that.

    Parameters
    ----------
    columns : list of str
        Columns that define the classes and whose cells may be suppressed. If suppressing either of
        several columns would do equally well, cells of the last one named are suppressed.
    k : int
        Minimum number of records in a class. It has no default: it is the guarantee.
    importance : mapping of str to float or list of float, optional
        Weight of a suppressed cell of each column, 0 or more; 1 for columns that are not named.
        Cells of important columns are kept at the cost of other columns.
    missing_means : {"own", "any"}, default="own"
        How a missing cell counts, whether it is suppressed or was missing before. ``"own"``: as a
        value of its own, which only other missing cells have; every class of records with the same
        released values then holds at least k. ``"any"``: as equal to every value, so fewer cells
        are suppressed; the values that a record still shows occur in at least k records. This
        protects less, because records with suppressed cells may be unique; sdcMicro counts in this
        way.
    effort : {"auto", "refine", "prove"}, default="auto"
        ``"refine"`` makes a greedy choice and a local search. ``"prove"`` proves the minimum
        weight, however long it takes. ``"auto"`` proves the minimum weight on small tables only.
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
    computes_with_values = False
    short_guarantee = "k-anonymity"

    def __init__(
        self,
        columns: Sequence[str],
        k: K,
        *,
        importance: Mapping[str, Importance] | Sequence[Importance] | None = None,
        missing_means: MissingMeans = "own",
        effort: Effort = "auto",
        unit: str | None = None,
    ):
        self.columns = as_list(columns)
        self._k = k
        self.importance = importance
        self.missing_means = missing_means
        self.effort = effort
        self.unit = unit
        self._validate()

    def _validate(self) -> None:
        super()._validate()
        importance = self.importance
        if importance is None:
            return
        reason = ""
        if isinstance(importance, Mapping):
            self.importance = dict(importance)
            unknown_columns = [name for name in importance if name not in self.columns]
            if unknown_columns:
                reason = (
                    f"the step does not mask {name_columns(unknown_columns, 'column', 'columns')}"
                )
        else:
            self.importance = list(importance)
            if len(self.importance) != len(self.columns):
                weights = count(len(self.importance), "weight")
                reason = f"{weights} for {count(len(self.columns), 'column')}"
        if reason or not any(self.weights):
            raise PlanError(
                f"`importance` is not accepted: {reason or 'all weights are 0'}. Give a weight of 0"
                " or more to columns of the step, and at least one above 0.",
                code="importance-not-accepted",
            )

    @property
    def weights(self) -> list[float]:
        """Weight of a suppressed cell of each column, in the order of the columns."""
        if isinstance(self.importance, Mapping):
            return [float(self.importance.get(name, 1.0)) for name in self.columns]
        return [float(weight) for weight in self.importance or [1.0] * len(self.columns)]

    @property
    def k(self) -> int:
        """Minimum number of records, or of units, in a class."""
        return self._k

    @property
    def wildcard_columns(self) -> list[str]:
        """The columns in which a missing cell matches every value."""
        return self.columns if self.missing_means == "any" else []

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        if self.missing_means == "any":
            counted = "records" if self.unit is None else f"units of {self.unit!r}"
            return (
                "Cells were suppressed until the values that a record still shows occurred in at"
                f" least {self.k} {counted}; a suppressed cell matches every value. Records with"
                " suppressed cells may be unique."
            )
        units = "" if self.unit is None else f", counted in units of {self.unit!r},"
        return (
            f"Cells were suppressed until k-anonymity with k = {self.k}{units} held; a suppressed"
            " cell counts as a value of its own."
        )

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the masked values of ``frame``."""
        del confidential, types
        suppression, was_missing = self._minimise(frame, None)
        rows = np.arange(len(frame))
        return StepResult(
            {
                name: RowGather(rows, is_suppressed | is_missing)
                for name, is_suppressed, is_missing in zip(
                    self.columns, suppression.cells.T, was_missing.T, strict=True
                )
            },
            warnings=(self._warning(suppression),) if suppression.cells.any() else (),
        )

    def apply_to_distinct(
        self,
        frame: Frame,
        counts: NDArray[np.int64],
        confidential: Sequence[str],
        types: Mapping[str, Type],
    ) -> DistinctResult:
        """Return the masked values of distinct records, given how often each occurs."""
        del confidential, types
        suppression, was_missing = self._minimise(frame, counts)
        missing_cells = suppression.cells | was_missing[suppression.entries]
        parts = np.arange(len(suppression.entries))
        return DistinctResult(
            suppression.entries,
            suppression.record_counts,
            {
                name: RowGather(parts, is_missing)
                for name, is_missing in zip(self.columns, missing_cells.T, strict=True)
            },
            (self._warning(suppression),) if suppression.cells.any() else (),
        )

    def _minimise(
        self, frame: Frame, counts: NDArray[np.int64] | None
    ) -> tuple[Suppression, NDArray[np.bool_]]:
        """Return the cells to suppress, and the cells that were missing before.

        ``counts`` is the number of records that each row of ``frame`` stands for.
        """
        units = None if self.unit is None else read_units(frame, self.unit)
        n_records = len(frame) if counts is None else int(counts.sum())
        n_units = n_records if units is None else int(units.max()) + 1
        if n_units < self.k:
            noun = "records" if units is None else "units"
            raise too_few_error(self.k, n_units, noun, group_noun="class")
        was_missing = np.column_stack([tables.has_missing(frame, [name]) for name in self.columns])
        problem = SuppressionProblem(
            codes(frame, self.columns), was_missing, self.k, units, self.weights, counts
        )
        return minimise(problem, self.missing_means, self.effort), was_missing

    def _warning(self, suppression: Suppression) -> CellsSuppressed:
        """Return the warning with the number of cells by column, and how many are necessary."""
        counts, n_records = suppression.counts, int(suppression.record_counts.sum())
        has_weights = self.importance is not None
        n_suppressed = int(suppression.record_counts[suppression.cells.any(axis=1)].sum())
        by_column = ", ".join(
            f"{name!r} {number:,}"
            for name, number in zip(self.columns, counts, strict=True)
            if number
        )
        weight_sentence = f" They weigh {suppression.weight:,.6g}." if has_weights else ""
        if suppression.is_optimal:
            # Suppressed cells of other records also match a record; the bound disregards them.
            condition = (
                " to hide every record by its own cells" if self.missing_means == "any" else ""
            )
            lower_value = "lower weight" if has_weights else "smaller number"
            optimality = f"No {lower_value} suffices{condition}: this is proven."
        elif has_weights:
            optimality = f"At least {suppression.bound:,.6g} is necessary."
        else:
            optimality = f"At least {suppression.bound:,.0f} are necessary."
        return CellsSuppressed(
            f"{counts.sum():,} of {n_records * len(counts):,} cells were suppressed in"
            f" {n_suppressed:,} records: {by_column}.{weight_sentence} {optimality}",
            code="cells-suppressed",
            count=int(counts.sum()),
            weight=suppression.weight,
            bound=suppression.bound,
            optimal=suppression.is_optimal,
        )
