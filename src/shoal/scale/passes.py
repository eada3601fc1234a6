"""What workers do: part the records, group those of a block, write a part of the release."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sklearn.base import clone

from shoal._params import signature_parameters
from shoal.frame import tables
from shoal.frame.columns import Column
from shoal.frame.tables import RowGather
from shoal.frame.values import any_codes
from shoal.metrics import classes, homogeneous_classes, smallest_class
from shoal.metrics.linkage import linked_among
from shoal.metrics.uniqueness import unique_units
from shoal.partitioners import Auto, Blocked, Partition, Partitioner, Refine, method_label
from shoal.scale.exact import exact_sum
from shoal.scale.facts import Facts, count_facts
from shoal.scale.job import Job, counted, load_job, task
from shoal.scale.keys import chosen, content_keys, told_apart
from shoal.scale.pieces import Piece, batches, sorted_by
from shoal.scale.slices import Slices, appearing, read_slices, write_portions, write_slices
from shoal.scale.weights import Totals, totals
from shoal.steps.centroid import centroid
from shoal.steps.checks import check_values

Matrix = NDArray[np.float64]
Unit = Sequence[int]  # cells of one stratum that are grouped together


@task
def part_piece(job_file: str, piece: Piece, folder: str, number: int, most: int) -> list[Slices]:
    """Write the records of a piece to scratch, by the cell each belongs to.

    A file is written whenever ``most`` records are in hand.
    """
    job = load_job(job_file)

    def by_cell(table: pa.Table) -> tuple[pa.Table, NDArray[np.int64]]:
        cells = job.strata.cells(table, job.book.space(table, job.book.read(table)))
        return job.strata.shown(table), cells

    parts = batches(piece, job.columns, job.needed, most)
    return write_portions(parts, str(Path(folder, f"{number:08d}")), most, by_cell)


@dataclass(frozen=True)
class Grouped:
    """What became of the records of a block.

    Parameters
    ----------
    slices : Slices
        Where they lie, masked, by the part of the release they belong to.
    lost : dict
        Of each column the sum of the squared distances to the masked values, in units of
        `shoal.scale.exact.UNIT` and of z-scores.
    sizes : dict
        How many groups there are of each size.
    ways : tuple of str
        The methods that were used.
    linked, asked : int and int
        Expected right links of an attacker, in units of `shoal.scale.exact.UNIT`, and the
        records that were looked for.
    filled : dict
        Cells of each column that were missing and hold a value now.
    suppressed : dict
        Cells of each column that had a value and are missing now.
    totals : dict
        Weighted totals of each column before and after, where there are weights.
    facts : dict
        What was counted for the verdict, by what it is and by column.
    """

    slices: Slices
    lost: Mapping[str, int]
    sizes: Mapping[int, int]
    ways: tuple[str, ...]
    linked: int
    asked: int
    filled: Mapping[str, int]
    suppressed: Mapping[str, int]
    totals: Totals = field(default_factory=dict)
    facts: Facts = field(default_factory=dict)


@task
def group_block(
    job_file: str, units: Sequence[Unit], files: Sequence[Slices], folder: str, number: int
) -> Grouped:
    """Group the records of a block and mask them; each of its units by itself."""
    job = load_job(job_file)
    masked: list[pa.Table] = []
    lost: Counter[str] = Counter()
    linked = asked = 0
    sizes: list[NDArray[np.int64]] = []
    ways: dict[str, None] = {}
    filled: Counter[str] = Counter()
    suppressed: Counter[str] = Counter()
    summed: Counter[tuple[str, str]] = Counter()
    facts: Counter[tuple[str, str]] = Counter()
    for unit in units:
        table = sorted_by(read_slices(files, unit), [*job.step.columns, *job.step.strata])
        columns = job.book.read(table)
        check_values(job.step, columns)
        groups, way = _groups(job, table, columns)
        weights = _weights(job, table)
        released = _masked(job, table, columns, groups, weights)
        after = job.book.read(released)
        lost.update(_lost(job, columns, after))
        found, number_asked = _linked(job, table, columns, after)
        linked, asked = linked + found, asked + number_asked
        summed.update({} if weights is None else totals(weights, columns, after))
        facts.update(count_facts(job.step, job.thresholds, columns, after, groups, weights))
        sizes.append(groups.sizes)
        ways[way] = None
        for column, new in zip(columns, after, strict=True):
            filled[column.name] += int((column.is_missing & ~new.is_missing).sum())
            suppressed[column.name] += int((~column.is_missing & new.is_missing).sum())
        masked.append(released)
    table = pa.concat_tables(masked)
    parts = content_keys(table, job.known) % np.uint64(job.n_parts)
    path = Path(folder, f"{number:08d}.arrow")
    slices = write_slices(path, table, parts.astype(np.int64))
    found_sizes = counted(np.concatenate(sizes))
    return Grouped(
        slices, lost, found_sizes, tuple(ways), linked, asked, filled, suppressed, summed, facts
    )


def _weights(job: Job, table: pa.Table) -> NDArray[np.float64] | None:
    """Return the survey weights of some records, if there are any."""
    if job.step.weight is None:
        return None
    return tables.numbers(tables.open_frame(table), job.step.weight)


def _groups(job: Job, table: pa.Table, columns: Sequence[Column]) -> tuple[Partition, str]:
    """Return the groups of some records, and the method that made them."""
    Z = job.book.space(table, columns)
    fitted = one_at_a_time(job.step.partitioner, len(Z)).fit(Z)
    return fitted.partition_, method_label(fitted).partition(" in ")[0]


def one_at_a_time(partition: Partitioner, records: int) -> Partitioner:
    """Return the partitioner as a worker uses it: beside others, so without threads of its own.

    Our advice for a large table is what it is for a long one, blocks with mended seams,
    unless there are no seams to mend.
    """
    if isinstance(partition, Auto):
        short = records <= signature_parameters(Blocked)["block_size"].default
        return Refine(k=partition.k) if short else Blocked(k=partition.k, n_jobs=1)
    copy: Partitioner = clone(partition)
    return copy.set_params(n_jobs=1) if isinstance(copy, Blocked) else copy


def _masked(
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
            aggregate=job.step.aggregate,
            trim=job.step.trim,
            decimals=job.step.decimals,
            whole=tables.is_whole(frame, column.name),
            weights=weights,
        )
    released: pa.Table = tables.to_native(tables.with_values(frame, values))
    return released.select(job.released.names).cast(job.released)


def _lost(job: Job, before: Sequence[Column], after: Sequence[Column]) -> dict[str, int]:
    """Return for each column the squared distances to the masked values, summed exactly.

    What came missing cannot have changed.
    """
    lost = {}
    for reading, one, other in zip(job.book.masked, before, after, strict=True):
        apart = (reading.axes(one, "zscore") - reading.axes(other, "zscore"))[~one.is_missing]
        lost[one.name] = exact_sum((apart**2).ravel())
    return lost


def _linked(
    job: Job, table: pa.Table, before: Sequence[Column], after: Sequence[Column]
) -> tuple[int, int]:
    """Return the expected right links among the records that the attacker looks for."""
    keys = told_apart(content_keys(table, job.step.columns, job.seed + 1))
    rows = np.flatnonzero(chosen(keys, job.asked))
    if not len(rows):
        return 0, 0
    Z, masked = job.book.scores(before), job.book.scores(after)
    return exact_sum(linked_among(Z, masked, rows)), len(rows)


class Part(NamedTuple):
    """A file of the release, and what was counted on it."""

    name: str
    records: int
    bytes: int
    sha256: str
    sizes: Mapping[int, int]
    homogeneous: Mapping[str, int]
    missing: Mapping[str, int]
    smallest_weighed: int | None = None  # class of who knows the weights, where these leave
    unique: int | None = None  # records that are unique on known and unchanged columns


@task
def write_part(job_file: str, number: int, part: int, files: Sequence[Slices], folder: str) -> Part:
    """Write a part of the release, then read it again and count records that look alike.

    All records with the same known values are in one part, and their order depends on
    released values alone.
    """
    job = load_job(job_file)
    table = sorted_by(read_slices(files, [part]), job.known)
    path = Path(folder, f"part-{number:05d}.parquet")
    with appearing(path) as writing:
        pq.write_table(table, writing)
    del table
    weight = [name for name in job.released.names if name == job.step.weight]
    released = tables.open_frame(
        pq.read_table(
            path, columns=[*job.known, *job.confidential, *weight, *job.others], partitioning=None
        )
    )
    found = classes(tables.keys(released, job.known))
    secret = tables.codes(released, job.confidential)
    alike = homogeneous_classes(found[:, None], secret) if job.confidential else ()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Part(
        path.name,
        len(released),
        path.stat().st_size,
        digest,
        counted(np.bincount(found)),
        dict(zip(job.confidential, map(int, alike), strict=True)),
        tables.missing_counts(released, job.known),
        smallest_class(tables.codes(released, [*job.known, *weight])) if weight else None,
        unique_units(classes(any_codes(released, [*job.known, *job.others])))
        if job.others
        else None,
    )
