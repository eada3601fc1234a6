"""Recode the records of a large table, once it is decided how each combination is recoded.

A *bucket* contains the combinations whose hashes are between two borders, and their records.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import FileError
from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.metrics import classes
from shoal.scale.job import ReleaseJob, load_job
from shoal.scale.recoding.combinations import combination_hashes
from shoal.scale.recoding.recoded_combinations import RecodedCombinations
from shoal.scale.sources.chunks import Chunk, read_batches
from shoal.scale.sources.sorting import sort_by
from shoal.scale.splitting.large_buckets import pack_in_order
from shoal.scale.statistics.hashes import RECODING_SEED_OFFSET, Hashes, record_hashes
from shoal.scale.storage.files import join
from shoal.scale.storage.scratch_files import (
    ScratchFile,
    read_scratch,
    write_scratch,
    write_scratch_files,
)
from shoal.scale.worker_task import worker_task

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class RecodingJob(ReleaseJob):
    """What workers need to recode the records of a large table.

    Parameters
    ----------
    combination_columns : list of str
        The columns whose values form the combinations.
    masked_columns : list of str
        The columns whose values are replaced.
    borders : ndarray of shape (n_buckets,)
        The smallest hash of the combinations in each bucket.
    recoded_file : ScratchFile
        The recoded combinations by bucket: their columns, the new values, and the count.
    """

    combination_columns: Sequence[str]
    masked_columns: Sequence[str]
    borders: Hashes
    recoded_file: ScratchFile

    @property
    def columns(self) -> list[str]:
        """The columns to read: the released columns, and the columns of the combinations."""
        return list(dict.fromkeys([*super().columns, *self.combination_columns]))


def write_recoded(
    recoded: RecodedCombinations,
    combination_columns: Sequence[str],
    masked_columns: Sequence[str],
    seed: int,
    max_records: int,
    path: str,
) -> tuple[Hashes, ScratchFile]:
    """Write recoded combinations by bucket; return the borders of the buckets and the file.

    A bucket has up to ``max_records`` records, or all records of a single combination.
    """
    original = tables.to_native(recoded.original).select(list(combination_columns))
    hashes = combination_hashes(original, combination_columns, seed)
    first_rows = np.flatnonzero(np.diff(recoded.combination, prepend=-1))
    bins = pack_in_order(np.add.reduceat(recoded.record_counts, first_rows), max_records)
    borders = hashes[first_rows][np.flatnonzero(np.diff(bins, prepend=-1))]
    masked = tables.to_native(recoded.masked).select(list(masked_columns))
    columns = [*original.columns, *masked.columns, pa.array(recoded.record_counts)]
    table = pa.table(columns, list(map(str, range(len(columns)))))
    return borders, write_scratch(path, table, bucket_of(hashes, borders))


def bucket_of(hashes: Hashes, borders: Hashes) -> Codes:
    """Return the bucket of each combination, given its hash."""
    return np.maximum(np.searchsorted(borders, hashes, side="right") - 1, 0)


@worker_task
def assign_combinations(
    job_file: str, chunk: Chunk, folder: str, chunk_number: int, max_records: int
) -> list[ScratchFile]:
    """Write the records of a chunk to scratch files, by the bucket of their combination."""
    job: RecodingJob = load_job(job_file)

    def by_bucket(table: pa.Table) -> tuple[pa.Table, Codes]:
        hashes = combination_hashes(table, job.combination_columns, job.seed)
        return table, bucket_of(hashes, job.borders)

    batches = read_batches(chunk, job.columns, (), max_records)
    stem = join(folder, f"{chunk_number:08d}")
    return write_scratch_files(batches, stem, max_records, by_bucket)


@worker_task
def recode_bucket(
    job_file: str, bucket: int, files: Sequence[ScratchFile], folder: str, file_number: int
) -> ScratchFile:
    """Write the records of a bucket as they are released, by the shard to which they belong.

    If a combination is recoded in several ways, a hash of all values of each of its records
    determines how the record is recoded.
    """
    job: RecodingJob = load_job(job_file)
    records = sort_by(read_scratch(files, [bucket]), job.combination_columns)
    recoded = read_scratch([job.recoded_file], [bucket])
    n_columns = len(job.combination_columns)
    combination_rank = _rank_combinations(job, records, recoded)
    hashes = record_hashes(records, records.column_names, job.seed + RECODING_SEED_OFFSET)
    records = records.take(np.lexsort((hashes, combination_rank)))
    recoded_row = np.repeat(np.arange(len(recoded)), _record_counts(recoded))
    for i, name in enumerate(job.masked_columns):
        values = recoded.column(n_columns + i).take(recoded_row)
        records = records.set_column(records.column_names.index(name), name, values)
    masked = records.select(job.released_schema.names).cast(job.released_schema)
    if job.unit is not None:
        masked = masked.append_column(job.unit, records.column(job.unit))
    shards = record_hashes(masked, job.quasi_identifiers) % np.uint64(job.n_shards)
    path = join(folder, f"{file_number:08d}.arrow")
    return write_scratch(path, masked, shards.astype(np.int64))


def _rank_combinations(job: RecodingJob, records: pa.Table, recoded: pa.Table) -> Codes:
    """Return the position of each record's combination among the combinations of the bucket."""
    names = list(job.combination_columns)
    combinations = recoded.select(range(len(names))).rename_columns(names)
    combined = pa.concat_tables([combinations, records.select(names)])
    labels = classes(codes(tables.open_frame(combined), names))
    recoded_labels, record_labels = labels[: len(combinations)], labels[len(combinations) :]
    first_rows = np.flatnonzero(np.diff(recoded_labels, prepend=-1))
    rank_of = np.full(labels.max() + 1, len(first_rows))
    rank_of[recoded_labels[first_rows]] = np.arange(len(first_rows))
    rank = rank_of[record_labels]
    expected = np.append(np.add.reduceat(_record_counts(recoded), first_rows), 0)
    if (np.bincount(rank, minlength=len(expected)) != expected).any():
        raise FileError(
            "The source changed while it was read. Run again.", code="file-changed", file=""
        )
    return np.asarray(rank)


def _record_counts(recoded: pa.Table) -> Codes:
    """Return the number of records of each row that `write_recoded` wrote: its last column."""
    counts: Codes = recoded.column(recoded.num_columns - 1).to_numpy()
    return counts
