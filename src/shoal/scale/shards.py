"""Write the files of a release, and count classes in the records read back from them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.codes import any_codes, codes, keys, value_codes
from shoal.frame.tables import Frame
from shoal.io.store_addresses import name_of
from shoal.metrics import classes, l_diversity, largest_unit_share, units_per_class
from shoal.metrics.equivalence_classes import sizes_per_class
from shoal.metrics.findings.shared_values import SharedCounts
from shoal.plan.findings.homogeneity import count_shared_by_column
from shoal.scale.column_block_classes import write_column_block_classes
from shoal.scale.job import ReleaseJob, load_job, read_job_units
from shoal.scale.sources.sorting import sort_by
from shoal.scale.statistics.counts import count_sizes
from shoal.scale.storage.files import hash_file, join, open_input
from shoal.scale.storage.scratch_files import ScratchFile, read_scratch, write_parquet
from shoal.scale.worker_task import worker_task

Codes = NDArray[np.int64]
Diversity = Mapping[str, Sequence[float]]  # by kind, for each confidential column


class Shard(NamedTuple):
    """A file of the release, and what was counted on it."""

    name: str
    n_records: int
    bytes: int
    sha256: str
    class_sizes: Mapping[int, int]
    # By confidential column, the counts of classes that share a value.
    shared_counts: Mapping[str, SharedCounts]
    missing: Mapping[str, int]
    smallest_class_with_weights: int | None = None  # if the released weights are known
    n_unique: int | None = None  # records unique in quasi-identifiers and other released columns
    class_units: Mapping[int, int] | None = None  # number of classes by the number of their units
    unit_records: Mapping[int, int] | None = None  # number of records by the units of their class
    largest_unit_share: float | None = None
    diversity: Diversity | None = None  # the lowest of any class
    closeness: Sequence[float] | None = None  # largest distance of any class, by column
    column_block_classes: tuple[ScratchFile, ...] = ()  # the classes of each block of columns


@worker_task
def write_shard(
    job_file: str,
    file_number: int,
    bucket: int,
    files: Sequence[ScratchFile],
    folder: str,
    scratch: str,
) -> Shard:
    """Write a shard of the release, read it back and count its equivalence classes.

    All records of a class are in the same shard, and their order depends only on released values:
    units, which are not released, only order records that are otherwise equal.
    """
    job: ReleaseJob = load_job(job_file)
    table = sort_by(read_scratch(files, [bucket]), job.quasi_identifiers)
    units = read_job_units(job, table)
    unit_values = None if job.unit is None else table.column(job.unit)
    path = join(folder, f"part-{file_number:05d}.parquet")
    write_parquet(path, table.select(job.released_schema.names))
    del table
    columns = dict.fromkeys(
        [
            *job.quasi_identifiers,
            *job.confidential,
            *_released_weights(job),
            *job.other_columns,
            *job.class_columns,
        ]
    )
    released_table = pq.read_table(open_input(path), columns=list(columns), partitioning=None)
    column_block_classes = write_column_block_classes(
        job, released_table, unit_values, scratch, file_number
    )
    return _count_shard(job, path, released_table, units, column_block_classes)


def _count_shard(
    job: ReleaseJob,
    path: str,
    released_table: pa.Table,
    units: Codes | None,
    column_block_classes: tuple[ScratchFile, ...],
) -> Shard:
    """Return the entry of a file, with what is counted on its records."""
    size, digest = hash_file(path)
    released = tables.open_frame(released_table)
    class_of = classes(keys(released, job.quasi_identifiers))
    units_by_class = None if units is None else units_per_class(class_of, units)
    return Shard(
        name=name_of(path),
        n_records=len(released),
        bytes=size,
        sha256=digest,
        class_sizes=count_sizes(np.bincount(class_of)),
        shared_counts=count_shared_by_column(class_of, released, job.confidential, units),
        missing=tables.missing_counts(released, job.quasi_identifiers),
        smallest_class_with_weights=_smallest_class_with_weights(job, released, units),
        n_unique=_count_unique(job, released, units),
        class_units=None if units_by_class is None else count_sizes(units_by_class),
        unit_records=None if units_by_class is None else count_sizes(units_by_class[class_of]),
        largest_unit_share=(
            None if units is None else largest_unit_share(class_of[:, None], units)
        ),
        diversity=_least_diversity(job, released, released_table, units),
        closeness=_greatest_distance(job, released, released_table, units),
        column_block_classes=column_block_classes,
    )


def _released_weights(job: ReleaseJob) -> list[str]:
    """Return the column of survey weights, if it is released."""
    return [name for name in job.released_schema.names if name == job.weight]


def _smallest_class_with_weights(
    job: ReleaseJob, released: Frame, units: Codes | None
) -> int | None:
    """Return the size of the smallest class if the released weights are known."""
    weights = _released_weights(job)
    if not weights:
        return None
    labels = classes(codes(released, [*job.quasi_identifiers, *weights]))
    return int(sizes_per_class(labels, units).min())


def _count_unique(job: ReleaseJob, released: Frame, units: Codes | None) -> int | None:
    """Return the number of records that are alone in their class, or whose unit is.

    Classes are formed on the quasi-identifiers and the other released columns together. The result
    is None if there are no other columns.
    """
    if not job.other_columns:
        return None
    labels = classes(any_codes(released, [*job.quasi_identifiers, *job.other_columns]))
    return int((sizes_per_class(labels, units) == 1)[labels].sum())


def _constrained_classes(job: ReleaseJob, released: Frame) -> Codes:
    """Return the classes for which l-diversity and t-closeness are guaranteed, as in memory."""
    return classes(codes(released, job.class_columns))


def _least_diversity(
    job: ReleaseJob, released: Frame, table: pa.Table, units: Codes | None
) -> Diversity | None:
    """Return the least l-diversity of a class, by kind and column, or None if not measured.

    Which value stands for a unit may depend on the order of the codes, so the codes of the whole
    table are used where they are known.
    """
    if not job.measures_diversity:
        return None
    labels = _constrained_classes(job, released)
    if job.confidential_columns:
        values = np.column_stack([column.read(table) for column in job.confidential_columns])
    else:
        values = value_codes(released, job.confidential)
    least_diversity = l_diversity(labels[:, None], values, units=units)
    return {
        kind: diversity_by_column.tolist() for kind, diversity_by_column in least_diversity.items()
    }


def _greatest_distance(
    job: ReleaseJob, released: Frame, table: pa.Table, units: Codes | None
) -> list[float] | None:
    """Return the greatest distance of a class from the table, by column, or None."""
    if not job.measures_closeness:
        return None
    labels = _constrained_classes(job, released)
    return [
        float(column.distances(labels, column.read(table), units).max())
        for column in job.confidential_columns
    ]
