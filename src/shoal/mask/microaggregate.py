"""The step that hides each record among at least k."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError, NoSpread, PlanError, ShoalWarning
from shoal.mask import beyond
from shoal.mask._step import Grouping, Outcome, check_confidential, named
from shoal.mask.aggregate import AGGREGATES
from shoal.mask.homogeneity import constant_inside, merge_constant, told
from shoal.parameters import AtLeast, Between
from shoal.partitioners import Partition, Partitioner
from shoal.space import SCALES, constant, with_confidential
from shoal.table import frame as tables
from shoal.table.frame import Frame
from shoal.table.roles import listed

Matrix = NDArray[np.float64]


class Microaggregate(Grouping):
    """Release group means in place of the values of some columns.

    Distances are taken on standardised columns; means are taken in original
    units. Groups have at least k records and never cross a stratum.

    Parameters
    ----------
    columns : list of str
        Columns to mask, all numeric.
    partition : Partitioner
        How records are grouped, with its k.
    within : list of str, optional
        Columns whose values split the records into strata; one name may stand
        alone.
    dependence : float
        Share of the confidential columns in the distances, in [0, 1]; 0 groups by
        the masked columns alone. See :func:`shoal.space.with_confidential`.
    blocks : int or list of list of str, optional
        Groups of columns to microaggregate each by itself: a number of columns,
        or the columns of each block. Blocks lose less, and break k-anonymity of
        the columns together.
    missing : str
        What to do with missing values: ``"refuse"`` them.
    standardise : str
        ``"zscore"`` (mean 0, population standard deviation 1) or ``"none"``.
    aggregate : str
        ``"mean"`` or ``"median"`` of the group.
    decimals : int, optional
        Round the released values to so many decimals; 0 keeps whole numbers
        whole. Rounding can only merge groups that look different, never split one.
    homogeneity : str
        What to do with groups in which a confidential column has one value:
        ``"warn"``, ``"merge"`` them with the nearest group until none is left, or
        ``"refuse"`` to release anything.
    diversity : float, optional
        The *l* of l-diversity, at least 1: how many values of every confidential
        column hide in each group. With distinct values it is the *p* of
        p-sensitivity.
    diversity_kind : str
        How these values are counted: ``"distinct"`` ones, or by ``"entropy"`` as if
        equally frequent.
    closeness : float, optional
        The *t* of t-closeness, in [0, 1]: greatest distance between the confidential
        values of a group and those of the table, in every column.
    closeness_by : str
        ``"merge"`` joins groups that are too far with their nearest neighbours;
        ``"swap"`` lets groups exchange records before; ``"first"`` makes groups that
        are close from the start, of one confidential column and by a method of its
        own (:class:`shoal.partitioners.ClosenessFirst`). Diversity is always
        reached by merging.
    """

    name = "microaggregate"
    paper = "DT05"
    promises = "k-anonymity; l-diversity and t-closeness on request"

    def __init__(
        self,
        columns: Sequence[str],
        partition: Partitioner,
        *,
        within: str | Sequence[str] | None = None,
        dependence: Annotated[float, Between(0, 1)] = 0.0,
        blocks: Annotated[int, AtLeast(1)] | Sequence[Sequence[str]] | None = None,
        missing: Literal["refuse"] = "refuse",
        standardise: Literal["zscore", "none"] = "zscore",
        aggregate: Literal["mean", "median"] = "mean",
        decimals: Annotated[int, Between(-15, 15)] | None = None,
        homogeneity: Literal["warn", "merge", "refuse"] = "warn",
        diversity: Annotated[float, AtLeast(1)] | None = None,
        diversity_kind: Literal["distinct", "entropy"] = "distinct",
        closeness: Annotated[float, Between(0, 1)] | None = None,
        closeness_by: Literal["merge", "swap", "first"] = "merge",
    ):
        self.columns = named(columns)
        self.partition = partition
        self.within = within
        self.dependence = dependence
        self.blocks = blocks
        self.missing = missing
        self.standardise = standardise
        self.aggregate = aggregate
        self.decimals = decimals
        self.homogeneity = homogeneity
        self.diversity = diversity
        self.diversity_kind = diversity_kind
        self.closeness = closeness
        self.closeness_by = closeness_by
        self._settle()
        self._check()

    @property
    def k(self) -> int:
        """Least number of records that look alike in each block of columns and in the strata."""
        return int(self.partition.k)

    @property
    def guarantee(self) -> str:
        """What the step promises, in sentences for the report."""
        together = " in each block of columns" if len(self.column_blocks) > 1 else ""
        told = [f"Microaggregation gives k-anonymity with k = {self.k}{together}."]
        if self.diversity is not None:
            counted = "different" if self.diversity_kind == "distinct" else "equally frequent"
            told.append(
                f"At least {self.diversity:g} {counted} values of every confidential column hide in"
                " each class (l-diversity)."
            )
        if self.closeness is not None:
            told.append(
                f"No class is farther than {self.closeness:g} from the table in any confidential"
                " column (t-closeness)."
            )
        return " ".join(told)

    @property
    def column_blocks(self) -> list[list[str]]:
        """The columns of each block, in order; one block where none are asked for."""
        if self.blocks is None:
            return [self.columns]
        if isinstance(self.blocks, int):
            return [
                self.columns[at : at + self.blocks]
                for at in range(0, len(self.columns), self.blocks)
            ]
        return [list(block) for block in self.blocks]

    def apply(self, frame: Frame, confidential: Sequence[str]) -> Outcome:
        """Return the masked values of ``frame`` and the groups behind them."""
        tables.check_columns(frame, [*self.columns, *self.strata])
        X = tables.matrix(frame, self.columns)
        scale = SCALES[self.standardise]
        Z = scale(X)
        if self.dependence > 0:
            check_confidential(confidential, f"dependence={self.dependence:g}")
            Y = scale(tables.matrix(frame, confidential))
        values: dict[str, NDArray[Any]] = {}
        partitions, fitted = [], []
        for block in self.column_blocks:
            at = [self.columns.index(name) for name in block]
            space = with_confidential(Z[:, at], Y, self.dependence) if self.dependence else Z[:, at]
            groups, used = self._group(np.ascontiguousarray(space), frame, confidential)
            for name, j in zip(block, at, strict=True):
                values[name] = self._mask(X[:, j], groups, tables.is_whole(frame, name))
            partitions.append(groups)
            fitted.append(used)
        return Outcome(values, tuple(partitions), tuple(fitted), self._without_spread(X))

    def _group(
        self, Z: Matrix, frame: Frame, confidential: Sequence[str]
    ) -> tuple[Partition, Partitioner]:
        """Group the records of each stratum; see to groups that share a confidential value."""
        codes = np.empty((len(Z), 0), np.int64)
        if self.homogeneity != "warn":
            check_confidential(confidential, f'homogeneity="{self.homogeneity}"')
            codes = tables.codes(frame, confidential)
        demand = beyond.demand(self, frame, confidential)
        labels = np.empty(len(Z), np.int64)
        offset = 0
        for rows in self._strata(frame):
            where = f" of stratum {self._stratum(frame, rows[0])}" if self.strata else ""
            if demand is not None:
                demand.refuse_unreachable(rows, where)
            fitted = beyond.partitioner(self, demand).fit(Z[rows])
            groups = fitted.partition_
            if self.homogeneity == "merge":
                groups = merge_constant(Z[rows], groups, codes[rows], confidential, where)
            if demand is not None:
                groups = demand.enforce(Z[rows], groups, rows, by=self.closeness_by)
            labels[rows] = groups.labels + offset
            offset += groups.n_groups
        groups = Partition(labels, self.partition.k)
        if self.homogeneity == "refuse":
            self._refuse_constant(groups, codes, confidential)
        return groups, fitted

    def _strata(self, frame: Frame) -> list[NDArray[np.int64]]:
        """Return the records of each stratum; refuse one that is too small."""
        if not self.strata:
            return [np.arange(len(frame))]
        key = tables.codes(frame, self.strata)
        stratum = np.unique(key, axis=0, return_inverse=True)[1].ravel()
        strata = np.split(np.argsort(stratum, kind="stable"), np.cumsum(np.bincount(stratum))[:-1])
        small = [rows for rows in strata if len(rows) < self.partition.k]
        if 2 * len(small) > len(strata):  # no strata at all: their names may be persons
            raise InputError(
                f"A group needs k={self.partition.k} records but {len(small)} of"
                f" {len(strata)} strata hold fewer. Choose a coarser column for within."
            )
        if small:
            smallest = min(small, key=len)
            raise InputError(
                f"A group needs k={self.partition.k} records but stratum"
                f" {self._stratum(frame, smallest[0])} holds {len(smallest)}. Lower k, or merge"
                " strata."
            )
        return strata

    def _stratum(self, frame: Frame, record: int) -> str:
        """Return what to call the stratum of a record."""
        values = tables.values_at(frame, self.strata, int(record))
        return repr(", ".join(str(value) for value in values))

    def _mask(self, column: Matrix, groups: Partition, whole: bool) -> NDArray[Any]:
        masked = AGGREGATES[self.aggregate](column, groups.labels)
        if self.decimals is None:
            return masked
        masked = np.round(masked, self.decimals) + 0.0  # no negative zero
        return masked.astype(np.int64) if whole and self.decimals <= 0 else masked

    def _refuse_constant(
        self, groups: Partition, codes: NDArray[np.int64], confidential: Sequence[str]
    ) -> None:
        found = constant_inside(groups, codes).tolist()
        reason = told(dict(zip(confidential, found, strict=True)), groups.n_groups)
        if reason:
            raise InputError(
                f'{reason} Set homogeneity="merge" to join such groups with their neighbours, or'
                " raise k."
            )

    def _check(self) -> None:
        named = sorted(name for block in self.column_blocks for name in block)
        if named != sorted(self.columns):
            raise PlanError("The blocks must hold each masked column exactly once.")
        beyond.check(self)

    def _without_spread(self, X: Matrix) -> tuple[ShoalWarning, ...]:
        flat = [self.columns[at] for at in np.flatnonzero(constant(X))]
        if not flat:
            return ()
        verb = "is constant and takes" if len(flat) == 1 else "are constant and take"
        return (NoSpread(f"{listed(flat)} {verb} no part in the grouping: there is no spread."),)
