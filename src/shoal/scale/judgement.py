"""The verdict on a large release, from what was counted on its files."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shoal.frame.roles import columns_with, name_columns
from shoal.metrics.assessment import Assessment
from shoal.plan import Plan
from shoal.plan.evidence import RECORDS
from shoal.plan.findings.attained import check_attained
from shoal.plan.findings.homogeneity import check_homogeneous
from shoal.plan.findings.limits import limit_findings, not_checked
from shoal.plan.findings.loss import check_groups, check_loss
from shoal.plan.findings.privacy_constraints import constraint_findings
from shoal.plan.findings.unchanged import check_roles, check_unique
from shoal.plan.findings.units import check_identifiers, check_units
from shoal.plan.findings.weights import check_weights
from shoal.plan.guarantees import not_computed
from shoal.plan.verdict import RECORD_UNIT, Finding, Verdict, make_verdict
from shoal.scale.job import Job, sum_counts
from shoal.scale.shards import Shard
from shoal.scale.tasks import MaskedBlock
from shoal.scale.verdict_counts import exact_shares, findings_from_counts

NOT_CHECKED = (
    "records that unchanged or confidential columns single out by themselves, and derived columns,"
    " on a table that no process holds"
)
NOT_RECOUNTED = (
    "classes that share a confidential value, values released exactly, dominated groups, imputed"
    f" values, the loss, {NOT_CHECKED}"
)


def judge(
    plan: Plan, job: Job, columns: Sequence[str], blocks: Sequence[MaskedBlock],
    shards: Sequence[Shard], n_source: int, measures: Mapping[str, Any],
    remarks: Mapping[str, str], noted: Sequence[Finding],
    block_sizes: Sequence[Mapping[int, int]] = (),
) -> Verdict:  # fmt: skip
    """Return the verdict on a release, from what was counted on its blocks and files."""
    attained, class_sizes = measures["smallest_class"], measures["class_sizes"]
    unit, n_classes = plan.unit_column or RECORD_UNIT, sum(class_sizes.values())
    if plan.unit_column is not None:
        attained = measures["fewest_units"]
        class_sizes = sum_counts(shard.class_units or {} for shard in shards)
    linkage = measures.get("linkage") if block_sizes else None
    n_released = sum(shard.records for shard in shards)
    counts = sum_counts(block.verdict_counts for block in blocks)
    findings = [
        *check_attained(plan, attained, unit, (), linkage),
        *check_identifiers(plan),
        *check_roles(plan, columns),
        *check_homogeneous(measures.get("homogeneous_classes", {}), n_classes),
        *check_loss(measures["information_loss"], plan.thresholds.loss),
        *limit_findings(plan.limits.check(Assessment(measures, remarks)), plan.steps),
        *_missing_value_findings(job, blocks, n_source, n_released),
        *_constant_column_findings(job),
        *findings_from_counts(
            counts, job.step, block_sizes or [class_sizes], plan.thresholds, unit
        ),
    ]
    unique = [shard.unique for shard in shards if shard.unique is not None]
    if unique:
        strata = [name for name in job.step.strata if name in job.released.names]
        limit, share = plan.thresholds.unique, sum(unique) / n_released
        findings += check_unique([*strata, *job.other_columns], None, share, limit, RECORDS)
    groups = {(job.step.k, size): number for size, number in _group_sizes(blocks).items()}
    what = "records" if plan.unit_column is None else "units"
    findings += check_groups(groups, plan.thresholds.group_size, what)
    with_weights = [
        shard.smallest_with_weights for shard in shards if shard.smallest_with_weights is not None
    ]
    if with_weights and job.step.weight is not None:
        findings += check_weights(job.step.weight, plan.k, min(with_weights), unit)
    findings = [*findings, *noted, not_computed(NOT_CHECKED)]
    return make_verdict(plan.k, attained, unit, findings, exact_shares(counts))


def _group_sizes(blocks: Sequence[MaskedBlock]) -> dict[int, int]:
    """Return the number of groups of each size, in units where these are counted."""
    in_units = sum_counts(block.group_units for block in blocks)
    return in_units or sum_counts(sizes for block in blocks for sizes in block.group_sizes)


def judge_recount(
    plan: Plan,
    attained: int,
    columns: Iterable[str],
    constraints: tuple[float | None, float | None] = (None, None),
) -> Verdict:
    """Return the verdict on a released folder whose classes were counted again.

    ``constraints`` are the least diversity and the greatest distance of a class, where counted.
    """
    confidential = columns_with(plan.roles, "confidential")
    findings = [
        *check_attained(plan, attained),
        *check_units(plan),
        *constraint_findings(plan.steps[0], *constraints, confidential),
        *check_roles(plan, list(columns)),
        *not_checked([limit.name for limit in plan.limits]),
        not_computed(NOT_RECOUNTED),
    ]
    return make_verdict(plan.k, attained, RECORD_UNIT, findings)


def _missing_value_findings(
    job: Job, blocks: Sequence[MaskedBlock], n_source: int, n_released: int
) -> list[Finding]:
    sentences = []
    if n_source > n_released:
        sentences.append(
            f"{n_source - n_released} of {n_source} records were dropped because values are"
            " missing."
        )
    imputed = _list_counts(sum_counts(block.imputed for block in blocks))
    if imputed:
        sentences.append(f"Cells that were missing now hold the value of the group: {imputed}.")
    suppressed = _list_counts(sum_counts(block.suppressed for block in blocks))
    if suppressed and job.step.missing == "own-groups":
        sentences.append(
            "Cells were suppressed, to join patterns of missing cells that fewer than k"
            f" {job.step.counted} of a block share: {suppressed}."
        )
    elif suppressed:
        sentences.append(
            "Cells were suppressed, because the other records of the group have no value, and that"
            f" of a single record is not released for all: {suppressed}."
        )
    return [Finding("missing-values", "informs", sentence) for sentence in sentences]


def _list_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name!r} {number}" for name, number in counts.items() if number)


def _constant_column_findings(job: Job) -> list[Finding]:
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
