"""The tasks of workers: assign records to cells, mask a block, write a shard of the release."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sklearn.base import clone

from shoal._params import signature_parameters
from shoal.frame import tables
from shoal.frame.codes import codes, keys, value_codes
from shoal.frame.columns import Column
from shoal.frame.new_values import RowGather, with_values
from shoal.frame.values import any_codes
from shoal.io.store import name_of
from shoal.metrics import classes, homogeneous_classes, smallest_class
from shoal.metrics.linkage import linkage_chances
from shoal.metrics.uniqueness import unique_units
from shoal.partitioners import Auto, Blocked, Partition, Partitioner, Refine, method_label
from shoal.scale.chunks import Chunk, read_batches, sort_by
from shoal.scale.exact import exact_sum
from shoal.scale.job import Job, count_sizes, load_job, worker_task
from shoal.scale.keys import content_keys, distinguish_duplicates, in_sample
from shoal.scale.layout import Region
from shoal.scale.scratch import (
    ScratchFile,
    read_scratch,
    write_parquet,
    write_scratch,
    write_scratch_files,
)
from shoal.scale.storage import hash_file, join, open_input
from shoal.scale.verdict_counts import VerdictCounts, count_for_verdict
from shoal.scale.weights import WeightedTotals, weighted_totals
from shoal.steps.centroid import centroid
from shoal.steps.checks import check_values

Matrix = NDArray[np.float64]


@worker_task
def assign_cells(
    job_file: str, chunk: Chunk, folder: str, number: int, max_records: int
) -> list[ScratchFile]:
    """Write the records of a chunk to scratch files, by cell.

    A file is written as soon as ``max_records`` are in memory.
    """
    job = load_job(job_file)

    def by_cell(table: pa.Table) -> tuple[pa.Table, NDArray[np.int64]]:
        Z = job.encoders.coordinates(table, job.encoders.read(table))
        return job.strata.with_released_values(table), job.strata.cells(table, Z)

    batches = read_batches(chunk, job.columns, job.required, max_records)
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
        units of `shoal.scale.exact.UNIT`.
    group_sizes : dict
        Number of groups of each size.
    methods : tuple of str
        The methods that were used.
    linked, attacked : int and int
        Expected number of correct links of an attacker, in units of `shoal.scale.exact.UNIT`,
        and the number of records that the attack was tried on.
    imputed : dict
        For each column, the number of missing values that were replaced.
    suppressed : dict
        For each column, the number of values that are missing in the release.
    totals : dict
        Weighted totals of each column before and after, where there are weights.
    verdict_counts : dict
        Counts for the verdict.
    """

    file: ScratchFile
    squared_errors: Mapping[str, int]
    group_sizes: Mapping[int, int]
    methods: tuple[str, ...]
    linked: int
    attacked: int
    imputed: Mapping[str, int]
    suppressed: Mapping[str, int]
    totals: WeightedTotals = field(default_factory=dict)
    verdict_counts: VerdictCounts = field(default_factory=dict)


@worker_task
def mask_block(
    job_file: str,
    regions: Sequence[Region],
    files: Sequence[ScratchFile],
    folder: str,
    number: int,
) -> MaskedBlock:
    """Group and mask the records of a block, each of its regions separately."""
    job = load_job(job_file)
    masked: list[pa.Table] = []
    squared_errors: Counter[str] = Counter()
    linked = attacked = 0
    sizes: list[NDArray[np.int64]] = []
    methods: dict[str, None] = {}
    imputed: Counter[str] = Counter()
    suppressed: Counter[str] = Counter()
    totals: Counter[tuple[str, str]] = Counter()
    verdict_counts: Counter[tuple[str, str]] = Counter()
    for region in regions:
        table = sort_by(read_scratch(files, region), [*job.step.columns, *job.step.strata])
        before = job.encoders.read(table)
        check_values(job.step, before)
        groups, method = _group_records(job, table, before)
        weights = _read_weights(job, table)
        released = _mask_records(job, table, before, groups, weights)
        after = job.encoders.read(released)
        squared_errors.update(_squared_errors(job, before, after))
        new_linked, new_attacked = _count_links(job, table, before, after)
        linked, attacked = linked + new_linked, attacked + new_attacked
        totals.update({} if weights is None else weighted_totals(weights, before, after))
        verdict_counts.update(
            count_for_verdict(job.step, job.thresholds, before, after, groups, weights)
        )
        sizes.append(groups.sizes)
        methods[method] = None
        for original, new in zip(before, after, strict=True):
            imputed[original.name] += int((original.is_missing & ~new.is_missing).sum())
            suppressed[original.name] += int((~original.is_missing & new.is_missing).sum())
        masked.append(released)
    table = pa.concat_tables(masked)
    shards = content_keys(table, job.quasi_identifiers) % np.uint64(job.n_shards)
    return MaskedBlock(
        write_scratch(join(folder, f"{number:08d}.arrow"), table, shards.astype(np.int64)),
        squared_errors,
        count_sizes(np.concatenate(sizes)),
        tuple(methods),
        linked,
        attacked,
        imputed,
        suppressed,
        totals,
        verdict_counts,
    )


