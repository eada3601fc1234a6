"""What the run itself noted: how columns were read, and what happened to records and groups."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ShoalWarning
from shoal.frame import tables
from shoal.frame.missing_codes import count_missing_codes
from shoal.frame.tables import Frame
from shoal.partitioners import method_label
from shoal.plan.findings.missing_codes import missing_code_findings
from shoal.plan.verdict import Finding
from shoal.steps import StepResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.frame.types import Type
    from shoal.plan import Plan


def run_findings(
    plan: "Plan",
    table: Frame,
    all_records: Frame,
    is_complete: NDArray[np.bool_],
    results: Sequence[StepResult],
) -> list[Finding]:
    """Return the findings of a run.

    Parameters
    ----------
    plan : Plan
        The plan of the release, with the types and the missing codes that were inferred.
    table : Frame
        The table as it was given.
    all_records : Frame
        The records of the table, with missing codes read as missing values.
    is_complete : ndarray of shape (n_records,)
        Whether each record was masked; the others were dropped.
    results : sequence of StepResult
        The result of each step.

    Returns
    -------
    list of Finding
        The findings, in the order of the run.
    """
    step_warnings = [warning for result in results for warning in result.warnings]
    return [
        *_inferred_kinds(plan.types),
        *missing_code_findings(count_missing_codes(table, plan.missing_codes)),
        *_dropped_records(plan, all_records, is_complete),
        *_released_index(all_records),
        *map(as_finding, step_warnings),
        *_unfinished_searches(results),
    ]


def as_finding(warning: ShoalWarning) -> Finding:
    """Return a warning of a step as a finding that informs."""
    columns, figures = (warning.attributes.get(name, ()) for name in ("columns", "figures"))
    return Finding(warning.code, "informs", str(warning), dict(figures), tuple(columns))


def _inferred_kinds(types: "Mapping[str, Type]") -> list[Finding]:
    """Return findings on the columns whose kind was inferred."""
    return [
        Finding(
            "kind-inferred",
            "informs",
            f"Column {name!r} is treated as {column_type.kind}: {column_type.why}.",
            {"kind": column_type.kind},
            (name,),
            "Declare another kind with `types`.",
        )
        for name, column_type in types.items()
        if column_type.why
    ]


def _dropped_records(
    plan: "Plan", all_records: Frame, is_complete: NDArray[np.bool_]
) -> list[Finding]:
    """Return the finding on records that were dropped for a missing value, if any."""
    if is_complete.all():
        return []
    n_dropped = int((~is_complete).sum())
    counts = tables.missing_counts(all_records, plan.required_columns)
    missing = ", ".join(f"{name!r} {count:,}" for name, count in counts.items())
    verb = "was" if n_dropped == 1 else "were"
    return [
        Finding(
            "missing-values",
            "informs",
            f"{n_dropped:,} of {len(is_complete):,} records {verb} dropped because values are"
            f" missing: {missing}.",
            {"dropped": n_dropped, "missing": dict(counts)},
            tuple(counts),
        )
    ]


def _released_index(frame: Frame) -> list[Finding]:
    """Return the finding on an index of the table that is released, if it has one."""
    if not tables.has_own_index(frame):
        return []
    return [
        Finding(
            "released-index",
            "qualifies",
            "The index is released unchanged.",
            way_out="If it identifies records, drop it first: data.reset_index(drop=True).",
        )
    ]


def _unfinished_searches(results: Sequence[StepResult]) -> list[Finding]:
    """Return findings on searches limited by time, whose groups the plan may not reproduce."""
    reasons = [
        f"{method_label(partitioner)} was interrupted and returned the best groups found so far."
        if partitioner.cut_short_
        else f"{method_label(partitioner)} searched for a limited time and did not prove its groups"
        " optimal."
        for result in results
        for partitioner in result.fitted_partitioners
        if partitioner.cut_short_ or partitioner.depends_on_time_
    ]
    return [
        Finding("unfinished", "informs", f"{reason} Running the plan again may give other groups.")
        for reason in dict.fromkeys(reasons)
    ]
