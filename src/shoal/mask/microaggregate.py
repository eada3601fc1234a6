"""The step that hides each record among at least k."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from shoal import parameters
from shoal.errors import InputError, NoSpread, PlanError, ShoalWarning
from shoal.mask.aggregate import AGGREGATES
from shoal.mask.homogeneity import constant_inside, merge_constant, told
from shoal.parameters import AtLeast, Between
from shoal.partitioners import Partition, Partitioner
from shoal.space import SCALES, constant, with_confidential
from shoal.table import frame as tables
from shoal.table.frame import Frame
from shoal.table.roles import as_list, listed

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """What a step made of a table: new values by column, and the groups behind them."""

    values: dict[str, NDArray[Any]]
    partitions: tuple[Partition, ...]
    fitted: tuple[Partitioner, ...]
    warnings: tuple[ShoalWarning, ...]


class Microaggregate:
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
    """

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
    ):
        self.columns = columns if not isinstance(columns, Iterable) else as_list(columns)
        self.partition = partition
        self.within = within
        self.dependence = dependence
        self.blocks = blocks
        self.missing = missing
        self.standardise = standardise
        self.aggregate = aggregate
        self.decimals = decimals
        self.homogeneity = homogeneity
        parameters.validate(self)
        self._check()

    @property
    def strata(self) -> list[str]:
        """The columns that split the records into strata."""
        if self.within is None:
            return []
        return [self.within] if isinstance(self.within, str) else list(self.within)

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
            self._check_confidential(confidential, f"dependence={self.dependence:g}")
            Y = scale(tables.matrix(frame, confidential))
        values: dict[str, NDArray[Any]] = {}
        partitions, fitted = [], []
        for block in self.column_blocks:
            at = [self.columns.index(name) for name in block]
            space = Z if at == list(range(Z.shape[1])) else Z[:, at]
            if self.dependence:
                space = with_confidential(space, Y, self.dependence)
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
            self._check_confidential(confidential, f'homogeneity="{self.homogeneity}"')
            codes = tables.codes(frame, confidential)
        labels = np.empty(len(Z), np.int64)
        offset = 0
        for rows in self._strata(frame):
            part = Z[rows] if self.strata else Z
            fitted = clone(self.partition).fit(part)
            groups = fitted.partition_
            if self.homogeneity == "merge":
                where = f" of stratum {self._stratum(frame, rows[0])}" if self.strata else ""
                groups = merge_constant(part, groups, codes[rows], confidential, where)
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

    def _check_confidential(self, confidential: Sequence[str], culprit: str) -> None:
        if not confidential:
            raise PlanError(
                f"{culprit} needs confidential columns and no column has that role. Name them, or"
                " leave the option out."
            )

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
        if not self.columns:
            raise PlanError("The step masks no column. Name at least one.")
        if len(set(self.columns)) < len(self.columns):
            raise PlanError("The step names a column twice. Name each column once.")
        both = [name for name in self.strata if name in self.columns]
        if both:
            raise PlanError(f"{listed(both)} cannot be masked and split the strata. Choose one.")
        named = sorted(name for block in self.column_blocks for name in block)
        if named != sorted(self.columns):
            raise PlanError("The blocks must hold each masked column exactly once.")

    def _without_spread(self, X: Matrix) -> tuple[ShoalWarning, ...]:
        flat = [self.columns[at] for at in np.flatnonzero(constant(X))]
        if not flat:
            return ()
        verb = "is constant and takes" if len(flat) == 1 else "are constant and take"
        return (NoSpread(f"{listed(flat)} {verb} no part in the grouping: there is no spread."),)
