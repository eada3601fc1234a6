"""The tasks that assign records to cells, and that mask a block of them."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.columns import Column
from shoal.frame.replacement import RowGather, with_values
from shoal.scale.job import MicroaggregationJob, load_job, read_job_units
from shoal.scale.microaggregation.block_measures import BlockMeasures, MaskedBlock, MaskedRegion
from shoal.scale.microaggregation.grouping import group_region
from shoal.scale.microaggregation.verdict_counts import ColumnGroups
from shoal.scale.sources.chunks import Chunk, read_batches
from shoal.scale.sources.sorting import sort_by
from shoal.scale.splitting.regions import Region
from shoal.scale.statistics.hashes import record_hashes
from shoal.scale.storage.files import join
from shoal.scale.storage.scratch_files import (
    ScratchFile,
    read_scratch,
    write_scratch,
    write_scratch_files,
)
from shoal.scale.worker_task import worker_task
from shoal.steps.microaggregation.centroid import centroid
from shoal.steps.microaggregation.checks import check_values
from shoal.steps.microaggregation.grouping import ColumnBlockGroups


@worker_task
def assign_cells(
    job_file: str, chunk: Chunk, folder: str, chunk_number: int, max_records: int
) -> list[ScratchFile]:
    """Write the records of a chunk to scratch files, by cell.

    A file is written as soon as ``max_records`` are in memory.
    """
    job: MicroaggregationJob = load_job(job_file)

    def by_cell(table: pa.Table) -> tuple[pa.Table, NDArray[np.int64]]:
        Z = job.encoders.coordinates(table, job.encoders.read(table))
        return job.strata.with_released_values(table), job.strata.cell_of(table, Z)

    batches = read_batches(chunk, job.columns, job.required_columns, max_records)
    return write_scratch_files(batches, join(folder, f"{chunk_number:08d}"), max_records, by_cell)


@worker_task
def mask_block(
    job_file: str,
    regions: Sequence[Region],
    files: Sequence[ScratchFile],
    folder: str,
    block_number: int,
) -> MaskedBlock:
    """Group and mask the records of a block, each of its regions separately."""
    job: MicroaggregationJob = load_job(job_file)
    measures, released_tables = BlockMeasures(job), []
    for region in regions:
        masked_region = _mask_region(job, read_scratch(files, region))
        measures.add(masked_region)
        released_tables.append(masked_region.released)
    table = pa.concat_tables(released_tables)
    shards = record_hashes(table, job.quasi_identifiers) % np.uint64(job.n_shards)
    path = join(folder, f"{block_number:08d}.arrow")
    return measures.to_block(write_scratch(path, table, shards.astype(np.int64)))


def _mask_region(job: MicroaggregationJob, table: pa.Table) -> MaskedRegion:
    """Group and mask the records of one region, in an order that their values determine."""
    table = sort_by(table, [*job.step.columns, *job.step.strata])
    original_columns = job.encoders.read(table)
    check_values(job.step, original_columns)
    units, weights = read_job_units(job, table), _read_weights(job, table)
    column_blocks = group_region(job, table, original_columns, units)
    groups_by_column = _groups_by_column(job, column_blocks)
    released = _mask_records(job, table, original_columns, groups_by_column, weights)
    masked_columns = job.encoders.read(released)
    return MaskedRegion(
        table=table,
        released=released,
        original_columns=original_columns,
        masked_columns=masked_columns,
        column_blocks=column_blocks,
        groups_by_column=groups_by_column,
        units=units,
        weights=weights,
    )


def _groups_by_column(
    job: MicroaggregationJob, column_blocks: Sequence[ColumnBlockGroups]
) -> dict[str, ColumnGroups]:
    """Return the groups of each masked column, and which records lack a released value."""
    return {
        name: ColumnGroups(block.groups, missing)
        for names, block in zip(job.step.column_blocks, column_blocks, strict=True)
        for name, missing in zip(names, block.missing.T, strict=True)
    }


def _read_weights(job: MicroaggregationJob, table: pa.Table) -> NDArray[np.float64] | None:
    """Return the survey weights of the given records, or None if the step has no weights."""
    if job.step.weight is None:
        return None
    return tables.numbers(tables.open_frame(table), job.step.weight)


def _mask_records(
    job: MicroaggregationJob,
    table: pa.Table,
    columns: Sequence[Column],
    groups_by_column: Mapping[str, ColumnGroups],
    weights: NDArray[np.float64] | None,
) -> pa.Table:
    """Return the released columns of the records, and the column of units if k counts units."""
    frame = tables.open_frame(table)
    values: dict[str, NDArray[np.generic] | RowGather] = {}
    for column in columns:
        groups, missing = groups_by_column[column.name]
        values[column.name] = centroid(
            column,
            groups,
            missing,
            aggregate=job.step.aggregate_of(column.name),
            trim=job.step.trim,
            decimals=job.step.decimals_of(column.name),
            is_whole=tables.has_integer_type(frame, column.name),
            weights=weights,
        )
    released: pa.Table = tables.to_native(with_values(frame, values))
    released = released.select(job.released_schema.names).cast(job.released_schema)
    if job.unit is None:
        return released
    return released.append_column(table.schema.field(job.unit), table.column(job.unit))
