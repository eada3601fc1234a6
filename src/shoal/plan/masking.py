"""Run a plan on a table: apply its steps, measure the result, collect evidence for the verdict."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._seeds import draw_seed
from shoal._versions import installed_version
from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.conversion import restore_decimals
from shoal.frame.missing_codes import without_codes
from shoal.frame.notation.text_columns import text_to_numbers
from shoal.frame.replacement import TextColumn, with_values
from shoal.frame.roles import columns_with
from shoal.frame.tables import Frame, IntoDataFrame
from shoal.frame.types import Type
from shoal.metrics.assessment import Assessment, linear_cost_measures
from shoal.metrics.assessment.category_inputs import categorical_columns
from shoal.partitioners import method_label
from shoal.plan.assessment import measure_release
from shoal.plan.chaining import is_chained
from shoal.plan.definition.other_columns import columns_to_drop
from shoal.plan.draft import Draft
from shoal.plan.evidence import Evidence
from shoal.plan.findings.edits import refuse_broken_edits
from shoal.plan.findings.homogeneity import count_shared_by_column
from shoal.plan.findings.run import run_findings
from shoal.plan.guarantees import (
    check_guarantees,
    must_refuse_homogeneous,
    refuse_homogeneous_classes,
)
from shoal.plan.interpretation import Interpretation, interpret_frame
from shoal.plan.profile import profile
from shoal.plan.release_plan import (
    drawn_step_seeds,
    plan_of_release,
    reproducible_step,
    without_time_budget,
)
from shoal.plan.shuffle import random_order
from shoal.steps import Step, StepResult

if TYPE_CHECKING:
    from shoal.plan.plan import Plan

SOFTWARE = ("shoal", "numpy", "numba", "scikit-learn")  # its versions may change a release


class SelectedRecords(NamedTuple):
    """The records that a plan masks, in the order of the release.

    ``is_complete`` marks them among all records, ``rows`` are their positions there (None for all
    records in order), and ``seed`` determines their order if the plan shuffles the records.
    """

    frame: Frame
    is_complete: NDArray[np.bool_]
    rows: NDArray[np.int64] | None
    seed: int | None


def draft_release(
    plan: "Plan", data: IntoDataFrame, interpretation: Interpretation | None = None
) -> Draft:
    """Mask ``data`` by a plan; see `Plan.draft`.

    The columns of a file come with an interpretation; the columns of a table in memory are
    interpreted here. The steps run with the types that were inferred and the seeds that were drawn.
    The plan of the release, which records both, is then constructed once, and used from there on.
    """
    table = tables.open_frame(data)
    _check_columns(plan, table)
    if interpretation is None:
        interpretation = interpret_frame(plan, table)
    all_records = _read_declared_columns(plan, table, interpretation)
    records = _select_records(plan, all_records)
    units = plan.units_in(records.frame)
    steps = [reproducible_step(step, interpretation) for step in plan.steps]
    confidential = columns_with(plan.roles, "confidential")
    masked, results = apply_steps(steps, records.frame, confidential, interpretation.types)
    release_plan = plan_of_release(
        plan,
        interpretation,
        [without_time_budget(*pair) for pair in zip(steps, results, strict=True)],
        records.seed,
        all_records.columns,
    )
    intact_steps = [step for step in release_plan.steps if release_plan.is_intact(step)]
    check_guarantees(intact_steps, masked, confidential, release_plan.types, units)
    measures = _measure(release_plan, records.frame, masked, results, units)
    evidence = Evidence(
        release_plan,
        tables.drop_columns(masked, release_plan.dropped),
        records.frame,
        units,
        tuple(groups for result in results for groups in result.partitions),
        measures=measures,
        run_findings=run_findings(release_plan, table, all_records, records.is_complete, results),
    )
    _enforce_refusals(evidence, records.frame, masked)
    return Draft(
        evidence,
        data=restore_decimals(tables.to_native(evidence.released), data, records.rows),
        remarks=measures.remarks,
        unchanged=_unchanged_columns(release_plan, evidence.released, results),
        provenance=_provenance(results, masked, release_plan.quasi_identifiers),
        drawn_seeds=_drawn_seeds(plan, steps, records.seed),
        rows=records.rows,
        profile=profile(release_plan, records.frame, masked, results, units),
    )


def _check_columns(plan: "Plan", frame: Frame) -> None:
    """Refuse a table that lacks columns of the plan."""
    edited_columns = [name for edit in plan.edits for name in edit.columns]
    tables.check_columns(
        frame, [*plan.roles, *plan.types, *plan.masked, *plan.quasi_identifiers, *edited_columns]
    )


def _read_declared_columns(plan: "Plan", frame: Frame, interpretation: Interpretation) -> Frame:
    """Return a table with its missing codes and numbers read, and without columns to drop."""
    frame = without_codes(frame, interpretation.missing_codes)
    numeric_columns = plan.numeric_columns_by(interpretation.types)
    masked = [name for name in plan.masked if name in interpretation.types]
    frame = text_to_numbers(frame, [name for name in masked if name in numeric_columns])
    return tables.drop_columns(frame, columns_to_drop(plan, frame.columns))


def _select_records(plan: "Plan", all_records: Frame) -> SelectedRecords:
    """Return the records that no step drops, in random order if the plan shuffles them.

    They are shuffled before any step, so that ties are not broken by the original order.
    """
    is_complete = _mark_complete_records(plan, all_records)
    frame = tables.filter_rows(all_records, is_complete)
    if not plan.shuffle:
        rows = None if is_complete.all() else np.flatnonzero(is_complete)
        return SelectedRecords(frame, is_complete, rows, plan.random_state)
    seed = draw_seed() if plan.random_state is None else plan.random_state
    order = random_order(len(frame), seed)
    return SelectedRecords(
        tables.take(frame, order), is_complete, np.flatnonzero(is_complete)[order], seed
    )


def _mark_complete_records(plan: "Plan", frame: Frame) -> NDArray[np.bool_]:
    """Return a mask of the records that no step drops for a missing value."""
    is_complete = ~tables.has_missing(frame, plan.required_columns)
    if not is_complete.any():
        raise InputError(
            f"Every one of the {len(frame):,} records has a missing value, so"
            ' `missing="drop"` would leave none. Use `missing="own-groups"` or'
            ' `missing="impute"`.',
            code="no-record-complete",
            records=len(frame),
        )
    return np.asarray(is_complete)


def apply_steps(
    steps: Sequence[Step], frame: Frame, confidential: Sequence[str], types: Mapping[str, Type]
) -> tuple[Frame, list[StepResult]]:
    """Apply steps in order; return the masked table and the result of each step.

    A step is applied to the columns that it masks as earlier steps have masked them, and to all
    other columns as in the original. A column that was recoded to text is nominal for later steps.
    """
    results: list[StepResult] = []
    values: dict[str, Any] = {}
    masked = frame
    for step in steps:
        chained = [name for name in step.columns if name in values]
        step_input, known_types = frame, types
        if chained:
            all_chained = len(chained) == len(step.columns)
            step_input = masked if all_chained else tables.with_columns_of(frame, masked, chained)
            recoded = [name for name in chained if isinstance(values[name], TextColumn)]
            known_types = {**types, **dict.fromkeys(recoded, Type("nominal"))}
        result = step.apply(step_input, confidential, known_types)
        results.append(result)
        values |= result.values
        masked = with_values(masked, result.values)
    return masked, results


def _measure(
    plan: "Plan",
    original: Frame,
    masked: Frame,
    results: Sequence[StepResult],
    units: NDArray[np.int64] | None,
) -> Assessment:
    """Return the measures of a release that have linear cost, and others if the plan needs them."""
    categories = categorical_columns(original, masked, plan.masked, plan.recoded, plan.types)
    names = linear_cost_measures(categories=bool(categories))
    # Columns masked separately, or without k, may be linked; this risk takes longer to compute.
    are_separate = sum(len(step.column_blocks) for step in plan.deciding_steps) > 1
    if are_separate or plan.k is None:
        names.append("linkage")
    bounds = [result.bound for result in results if result.bound is not None]
    bound = sum(bounds) if len(bounds) == len(results) and not is_chained(plan.steps) else None
    if bound is not None:
        names.append("certified_gap")
    if plan.weight is not None:
        names.append("weighted_total_change")
    if units is not None:
        names += ["fewest_units", "largest_unit_share"]
    return measure_release(plan, original, masked, names, units, bound)


def _enforce_refusals(evidence: Evidence, original: Frame, masked: Frame) -> None:
    """Refuse homogeneous classes and broken edits, if the plan requires it."""
    plan = evidence.plan
    if must_refuse_homogeneous(plan):
        labels = evidence.joint_classes
        confidential = columns_with(plan.roles, "confidential")
        shared_counts = count_shared_by_column(labels, masked, confidential, evidence.units)
        refuse_homogeneous_classes(plan, shared_counts, int(labels.max()) + 1)
    refuse_broken_edits(plan, original, evidence.released)


def _unchanged_columns(
    plan: "Plan", released: Frame, results: Sequence[StepResult]
) -> tuple[str, ...]:
    """Return the released columns to which no step gave new values."""
    changed = {*plan.masked, *(name for result in results for name in result.values)}
    return tuple(name for name in released.columns if name not in changed)


def _provenance(
    results: Sequence[StepResult], masked: Frame, quasi_identifiers: Sequence[str]
) -> dict[str, Any]:
    """Return how a release was made: methods and software, with its numbers of cells."""
    partitioners = [fitted for result in results for fitted in result.fitted_partitioners]
    return {
        "records": len(masked),
        "missing": tables.missing_counts(masked, quasi_identifiers),
        "methods": list(dict.fromkeys(method_label(fitted) for fitted in partitioners)),
        "versions": {name: installed_version(name) for name in SOFTWARE},
    }


def _drawn_seeds(
    plan: "Plan", seeded_steps: Sequence[Step], order_seed: int | None
) -> tuple[int, ...]:
    """Return the seeds that were drawn for the steps, and for the order of the records."""
    is_drawn = order_seed is not None and order_seed != plan.random_state
    return (*drawn_step_seeds(plan, seeded_steps), *((order_seed,) if is_drawn else ()))
