"""Full-domain generalisation: recode columns until every class holds at least k records."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from shoal._params import AtLeast, Between, K
from shoal.errors import InputError, ValuesGeneralised
from shoal.frame.replacement import RowGather, TextColumn
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.steps._distinct_records import DistinctResult
from shoal.steps._step import Step, StepResult, too_few_error
from shoal.steps.constraints.privacy_constraint import constraint_sentences, read_privacy_constraint
from shoal.steps.constraints.units import read_units
from shoal.steps.recoding.hierarchies import RecodableColumn, RecodingLoss, read_hierarchy
from shoal.steps.recoding.lattice import Lattice
from shoal.steps.recoding.lattice_search import Optimum, search

LOSS_PHRASES = {  # continue a percentage in a sentence
    "distinctions": "of the distinctions were lost",
    "entropy": "of the entropy was lost",
    "discernibility": "of the pairs of records look alike or are suppressed",
}


class Generalise(Step):
    """Recode each column to one level of its hierarchy, with the least loss [SS98]_.

    All values of a column are replaced by their ancestors at the same level (full-domain
    recoding). The release has the smallest loss of all combinations of levels whose classes hold at
    least k records, and meet l-diversity and t-closeness if these are required; the search is
    exact. Records in classes that fail may be suppressed up to a limit: all cells of a suppressed
    record are empty, and the suppressed records together form a class that must meet the same
    conditions.

    The hierarchies come from the column types; see `shoal.Hierarchy`. A column without a hierarchy
    either keeps its values or becomes ``*`` as a whole.

    Parameters
    ----------
    columns : list of str
        Columns to recode.
    k : int
        Minimum number of records in a class. It has no default: it is the guarantee.
    suppression : float, default=0.0
        Maximum share of the records that may be suppressed.
    loss : {"distinctions", "entropy", "discernibility"}, default="distinctions"
        What is minimised. ``"distinctions"`` is the share of the other values of its hierarchy that
        a cell is no longer distinguished from, averaged over all cells. ``"entropy"`` is the number
        of bits that would distinguish the cell from these values, as a share of all bits of the
        column (non-uniform entropy). ``"discernibility"`` is the share of pairs of records in the
        same class; a suppressed record counts as if it were in a class with all others [BA05]_.
    unit : str, optional
        Column whose values k counts, dropped from the release. Defaults to the column with the
        role ``unit`` or ``household``.
    diversity : float, optional
        The *l* of l-diversity, at least 1: minimum number of values of every confidential column
        in each class.
    diversity_kind : {"distinct", "entropy"}, default="distinct"
        How values are counted: distinct values, or the exponential of their entropy, which is the
        effective number of equally frequent values.
    closeness : float, optional
        The *t* of t-closeness, in [0, 1]: maximum distance between the distribution of every
        confidential column in a class and its distribution in the table.
    max_nodes : int, optional
        Maximum number of combinations of levels to evaluate. If there are more, the best of the
        evaluated ones is released, with a lower bound on the loss of all.

    References
    ----------
    .. [BA05] Bayardo, R. J. and Agrawal, R. (2005). Data privacy through optimal
       k-anonymization. International Conference on Data Engineering 2005, 217-228.
    .. [SS98] Samarati, P. and Sweeney, L. (1998). Protecting privacy when disclosing
       information: k-anonymity and its enforcement through generalization and
       suppression. Technical Report SRI-CSL-98-04, SRI International.
    """

    name = "generalise"
    paper = "SS98"
    accepts_any_kind = True
    computes_with_values = False
    uses_hierarchies = True
    short_guarantee = "k-anonymity; l-diversity and t-closeness on request"

    def __init__(
        self,
        columns: Sequence[str],
        k: K,
        *,
        suppression: Annotated[float, Between(0, 1)] = 0.0,
        loss: RecodingLoss = "distinctions",
        unit: str | None = None,
        diversity: Annotated[float, AtLeast(1)] | None = None,
        diversity_kind: Literal["distinct", "entropy"] = "distinct",
        closeness: Annotated[float, Between(0, 1)] | None = None,
        max_nodes: Annotated[int, AtLeast(1)] | None = None,
    ):
        self.columns = as_list(columns)
        self._k = k
        self.suppression = suppression
        self.loss = loss
        self.unit = unit
        self.diversity = diversity
        self.diversity_kind = diversity_kind
        self.closeness = closeness
        self.max_nodes = max_nodes
        self._validate()

    @property
    def k(self) -> int:
        """Minimum number of records, or of units, in a class."""
        return self._k

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        units = "" if self.unit is None else f", counted in units of {self.unit!r}"
        first_sentence = f"Values were generalised until k-anonymity with k = {self.k}{units} held."
        return " ".join([first_sentence, *constraint_sentences(self)])

    @property
    def keeps_classes(self) -> bool:
        """Whether equal values stay equal, which is so unless records are suppressed."""
        return self.suppression == 0

    @property
    def recoded_columns(self) -> list[str]:
        """The columns whose released values are categories of another level."""
        return self.columns

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the recoded values of ``frame``."""
        return self._recode(frame, confidential, types or {}, None)

    def apply_to_distinct(
        self,
        frame: Frame,
        counts: NDArray[np.int64],
        confidential: Sequence[str],
        types: Mapping[str, Type],
    ) -> DistinctResult:
        """Return the recoded values of distinct records, given how often each occurs."""
        result = self._recode(frame, confidential, types, counts)
        return DistinctResult(np.arange(len(frame)), counts, result.values, result.warnings)

    def _recode(
        self,
        frame: Frame,
        confidential: Sequence[str],
        types: Mapping[str, Type],
        counts: NDArray[np.int64] | None,
    ) -> StepResult:
        """Return the recoded values of records; ``counts`` is how many records a row stands for."""
        units = None if self.unit is None else read_units(frame, self.unit)
        constraint = read_privacy_constraint(self, frame, confidential, types, units, counts)
        if constraint is not None:
            constraint.refuse_unattainable(np.arange(len(frame)))
        columns = [
            read_hierarchy(frame, name, types.get(name), self.loss, counts) for name in self.columns
        ]
        n_records = len(frame) if counts is None else int(counts.sum())
        lattice = Lattice(
            np.column_stack([column.codes for column in columns]),
            [column.levels for column in columns],
            self.k,
            _max_suppressed(self.suppression, n_records),
            units,
            constraint,
            counts,
            discernibility=self.loss == "discernibility",
        )
        optimum = search(lattice, self.max_nodes)
        if optimum is None and constraint is not None and lattice.n_counted >= self.k:
            raise InputError(
                "No combination of levels meets `diversity` and `closeness`, counted in units."
                " Lower `diversity` or raise `closeness`.",
                code="constraint-out-of-reach",
            )
        if optimum is None:
            noun = "records" if units is None else "units"
            raise too_few_error(self.k, lattice.n_counted, noun, group_noun="class")
        values = {
            column.name: self._released_values(column, level, optimum)
            for column, level in zip(columns, optimum.node, strict=True)
        }
        return StepResult(values, warnings=(self._warning(columns, optimum, counts),))

    def _released_values(
        self, column: RecodableColumn, level: int, optimum: Optimum
    ) -> RowGather | TextColumn:
        """Return a column recoded to a level; cells of suppressed records are empty."""
        if level == 0:
            return RowGather(np.arange(len(column.codes)), optimum.is_suppressed)
        labels = column.labels_at(level)
        labels[optimum.is_suppressed] = None
        return TextColumn(labels)

    def _warning(
        self,
        columns: Sequence[RecodableColumn],
        optimum: Optimum,
        counts: NDArray[np.int64] | None,
    ) -> ValuesGeneralised:
        """Return the warning with the levels, the loss, and how close it is to the minimum."""
        levels = ", ".join(
            f"{column.name!r} {level} of {len(column.labels) - 1}"
            for column, level in zip(columns, optimum.node, strict=True)
        )
        is_suppressed = optimum.is_suppressed
        n_suppressed = int(is_suppressed.sum() if counts is None else counts[is_suppressed].sum())
        suppression_sentence = f" {n_suppressed:,} records were suppressed." if n_suppressed else ""
        loss_phrase = f"{100 * optimum.loss:.3g} % {LOSS_PHRASES[self.loss]}"
        optimality = f"the least of all {optimum.n_nodes:,} combinations of levels"
        if optimum.bound < optimum.loss:
            optimality = (
                f"the least of {optimum.n_evaluated:,} of {optimum.n_nodes:,} combinations of"
                f" levels; none loses less than {100 * optimum.bound:.3g} %"
            )
        return ValuesGeneralised(
            f"Columns were recoded to levels of their hierarchies: {levels}. {loss_phrase},"
            f" {optimality}.{suppression_sentence}",
            code="values-generalised",
            columns=tuple(self.columns),
            figures={
                "loss": optimum.loss,
                "bound": optimum.bound,
                "suppressed": n_suppressed,
                "evaluated": optimum.n_evaluated,
                "nodes": optimum.n_nodes,
                "levels": {
                    column.name: column.level_usage(np.where(is_suppressed, -1, level), counts)
                    for column, level in zip(columns, optimum.node, strict=True)
                },
            },
        )


def _max_suppressed(share: float, n_records: int) -> int:
    """Return the largest number of records within a share; no rounding error makes it smaller.

    Examples
    --------
    >>> _max_suppressed(0.29, 100), int(0.29 * 100)
    (29, 28)
    """
    return int(Fraction(str(share)) * n_records)
