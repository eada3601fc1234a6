"""The verdict on a large release, from what was counted on its files."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shoal.frame.roles import columns_with, name_columns
from shoal.metrics.assessment import Assessment
from shoal.plan import Plan
from shoal.plan.evidence import RECORDS
from shoal.plan.findings.attained_k import attained_k_findings
from shoal.plan.findings.exact_values import exact_value_findings
from shoal.plan.findings.homogeneity import advice_to_merge, homogeneous_class_findings
from shoal.plan.findings.limits import limit_findings, unchecked_limits_findings
from shoal.plan.findings.loss import large_group_findings, loss_findings
from shoal.plan.findings.phrases import advice_to_mask_more
from shoal.plan.findings.privacy_constraints import constraint_findings
from shoal.plan.findings.unchanged_columns import (
    columns_without_role_findings,
    unique_record_findings,
)
from shoal.plan.findings.units import unchecked_identifier_findings, uncounted_unit_findings
from shoal.plan.findings.weights import released_weight_findings
from shoal.plan.guarantees import omitted_checks_finding
from shoal.plan.verdict import RECORD_UNIT, Finding, Verdict, make_verdict
from shoal.plan.warnings import as_finding
from shoal.scale.assessment.verdict_counts import exact_shares, findings_from_counts
from shoal.scale.job import Job, ReleaseJob, sum_counts, sum_shared_counts
from shoal.scale.microaggregation.masked_blocks import MaskedBlock
from shoal.scale.recoding.recoded_combinations import RecodedCombinations
from shoal.scale.shards import Shard
from shoal.steps.microaggregation.column_warnings import list_counts

OMITTED_CHECKS = (
    "records that unchanged or confidential columns single out by themselves, and derived columns,"
    " on a table that no process holds"
)
OMITTED_RECOUNT_CHECKS = (
    "classes that share a confidential value, values released exactly, dominated groups, imputed"
    f" values, the loss, {OMITTED_CHECKS}"
)


def judge(
    plan: Plan, job: Job, columns: Sequence[str], blocks: Sequence[MaskedBlock],
    shards: Sequence[Shard], n_source: int, measures: Mapping[str, Any],
    remarks: Mapping[str, str], further_findings: Sequence[Finding],
    column_block_sizes: Sequence[Mapping[int, int]] = (),
) -> Verdict:  # fmt: skip
    """Return the verdict on a release, from what was counted on its blocks and files."""
    attained_k, unit, class_sizes = _attained_k(plan, measures, shards)
    linkage = measures.get("linkage") if column_block_sizes else None
    n_released = sum(shard.records for shard in shards)
    counts = sum_counts(block.verdict_counts for block in blocks)
    strata = [name for name in job.step.strata if name in job.released_schema.names]
    groups = {(job.step.k, size): number for size, number in _group_sizes(blocks).items()}
    noun = "records" if plan.unit_column is None else "units"
    findings = [
        *attained_k_findings(plan, attained_k, unit, (), linkage),
        *_findings_on_files(plan, job, columns, shards, measures, remarks, strata),
        *loss_findings(measures["information_loss"], plan.thresholds.loss),
        *_missing_value_findings(job, blocks, n_source, n_released),
        *_constant_column_findings(job),
        *findings_from_counts(
            counts, job.step, column_block_sizes or [class_sizes], plan.thresholds, unit
        ),
        *large_group_findings(groups, plan.thresholds.group_size, noun),
        *further_findings,
        omitted_checks_finding(OMITTED_CHECKS),
    ]
    return make_verdict(plan.k, attained_k, unit, findings, exact_shares(counts))


def judge_recoding(
    plan: Plan, job: ReleaseJob, columns: Sequence[str], recoded: RecodedCombinations,
    shards: Sequence[Shard], measures: Mapping[str, Any], remarks: Mapping[str, str],
) -> Verdict:  # fmt: skip
    """Return the verdict on a release whose combinations of values were recoded."""
    attained_k, unit, _ = _attained_k(plan, measures, shards)
    exact = recoded.exact_shares(plan.masked)
    findings = [
        *attained_k_findings(plan, attained_k, unit),
        *_findings_on_files(plan, job, columns, shards, measures, remarks),
        *exact_value_findings(exact, plan.thresholds.exact, advice_to_mask_more(plan.steps)),
        *map(as_finding, recoded.warnings),
        omitted_checks_finding(OMITTED_CHECKS),
    ]
    return make_verdict(plan.k, attained_k, unit, findings, exact)


def _attained_k(
    plan: Plan, measures: Mapping[str, Any], shards: Sequence[Shard]
) -> tuple[int, str, Mapping[int, int]]:
    """Return the size of the smallest class, its unit, and the number of classes by size."""
    if plan.unit_column is None:
        return measures["smallest_class"], RECORD_UNIT, measures["class_sizes"]
    sizes = sum_counts(shard.class_units or {} for shard in shards)
    return measures["fewest_units"], plan.unit_column, sizes


def _findings_on_files(
    plan: Plan, job: ReleaseJob, columns: Sequence[str], shards: Sequence[Shard],
    measures: Mapping[str, Any], remarks: Mapping[str, str], strata: Sequence[str] = (),
) -> list[Finding]:  # fmt: skip
    """Return the findings that follow from the plan and what was counted on the files."""
    n_classes = sum(measures["class_sizes"].values())
    findings = [
        *unchecked_identifier_findings(plan),
        *columns_without_role_findings(plan, columns),
        *homogeneous_class_findings(
            sum_shared_counts(shard.shared_counts for shard in shards),
            n_classes,
            plan.unit_column or RECORD_UNIT,
            advice_to_merge(plan.steps),
            classes_known=plan.k is not None,
        ),
        *limit_findings(plan.limits.check(Assessment(measures, remarks)), plan.steps),
    ]
    n_unique = [shard.n_unique for shard in shards if shard.n_unique is not None]
    if n_unique:
        share = sum(n_unique) / sum(shard.records for shard in shards)
        other_columns = [*strata, *job.other_columns]
        findings += unique_record_findings(
            other_columns, None, share, plan.thresholds.unique, RECORDS
        )
    smallest_sizes = [
        shard.smallest_with_weights for shard in shards if shard.smallest_with_weights is not None
    ]
    if smallest_sizes and job.weight is not None:
        unit = plan.unit_column or RECORD_UNIT
        findings += released_weight_findings(job.weight, plan.k, min(smallest_sizes), unit)
    return findings


def _group_sizes(blocks: Sequence[MaskedBlock]) -> dict[int, int]:
    """Return the number of groups of each size, in units if these are counted."""
    in_units = sum_counts(block.group_units for block in blocks)
    return in_units or sum_counts(sizes for block in blocks for sizes in block.group_sizes)


def judge_recount(
    plan: Plan,
    attained_k: int,
    columns: Iterable[str],
    constraints: tuple[float | None, float | None] = (None, None),
) -> Verdict:
    """Return the verdict on a released folder whose classes were counted again.

    ``constraints`` are the least diversity and the greatest distance of a class, where counted.
    """
    confidential = columns_with(plan.roles, "confidential")
    findings = [
        *attained_k_findings(plan, attained_k),
        *uncounted_unit_findings(plan),
        *constraint_findings(plan.steps[0], *constraints, confidential),
        *columns_without_role_findings(plan, list(columns)),
        *unchecked_limits_findings([limit.name for limit in plan.limits]),
        omitted_checks_finding(OMITTED_RECOUNT_CHECKS),
    ]
    return make_verdict(plan.k, attained_k, RECORD_UNIT, findings)


def _missing_value_findings(
    job: Job, blocks: Sequence[MaskedBlock], n_source: int, n_released: int
) -> list[Finding]:
    """Return how many records were dropped, and how many cells imputed or suppressed."""
    sentences = []
    if n_source > n_released:
        sentences.append(
            f"{n_source - n_released} of {n_source} records were dropped because values are"
            " missing."
        )
    imputed = list_counts(sum_counts(block.n_imputed for block in blocks))
    if imputed:
        sentences.append(f"Cells that were missing now hold the value of the group: {imputed}.")
    suppressed = list_counts(sum_counts(block.n_suppressed for block in blocks))
    if suppressed and job.step.missing == "own-groups":
        sentences.append(
            "Cells were suppressed, to join patterns of missing cells that fewer than k"
            f" {job.step.unit_noun} of a block share: {suppressed}."
        )
    elif suppressed:
        sentences.append(
            "Cells were suppressed where only one record of a group has a value, since releasing it"
            f" for all would disclose that record: {suppressed}."
        )
    return [Finding("missing-values", "informs", sentence) for sentence in sentences]


def _constant_column_findings(job: Job) -> list[Finding]:
    """Return which masked columns are constant, so that distances do not depend on them."""
    constant = [encoder.name for encoder in job.encoders.masked if encoder.is_constant]
    if not constant:
        return []
    verb = "is constant and takes" if len(constant) == 1 else "are constant and take"
    return [
        Finding(
            "constant-column",
            "informs",
            f"{name_columns(constant)} {verb} no part in the grouping: there is no spread.",
            columns=tuple(constant),
        )
    ]
