"""Microaggregation: replace the values of each group of at least k records by their aggregate."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal._params import Above, AtLeast, Between, RandomState
from shoal.errors import ShoalWarning
from shoal.frame import tables
from shoal.frame.columns import Column, read_column
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.frame.weights import read_weights
from shoal.partitioners import Partition, Partitioner
from shoal.steps._step import GroupingStep, StepResult
from shoal.steps.constraints.homogeneity_noise import vary_homogeneous
from shoal.steps.microaggregation.checks import check_options, check_values
from shoal.steps.microaggregation.column_warnings import (
    constant_column_warnings,
    missing_value_warnings,
)
from shoal.steps.microaggregation.group_loss import bound_on_loss, weighted_loss_warnings
from shoal.steps.microaggregation.group_values import GroupValues
from shoal.steps.microaggregation.grouping import group_block
from shoal.steps.microaggregation.grouping_input import GroupingInput, read_grouping_input
from shoal.steps.microaggregation.guarantee_sentences import describe_guarantee, former_guarantees
from shoal.steps.recoding.local_recoding import LOCAL_AGGREGATES, local_recoding_warnings

Mask = NDArray[np.bool_]
Aggregate = Literal["mean", "median", "trimmed-mean", "geometric-mean", "ancestor", "range"]
Decimals = Annotated[int, Between(-15, 15)]
ColumnWeight = Annotated[float, Between(1e-6, 1e6)]


class Microaggregate(GroupingStep):
    """Replace the values of columns by the aggregate of their group.

    Distances are computed on standardised columns, means in original units. Ordinal columns and
    dates are replaced by the lower median of the group, nominal and boolean columns by its most
    frequent value [DT05]_. Groups have at least k records, or k units if a unit is named, and never
    cross a stratum.

    Parameters
    ----------
    columns : list of str
        Columns to mask, of any kind.
    partitioner : Partitioner
        Method that groups the records, with its k.
    within : list of str, optional
        Columns whose values split the records into strata; a single name is accepted.
    dependence : float, default=0.0
        Share of the confidential columns in the distances, in [0, 1]; 0 groups by
        the masked columns only. See ``shoal.geometry.with_confidential``.
    blocks : int or list of list of str, optional
        Blocks of columns to microaggregate separately: the number of columns in a block, or the
        columns of each block. Blocks lose less information, but do not give k-anonymity on all
        columns together.
    small_strata : {"refuse", "merge"}, default="refuse"
        What to do with a stratum of fewer than k records: refuse the data, or merge the stratum
        with the stratum whose mean is nearest. In the columns that define the strata, all records
        of merged strata then get the values of the largest one, so that these columns do not
        distinguish them.
    unit : str, optional
        Column whose values are the persons, firms or other units to protect, each with any
        number of records: k counts the different units of every group. The column is dropped.
        Defaults to the column with the role ``unit``.
    household : str, optional
        Column whose values are the households to protect: k counts the different households of
        every group, and members of a household may be in different groups. The column is dropped.
        Defaults to the column with the role ``household``.
    whole_households : bool, default=False
        Whether all members of a household stay in one group, and get the same values.
        Households are then grouped by the means of their members, which loses much more
        information.
    weight : str, optional
        Column of survey weights. Means, medians and most frequent values of groups are weighted,
        so that means keep weighted totals. Defaults to the column with the role ``weight``.
    weighted_distances : bool, default=False
        Whether distances use weighted z-scores, with the weighted mean and standard deviation,
        which estimate the mean and standard deviation of the population.
    column_weights : mapping of str to float, optional
        Importance of columns in the distances, from 1e-6 to 1e6; 1 for columns that are not
        named. The standardised values of a column are multiplied by its weight, so that a column
        with the weight 2 counts as if its values were twice as far apart. Only the ratios of the
        weights matter. A column that should not count at all is masked in a separate block.
    missing : {"refuse", "own-groups", "impute", "drop"}, default="refuse"
        What to do with missing values. ``"refuse"`` refuses the data. ``"own-groups"`` groups
        records with the same missing cells, and suppresses further cells until at least k records
        share every pattern of missing cells. ``"impute"`` replaces missing values by the value of
        the group, unless this comes from a single record. ``"drop"`` drops records with missing
        values from the release.
    standardise : {"zscore", "none"}, default="zscore"
        Scale of the columns in distances: ``"zscore"`` has mean 0 and population standard deviation
        1, ``"none"`` keeps the original units.
    aggregate : str or mapping of str to str, default="mean"
        How numbers are aggregated: ``"mean"``, ``"median"``, ``"trimmed-mean"`` or
        ``"geometric-mean"`` of the group; a mapping sets it by column, with the mean as the default
        for columns that it does not name. Two aggregates recode values to text: ``"ancestor"``
        releases the lowest common ancestor of the group in the hierarchy, the prefixes or the
        intervals of the column's type, and ``"range"`` the smallest and the largest number. A
        warning states what they lose; see also ``refine_recoding``.
    trim : float, optional
        Share of a group that a trimmed mean ignores at each end, in [0, 0.5].
    decimals : int or mapping of str to int, optional
        Number of decimals to round the released values to, of all columns or by column; 0 keeps
        whole numbers whole. Rounding can make two groups equal, but never splits one.
    round : {"original", "none"}, optional
        What happens to columns without ``decimals``: ``"original"`` rounds to the decimals that
        the column has, so that ages and counts stay whole; ``"none"`` does not round. By default
        a table in memory is not rounded; in a file, columns with decimals keep their number of
        decimals, and the means of whole numbers are not rounded.
    homogeneity : {"warn", "merge", "noise", "refuse"}, default="warn"
        What to do with groups in which a confidential column has a single value: ``"warn"`` of
        them, ``"merge"`` them with the nearest group until none is left, add ``"noise"`` to their
        confidential values, or ``"refuse"`` the release. Groups in which all cells of the column
        are missing disclose no value: they are neither merged nor refused.
    noise : float, default=0.1
        Amount of noise that ``homogeneity="noise"`` adds, above 0 and at most 1: for numbers, its
        variance as a multiple of the variance of the column; for categories, the probability that a
        record of the group gets another value.
    random_state : int, Generator, RandomState or None
        Seed of the noise; if None, one is drawn and recorded in the plan of the release.
    diversity : float, optional
        The *l* of l-diversity, at least 1: minimum number of values of every confidential column
        in each group. With distinct values it is the *p* of p-sensitivity.
    diversity_kind : {"distinct", "entropy"}, default="distinct"
        How values are counted: distinct values, or the exponential of their entropy, which is the
        effective number of equally frequent values.
    closeness : float, optional
        The *t* of t-closeness, in [0, 1]: maximum distance between the distribution of every
        confidential column in a group and its distribution in the table.
    closeness_by : {"merge", "swap", "first"}, default="merge"
        How t-closeness is attained. ``"merge"`` joins groups that are too far from the table with
        their nearest neighbours; ``"swap"`` exchanges records between groups first; ``"first"``
        forms groups that are close from the start, for a single confidential column and by a
        separate method (:class:`shoal.partitioners.ClosenessFirst`). Diversity is always attained
        by merging.
    refine_recoding : bool, default=True
        Whether a local search refines groups whose columns are all released as ancestors or ranges,
        so that these lose less: records move and change places between groups of at least k. Groups
        that depend on confidential columns, and whole households, are not refined.

    References
    ----------
    .. [DT05] Domingo-Ferrer, J. and Torra, V. (2005). Ordinal, continuous and
       heterogeneous k-anonymity through microaggregation. Data Mining and Knowledge
       Discovery 11(2), 195-212.
    """

    name = "microaggregate"
    paper = "DT05"
    accepts_any_kind = True
    short_guarantee = "k-anonymity; l-diversity and t-closeness on request"

    def __init__(
        self,
        columns: Sequence[str],
        partitioner: Partitioner,
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
        column_weights: Mapping[str, ColumnWeight] | None = None,
        missing: Literal["refuse", "own-groups", "impute", "drop"] = "refuse",
        standardise: Literal["zscore", "none"] = "zscore",
        aggregate: Aggregate | Mapping[str, Aggregate] = "mean",
        trim: Annotated[float, Between(0, 0.5)] | None = None,
        decimals: Decimals | Mapping[str, Decimals] | None = None,
        round: Literal["original", "none"] | None = None,
        homogeneity: Literal["warn", "merge", "noise", "refuse"] = "warn",
        noise: Annotated[float, Above(0), Between(0, 1)] = 0.1,
        random_state: RandomState = None,
        diversity: Annotated[float, AtLeast(1)] | None = None,
        diversity_kind: Literal["distinct", "entropy"] = "distinct",
        closeness: Annotated[float, Between(0, 1)] | None = None,
        closeness_by: Literal["merge", "swap", "first"] = "merge",
        refine_recoding: bool = True,
    ):
        self.columns = as_list(columns)
        self.partitioner = partitioner
        self.within = within
        self.dependence = dependence
        self.blocks = blocks
        self.small_strata = small_strata
        self.unit = unit
        self.household = household
        self.whole_households = whole_households
        self.weight = weight
        self.weighted_distances = weighted_distances
        self.column_weights = column_weights
        self.missing = missing
        self.standardise = standardise
        self.aggregate = aggregate
        self.trim = trim
        self.decimals = decimals
        self.round = round
        self.homogeneity = homogeneity
        self.noise = noise
        self.random_state = random_state
        self.diversity = diversity
        self.diversity_kind = diversity_kind
        self.closeness = closeness
        self.closeness_by = closeness_by
        self.refine_recoding = refine_recoding
        self._validate()
        check_options(self)

    @property
    def is_random(self) -> bool:
        """Whether the step adds noise."""
        return self.homogeneity == "noise"

    @property
    def drops_incomplete(self) -> bool:
        """Whether records with a missing value in the columns are dropped."""
        return self.missing == "drop"

    @property
    def k(self) -> int:
        """Minimum number of records with the same values in each block of columns and the strata.

        With a unit or a household, the minimum number of units or households.
        """
        return int(self.partitioner.k)

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        return describe_guarantee(self)

    @property
    def former_guarantees(self) -> tuple[str, ...]:
        """The sentences of earlier versions."""
        return former_guarantees(self)

    @property
    def column_blocks(self) -> list[list[str]]:
        """The columns of each block, in order; a single block by default."""
        if self.blocks is None:
            return [self.columns]
        if not isinstance(self.blocks, Iterable):
            size = int(self.blocks)
            return [self.columns[i : i + size] for i in range(0, len(self.columns), size)]
        return [list(block) for block in self.blocks]

    @property
    def numeric_columns(self) -> list[str]:
        """The columns that the step computes with, including the weights."""
        return [*self.columns, *([self.weight] if self.weight else [])]

    @property
    def recoded_columns(self) -> list[str]:
        """The columns that are released as ancestors or ranges."""
        return [name for name in self.columns if self.aggregate_of(name) in LOCAL_AGGREGATES]

    @property
    def unit_noun(self) -> str:
        """What k counts, as a noun for messages."""
        if self.household:
            return "households"
        return "units" if self.unit else "records"

    def aggregate_of(self, name: str) -> str:
        """Return how a numeric column is aggregated."""
        if isinstance(self.aggregate, str):
            return self.aggregate
        return self.aggregate.get(name, "mean")

    def decimals_of(self, name: str) -> int | None:
        """Return the number of decimals that the step states for a column, or None."""
        if isinstance(self.decimals, Mapping):
            return self.decimals.get(name)
        return self.decimals

    def with_decimals_of(self, shown_decimals: Mapping[str, int]) -> "Microaggregate":
        """Return the step with the decimals that the columns of a file show.

        Parameters
        ----------
        shown_decimals : mapping of str to int
            Number of decimals of numeric columns.

        Returns
        -------
        Microaggregate
            The step, with ``decimals`` for the columns that ``round`` applies to. Decimals that
            the step already states are kept.
        """
        if self.round == "none" or isinstance(self.decimals, int):
            return self
        rounding_decimals = {
            name: number
            for name, number in shown_decimals.items()
            if name in self.columns and (number > 0 or self.round == "original")
        }
        decimals = {**rounding_decimals, **(self.decimals or {})}
        return self.replace(decimals=decimals) if decimals else self

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the masked values of ``frame``, with the groups."""
        types = types or {}
        tables.check_columns(frame, [*self.columns, *self.strata])
        columns = [read_column(frame, name, types.get(name)) for name in self.columns]
        check_values(self, columns)
        weights = None if self.weight is None else read_weights(frame, self.weight)
        inputs = read_grouping_input(self, frame, columns, confidential, types, weights)
        group_values = GroupValues(self, frame, inputs.recoded, weights)
        partitions: list[Partition] = []
        fitted_partitioners: list[Partitioner] = []
        partitioner = self.partitioner
        for names in self.column_blocks:
            block_columns = [columns[self.columns.index(name)] for name in names]
            block = group_block(self, block_columns, inputs, partitioner)
            for column, missing in zip(block_columns, block.missing.T, strict=True):
                group_values.add(column, block.groups, missing)
            partitions.append(block.groups)
            fitted_partitioners += block.fitted_partitioners
            partitioner = block.reproducible_partitioner
        noisy_values = self._add_noise(frame, confidential, types, partitions, inputs.units)
        return StepResult(
            values={**group_values.values, **inputs.strata.released_values, **noisy_values},
            partitions=tuple(partitions),
            fitted_partitioners=tuple(fitted_partitioners),
            reproducible_partitioner=partitioner,
            bound=bound_on_loss(self, fitted_partitioners, columns),
            warnings=self._warnings(columns, inputs, group_values, partitions),
        )

    def _warnings(
        self,
        columns: Sequence[Column],
        inputs: GroupingInput,
        group_values: GroupValues,
        partitions: Sequence[Partition],
    ) -> tuple[ShoalWarning, ...]:
        """Return the warnings about columns, strata, local recoding and column weights."""
        is_imputed = self.missing == "impute"
        return (
            *constant_column_warnings(inputs.space.constant_columns),
            *missing_value_warnings(
                columns, group_values.values, group_values.groups, is_imputed=is_imputed
            ),
            *inputs.strata.warnings,
            *local_recoding_warnings(group_values.recodings),
            *weighted_loss_warnings(self, inputs.space, partitions),
        )

    def _add_noise(
        self,
        frame: Frame,
        confidential: Sequence[str],
        types: Mapping[str, Type],
        partitions: Sequence[Partition],
        units: NDArray[np.int64] | None,
    ) -> dict[str, Any]:
        """Return confidential values with noise in homogeneous groups, if the step adds any."""
        if not self.is_random:
            return {}
        rng = np.random.default_rng(self.random_state)
        return vary_homogeneous(
            frame, confidential, types, partitions, amount=self.noise, rng=rng, units=units
        )
