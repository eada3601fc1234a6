"""Blocks of masked records: the tasks that assign records to cells, and that mask a block."""

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
from shoal.frame.new_values import RowGather, with_values
from shoal.metrics import classes, units_per_class
from shoal.metrics.findings.shared_values import SharedCounts
from shoal.metrics.risk.linkage import linkage_chances
from shoal.partitioners import method_label
from shoal.scale.assessment.verdict_counts import ColumnGroups, VerdictCounts, count_for_verdict
from shoal.scale.job import Job, count_sizes, load_job, sum_shared_counts, worker_task
from shoal.scale.microaggregation.grouping import group_region, region_units
from shoal.scale.sources.chunks import Chunk, read_batches, sort_by
from shoal.scale.splitting.regions import Region
from shoal.scale.statistics.exact_sums import exact_integer_sum
from shoal.scale.statistics.hashes import distinguish_duplicates, in_sample, record_hashes
from shoal.scale.statistics.moment_sums import MomentSums
from shoal.scale.statistics.profile import BlockProfile, Profile, count_on_grids
from shoal.scale.statistics.table_statistics import Moments, count_values
from shoal.scale.statistics.weights import WeightedTotals, weighted_totals
from shoal.scale.storage.files import join
from shoal.scale.storage.scratch_files import (
    ScratchFile,
    read_scratch,
    write_scratch,
    write_scratch_files,
)
from shoal.steps.constraints.homogeneity import count_homogeneous
from shoal.steps.microaggregation.centroid import centroid
from shoal.steps.microaggregation.checks import check_values
from shoal.steps.microaggregation.grouping import ColumnBlockGroups

Matrix = NDArray[np.float64]

# Stand for all columns together in sums by column; no column has such a name.
DISTANCE_TO_MASKED, DISTANCE_TO_MEAN = "\0to masked", "\0to mean"


@worker_task
def assign_cells(
    job_file: str, chunk: Chunk, folder: str, number: int, max_records: int
) -> list[ScratchFile]:
    """Write the records of a chunk to scratch files, by cell.

    A file is written as soon as ``max_records`` are in memory.
    """
    job: Job = load_job(job_file)

    def by_cell(table: pa.Table) -> tuple[pa.Table, NDArray[np.int64]]:
        Z = job.encoders.coordinates(table, job.encoders.read(table))
        return job.strata.with_released_values(table), job.strata.cell_of(table, Z)

    batches = read_batches(chunk, job.columns, job.required_columns, max_records)
    return write_scratch_files(batches, join(folder, f"{number:08d}"), max_records, by_cell)


@dataclass(frozen=True)
class MaskedBlock:
    """The masked records of a block, and what was measured on them.

    Parameters
    ----------
    file : ScratchFile
        The masked records, by the shard of the release that they belong to.
    squared_errors : dict
        For each column, the sum of the squared differences of original and masked z-scores, in
        units of `exact_sums.UNIT`.
    group_sizes : tuple of dict
        Number of groups of each size, for each block of columns.
    methods : tuple of str
        The methods that were used.
    expected_links, n_attacked : int and int
        Expected number of correct links of an attacker, in units of `exact_sums.UNIT`,
        and the number of records that the attack was tried on.
    n_imputed : dict
        For each column, the number of missing values that were replaced.
    n_suppressed : dict
        For each column, the number of values that masking replaced by missing ones.
    totals : dict
        Weighted totals of each column before and after, if there are weights.
    verdict_counts : dict
        Counts for the verdict.
    group_units : dict
        Number of groups by the number of their units, if k counts units.
    profile : BlockProfile
        Counts of the columns before and after.
    distances : dict
        Sums, in units of `exact_sums.UNIT`, of the distances between records and their masked form:
        by column, and over all columns as ``DISTANCE_TO_MASKED``. ``DISTANCE_TO_MEAN`` is the sum
        of the distances between records and the mean of the table.
    original_sizes : dict
        Number of original records by the size of their class, which is counted in units if k
        counts units.
    shared_counts : dict
        For each confidential column, the number of groups that share a value, if the step refuses
        such groups.
    """

    file: ScratchFile
    squared_errors: Mapping[str, int]
    group_sizes: tuple[Mapping[int, int], ...]
    methods: tuple[str, ...]
    expected_links: int
    n_attacked: int
    n_imputed: Mapping[str, int]
    n_suppressed: Mapping[str, int]
    totals: WeightedTotals = field(default_factory=dict)
    verdict_counts: VerdictCounts = field(default_factory=dict)
    group_units: Mapping[int, int] = field(default_factory=dict)
    profile: BlockProfile = field(default_factory=BlockProfile)
    distances: Mapping[str, int] = field(default_factory=dict)
    original_sizes: Mapping[int, int] = field(default_factory=dict)
    shared_counts: Mapping[str, SharedCounts] = field(default_factory=dict)


