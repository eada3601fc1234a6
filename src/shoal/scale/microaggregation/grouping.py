"""Group the records of a region as a table in memory is grouped."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import clone

from shoal._params import signature_parameters
from shoal.frame import tables
from shoal.frame.codes import codes_with_missing
from shoal.frame.columns import Column
from shoal.partitioners import Auto, Blocked, Partitioner, Refine
from shoal.scale.job import MicroaggregationJob
from shoal.scale.statistics.confidential_columns import RegionConstraint
from shoal.steps.constraints.privacy_constraint import PrivacyConstraint, read_privacy_constraint
from shoal.steps.constraints.strata import FrameStrata
from shoal.steps.microaggregation.grouping import ColumnBlockGroups, group_block
from shoal.steps.microaggregation.grouping_input import GroupingInput

Codes = NDArray[np.int64]


def group_region(
    job: MicroaggregationJob, table: pa.Table, columns: Sequence[Column], units: Codes | None
) -> list[ColumnBlockGroups]:
    """Return the groups of the records of a region, for each block of columns.

    The groups are the same as for a table in memory that consists of these records, except that
    values are standardised and confidential values compared by statistics of the whole table.
    """
    step, frame = job.step, tables.open_frame(table)
    if step.homogeneity == "refuse":  # decided when all groups are counted
        step = step.replace(homogeneity="warn")
    codes = np.empty((len(table), 0), np.int64)
    if step.homogeneity != "warn":
        codes = codes_with_missing(frame, job.confidential)
    inputs = GroupingInput(
        job.encoders.distance_space(table, columns),
        FrameStrata(frame, (), [np.arange(len(table))]),
        region_constraint(job, table, units),
        job.confidential,
        codes,
        units,
    )
    partitioner = single_threaded(step.partitioner, len(table))
    groups = []
    for names in step.column_blocks:
        block_columns = [column for name in names for column in columns if column.name == name]
        groups.append(group_block(step, block_columns, inputs, partitioner))
    return groups


def region_constraint(
    job: MicroaggregationJob, table: pa.Table, units: Codes | None
) -> PrivacyConstraint | None:
    """Return the constraint of the step on the confidential values of every group, or None."""
    step = job.step
    if step.closeness is None:
        return read_privacy_constraint(
            step, tables.open_frame(table), job.confidential, job.types, units
        )
    columns = job.confidential_columns
    return RegionConstraint(
        job.confidential,
        np.column_stack([column.read(table) for column in columns]),
        np.array([column.is_ordered for column in columns]),
        step.diversity,
        step.diversity_kind,
        step.closeness,
        None,
        step.k,
        table_totals=[column.totals for column in columns],
    )


def single_threaded(partitioner: Partitioner, n_records: int) -> Partitioner:
    """Return the partitioner as a worker uses it: other workers use the other cores.

    `Auto` is replaced by what it chooses for a long table: blocks with refined borders, or plain
    refinement if one block is enough.
    """
    if isinstance(partitioner, Auto):
        fits_one_block = n_records <= signature_parameters(Blocked)["block_size"].default
        k = partitioner.k
        return Refine(k=k) if fits_one_block else Blocked(k=k, n_jobs=1)
    copy: Partitioner = clone(partitioner)
    return copy.set_params(n_jobs=1) if isinstance(copy, Blocked) else copy
