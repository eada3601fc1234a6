"""The class `Evidence`: the input of a verdict, a released table and what is known about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.codes import any_codes
from shoal.frame.comparison import same_values
from shoal.frame.roles import RECORD_UNIT, UNIT_ROLES, Role, columns_with
from shoal.frame.tables import Frame
from shoal.metrics import classes, compute, fewest_matches
from shoal.metrics.equivalence_classes import sizes_per_class
from shoal.partitioners import Partition
from shoal.plan.verdict import Finding

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect
    from shoal.plan.analysed_columns import AnalysedColumns
    from shoal.plan.plan import Plan

Codes = NDArray[np.int64]
CLASS_MEASURES = ("smallest_class", "class_sizes", "reidentification")  # depend on classes only
UNIT_MEASURES = ("fewest_units", "largest_unit_share")  # depend on classes and units only
RECORDS = "the records"  # the population of shares, if records are counted


def count_matches(
    frame: Frame, columns: Sequence[str], wildcards: Sequence[str], units: Codes | None
) -> int:
    """Return the smallest number of records, or units, that a record of a table matches.

    A missing cell of the columns ``wildcards`` matches every value.
    """
    missing = [
        tables.has_missing(frame, [name]) if name in wildcards else np.zeros(len(frame), bool)
        for name in columns
    ]
    return fewest_matches(any_codes(frame, list(columns)), np.column_stack(missing), units)


@dataclass(frozen=True, eq=False)
class Evidence:
    """A released table and what is known about it, from which its verdict is made.

    Parameters
    ----------
    plan : Plan
        The plan, which states the guarantee.
    released : Frame
        The released table; for a file, read back from that file.
    original : Frame, optional
        The released records before masking, in the same order and with all columns, or None if
        the original is not available.
    units : ndarray of shape (n_records,), optional
        The unit of each released record as an integer, if the plan counts units. None if records
        are counted, or if the column was dropped and the original is not available.
    partitions : tuple of Partition
        The groups of each step and block, if they are known.
    measures : mapping
        Measures of the release by name, as far as they were computed.
    run_findings : tuple of Finding
        Findings of the run itself, such as dropped records.
    text_dialect : Dialect, optional
        How numbers are written in the columns of a text file that are not masked, or None for any
        other table.
    analysed_columns : AnalysedColumns, optional
        How analyses read the columns of a file, or None for a table in memory.
    """

    plan: "Plan"
    released: Frame
    original: Frame | None = None
    units: Codes | None = None
    partitions: Sequence[Partition] = ()
    measures: Mapping[str, Any] | None = None
    run_findings: Sequence[Finding] = ()
    text_dialect: "Dialect | None" = None
    analysed_columns: "AnalysedColumns | None" = None

    @cached_property
    def joint_classes(self) -> Codes:
        """The class of each record on all quasi-identifiers."""
        return self.classes_on(self.plan.quasi_identifiers)

    @cached_property
    def _classes(self) -> dict[frozenset[str], Codes]:
        """Classes already computed, by their columns."""
        return {}

    def classes_on(self, columns: Sequence[str]) -> Codes:
        """Return the class of each released record on the given columns."""
        key = frozenset(columns)
        if key not in self._classes:
            self._classes[key] = classes(any_codes(self.released, list(columns)))
        return self._classes[key]

    @cached_property
    def attained_k(self) -> int:
        """The k that the release attains on all quasi-identifiers.

        It is the size of the smallest class or, if the plan lets missing cells match every value,
        the smallest number of records or units that a record matches.
        """
        return self.attained_k_on(self.plan.quasi_identifiers, self.plan.wildcard_columns)

    def attained_k_on(self, columns: Sequence[str], wildcards: Sequence[str]) -> int:
        """Return the k attained on columns; missing cells of ``wildcards`` match every value."""
        if not set(wildcards) & set(columns):
            return self.smallest_class_size(self.classes_on(columns))
        return count_matches(self.released, columns, wildcards, self.units)

    def smallest_class_size(self, labels: Codes) -> int:
        """Return the size of the smallest class, counted in units if they are known."""
        return int(self.class_sizes(labels).min())

    def class_sizes(self, labels: Codes) -> Codes:
        """Return the size of each class, counted in units if they are known."""
        return sizes_per_class(labels, self.units)

    def class_measures(self) -> dict[str, Any]:
        """Return the measures that depend on the classes and the units of the release only."""
        inputs: dict[str, Any] = {"released": self.joint_classes[:, np.newaxis]}
        if self.units is not None:
            inputs["units"] = self.units
        names = [*CLASS_MEASURES, *(UNIT_MEASURES if self.units is not None else ())]
        return {name: compute(name, inputs) for name in names}

    @property
    def counted_unit(self) -> str:
        """What is counted: ``"record"``, or the column of the units."""
        if self.units is None:
            return RECORD_UNIT
        roles = self.plan.roles
        return next((name for name, role in roles.items() if role in UNIT_ROLES), RECORD_UNIT)

    @property
    def population_phrase(self) -> str:
        """The records, or the units of a column, as a phrase for sentences about shares."""
        unit = self.counted_unit
        return RECORDS if unit == RECORD_UNIT else f"the units of {unit!r}"

    @property
    def unchanged_columns(self) -> list[str]:
        """The released columns that no step masks, whatever their role."""
        return [name for name in self.released.columns if name not in self.plan.masked]

    def columns_with_role(self, role: Role) -> list[str]:
        """Return the released columns that have a role."""
        names = columns_with(self.plan.roles, role)
        return [name for name in names if name in self.released.columns]

    @cached_property
    def exact_shares(self) -> dict[str, float] | None:
        """Share of records with the original value by masked column, and (``""``) in all of them.

        Values that were missing are ignored in the share of a column, and count as unchanged in the
        share of all columns. None if the original is not available.
        """
        if self.original is None:
            return None
        shares: dict[str, float] = {}
        all_same = np.ones(len(self.released), bool)
        masked = [name for name in self.plan.masked if name in self.released.columns]
        for name in masked:
            is_same = same_values(self.original, self.released, name)
            missing = tables.has_missing(self.original, [name])
            n_present = int((~missing).sum())
            shares[name] = float((is_same & ~missing).sum() / n_present) if n_present else 0.0
            all_same &= is_same
        return {**shares, "": float(all_same.mean())} if masked else {}