@worker_task
def mask_block(
    job_file: str,
    regions: Sequence[Region],
    files: Sequence[ScratchFile],
    folder: str,
    number: int,
) -> MaskedBlock:
    """Group and mask the records of a block, each of its regions separately."""
    job: Job = load_job(job_file)
    measures, released_tables = _BlockMeasures(job), []
    for region in regions:
        masked_region = _mask_region(job, read_scratch(files, region))
        measures.add(masked_region)
        released_tables.append(masked_region.released)
    table = pa.concat_tables(released_tables)
    shards = record_hashes(table, job.quasi_identifiers) % np.uint64(job.n_shards)
    path = join(folder, f"{number:08d}.arrow")
    return measures.to_block(write_scratch(path, table, shards.astype(np.int64)))


class _MaskedRegion(NamedTuple):
    """The records of a region before and after masking, with their groups."""

    table: pa.Table
    released: pa.Table
    original_columns: list[Column]
    masked_columns: list[Column]
    column_blocks: list[ColumnBlockGroups]
    groups: dict[str, ColumnGroups]
    units: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None


def _mask_region(job: Job, table: pa.Table) -> _MaskedRegion:
    """Group and mask the records of one region, in an order that their values determine."""
    table = sort_by(table, [*job.step.columns, *job.step.strata])
    original_columns = job.encoders.read(table)
    check_values(job.step, original_columns)
    units, weights = region_units(job, table), _read_weights(job, table)
    column_blocks = group_region(job, table, original_columns, units)
    groups = _groups_of_columns(job, column_blocks)
    released = _mask_records(job, table, original_columns, groups, weights)
    masked_columns = job.encoders.read(released)
    return _MaskedRegion(
        table, released, original_columns, masked_columns, column_blocks, groups, units, weights
    )


class _BlockMeasures:
    """What is measured on the records of a block, added up region by region."""

    def __init__(self, job: Job):
        self.job = job
        self.squared_errors: Counter[str] = Counter()
        self.expected_links = self.n_attacked = 0
        self.sizes: list[list[NDArray[np.int64]]] = [[] for _ in job.step.column_blocks]
        self.unit_sizes: list[NDArray[np.int64]] = []
        self.methods: dict[str, None] = {}
        self.n_imputed: Counter[str] = Counter()
        self.n_suppressed: Counter[str] = Counter()
        self.totals: Counter[tuple[str, str]] = Counter()
        self.verdict_counts: Counter[tuple[str, str]] = Counter()
        self.profile = Profile(job.grids)
        self.distances: Counter[str] = Counter()
        self.original_sizes: Counter[int] = Counter()
        self.shared_counts: list[dict[str, SharedCounts]] = []

    def add(self, region: _MaskedRegion) -> None:
        """Add the measures of a region."""
        job, step = self.job, self.job.step
        table, released, original_columns, masked_columns, column_blocks, groups, units, weights = (
            region
        )
        self.squared_errors.update(_squared_errors(job, original_columns, masked_columns))
        self.distances.update(_distances(job, original_columns, masked_columns))
        self.profile.add(_profile_columns(job, released, original_columns, masked_columns))
        self.original_sizes.update(_original_sizes(job, table, units))
        expected_links, n_attacked = _count_links(job, table, original_columns, masked_columns)
        self.expected_links, self.n_attacked = (
            self.expected_links + expected_links,
            self.n_attacked + n_attacked,
        )
        if weights is not None:
            self.totals.update(weighted_totals(weights, original_columns, masked_columns))
        self.verdict_counts.update(
            count_for_verdict(
                step, job.thresholds, original_columns, masked_columns, groups, weights, units
            )
        )
        self.shared_counts += _count_homogeneous(job, table, column_blocks, units)
        for sizes, block in zip(self.sizes, column_blocks, strict=True):
            sizes.append(block.groups.sizes)
            if units is not None:
                self.unit_sizes.append(units_per_class(block.groups.labels, units))
            self.methods |= {
                method_label(partitioner).partition(" in ")[0]: None
                for partitioner in block.fitted_partitioners
            }
        for original, masked in zip(original_columns, masked_columns, strict=True):
            self.n_imputed[original.name] += int((original.is_missing & ~masked.is_missing).sum())
            self.n_suppressed[original.name] += int(
                (~original.is_missing & masked.is_missing).sum()
            )

    def to_block(self, file: ScratchFile) -> MaskedBlock:
        """Return all measures, with the file of the masked records."""
        return MaskedBlock(
            file,
            self.squared_errors,
            tuple(count_sizes(np.concatenate(sizes)) for sizes in self.sizes),
            tuple(self.methods),
            self.expected_links,
            self.n_attacked,
            self.n_imputed,
            self.n_suppressed,
            self.totals,
            self.verdict_counts,
            count_sizes(np.concatenate(self.unit_sizes)) if self.unit_sizes else {},
            self.profile.to_block(),
            self.distances,
            self.original_sizes,
            sum_shared_counts(self.shared_counts),
        )


