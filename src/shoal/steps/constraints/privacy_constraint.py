"""Constraints on the confidential values of every group: l-diversity and t-closeness."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError, PlanError
from shoal.frame.columns import rank_or_category_codes
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.metrics.class_tallies import (
    Tally,
    divided_tally,
    most_frequent_values,
    tally,
    weights_in_class,
)
from shoal.metrics.risk.closeness import distance_from_table
from shoal.partitioners import ClosenessFirst, Partition, Partitioner
from shoal.partitioners.constraints.exchange import exchange
from shoal.partitioners.constraints.merge import merge_failing
from shoal.steps._step import Step, check_confidential

if TYPE_CHECKING:
    from shoal.steps.generalise import Generalise
    from shoal.steps.microaggregate import Microaggregate

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]
Kind = Literal["distinct", "entropy"]

# Allowance for rounding errors in sums of shares, far below any difference of l or t that matters.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class PrivacyConstraint:
    """A constraint on each confidential column in each group: l-diversity, t-closeness or both.

    Parameters
    ----------
    names : list of str
        Names of the confidential columns.
    codes : ndarray of shape (n_records, n_confidential)
        Their values as integers from 0, for the whole table: ranks, or codes of categories.
    ordered : ndarray of shape (n_confidential,)
        Whether the integers of a column are ranks.
    diversity : float or None
        Minimum number of different, or of equally frequent, values in a group.
    kind : str
        How values are counted: ``"distinct"`` or ``"entropy"``.
    closeness : float or None
        Maximum distance between the distributions of a group and of the table.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if k counts units.
    k : int
        Minimum number of units in a group.
    counts : ndarray of shape (n_records,), optional
        Number of equal records that each record stands for; 1 by default.
    """

    names: Sequence[str]
    codes: Codes
    ordered: NDArray[np.bool_]
    diversity: float | None
    kind: Kind
    closeness: float | None
    units: Codes | None = None
    k: int = 1
    counts: Codes | None = None

    @cached_property
    def totals(self) -> list[Codes]:
        """How often each value occurs in the table, by column."""
        return [np.bincount(column, self.counts).astype(np.int64) for column in self.codes.T]

    @cached_property
    def unit_totals(self) -> list[Any]:
        """The `totals` with each unit counted once, divided among its records."""
        assert self.units is not None
        one_class = np.zeros(len(self.codes), np.int64)
        weights = weights_in_class(one_class, self.units, self.counts)
        return [np.bincount(column, weights) for column in self.codes.T]

    def is_met_by(self, members: Codes) -> bool:
        """Return whether a group meets the constraint and, if units are counted, has k units."""
        if self.units is not None and len(np.unique(self.units[members])) < self.k:
            return False
        is_diverse = self.diversity is None or bool(
            (self.n_values_in(members) >= self.diversity - TOLERANCE).all()
        )
        return is_diverse and (
            self.closeness is None
            or bool((self.distances(members) <= self.closeness + TOLERANCE).all())
        )

    def met_by_classes(self, labels: Codes) -> NDArray[np.bool_]:
        """Return which classes meet the constraint, given the class of every record of the table.

        The number of units is not checked.
        """
        is_met = np.ones(int(labels.max()) + 1, bool)
        for column, is_ordered in zip(self.codes.T, self.ordered, strict=True):
            if self.diversity is not None:
                counts = tally(labels, column, self.units, self.counts)
                values = counts.n_distinct if self.kind == "distinct" else counts.n_effective
                is_met &= values >= self.diversity - TOLERANCE
            if self.closeness is not None:
                shares = divided_tally(labels, column, self.units, self.counts)
                is_met &= (
                    distance_from_table(shares, bool(is_ordered)) <= self.closeness + TOLERANCE
                )
        return is_met

    @property
    def holds_for_unions(self) -> bool:
        """Whether a union of groups that all meet the constraint meets it too.

        Entropy is concave and the distance from the table convex. With units it may fail: a unit
        whose records were in several groups counts only once in the union.
        """
        return self.units is None

    @property
    def holds_for_any_union(self) -> bool:
        """Whether the union with any other group meets the constraint, if one of the two does."""
        counts_distinct_only = self.closeness is None and self.kind == "distinct"
        return self.units is None and counts_distinct_only

    def n_values_in(self, members: Codes) -> NDArray[np.float64]:
        """Return the number of values of each column in a group, counted by ``kind``."""
        tallies = [self._tally(i, members) for i in range(len(self.names))]
        counts = [
            value_counts.n_distinct if self.kind == "distinct" else value_counts.n_effective
            for value_counts in tallies
        ]
        return np.array([float(count[0]) for count in counts])

    def distances(self, members: Codes) -> NDArray[np.float64]:
        """Return the distance of a group from the table in each column."""
        return np.array(
            [
                distance_from_table(self._divided_tally(i, members), bool(is_ordered))[0]
                for i, is_ordered in enumerate(self.ordered)
            ]
        )

    def refuse_unattainable(self, rows: Codes, location: str = "") -> None:
        """Refuse a constraint that no groups of ``rows`` can meet; the error states the limit.

        However the records are split, the worst group has at most as many values as all records
        together, and is at least as far from the table. This is not true if units are counted; the
        number of distinct values of the records is then the only limit. ``location`` names the
        records in the message.
        """
        n_records = len(rows) if self.counts is None else int(self.counts[rows].sum())
        subject = f"all {n_records:,} records{location} together"
        if self.diversity is not None:
            self._refuse_diversity(rows, subject)
        if self.closeness is not None and self.units is None:
            self._refuse_closeness(rows, subject)

    def _refuse_diversity(self, rows: Codes, subject: str) -> None:
        """Raise an error if all records together have too few values of a column."""
        assert self.diversity is not None
        relaxed = self if self.units is None else replace(self, units=None, kind="distinct")
        for name, attained in zip(self.names, relaxed.n_values_in(rows), strict=True):
            if attained < self.diversity - TOLERANCE:
                attainable = np.floor(attained * 1e4 + 1e-6) / 1e4
                reason = f"{subject} have only {attainable:g} distinct values of column {name!r}"
                if relaxed.kind == "entropy":
                    reason = (
                        f"in {subject}, column {name!r} has the entropy of only {attainable:g}"
                        " equally frequent values"
                    )
                raise InputError(
                    f"diversity={self.diversity:g} cannot be reached: {reason}. Lower `diversity`"
                    f" to at most {attainable:g}, or give the column another role.",
                    code="diversity-out-of-reach",
                    column=name,
                    diversity=self.diversity,
                    attainable=float(attainable),
                )

    def _refuse_closeness(self, rows: Codes, subject: str) -> None:
        """Raise an error if all records together are too far from the table in a column."""
        assert self.closeness is not None
        for name, distance in zip(self.names, self.distances(rows), strict=True):
            if distance > self.closeness + TOLERANCE:
                attainable = np.ceil(distance * 1e4) / 1e4
                raise InputError(
                    f"closeness={self.closeness:g} cannot be reached: {subject} are at a distance"
                    f" of {attainable:g} from the table in column {name!r}. Raise `closeness` to at"
                    f" least {attainable:g}, or merge strata.",
                    code="closeness-out-of-reach",
                    column=name,
                    closeness=self.closeness,
                    attainable=float(attainable),
                )

    def enforce(self, Z: Matrix, groups: Partition, rows: Codes, *, by: str) -> Partition:
        """Return groups of ``rows``, each of which meets the constraint.

        Parameters
        ----------
        Z : ndarray of shape (n_rows, n_columns)
            The columns that distances are computed on.
        groups : Partition
            The groups to start from.
        rows : ndarray of shape (n_rows,)
            The positions of the records in the table.
        by : str
            ``"swap"`` exchanges records between groups before groups that still fail are merged;
            any other value merges only.

        Returns
        -------
        Partition
            Groups of at least the same k.
        """
        if by == "swap" and self.closeness is not None:
            groups = exchange(
                Z, groups, self.codes[rows], self.ordered, self.totals, self.closeness
            )
        return merge_failing(Z, groups, lambda members: self.is_met_by(rows[members]))

    def _tally(self, column: int, members: Codes) -> Tally:
        """Return the value counts of a group; a unit counts once, for its most frequent value."""
        values = self.codes[members, column]
        if self.units is not None:
            one_group = np.zeros(len(members), np.int64)
            values = most_frequent_values(one_group, self.units[members], values)[1]
        if self.units is None and self.counts is not None:
            distinct, inverse = np.unique(values, return_inverse=True)
            counts = np.bincount(inverse.ravel(), self.counts[members]).astype(np.int64)
        else:
            distinct, counts = np.unique(values, return_counts=True)
        return _tally_of_group(distinct, counts, int(counts.sum()), self.totals[column])

    def _divided_tally(self, column: int, members: Codes) -> Tally:
        """Return the value counts of a group; a unit counts once, divided among its records."""
        if self.units is None:
            return self._tally(column, members)
        units = self.units[members]
        record_counts = None if self.counts is None else self.counts[members]
        weights = weights_in_class(np.zeros(len(members), np.int64), units, record_counts)
        distinct, inverse = np.unique(self.codes[members, column], return_inverse=True)
        counts = np.bincount(inverse.ravel(), weights)
        return _tally_of_group(distinct, counts, len(np.unique(units)), self.unit_totals[column])


def _tally_of_group(
    distinct: Codes, counts: NDArray[Any], size: int, totals: NDArray[Any]
) -> Tally:
    """Return the tally of a single group of ``size`` records or units."""
    return Tally(np.zeros(len(distinct), np.int64), distinct, counts, np.array([size]), totals)


def read_privacy_constraint(
    step: "Microaggregate | Generalise",
    frame: Frame,
    confidential: Sequence[str],
    types: Mapping[str, Type],
    units: Codes | None = None,
    counts: Codes | None = None,
) -> PrivacyConstraint | None:
    """Return the constraint of a step on its groups, or None if it has neither option.

    ``units`` is the unit of each record, if k counts units, and ``counts`` the number of records
    that each row of ``frame`` stands for.
    """
    if step.diversity is None and step.closeness is None:
        return None
    option = "diversity" if step.diversity is not None else "closeness"
    check_confidential(confidential, f"`{option}={getattr(step, option):g}`")
    groups_by_closeness = getattr(step, "closeness_by", "merge") == "first"
    if groups_by_closeness and len(confidential) > 1:
        raise PlanError(
            '`closeness_by="first"` sorts the records by a single confidential column, but there'
            f' are {len(confidential)}. Use `closeness_by="merge"` or `closeness_by="swap"`, which'
            " take all confidential columns into account.",
            code="closeness-first-of-several",
            count=len(confidential),
        )
    codes, ordered = rank_or_category_codes(frame, confidential, types)
    return PrivacyConstraint(
        confidential,
        codes,
        ordered,
        step.diversity,
        step.diversity_kind,
        step.closeness,
        units,
        step.k,
        counts,
    )


def constrained_partitioner(
    step: "Microaggregate", constraint: PrivacyConstraint | None, partitioner: Partitioner
) -> Partitioner:
    """Return the partitioner, or `ClosenessFirst` if the step has ``closeness_by="first"``."""
    if constraint is None or step.closeness is None or step.closeness_by != "first":
        return partitioner
    kind: Any = "ordered" if constraint.ordered[0] else "categories"
    return ClosenessFirst(step.k, step.closeness, constraint.codes[:, 0].tolist(), kind)


def constraint_sentences(step: Step) -> list[str]:
    """Return sentences on the l-diversity and the t-closeness that a step guarantees."""
    sentences = []
    if step.diversity is not None:
        kind = "different" if step.diversity_kind == "distinct" else "equally frequent"
        sentences.append(
            f"Each class has at least {step.diversity:g} {kind} values of every confidential"
            " column (l-diversity)."
        )
    if step.closeness is not None:
        sentences.append(
            f"No class is farther than {step.closeness:g} from the table in any confidential"
            " column (t-closeness)."
        )
    return sentences
