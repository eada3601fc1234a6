"""Groups of a microaggregation, formed by stratum and by pattern of missing cells."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.frame.columns import Column
from shoal.frame.roles import RECORD_UNIT
from shoal.partitioners import ClosenessFirst, Partition, Partitioner
from shoal.partitioners.constraints.units import group_units
from shoal.steps._step import too_few_error
from shoal.steps.constraints.homogeneity import (
    count_homogeneous,
    merge_homogeneous,
    refuse_homogeneous_groups,
)
from shoal.steps.constraints.households import group_households
from shoal.steps.constraints.privacy_constraint import constrained_partitioner
from shoal.steps.microaggregation.grouping_input import GroupingInput
from shoal.steps.microaggregation.missing_patterns import group_by_pattern, join_patterns
from shoal.steps.recoding.local_search import recoding_loss, refine_recoding

if TYPE_CHECKING:
    from shoal.steps.microaggregate import Microaggregate

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]


class ColumnBlockGroups(NamedTuple):
    """The groups of a block of columns, with the partitioners that formed them.

    Parameters
    ----------
    groups : Partition
        The groups of all records.
    fitted_partitioners : list of Partitioner
        The partitioners that were fitted, one for each set of records.
    reproducible_partitioner : Partitioner
        A partitioner that forms the same groups again, independently of any time budget.
    missing : ndarray of shape (n_records, n_columns)
        True where a cell has no value in the release.
    """

    groups: Partition
    fitted_partitioners: list[Partitioner]
    reproducible_partitioner: Partitioner
    missing: Mask


class RecordSet(NamedTuple):
    """Records to group together: of one stratum, and with the same missing cells.

    ``columns`` are the columns in which the records have values, and ``location`` is a phrase that
    names the records in messages.
    """

    rows: Rows
    columns: list[str]
    location: str


def group_block(
    step: "Microaggregate",
    columns: Sequence[Column],
    inputs: GroupingInput,
    partitioner: Partitioner,
) -> ColumnBlockGroups:
    """Group the records of each stratum on a block of columns.

    The time budget of a search applies to the first stratum only. In all other strata, the search
    makes as many rounds as in the first, so that the groups can be reproduced. A proof gets a share
    of its budget for each stratum.
    """
    is_missing = np.column_stack([column.is_missing for column in columns])
    labels = np.full(len(is_missing), -1)
    offset = 0
    fitted_partitioners: list[Partitioner] = []
    for record_set in _record_sets(step, columns, inputs, is_missing):
        groups, fitted_partitioner = _group_records(
            step, record_set, inputs, partitioner, len(is_missing)
        )
        if fitted_partitioner is not None:
            fitted_partitioners.append(fitted_partitioner)
            # `ClosenessFirst` may have taken the place of the partitioner.
            if isinstance(fitted_partitioner, type(partitioner)):
                partitioner = _with_whole_budget(
                    fitted_partitioner.reproducible_copy(), partitioner
                )
        labels[record_set.rows] = groups.labels + offset
        offset += groups.n_groups
    groups = Partition(labels, step.k)
    if step.homogeneity == "refuse":
        codes, units = inputs.confidential_codes, inputs.units
        shared_counts = count_homogeneous(groups, codes, inputs.confidential, units)
        refuse_homogeneous_groups(shared_counts, groups.n_groups, step.unit_column or RECORD_UNIT)
    return ColumnBlockGroups(groups, fitted_partitioners, partitioner, is_missing)


def _with_whole_budget(copy: Partitioner, original: Partitioner) -> Partitioner:
    """Return ``copy`` with the whole budgets of ``original``, if it has a share of them.

    Only proofs still have a budget in a reproducible copy: a proof ends when it is complete, so the
    budget is only an upper limit of its time.
    """
    copy_params = copy.get_params(deep=True)
    budgets = {
        name: value
        for name, value in original.get_params(deep=True).items()
        if name.rpartition("__")[2] == "budget" and copy_params.get(name) is not None
    }
    return copy.set_params(**budgets) if budgets else copy


def _group_records(
    step: "Microaggregate",
    record_set: RecordSet,
    inputs: GroupingInput,
    partitioner: Partitioner,
    n_records: int,
) -> tuple[Partition, Partitioner | None]:
    """Return groups of the records of a set, and the partitioner that formed them.

    The partitioner is None if no column distinguishes the records. ``n_records`` is the number of
    records of the table, of which each set of records gets its share of a time budget.
    """
    rows, constraint = record_set.rows, inputs.constraint
    units = None if inputs.units is None else inputs.units[rows]
    if constraint is not None:
        constraint.refuse_unattainable(rows, record_set.location)
    Z = inputs.space.coordinates(rows, record_set.columns)
    fitted_partitioner = None
    if not Z.shape[1]:  # no column distinguishes the records
        groups = Partition(np.zeros(len(rows), np.int64), step.k)
    else:
        fitted_partitioner = constrained_partitioner(
            step, constraint, partitioner
        ).with_budget_share(len(rows) / (n_records * len(step.column_blocks)))
        groups = _form_groups(step, fitted_partitioner, Z, units)
    if not _may_be_refined(step, record_set, fitted_partitioner):
        return _enforce_constraints(step, record_set, inputs, Z, groups, units), fitted_partitioner
    columns, numbers = inputs.recoded.select(record_set.columns, rows)
    refined_groups = refine_recoding(columns, numbers, groups, units)
    # Merging groups for a constraint may cost more than the local search saved.
    candidates = [
        _enforce_constraints(step, record_set, inputs, Z, candidate, units)
        for candidate in (refined_groups, groups)
    ]
    return min(
        candidates, key=lambda candidate: recoding_loss(columns, numbers, candidate)
    ), fitted_partitioner


def _form_groups(
    step: "Microaggregate", partitioner: Partitioner, Z: NDArray[np.float64], units: Codes | None
) -> Partition:
    """Fit a partitioner to records, to units with any number of records, or to households."""
    # The groups of ClosenessFirst are merged afterwards until they hold k units.
    if units is None or isinstance(partitioner, ClosenessFirst):
        return partitioner.fit(Z).partition_
    if step.whole_households:
        return group_households(Z, units, partitioner)
    return group_units(Z, units, partitioner)


def _enforce_constraints(
    step: "Microaggregate",
    record_set: RecordSet,
    inputs: GroupingInput,
    Z: NDArray[np.float64],
    groups: Partition,
    units: Codes | None,
) -> Partition:
    """Return groups that meet the constraints on confidential values."""
    rows = record_set.rows
    if step.homogeneity == "merge":
        codes = inputs.confidential_codes[rows]
        groups = merge_homogeneous(
            Z, groups, codes, inputs.confidential, record_set.location, units
        )
    if inputs.constraint is not None:
        groups = inputs.constraint.enforce(Z, groups, rows, by=step.closeness_by)
    return groups


def _may_be_refined(
    step: "Microaggregate", record_set: RecordSet, fitted_partitioner: Partitioner | None
) -> bool:
    """Return whether a local search may refine the groups to lose less by local recoding."""
    is_recoded = all(name in step.recoded_columns for name in record_set.columns)
    uses_other_distances = step.whole_households or step.dependence > 0
    return (
        step.refine_recoding
        and is_recoded
        and fitted_partitioner is not None
        and not uses_other_distances
        and not isinstance(fitted_partitioner, ClosenessFirst)
    )


def _record_sets(
    step: "Microaggregate", columns: Sequence[Column], inputs: GroupingInput, is_missing: Mask
) -> Iterator[RecordSet]:
    """Yield the records to group together; this may mark further cells in ``is_missing``."""
    names = [column.name for column in columns]
    strata = inputs.strata
    has_patterns = step.missing == "own-groups" and bool(is_missing.any())
    for stratum, rows in enumerate(strata.rows):
        if not has_patterns:
            yield RecordSet(rows, names, strata.location_phrase(stratum))
            continue
        units = None if inputs.units is None else inputs.units[rows]
        n_units = len(rows) if units is None else len(np.unique(units))
        if n_units < step.k:
            noun = "records" if units is None else "units"
            raise too_few_error(step.k, n_units, noun)
        axes, axis_columns = inputs.space.axes(names)
        Z = inputs.space.Z[rows][:, axes]
        is_missing[rows] = join_patterns(is_missing[rows], Z, axis_columns, step.k, units)
        for members in group_by_pattern(is_missing[rows]):
            pattern = is_missing[rows[members[0]]]
            present_columns = [
                name for name, is_absent in zip(names, pattern, strict=True) if not is_absent
            ]
            suffix = " with the same missing cells" if pattern.any() else ""
            yield RecordSet(
                rows[members], present_columns, strata.location_phrase(stratum) + suffix
            )