def _groups_of_columns(
    job: Job, column_blocks: Sequence[ColumnBlockGroups]
) -> dict[str, ColumnGroups]:
    """Return the groups of each masked column, and which records lack a released value."""
    return {
        name: ColumnGroups(block.groups, missing)
        for names, block in zip(job.step.column_blocks, column_blocks, strict=True)
        for name, missing in zip(names, block.missing.T, strict=True)
    }


def _count_homogeneous(
    job: Job,
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


def _read_weights(job: Job, table: pa.Table) -> NDArray[np.float64] | None:
    """Return the survey weights of some records, if there are any."""
    if job.step.weight is None:
        return None
    return tables.numbers(tables.open_frame(table), job.step.weight)


def _mask_records(
    job: Job,
    table: pa.Table,
    columns: Sequence[Column],
    groups: Mapping[str, ColumnGroups],
    weights: NDArray[np.float64] | None,
) -> pa.Table:
    """Return the released columns of some records, and the column of units if k counts units."""
    frame = tables.open_frame(table)
    values: dict[str, NDArray[np.generic] | RowGather] = {}
    for column in columns:
        values[column.name] = centroid(
            column,
            groups[column.name].groups,
            groups[column.name].missing,
            aggregate=job.step.aggregate_of(column.name),
            trim=job.step.trim,
            decimals=job.step.decimals_of(column.name),
            is_whole=tables.has_integer_type(frame, column.name),
            weights=weights,
        )
    released: pa.Table = tables.to_native(with_values(frame, values))
    released = released.select(job.released_schema.names).cast(job.released_schema)
    return released if job.unit is None else released.append_column(*_column(table, job.unit))


def _column(table: pa.Table, name: str) -> tuple[pa.Field, pa.ChunkedArray]:
    return table.schema.field(name), table.column(name)


def _squared_errors(
    job: Job, original_columns: Sequence[Column], masked_columns: Sequence[Column]
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
    job: Job, original_columns: Sequence[Column], masked_columns: Sequence[Column]
) -> dict[str, int]:
    """Return sums of distances of z-scores; a value that was missing counts as unchanged."""
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
        squared_change, squared_size = (
            squared_change + column_squares,
            squared_size + (Z**2).sum(axis=1),
        )
    return {
        **sums,
        DISTANCE_TO_MASKED: exact_integer_sum(np.sqrt(squared_change)),
        DISTANCE_TO_MEAN: exact_integer_sum(np.sqrt(squared_size)),
    }


def _profile_columns(
    job: Job,
    released: pa.Table,
    original_columns: Sequence[Column],
    masked_columns: Sequence[Column],
) -> BlockProfile:
    """Count the values of the masked columns before and after."""
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
    job: Job, table: pa.Table, units: NDArray[np.int64] | None
) -> Mapping[int, int]:
    """Count the records of the original by the size of their class.

    Records that are equal in all masked columns are in one region.
    """
    class_of = classes(keys(tables.open_frame(table), job.quasi_identifiers))
    sizes = np.bincount(class_of) if units is None else units_per_class(class_of, units)
    return count_sizes(sizes[class_of])


def _count_links(
    job: Job, table: pa.Table, original_columns: Sequence[Column], masked_columns: Sequence[Column]
) -> tuple[int, int]:
    """Return the expected number of correct links of an attacker, and of records attacked."""
    hashes = distinguish_duplicates(record_hashes(table, job.step.columns, job.seed + 1))
    attacked = np.flatnonzero(in_sample(hashes, job.attack_share))
    if not len(attacked):
        return 0, 0
    Z, masked = job.encoders.zscores(original_columns), job.encoders.zscores(masked_columns)
    return exact_integer_sum(linkage_chances(Z, masked, attacked)), len(attacked)
