"""The step that hides each record among at least k."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from shoal import parameters
from shoal.errors import InputError, MissingValues, NoSpread, PlanError, ShoalWarning
from shoal.mask.centroid import centroid, check_positive
from shoal.mask.geometry import Space, open_space
from shoal.mask.homogeneity import constant_inside, merge_constant, told
from shoal.mask.missing import join_patterns, same_pattern
from shoal.mask.missing import told as holes_told
from shoal.parameters import AtLeast, Between
from shoal.partitioners import Partition, Partitioner
from shoal.table import frame as tables
from shoal.table.columns import Column, read_column, refuse_holes
from shoal.table.frame import Frame, Taken
from shoal.table.roles import as_list, listed
from shoal.table.types import Type

Holes = NDArray[np.bool_]
Rows = NDArray[np.int64]

WAY_OUT = (
    'Set missing="own-groups", "impute" or "drop", or mend them first: a group mean over a hole'
    " protects fewer than k records."
)


@dataclass(frozen=True)
class Outcome:
    """What a step made of a table: new values by column, and the groups behind them."""

    values: dict[str, NDArray[Any] | Taken]
    partitions: tuple[Partition, ...]
    fitted: tuple[Partitioner, ...]
    warnings: tuple[ShoalWarning, ...]


class Microaggregate:
    """Release what stands for a group in place of the values of some columns.

    Distances are taken on standardised columns; means are taken in original
    units. Of ordinal columns and dates the lower median of the group is released, of
    nominal and boolean columns its most frequent value [DT05]_. Groups have at least k
    records and never cross a stratum.

    Parameters
    ----------
    columns : list of str
        Columns to mask, of any kind.
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
        What to do with missing values: ``"refuse"`` them; ``"own-groups"`` groups
        records with the same missing cells, and suppresses further cells where fewer
        than k records share them; ``"impute"`` releases the value of the group in
        their place; ``"drop"`` leaves such records out of the release.
    standardise : str
        ``"zscore"`` (mean 0, population standard deviation 1) or ``"none"``.
    aggregate : str
        What is released of numbers: ``"mean"``, ``"median"``, ``"trimmed-mean"`` or
        ``"geometric-mean"`` of the group.
    trim : float, optional
        Share of a group that a trimmed mean leaves out at each end, in [0, 0.5].
    decimals : int, optional
        Round the released values to so many decimals; 0 keeps whole numbers
        whole. Rounding can only merge groups that look different, never split one.
    homogeneity : str
        What to do with groups in which a confidential column has one value:
        ``"warn"``, ``"merge"`` them with the nearest group until none is left, or
        ``"refuse"`` to release anything.

    References
    ----------
    .. [DT05] Domingo-Ferrer, J. and Torra, V. (2005). Ordinal, continuous and
       heterogeneous k-anonymity through microaggregation. Data Mining and Knowledge
       Discovery 11(2), 195-212.
    """

    def __init__(
        self,
        columns: Sequence[str],
        partition: Partitioner,
        *,
        within: str | Sequence[str] | None = None,
        dependence: Annotated[float, Between(0, 1)] = 0.0,
        blocks: Annotated[int, AtLeast(1)] | Sequence[Sequence[str]] | None = None,
        missing: Literal["refuse", "own-groups", "impute", "drop"] = "refuse",
        standardise: Literal["zscore", "none"] = "zscore",
        aggregate: Literal["mean", "median", "trimmed-mean", "geometric-mean"] = "mean",
        trim: Annotated[float, Between(0, 0.5)] | None = None,
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
        self.trim = trim
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

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> Outcome:
        """Return the masked values of ``frame`` and the groups behind them."""
        types = types or {}
        tables.check_columns(frame, [*self.columns, *self.strata])
        columns = [read_column(frame, name, types.get(name)) for name in self.columns]
        self._check_values(columns)
        secret: list[Column] = []
        if self.dependence > 0:
            self._check_confidential(confidential, f"dependence={self.dependence:g}")
            secret = [read_column(frame, name, types.get(name)) for name in confidential]
            refuse_holes(secret, "Mend them, or leave dependence out: distances need the values.")
        space = open_space(columns, self.standardise, self.dependence, secret)
        self._check_axes(space, any(column.hole.any() for column in columns))
        values: dict[str, NDArray[Any] | Taken] = {}
        partitions, fitted, grouped = [], [], {}
        for block in self.column_blocks:
            chosen = [columns[self.columns.index(name)] for name in block]
            groups, used, hole = self._group(space, chosen, frame, confidential)
            for column, out in zip(chosen, hole.T, strict=True):
                values[column.name] = self._mask(column, groups, out, frame)
                grouped[column.name] = groups
            partitions.append(groups)
            fitted.append(used)
        found = [*_without_spread(space.flat), *_missing(columns, values, grouped)]
        return Outcome(values, tuple(partitions), tuple(fitted), tuple(found))

    def _group(
        self, space: Space, columns: Sequence[Column], frame: Frame, confidential: Sequence[str]
    ) -> tuple[Partition, Partitioner, Holes]:
        """Group the records of each stratum; say which cells of the columns have no value then."""
        codes = np.empty((len(frame), 0), np.int64)
        if self.homogeneity != "warn":
            self._check_confidential(confidential, f'homogeneity="{self.homogeneity}"')
            codes = tables.codes(frame, confidential)
        names = [column.name for column in columns]
        hole = np.column_stack([column.hole for column in columns])
        labels = np.empty(len(frame), np.int64)
        offset = 0
        for rows in self._parts(space, names, hole, frame):
            own = self.missing == "own-groups"
            known = [n for n, out in zip(names, hole[rows[0]], strict=True) if not (own and out)]
            Z = space.seen(rows, known)
            fitted = clone(self.partition)
            groups = fitted.fit(Z).partition_ if Z.shape[1] else _together(rows, fitted.k)
            if self.homogeneity == "merge":
                where = f" of stratum {self._stratum(frame, rows[0])}" if self.strata else ""
                where += " with the same missing cells" if len(known) < len(names) else ""
                groups = merge_constant(Z, groups, codes[rows], confidential, where)
            labels[rows] = groups.labels + offset
            offset += groups.n_groups
        groups = Partition(labels, self.partition.k)
        if self.homogeneity == "refuse":
            self._refuse_constant(groups, codes, confidential)
        return groups, fitted, hole

    def _parts(
        self, space: Space, names: Sequence[str], hole: Holes, frame: Frame
    ) -> Iterator[Rows]:
        """Yield the records to group together; further cells may be suppressed in ``hole``."""
        if self.missing != "own-groups" or not hole.any():
            yield from self._strata(frame)
            return
        chosen, of = space.axes(names)
        for rows in self._strata(frame):
            if len(rows) < self.partition.k:
                raise InputError(
                    f"A group needs k={self.partition.k} records but the data hold only"
                    f" {len(rows)}. Lower k."
                )
            Z = space.Z[rows][:, chosen]
            hole[rows] = join_patterns(hole[rows], Z, of, self.partition.k)
            yield from (rows[part] for part in same_pattern(hole[rows]))

    def _strata(self, frame: Frame) -> list[Rows]:
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

    def _mask(
        self, column: Column, groups: Partition, hole: Holes, frame: Frame
    ) -> NDArray[Any] | Taken:
        return centroid(
            column,
            groups,
            hole,
            aggregate=self.aggregate,
            trim=self.trim,
            decimals=self.decimals,
            whole=tables.is_whole(frame, column.name),
        )

    def _check_values(self, columns: list[Column]) -> None:
        """Refuse values that the step cannot work with."""
        if self.missing in ("refuse", "drop"):
            refuse_holes(columns, WAY_OUT)
        if self.aggregate == "geometric-mean":
            for column in columns:
                check_positive(column)

    def _check_axes(self, space: Space, holes: bool) -> None:
        """Refuse a method that sorts by columns where a column has no one direction."""
        if not self.partition.takes_directions:
            return
        name = type(self.partition).__name__
        for at, axes in enumerate(np.bincount(space.columns)):
            if axes > 1:
                raise InputError(
                    f"{name} with these options sorts by columns, and the categories of column"
                    f" {space.names[at]!r} need {axes} axes. Declare an order, or use another"
                    " method."
                )
        if holes and self.missing == "own-groups" and max(map(len, self.column_blocks)) > 1:
            raise InputError(
                f'{name} with these options sorts by columns, and missing="own-groups" leaves out'
                ' those that are missing. Use another method, or missing="impute".'
            )

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
        if (self.trim is None) == (self.aggregate == "trimmed-mean"):
            raise PlanError('aggregate="trimmed-mean" and trim belong together. Give both or none.')


def _without_spread(flat: list[str]) -> list[ShoalWarning]:
    if not flat:
        return []
    verb = "is constant and takes" if len(flat) == 1 else "are constant and take"
    return [NoSpread(f"{listed(flat)} {verb} no part in the grouping: there is no spread.")]


def _missing(
    columns: list[Column], values: Mapping[str, Any], groups: Mapping[str, Partition]
) -> list[ShoalWarning]:
    released = {
        name: new.hole if isinstance(new, Taken) else np.isnan(new) for name, new in values.items()
    }
    return [MissingValues(sentence) for sentence in holes_told(columns, released, groups)]


def _together(rows: Rows, k: int) -> Partition:
    """Return one group: nothing is known that could tell the records apart."""
    return Partition(np.zeros(len(rows), np.int64), k)
