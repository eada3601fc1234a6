"""What every group must hold of the confidential columns, beyond k records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError, PlanError
from shoal.frame.columns import ranks as numbered
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.metrics.closeness import from_all
from shoal.metrics.diversity import Tally
from shoal.metrics.unit_counts import commonest_values, weights_in_class
from shoal.partitioners import MDAV, Auto, ClosenessFirst, Partition, Partitioner
from shoal.partitioners.exchange import exchange
from shoal.partitioners.merge import merge_unsound
from shoal.steps._step import check_confidential

if TYPE_CHECKING:
    from shoal.steps.microaggregate import Microaggregate

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]
Kind = Literal["distinct", "entropy"]

ROUNDING = 1e-9  # what sums of shares may lose; far below any l or t that somebody means


@dataclass(frozen=True, eq=False)
class Demand:
    """What is demanded of every confidential column in every group: l, t or both.

    Parameters
    ----------
    names : list of str
        Names of the confidential columns.
    ranks : ndarray of shape (n_records, n_confidential)
        Their values as numbers from 0 on, of the whole table.
    ordered : ndarray of shape (n_confidential,)
        Whether the order of these numbers means something.
    diversity : float or None
        Least number of different values in a group, or of equally frequent ones.
    kind : str
        How values are counted: ``"distinct"`` or ``"entropy"``.
    closeness : float or None
        Greatest distance between a group and the table.
    units : ndarray of shape (n_records,), optional
        The unit of each record, where k counts units.
    k : int
        Least number of these in a group.
    """

    names: Sequence[str]
    ranks: Labels
    ordered: NDArray[np.bool_]
    diversity: float | None
    kind: Kind
    closeness: float | None
    units: Labels | None = None
    k: int = 1

    @cached_property
    def totals(self) -> list[Labels]:
        """How often each value occurs in the table, by column."""
        return [np.bincount(column) for column in self.ranks.T]

    @cached_property
    def unit_totals(self) -> list[Any]:
        """The same where each unit counts once, spread over its records."""
        assert self.units is not None
        weights = weights_in_class(np.zeros(len(self.ranks), np.int64), self.units)
        return [np.bincount(column, weights) for column in self.ranks.T]

    def kept_by(self, records: Labels) -> bool:
        """Say whether a group of ``records`` holds what is demanded, and k units."""
        if self.units is not None and len(np.unique(self.units[records])) < self.k:
            return False
        diverse = self.diversity is None or bool(
            (self.values_in(records) >= self.diversity - ROUNDING).all()
        )
        return diverse and (
            self.closeness is None
            or bool((self.distances(records) <= self.closeness + ROUNDING).all())
        )

    def values_in(self, records: Labels) -> NDArray[np.float64]:
        """Return for each column how many values hide in a group, counted as demanded."""
        tallies = [self._tally(at, records) for at in range(len(self.names))]
        counted = [t.distinct if self.kind == "distinct" else t.effective for t in tallies]
        return np.array([float(entry[0]) for entry in counted])

    def distances(self, records: Labels) -> NDArray[np.float64]:
        """Return for each column how far a group is from the table."""
        pairs = enumerate(self.ordered)
        return np.array([from_all(self._shares(at, records), bool(o))[0] for at, o in pairs])

    def refuse_unreachable(self, rows: Labels, where: str = "") -> None:
        """Refuse what no groups of ``rows`` can hold, and say what they can.

        All records together have at least as many values, and are at most as far
        from the table, as the worst of any groups they are split into. Not so where units are
        counted: then only as many values are sure to be needed as records have.
        """
        if self.diversity is not None:
            alone = self if self.units is None else replace(self, units=None, kind="distinct")
            for name, found in zip(self.names, alone.values_in(rows), strict=True):
                if found < self.diversity - ROUNDING:
                    counted = "different" if alone.kind == "distinct" else "equally frequent"
                    raise InputError(
                        f"diversity={self.diversity:g} cannot be reached: all {len(rows)}"
                        f" records{where} together hide behind {_floored(found)} {counted} values"
                        f" of column {name!r}. Ask for no more, or give the column another role.",
                        code="diversity-out-of-reach",
                        column=name,
                        diversity=self.diversity,
                    )
        if self.closeness is not None and self.units is None:
            for name, found in zip(self.names, self.distances(rows), strict=True):
                if found > self.closeness + ROUNDING:
                    raise InputError(
                        f"closeness={self.closeness:g} cannot be reached: all {len(rows)}"
                        f" records{where} together are {np.ceil(found * 1e4) / 1e4:g} away from the"
                        f" table in column {name!r}. Ask for no less, or merge strata.",
                        code="closeness-out-of-reach",
                        column=name,
                        closeness=self.closeness,
                    )

    def enforce(self, Z: Matrix, groups: Partition, rows: Labels, *, by: str) -> Partition:
        """Return groups of ``rows`` that all hold what is demanded.

        Parameters
        ----------
        Z : ndarray of shape (n_rows, n_columns)
            The columns that distances are taken on.
        groups : Partition
            The groups to start from.
        rows : ndarray of shape (n_rows,)
            The numbers of the records in the table.
        by : str
            ``"swap"`` lets groups exchange records before the rest is merged.

        Returns
        -------
        Partition
            The groups, with the same k.
        """
        if by == "swap" and self.closeness is not None:
            groups = exchange(
                Z, groups, self.ranks[rows], self.ordered, self.totals, self.closeness
            )
        return merge_unsound(Z, groups, lambda records: self.kept_by(rows[records]))

    def _tally(self, at: int, records: Labels) -> Tally:
        """Count the values of a group; each unit counts once, for its commonest value."""
        values = self.ranks[records, at]
        if self.units is not None:
            one_group = np.zeros(len(records), np.int64)
            values = commonest_values(one_group, self.units[records], values)[1]
        value, count = np.unique(values, return_counts=True)
        size = np.array([len(values)])
        return Tally(np.zeros(len(value), np.int64), value, count, size, self.totals[at])

    def _shares(self, at: int, records: Labels) -> Tally:
        """Count the values of a group; each unit counts once, spread over its records."""
        if self.units is None:
            return self._tally(at, records)
        units = self.units[records]
        weights = weights_in_class(np.zeros(len(records), np.int64), units)
        value, place = np.unique(self.ranks[records, at], return_inverse=True)
        size, one_group = np.array([len(np.unique(units))]), np.zeros(len(value), np.int64)
        count = np.bincount(place.ravel(), weights)
        return Tally(one_group, value, count, size, self.unit_totals[at])


def check(step: "Microaggregate") -> None:
    """Refuse options of a step that do not fit together."""
    if step.diversity is None and step.closeness is None and step.closeness_by == "merge":
        return
    if len(step.column_blocks) > 1:
        raise PlanError(
            "diversity and closeness hold for all columns together, and blocks take them apart."
            " Leave one of the two out.",
            code="constraint-with-blocks",
        )
    if step.closeness is None and step.closeness_by != "merge":
        raise PlanError(
            f'closeness_by="{step.closeness_by}" needs closeness: the greatest distance between a'
            " group and the table.",
            code="closeness-missing",
            option="closeness",
        )
    if step.closeness_by == "first":
        _check_first(step)


def demand(
    step: "Microaggregate",
    frame: Frame,
    confidential: Sequence[str],
    types: Mapping[str, Type],
    units: Labels | None = None,
) -> Demand | None:
    """Return what every group of a step must hold of the confidential columns, if anything."""
    if step.diversity is None and step.closeness is None:
        return None
    asked = "diversity" if step.diversity is not None else "closeness"
    check_confidential(confidential, f"{asked}={getattr(step, asked):g}")
    if step.closeness_by == "first" and len(confidential) > 1:
        raise PlanError(
            f'`closeness_by="first"` sorts the records by one confidential column and there are'
            f' {len(confidential)}. Use "merge" or "swap", which see to all of them.',
            code="closeness-first-of-several",
            count=len(confidential),
        )
    ranks, ordered = numbered(frame, confidential, types)
    return Demand(
        confidential,
        ranks,
        ordered,
        step.diversity,
        step.diversity_kind,
        step.closeness,
        units,
        step.k,
    )


def partitioner(
    step: "Microaggregate", demand: Demand | None, partition: Partitioner
) -> Partitioner:
    """Return what groups the records of a step: ``partition``, or one that is close first."""
    if demand is None or step.closeness is None or step.closeness_by != "first":
        return partition
    kind: Any = "ordered" if demand.ordered[0] else "categories"
    return ClosenessFirst(step.k, step.closeness, demand.ranks[:, 0].tolist(), kind)


def _check_first(step: "Microaggregate") -> None:
    if step.strata:
        raise PlanError(
            '`closeness_by="first"` draws every group from the whole table, and within keeps groups'
            ' inside strata. Use "merge" or "swap".',
            code="closeness-first-splits",
            option="within",
        )
    if step.missing == "own-groups":
        raise PlanError(
            '`closeness_by="first"` draws every group from the whole table, and'
            ' `missing="own-groups"` splits it. Use `closeness_by="merge"` or'
            ' `closeness_by="swap"`.',
            code="closeness-first-splits",
            option="missing",
        )
    if not isinstance(step.partition, MDAV | Auto):
        raise PlanError(
            '`closeness_by="first"` groups in a way of its own, with the seeds of mdav, so'
            f' {type(step.partition).__name__} would be ignored. Use the method "auto" or "mdav",'
            " or another closeness_by.",
            code="closeness-first-ignores-method",
        )


def _floored(number: float) -> str:
    """Return a number that may be asked for: never more than there is."""
    return f"{np.floor(number * 1e4 + 1e-6) / 1e4:g}"
