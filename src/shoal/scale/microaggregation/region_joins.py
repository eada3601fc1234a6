"""Join regions until each can be split into groups that meet the constraints of the step.

A region whose records belong to fewer than k units, or all share a confidential value, cannot be
split into such groups, although its stratum may be.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.codes import codes_with_missing
from shoal.metrics.findings.shared_values import shares_value
from shoal.scale.job import MicroaggregationJob, load_job, read_job_units
from shoal.scale.microaggregation.grouping import region_constraint
from shoal.scale.runners.runner import Runner, run_stage
from shoal.scale.splitting.regions import Region, region_size
from shoal.scale.storage.scratch_files import ScratchFile, files_with, read_scratch
from shoal.scale.worker_task import worker_task

MAX_CHUNKS = 2  # regions are joined up to this many times the size of a chunk


def has_group_constraints(job: MicroaggregationJob) -> bool:
    """Return whether the step constrains its groups, so that a region of k records may fail."""
    step = job.step
    is_constrained = step.diversity is not None or step.closeness is not None
    return job.unit is not None or is_constrained or step.homogeneity == "merge"


def join_regions(
    runner: Runner,
    job_file: str,
    regions_by_stratum: Sequence[Sequence[Region]],
    files: Sequence[ScratchFile],
    records_by_cell: Mapping[int, int],
    chunk_size: int,
) -> list[list[Region]]:
    """Join each region that cannot meet the constraints with a neighbour, until all can.

    The only region of a stratum stays as it is; grouping it raises the same error as for a table
    in memory.

    Parameters
    ----------
    runner : Runner
        What executes the tasks.
    job_file : str
        The file of the job.
    regions_by_stratum : list of list of tuple of int
        The regions of each stratum; neighbouring regions are consecutive.
    files : list of ScratchFile
        The records by cell.
    records_by_cell : dict
        Number of records of each cell.
    chunk_size : int
        Number of records that a worker holds at a time.

    Returns
    -------
    list of list of tuple of int
        The regions of each stratum, joined where necessary.
    """
    joined_by_stratum = [list(regions) for regions in regions_by_stratum]
    unchecked = [region for regions in joined_by_stratum for region in regions]
    while unchecked:
        tasks = [(job_file, region, files_with(files, region)) for region in unchecked]
        sizes = [region_size(region, records_by_cell) for region in unchecked]
        results = run_stage(runner, "checking blocks", find_unmet_option, tasks, sizes)
        unmet = {unchecked[position]: option for position, option in results if option}
        unchecked = []
        for stratum, regions in enumerate(joined_by_stratum):
            joined_by_stratum[stratum], newly_joined = _join_failing(regions, unmet)
            for region, option in newly_joined.items():
                if region_size(region, records_by_cell) > MAX_CHUNKS * chunk_size:
                    raise _unmet_option_error(option, chunk_size)
                unchecked.append(region)
    return joined_by_stratum


def _join_failing(
    regions: Sequence[Region], unmet: Mapping[Region, str]
) -> tuple[list[Region], dict[Region, str]]:
    """Join every failing region with the next one, and the last region with the one before it.

    ``unmet`` has the option that each failing region does not meet. Return all regions, and for
    each joined region the option for which it was joined.
    """
    joined: list[Region] = []
    newly_joined: dict[Region, str] = {}
    failing: Region = ()  # waits for the next region
    for region in regions:
        if failing:
            joined.append(failing + region)
            newly_joined[joined[-1]] = unmet[failing]
            failing = ()
        elif region in unmet:
            failing = region
        else:
            joined.append(region)
    if failing and joined:
        newly_joined.pop(joined[-1], None)
        joined[-1] += failing
        newly_joined[joined[-1]] = unmet[failing]
    elif failing:
        joined.append(failing)
    return joined, newly_joined


@worker_task
def find_unmet_option(job_file: str, region: Region, files: Sequence[ScratchFile]) -> str:
    """Return the option of the step that no groups of a region can meet, or an empty string."""
    job: MicroaggregationJob = load_job(job_file)
    return unmet_option(job, read_scratch(files, region))


def unmet_option(job: MicroaggregationJob, table: pa.Table) -> str:
    """Return the option that all records as one group do not meet, or an empty string."""
    step, units = job.step, read_job_units(job, table)
    if units is not None and int(units.max()) + 1 < step.k:
        return "unit" if step.unit is not None else "household"
    one_group = np.zeros(len(table), np.int64)
    if step.homogeneity == "merge":
        values = codes_with_missing(tables.open_frame(table), job.confidential)
        if any(shares_value(one_group, column, units)[0] for column in values.T):
            return "homogeneity"
    constraint = region_constraint(job, table, units)
    if constraint is not None and not constraint.is_met_by(np.arange(len(table))):
        return "diversity" if step.closeness is None else "closeness"
    return ""


def _unmet_option_error(option: str, chunk_size: int) -> InputError:
    return InputError(
        f"`{option}` cannot be met in blocks of about {chunk_size:,} records, although the whole"
        " table may meet it: neighbouring records are too similar. Raise `chunk_size`, or ask for"
        " less.",
        code="out-of-reach-in-blocks",
        option=option,
        chunk_size=chunk_size,
    )
