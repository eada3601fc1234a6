"""The step that hides each record among at least k."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal._params import AtLeast, Between
from shoal.errors import ConstantColumn, MissingValues, ShoalWarning
from shoal.frame import tables
from shoal.frame.columns import Column, read_column, refuse_missing
from shoal.frame.roles import name_columns
from shoal.frame.tables import Frame, RowGather
from shoal.frame.types import Type
from shoal.partitioners import Partition, Partitioner
from shoal.steps import beyond, strata
from shoal.steps._step import Grouping, Outcome, check_confidential, named
from shoal.steps.centroid import centroid
from shoal.steps.checks import check_axes, check_options, check_values
from shoal.steps.geometry import Space, open_space
from shoal.steps.grouping import Material, group
from shoal.steps.households import refuse_split
from shoal.steps.missing import told as holes_told
from shoal.steps.units import read_units

Holes = NDArray[np.bool_]


class Microaggregate(Grouping):
    """Release what stands for a group in place of the values of some columns.

    Distances are taken on standardised columns; means are taken in original
    units. Of ordinal columns and dates the lower median of the group is released, of
    nominal and boolean columns its most frequent value [DT05]_. Groups have at least k
    records, or units where these are named, and never cross a stratum.

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
        the masked columns alone. See ``shoal.geometry.with_confidential``.
    blocks : int or list of list of str, optional
        Groups of columns to microaggregate each by itself: a number of columns,
        or the columns of each block. Blocks lose less, and break k-anonymity of
        the columns together.
    small_strata : str
        What to do with a stratum of fewer than k records: ``"refuse"`` it by name, or
        ``"merge"`` it with the stratum whose mean is nearest. The records of merged
        strata then all show the largest of these in the columns of strata, so that these
        cannot tell them apart.
    unit : str, optional
        Column whose values are the persons, firms or other units to hide, of whatever number
        of records: k counts the different units of every group. By itself the column that
        has the role ``unit``. The column is dropped.
    household : str, optional
        The same for households: k counts the different households of every group, and
        members may be in different groups. By itself the column that has the role
        ``household``. The column is dropped.
    whole_households : bool
        Whether all members of a household stay in one group and so get the same values.
        Groups are then those of the means of the households; that loses much more.
    weight : str, optional
        Column of survey weights: means, medians and most frequent values of groups count
        each record as its weight says, so that means keep weighted totals. By itself the
        column that has the role ``weight``.
    weighted_distances : bool
        Whether weights also set the units of distances: z-scores are then taken by the
        weighted mean and standard deviation, those of the population.
    missing : str
        What to do with missing values: ``"refuse"`` them; ``"own-groups"`` groups
        records with the same missing cells, and suppresses further cells where fewer
        than k records share them; ``"impute"`` releases the value of the group in
        their place, unless a single record gave it; ``"drop"`` leaves such records out of
        the release.
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

    References
    ----------
    .. [DT05] Domingo-Ferrer, J. and Torra, V. (2005). Ordinal, continuous and
       heterogeneous k-anonymity through microaggregation. Data Mining and Knowledge
       Discovery 11(2), 195-212.
    """

    name = "microaggregate"
    paper = "DT05"
    of_any_kind = True
    promises = "k-anonymity; l-diversity and t-closeness on request"

    def __init__(
        self,
        columns: Sequence[str],
        partition: Partitioner,
        *,
        within: str | Sequence[str] | None = None,
        dependence: Annotated[float, Between(0, 1)] = 0.0,
        blocks: Annotated[int, AtLeast(1)] | Sequence[Sequence[str]] | None = None,
        small_strata: Literal["refuse", "merge"] = "refuse",
        unit: str | None = None,
        household: str | None = None,
        whole_households: bool = False,
        weight: str | None = None,
        weighted_distances: bool = False,
        missing: Literal["refuse", "own-groups", "impute", "drop"] = "refuse",
        standardise: Literal["zscore", "none"] = "zscore",
        aggregate: Literal["mean", "median", "trimmed-mean", "geometric-mean"] = "mean",
        trim: Annotated[float, Between(0, 0.5)] | None = None,
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
        self.small_strata = small_strata
        self.unit = unit
        self.household = household
        self.whole_households = whole_households
        self.weight = weight
        self.weighted_distances = weighted_distances
        self.missing = missing
        self.standardise = standardise
        self.aggregate = aggregate
        self.trim = trim
        self.decimals = decimals
        self.homogeneity = homogeneity
        self.diversity = diversity
        self.diversity_kind = diversity_kind
        self.closeness = closeness
        self.closeness_by = closeness_by
        self._settle()
        check_options(self)

    @property
    def drops_incomplete(self) -> bool:
        """Whether records with a missing value in the columns are dropped."""
        return self.missing == "drop"

    @property
    def k(self) -> int:
        """Least number of records that look alike in each block of columns and in the strata.

        With a unit or a household, the least number of these.
        """
        return int(self.partition.k)

    @property
    def guarantee(self) -> str:
        """What the step promises, in sentences for the report."""
        together = " in each block of columns" if len(self.column_blocks) > 1 else ""
        told = [f"Microaggregation gives k-anonymity with k = {self.k}{together}."]
        if self.whole_households:
            told.append(f"Each class holds whole households, at least {self.k} of them.")
        elif self.household is not None:
            told.append(f"Each class holds records of at least {self.k} households.")
        elif self.unit is not None:
            told.append(f"Each class holds records of at least {self.k} units of {self.unit!r}.")
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
        if not isinstance(self.blocks, Iterable):
            size = int(self.blocks)
            return [self.columns[at : at + size] for at in range(0, len(self.columns), size)]
        return [list(block) for block in self.blocks]

    @property
    def numbers(self) -> list[str]:
        """The columns that the step computes with, among them the weights."""
        return [*self.columns, *([self.weight] if self.weight else [])]

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> Outcome:
        """Return the masked values of ``frame`` and the groups behind them."""
        types = types or {}
        tables.check_columns(frame, [*self.columns, *self.strata])
        columns = [read_column(frame, name, types.get(name)) for name in self.columns]
        check_values(self, columns)
        secret: list[Column] = []
        if self.dependence > 0:
            check_confidential(confidential, f"dependence={self.dependence:g}")
            secret = [read_column(frame, name, types.get(name)) for name in confidential]
            refuse_missing(secret, "Mend them, or leave dependence out: distances need the values.")
        weights = None if self.weight is None else tables.weights(frame, self.weight)
        units = weights if self.weighted_distances else None
        space = open_space(columns, self.standardise, self.dependence, secret, units)
        check_axes(self, space, any(column.is_missing.any() for column in columns))
        counted = None if self.counted is None else read_units(frame, self.counted)
        parts = self._strata(frame, space, counted)
        material = Material(
            space,
            parts,
            beyond.demand(self, frame, confidential, types, counted),
            confidential,
            self._confidential_codes(frame, confidential),
            counted,
        )
        values: dict[str, NDArray[Any] | RowGather] = {}
        partitions: list[Partition] = []
        fitted: list[Partitioner] = []
        grouped, settled = {}, self.partition
        for block in self.column_blocks:
            chosen = [columns[self.columns.index(name)] for name in block]
            found = group(self, chosen, material, settled)
            for column, out in zip(chosen, found.hole.T, strict=True):
                values[column.name] = self._mask(column, found.groups, out, frame, weights)
                grouped[column.name] = found.groups
            partitions.append(found.groups)
            fitted += found.fitted
            settled = found.settled
        return Outcome(
            {**values, **parts.released},
            tuple(partitions),
            tuple(fitted),
            settled,
            self._bound(fitted, columns),
            (
                *_without_spread(space.flat),
                *_missing(columns, values, grouped, imputed=self.missing == "impute"),
                *parts.warnings,
            ),
        )

    def _strata(self, frame: Frame, space: Space, units: NDArray[np.int64] | None) -> strata.Strata:
        """Return strata that can be grouped; see to those that are too small."""
        found = strata.split(frame, self.strata)
        if self.small_strata == "merge":
            found = strata.merge_small(found, self.k, space.Z, units, self._what)
        strata.refuse_small(found, self.k, units, self._what)
        if units is not None and self.whole_households:
            refuse_split(found.rows, units)
        return found

    @property
    def _what(self) -> str:
        """What k counts, in a word."""
        return "households" if self.household else "units" if self.unit else "records"

    def _confidential_codes(self, frame: Frame, confidential: Sequence[str]) -> NDArray[np.int64]:
        """Return numbers that stand for the confidential values, if groups must not share one."""
        if self.homogeneity == "warn":
            return np.empty((len(frame), 0), np.int64)
        check_confidential(confidential, f'homogeneity="{self.homogeneity}"')
        return tables.codes(frame, confidential)

    def _bound(self, fitted: Sequence[Partitioner], columns: Sequence[Column]) -> float | None:
        """Return the sum of what was proven for blocks and strata, in units of z-scores."""
        bounds = [used.bound_ for used in fitted if used.bound_ is not None]
        plain = all(column.kind == "numeric" and not column.is_missing.any() for column in columns)
        plain = plain and self.standardise == "zscore" and not self.weighted_distances
        # Groups of k units are groups of k records too, so their bound holds; means of households
        # are other records.
        plain = plain and not self.whole_households
        proven = len(bounds) == len(fitted) and not self.dependence
        return sum(bounds) if proven and plain else None

    def _mask(
        self,
        column: Column,
        groups: Partition,
        hole: Holes,
        frame: Frame,
        weights: NDArray[np.float64] | None,
    ) -> NDArray[Any] | RowGather:
        return centroid(
            column,
            groups,
            hole,
            aggregate=self.aggregate,
            trim=self.trim,
            decimals=self.decimals,
            whole=tables.is_whole(frame, column.name),
            weights=weights,
        )


def _without_spread(flat: list[str]) -> list[ShoalWarning]:
    if not flat:
        return []
    verb = "is constant and takes" if len(flat) == 1 else "are constant and take"
    return [
        ConstantColumn(
            f"{name_columns(flat)} {verb} no part in the grouping: there is no spread.",
            code="constant-column",
            columns=tuple(flat),
        )
    ]


def _missing(
    columns: list[Column],
    values: Mapping[str, Any],
    groups: Mapping[str, Partition],
    *,
    imputed: bool,
) -> list[ShoalWarning]:
    released = {
        name: new.is_missing if isinstance(new, RowGather) else np.isnan(new)
        for name, new in values.items()
    }
    said = holes_told(columns, released, groups, imputed=imputed)
    return [MissingValues(sentence) for sentence in said]
