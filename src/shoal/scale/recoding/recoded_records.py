"""Recode the records of a large table, once it is decided what each combination becomes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import FileError
from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.metrics import classes
from shoal.scale.job import ReleaseJob, load_job, worker_task
from shoal.scale.recoding.combinations import combination_keys
from shoal.scale.recoding.recoded_combinations import RecodedCombinations
from shoal.scale.sources.chunks import Chunk, read_batches, sort_by
from shoal.scale.splitting.resplit import pack_in_order
from shoal.scale.statistics.hashes import Keys, content_keys
from shoal.scale.storage.files import join
from shoal.scale.storage.scratch_files import (
    ScratchFile,
    read_scratch,
    write_scratch,
    write_scratch_files,
)

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class RecodingJob(ReleaseJob):
    """What workers need to recode the records of a large table.

    Parameters
    ----------
    keys : list of str
        The columns of the combinations.
    masked : list of str
        The columns whose values are replaced.
    borders : ndarray of shape (n_cells,)
        The smallest hash of the combinations of each cell.
    recoded_file : ScratchFile
        The recoded combinations by cell: their columns, the new values, and the count.
    """

    keys: Sequence[str]
    masked: Sequence[str]
    borders: Keys
    recoded_file: ScratchFile

    @property
    def columns(self) -> list[str]:
        """The columns to read: those that are released, and those of the combinations."""
        return list(dict.fromkeys([*super().columns, *self.keys]))


def write_recoded(
    recoded: RecodedCombinations,
    keys: Sequence[str],
    masked: Sequence[str],
    seed: int,
    size: int,
    path: str,
) -> tuple[Keys, ScratchFile]:
    """Write recoded combinations by cell; return the borders of the cells and the file.

    A cell has up to ``size`` records, or those of one combination.
    """
    original = tables.to_native(recoded.original).select(list(keys))
    hashes = combination_keys(original, keys, seed)
    first_rows = np.flatnonzero(np.diff(recoded.combination, prepend=-1))
    bins = pack_in_order(np.add.reduceat(recoded.records, first_rows), size)
    borders = hashes[first_rows][np.flatnonzero(np.diff(bins, prepend=-1))]
    masked_columns = tables.to_native(recoded.masked).select(list(masked))
    columns = [*original.columns, *masked_columns.columns, pa.array(recoded.records)]
    table = pa.table(columns, list(map(str, range(len(columns)))))
    return borders, write_scratch(path, table, cells_of(hashes, borders))


def cells_of(hashes: Keys, borders: Keys) -> Codes:
    """Return the cell of each combination."""
    return np.maximum(np.searchsorted(borders, hashes, side="right") - 1, 0)


@worker_task
def assign_combinations(
    job_file: str, chunk: Chunk, folder: str, number: int, max_records: int
) -> list[ScratchFile]:
    """Write the records of a chunk to scratch files, by the cell of their combination."""
    job: RecodingJob = load_job(job_file)

    def by_cell(table: pa.Table) -> tuple[pa.Table, Codes]:
        return table, cells_of(combination_keys(table, job.keys, job.seed), job.borders)

    batches = read_batches(chunk, job.columns, (), max_records)
    return write_scratch_files(batches, join(folder, f"{number:08d}"), max_records, by_cell)


@worker_task
def recode_cell(
    job_file: str, cell: int, files: Sequence[ScratchFile], folder: str, number: int
) -> ScratchFile:
    """Write the records of a cell as they are released, by the file that they belong to.

    A hash of all values of a record determines which part of its combination it belongs to.
    """
    job: RecodingJob = load_job(job_file)
    records = sort_by(read_scratch(files, [cell]), job.keys)
    recoded = read_scratch([job.recoded_file], [cell])
    n_keys = len(job.keys)
    combination_rank = _rank_combinations(job, records, recoded)
    hashes = content_keys(records, records.column_names, job.seed + 3)
    records = records.take(np.lexsort((hashes, combination_rank)))
    recoded_row = np.repeat(
        np.arange(len(recoded)), recoded.column(recoded.num_columns - 1).to_numpy()
    )
    for i, name in enumerate(job.masked):
        values = recoded.column(n_keys + i).take(recoded_row)
        records = records.set_column(records.column_names.index(name), name, values)
    masked = records.select(job.released_schema.names).cast(job.released_schema)
    if job.unit is not None:
        masked = masked.append_column(job.unit, records.column(job.unit))
    shards = content_keys(masked, job.quasi_identifiers) % np.uint64(job.n_shards)
    path = join(folder, f"{number:08d}.arrow")
    return write_scratch(path, masked, shards.astype(np.int64))


def _rank_combinations(job: RecodingJob, records: pa.Table, recoded: pa.Table) -> Codes:
    """Return the position of the combination of each record among the recoded ones."""
    keys = recoded.select(range(len(job.keys))).rename_columns(list(job.keys))
    combined = pa.concat_tables([keys, records.select(list(job.keys))])
    labels = classes(codes(tables.open_frame(combined), job.keys))
    recoded_labels, record_labels = labels[: len(keys)], labels[len(keys) :]
    first_rows = np.flatnonzero(np.diff(recoded_labels, prepend=-1))
    rank_of = np.full(labels.max() + 1, len(first_rows))
    rank_of[recoded_labels[first_rows]] = np.arange(len(first_rows))
    rank = rank_of[record_labels]
    counts = recoded.column(recoded.num_columns - 1).to_numpy()
    expected = np.append(np.add.reduceat(counts, first_rows), 0)
    if (np.bincount(rank, minlength=len(expected)) != expected).any():
        raise FileError(
            "The source changed while it was read. Run again.", code="file-changed", file=""
        )
    return np.asarray(rank)
