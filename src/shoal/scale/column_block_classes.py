"""Count the classes of blocks of columns, whose records are in many files of a release."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from shoal.scale.job import ReleaseJob, load_job
from shoal.scale.runners.runner import Runner, run_stage
from shoal.scale.sources.chunks import canonical_table
from shoal.scale.statistics.counts import count_sizes, sum_counts
from shoal.scale.statistics.hashes import record_hashes
from shoal.scale.statistics.value_counts import COUNT, count_each_once, sum_by_values
from shoal.scale.storage.files import join
from shoal.scale.storage.scratch_files import ScratchFile, files_with, read_scratch, write_scratch
from shoal.scale.worker_task import worker_task


def counted_column_blocks(job: ReleaseJob) -> list[list[str]]:
    """Return the blocks of columns whose classes are counted, or an empty list for one block."""
    return list(map(list, job.column_blocks)) if len(job.column_blocks) > 1 else []


def write_column_block_classes(
    job: ReleaseJob,
    released: pa.Table,
    units: pa.ChunkedArray | None,
    folder: str,
    file_number: int,
) -> tuple[ScratchFile, ...]:
    """Count the distinct values of each block of columns in a file of the release; write them.

    Parameters
    ----------
    job : ReleaseJob
        The job of the workers.
    released : pyarrow.Table
        The records as they were read back from the file.
    units : pyarrow.ChunkedArray or None
        The unit of each record; each unit of a class is then written once.
    folder : str
        The folder of scratch files.
    file_number : int
        The number of the file.

    Returns
    -------
    tuple of ScratchFile
        For each block of columns, the distinct values with their counts, in buckets by their hash.
    """
    files = []
    for block_number, columns in enumerate(counted_column_blocks(job)):
        table = canonical_table(released.select(columns))
        names = list(map(str, range(len(columns))))  # a column may have the name "unit"
        table = table.rename_columns(names)
        group_columns = names
        if units is not None:
            table, group_columns = table.append_column("unit", units), [*names, "unit"]
        counts = sum_by_values([count_each_once(table)], group_columns)
        buckets = record_hashes(counts, names) % np.uint64(job.n_shards)
        path = join(folder, f"classes-{block_number:04d}-{file_number:08d}.arrow")
        files.append(write_scratch(path, counts, buckets.astype(np.int64)))
    return tuple(files)


def count_column_block_classes(
    runner: Runner, job: ReleaseJob, job_file: str, files_of_shards: Sequence[Sequence[ScratchFile]]
) -> list[dict[int, int]]:
    """Return the number of classes of each size in each block of columns, in units if counted.

    Parameters
    ----------
    runner : Runner
        What executes the tasks.
    job : ReleaseJob
        The job of the workers.
    job_file : str
        The file that contains the job.
    files_of_shards : list of tuple of ScratchFile
        What `write_column_block_classes` returned for each shard, a file of the release.

    Returns
    -------
    list of dict
        The number of classes by size, for each block of columns.
    """
    column_block_sizes = []
    for block_number, columns in enumerate(counted_column_blocks(job)):
        files = [files_of_shard[block_number] for files_of_shard in files_of_shards]
        record_counts = sum_counts(file.record_counts for file in files)
        tasks = [
            (job_file, len(columns), bucket, files_with(files, [bucket]))
            for bucket in record_counts
        ]
        results = run_stage(
            runner, "counting classes", _count_class_sizes, tasks, list(record_counts.values())
        )
        column_block_sizes.append(sum_counts(sizes for _, sizes in results))
    return column_block_sizes


@worker_task
def _count_class_sizes(
    job_file: str, n_columns: int, bucket: int, files: Sequence[ScratchFile]
) -> dict[int, int]:
    """Return the number of classes of each size among the values of a bucket."""
    job: ReleaseJob = load_job(job_file)
    names, table = list(map(str, range(n_columns))), read_scratch(files, [bucket])
    if job.unit is not None:
        sizes = table.group_by(names).aggregate([("unit", "count_distinct")])
        return dict(count_sizes(sizes.column("unit_count_distinct").to_numpy()))
    return dict(count_sizes(sum_by_values([table], names).column(COUNT).to_numpy()))
