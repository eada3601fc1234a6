"""Measure the records of a block before and after masking, region by region."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.codes import codes_with_missing, keys
from shoal.frame.columns import Column
from shoal.metrics import classes, units_per_class
from shoal.metrics.equivalence_classes import sizes_per_class
from shoal.metrics.findings.shared_values import SharedCounts
from shoal.metrics.risk.linkage import linkage_chances
from shoal.partitioners import method_label
from shoal.scale.job import MicroaggregationJob
from shoal.scale.microaggregation.verdict_counts import (
    ColumnGroups,
    VerdictCounts,
    count_for_verdict,
)
from shoal.scale.statistics.counts import count_sizes, sum_counts, sum_shared_counts
from shoal.scale.statistics.exact_sums import exact_integer_sum
from shoal.scale.statistics.hashes import (
    ATTACK_SEED_OFFSET,
    distinguish_duplicates,
    in_sample,
    record_hashes,
)
from shoal.scale.statistics.moment_sums import MomentSums
from shoal.scale.statistics.profile_counts import BlockProfile, ProfileCounts, count_on_grids
from shoal.scale.statistics.table_statistics import Moments
from shoal.scale.statistics.value_counts import count_values
from shoal.scale.statistics.weights import WeightedTotals, sum_totals, weighted_totals
from shoal.scale.storage.scratch_files import ScratchFile
from shoal.steps.constraints.homogeneity import count_homogeneous
from shoal.steps.microaggregation.grouping import ColumnBlockGroups


@dataclass(frozen=True)
class DistanceSums:
    """Sums of distances between z-scores, in units of `exact_sums.UNIT`.

    Parameters
    ----------
    by_column : dict
        For each column, the sum of the distances between original and masked values.
    to_masked : int
        The sum, over all columns, of the distances between records and their masked form.
    to_mean : int
        The sum of the distances between records and the mean of the table.
    """

    by_column: Mapping[str, int] = field(default_factory=dict)
    to_masked: int = 0
    to_mean: int = 0

    def __add__(self, other: "DistanceSums") -> "DistanceSums":
        return DistanceSums(
            sum_counts([self.by_column, other.by_column]),
            self.to_masked + other.to_masked,
            self.to_mean + other.to_mean,
        )


@dataclass(frozen=True, kw_only=True)
class MaskedBlock:
    """The masked records of a block, and what was measured on them.

    Parameters
    ----------
    file : ScratchFile
        The masked records, in buckets by the shard of the release to which they belong.
    squared_errors : dict
        For each column, the sum of the squared differences of original and masked z-scores, in
        units of `exact_sums.UNIT`.
    group_sizes : tuple of dict
        Number of groups of each size, for each block of columns.
    methods : tuple of str
        The names of the methods that formed groups.
    expected_links, n_attacked : int and int
        Expected number of correct links of an attacker, in units of `exact_sums.UNIT`,
        and number of records on which the attack was tried.
    n_imputed : dict
        For each column, the number of missing values that were replaced.
    n_suppressed : dict
        For each column, the number of values that masking replaced by missing ones.
    totals : dict of str to WeightedTotals
        Weighted totals of each column, if there are weights.
    verdict_counts : VerdictCounts
        Counts for the verdict.
    group_units : dict
        Number of groups by the number of their units, if k counts units.
    profile : BlockProfile
        Counts of the columns in both tables.
    distances : DistanceSums
        Sums of the distances between records and their masked form.
    original_sizes : dict
        Number of original records by the size of their class, which is counted in units if k
        counts units.
    shared_counts : dict
        For each confidential column, the number of groups with a single value, if the step
        refuses such groups.
    """

    file: ScratchFile
    squared_errors: Mapping[str, int]
    group_sizes: tuple[Mapping[int, int], ...]
    methods: tuple[str, ...]
    expected_links: int
    n_attacked: int
    n_imputed: Mapping[str, int]
    n_suppressed: Mapping[str, int]
    totals: Mapping[str, WeightedTotals] = field(default_factory=dict)
    verdict_counts: VerdictCounts = field(default_factory=VerdictCounts)
    group_units: Mapping[int, int] = field(default_factory=dict)
    profile: BlockProfile = field(default_factory=BlockProfile)
    distances: DistanceSums = field(default_factory=DistanceSums)
    original_sizes: Mapping[int, int] = field(default_factory=dict)
    shared_counts: Mapping[str, SharedCounts] = field(default_factory=dict)


class MaskedRegion(NamedTuple):
    """The records of a region before and after masking, with their groups."""

    table: pa.Table
    released: pa.Table
    original_columns: list[Column]
    masked_columns: list[Column]
    column_blocks: list[ColumnBlockGroups]
    groups_by_column: dict[str, ColumnGroups]
    units: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None


class BlockMeasures:
    """What is measured on the records of a block, added up region by region.

    Parameters
    ----------
    job : MicroaggregationJob
        The job of the workers.
    """

    def __init__(self, job: MicroaggregationJob):
        self.job = job
        self.squared_errors: Counter[str] = Counter()
        self.expected_links = self.n_attacked = 0
        self.sizes: list[list[NDArray[np.int64]]] = [[] for _ in job.step.column_blocks]
        self.unit_sizes: list[NDArray[np.int64]] = []
        self.methods: dict[str, None] = {}
        self.n_imputed: Counter[str] = Counter()
        self.n_suppressed: Counter[str] = Counter()
        self.totals: dict[str, WeightedTotals] = {}
        self.verdict_counts = VerdictCounts()
        self.profile = ProfileCounts(job.grids)
        self.distances = DistanceSums()
        self.original_sizes: Counter[int] = Counter()
        self.shared_counts: list[dict[str, SharedCounts]] = []

    def add(self, region: MaskedRegion) -> None:
        """Add the measures of a region."""
        job = self.job
        original_columns, masked_columns = region.original_columns, region.masked_columns
        self.squared_errors.update(_squared_errors(job, original_columns, masked_columns))
        self.distances += _distances(job, original_columns, masked_columns)
        self.profile.add(_profile_columns(job, region.released, original_columns, masked_columns))
        self.original_sizes.update(_original_sizes(job, region.table, region.units))
        expected_links, n_attacked = _count_links(
            job, region.table, original_columns, masked_columns
        )
        self.expected_links += expected_links
        self.n_attacked += n_attacked
        if region.weights is not None:
            region_totals = weighted_totals(region.weights, original_columns, masked_columns)
            self.totals = sum_totals([self.totals, region_totals])
        self.verdict_counts += count_for_verdict(
            job.step,
            job.thresholds,
            original_columns,
            masked_columns,
            region.groups_by_column,
            region.weights,
            region.units,
        )
        self.shared_counts += _count_homogeneous(
            job, region.table, region.column_blocks, region.units
        )
        self._add_groups(region)
        for original, masked in zip(original_columns, masked_columns, strict=True):
            self.n_imputed[original.name] += int((original.is_missing & ~masked.is_missing).sum())
            self.n_suppressed[original.name] += int(
                (~original.is_missing & masked.is_missing).sum()
            )

    def _add_groups(self, region: MaskedRegion) -> None:
        """Add the sizes of the groups of a region, and the methods that formed them."""
        for sizes, block in zip(self.sizes, region.column_blocks, strict=True):
            sizes.append(block.groups.sizes)
            if region.units is not None:
                self.unit_sizes.append(units_per_class(block.groups.labels, region.units))
            self.methods |= {
                method_label(partitioner).partition(" in ")[0]: None
                for partitioner in block.fitted_partitioners
            }

    def to_block(self, file: ScratchFile) -> MaskedBlock:
        """Return all measures, with the file of the masked records."""
        return MaskedBlock(
            file=file,
            squared_errors=self.squared_errors,
            group_sizes=tuple(count_sizes(np.concatenate(sizes)) for sizes in self.sizes),
            methods=tuple(self.methods),
            expected_links=self.expected_links,
            n_attacked=self.n_attacked,
            n_imputed=self.n_imputed,
            n_suppressed=self.n_suppressed,
            totals=self.totals,
            verdict_counts=self.verdict_counts,
            group_units=count_sizes(np.concatenate(self.unit_sizes)) if self.unit_sizes else {},
            profile=self.profile.to_block(),
            distances=self.distances,
            original_sizes=self.original_sizes,
            shared_counts=sum_shared_counts(self.shared_counts),
        )


def _count_homogeneous(
    job: MicroaggregationJob,
    table: pa.Table,
    column_blocks: Sequence[ColumnBlockGroups],
    units: NDArray[np.int64] | None,
) -> list[dict[str, SharedCounts]]:
    """Count the groups with a single confidential value, if the step refuses them."""
    if job.step.homogeneity != "refuse":
        return []
    codes = codes_with_missing(tables.open_frame(table), job.confidential)
    return [
        count_homogeneous(block.groups, codes, job.confidential, units) for block in column_blocks
    ]


def _squared_errors(
    job: MicroaggregationJob, original_columns: Sequence[Column], masked_columns: Sequence[Column]
) -> dict[str, int]:
    """Return the exact sum of squared differences of each column, without missing values."""
    sums = {}
    for encoder, original, masked in zip(
        job.encoders.masked, original_columns, masked_columns, strict=True
    ):
        difference = encoder.axes(original, "zscore") - encoder.axes(masked, "zscore")
        sums[original.name] = exact_integer_sum((difference[~original.is_missing] ** 2).ravel())
    return sums


def _distances(
    job: MicroaggregationJob, original_columns: Sequence[Column], masked_columns: Sequence[Column]
) -> DistanceSums:
    """Return sums of distances between z-scores; a value that was missing counts as unchanged."""
    squared_change, squared_size = np.zeros((2, len(original_columns[0].values)))
    sums = {}
    for encoder, original, masked in zip(
        job.encoders.masked, original_columns, masked_columns, strict=True
    ):
        Z = encoder.axes(original, "zscore")
        change = Z - encoder.axes(masked, "zscore")
        change[original.is_missing] = 0.0
        column_squares = (change**2).sum(axis=1)
        sums[original.name] = exact_integer_sum(np.sqrt(column_squares))
        squared_change = squared_change + column_squares
        squared_size = squared_size + (Z**2).sum(axis=1)
    return DistanceSums(
        sums,
        exact_integer_sum(np.sqrt(squared_change)),
        exact_integer_sum(np.sqrt(squared_size)),
    )


def _profile_columns(
    job: MicroaggregationJob,
    released: pa.Table,
    original_columns: Sequence[Column],
    masked_columns: Sequence[Column],
) -> BlockProfile:
    """Count the values of the masked columns in both tables."""
    complete_columns = [] if job.step.missing == "own-groups" else job.encoders.complete_columns
    original_scores, masked_scores = (
        [
            encoder.axes(column, "zscore")[:, 0]
            for encoder, column in zip(job.encoders.masked, columns, strict=True)
            if encoder.name in complete_columns
        ]
        for columns in (original_columns, masked_columns)
    )
    return BlockProfile(
        count_on_grids(job.grids, original_columns, masked_columns),
        {
            column.name: Moments.from_values(column.values)
            for column in masked_columns
            if column.name in job.grids
        },
        count_values(
            released, [column.name for column in masked_columns if column.name not in job.grids]
        ),
        MomentSums.from_scores(complete_columns, original_scores, masked_scores),
    )


def _original_sizes(
    job: MicroaggregationJob, table: pa.Table, units: NDArray[np.int64] | None
) -> Mapping[int, int]:
    """Count the records of the original by the size of their class.

    Records that are equal in all masked columns are in the same region, so classes are whole.
    """
    class_of = classes(keys(tables.open_frame(table), job.quasi_identifiers))
    return count_sizes(sizes_per_class(class_of, units)[class_of])


def _count_links(
    job: MicroaggregationJob,
    table: pa.Table,
    original_columns: Sequence[Column],
    masked_columns: Sequence[Column],
) -> tuple[int, int]:
    """Return the expected number of correct links of an attacker, and of records attacked."""
    hashes = record_hashes(table, job.step.columns, job.seed + ATTACK_SEED_OFFSET)
    hashes = distinguish_duplicates(hashes)
    attacked = np.flatnonzero(in_sample(hashes, job.attack_share))
    if not len(attacked):
        return 0, 0
    Z, masked = job.encoders.zscores(original_columns), job.encoders.zscores(masked_columns)
    return exact_integer_sum(linkage_chances(Z, masked, attacked)), len(attacked)