def _read_weights(job: Job, table: pa.Table) -> NDArray[np.float64] | None:
    """Return the survey weights of some records, if there are any."""
    if job.step.weight is None:
        return None
    return tables.numbers(tables.open_frame(table), job.step.weight)


def _group_records(job: Job, table: pa.Table, columns: Sequence[Column]) -> tuple[Partition, str]:
    """Return the groups of some records, and the method that made them."""
    Z = job.encoders.coordinates(table, columns)
    fitted = single_threaded(job.step.partitioner, len(Z)).fit(Z)
    return fitted.partition_, method_label(fitted).partition(" in ")[0]


def single_threaded(partitioner: Partitioner, n_records: int) -> Partitioner:
    """Return the partitioner as a worker uses it: other workers use the other cores.

    `Auto` becomes what it would choose for a long table, blocks with refined borders, or plain
    refinement where one block is enough.
    """
    if isinstance(partitioner, Auto):
        one_block = n_records <= signature_parameters(Blocked)["block_size"].default
        k = partitioner.k
        return Refine(k=k) if one_block else Blocked(k=k, n_jobs=1)
    copy: Partitioner = clone(partitioner)
    return copy.set_params(n_jobs=1) if isinstance(copy, Blocked) else copy


def _mask_records(
    job: Job,
    table: pa.Table,
    columns: Sequence[Column],
    groups: Partition,
    weights: NDArray[np.float64] | None,
) -> pa.Table:
    """Return the released columns of some records."""
    frame = tables.open_frame(table)
    values: dict[str, NDArray[np.generic] | RowGather] = {}
    for column in columns:
        values[column.name] = centroid(
            column,
            groups,
            column.is_missing,
            aggregate=job.step.aggregate_of(column.name),
            trim=job.step.trim,
            decimals=job.step.decimals_of(column.name),
            whole=tables.is_whole(frame, column.name),
            weights=weights,
        )
    released: pa.Table = tables.to_native(with_values(frame, values))
    return released.select(job.released.names).cast(job.released)


def _squared_errors(job: Job, before: Sequence[Column], after: Sequence[Column]) -> dict[str, int]:
    """Return the exact sum of squared differences of each column, without missing values."""
    sums = {}
    for encoder, original, masked in zip(job.encoders.masked, before, after, strict=True):
        difference = encoder.axes(original, "zscore") - encoder.axes(masked, "zscore")
        sums[original.name] = exact_sum((difference[~original.is_missing] ** 2).ravel())
    return sums


def _count_links(
    job: Job, table: pa.Table, before: Sequence[Column], after: Sequence[Column]
) -> tuple[int, int]:
    """Return the expected number of correct links of an attacker, and of records attacked."""
    keys = distinguish_duplicates(content_keys(table, job.step.columns, job.seed + 1))
    attacked = np.flatnonzero(in_sample(keys, job.attack_share))
    if not len(attacked):
        return 0, 0
    Z, masked = job.encoders.zscores(before), job.encoders.zscores(after)
    return exact_sum(linkage_chances(Z, masked, attacked)), len(attacked)


class Shard(NamedTuple):
    """A file of the release, and what was counted on it."""

    name: str
    records: int
    bytes: int
    sha256: str
    class_sizes: Mapping[int, int]
    homogeneous: Mapping[str, int]
    missing: Mapping[str, int]
    smallest_with_weights: int | None = None  # smallest class if the released weights are known
    unique: int | None = None  # records unique in quasi-identifiers and other released columns


@worker_task
def write_shard(
    job_file: str, number: int, shard: int, files: Sequence[ScratchFile], folder: str
) -> Shard:
    """Write a shard of the release, read it back and count its equivalence classes.

    All records of a class are in the same shard, and their order depends on released values
    alone.
    """
    job = load_job(job_file)
    table = sort_by(read_scratch(files, [shard]), job.quasi_identifiers)
    path = join(folder, f"part-{number:05d}.parquet")
    write_parquet(path, table)
    del table
    size, digest = hash_file(path)
    weight = [name for name in job.released.names if name == job.step.weight]
    known, others = job.quasi_identifiers, job.other_columns
    columns = [*known, *job.confidential, *weight, *others]
    released = tables.open_frame(
        pq.read_table(open_input(path), columns=columns, partitioning=None)
    )
    class_of = classes(keys(released, known))
    confidential = value_codes(released, job.confidential)
    homogeneous = homogeneous_classes(class_of[:, None], confidential) if job.confidential else ()
    with_weights = smallest_class(codes(released, [*known, *weight])) if weight else None
    unique = unique_units(classes(any_codes(released, [*known, *others]))) if others else None
    return Shard(
        name_of(path),
        len(released),
        size,
        digest,
        count_sizes(np.bincount(class_of)),
        dict(zip(job.confidential, map(int, homogeneous), strict=True)),
        tables.missing_counts(released, known),
        with_weights,
        unique,
    )
