"""The verdict on a large release, from what was counted on its files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.frame.roles import RECORD_UNIT, columns_with
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
from shoal.plan.findings.run import as_finding
from shoal.plan.findings.unchanged_columns import (
    columns_without_role_findings,
    unique_record_findings,
)
from shoal.plan.findings.units import unchecked_identifier_findings, uncounted_unit_findings
from shoal.plan.findings.weights import released_weight_findings
from shoal.plan.guarantees import omitted_checks_finding
from shoal.plan.verdict import Finding, Verdict, make_verdict
from shoal.scale.job import MicroaggregationJob, ReleaseJob
from shoal.scale.microaggregation.block_measures import MaskedBlock
from shoal.scale.microaggregation.verdict_counts import VerdictCounts, findings_from_counts
from shoal.scale.recoding.recoded_combinations import RecodedCombinations
from shoal.scale.shards import Shard
from shoal.scale.statistics.counts import sum_counts, sum_shared_counts
from shoal.steps.microaggregation.column_warnings import constant_column_warnings, list_counts

OMITTED_CHECKS = (
    "records that unchanged or confidential columns single out on their own, and derived columns,"
    " on a table that no process holds"
)
OMITTED_RECOUNT_CHECKS = (
    "classes that share a confidential value, values released exactly, dominated groups, imputed"
    f" values, the loss, {OMITTED_CHECKS}"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedRelease:
    """A release whose files were counted.

    Parameters
    ----------
    plan : Plan
        The plan that was run.
    columns : list of str
        The columns of the source.
    shards : list of Shard
        The files, and what was counted on each.
    measures : mapping
        The measures of the release.
    remarks : mapping
        Why other measures were not computed.
    """

    plan: Plan
    columns: Sequence[str]
    shards: Sequence[Shard]
    measures: Mapping[str, Any]
    remarks: Mapping[str, str]

    @property
    def n_records(self) -> int:
        """Number of released records."""
        return sum(shard.n_records for shard in self.shards)

    @property
    def unit(self) -> str:
        """What k counts: ``"record"`` or a column of units."""
        return self.plan.unit_column or RECORD_UNIT

    @property
    def attained_k(self) -> int:
        """Size of the smallest class, in units if k counts units."""
        by_units = self.plan.unit_column is not None
        return int(self.measures["fewest_units" if by_units else "smallest_class"])

    @property
    def class_sizes(self) -> Mapping[int, int]:
        """Number of classes by size, in units if k counts units."""
        if self.plan.unit_column is None:
            sizes: Mapping[int, int] = self.measures["class_sizes"]
            return sizes
        return sum_counts(shard.class_units or {} for shard in self.shards)


def judge_microaggregation(
    job: MicroaggregationJob,
    counted: CountedRelease,
    blocks: Sequence[MaskedBlock],
    n_source: int,
    further_findings: Sequence[Finding],
    column_block_sizes: Sequence[Mapping[int, int]] = (),
) -> Verdict:
    """Return the verdict on a release, from what was counted on its blocks and files.

    Parameters
    ----------
    job : MicroaggregationJob
        The job that wrote the files.
    counted : CountedRelease
        The release, whose files were counted.
    blocks : list of MaskedBlock
        The blocks that were masked.
    n_source : int
        Number of records of the source.
    further_findings : list of Finding
        Findings of the run itself.
    column_block_sizes : list of dict
        The number of classes by size in each block of columns, if there are several.

    Returns
    -------
    Verdict
        Status, attained k and every finding.
    """
    plan = counted.plan
    linkage = counted.measures.get("linkage") if column_block_sizes else None
    verdict_counts = sum((block.verdict_counts for block in blocks), VerdictCounts())
    strata = [name for name in job.step.strata if name in job.released_schema.names]
    n_groups = {(job.step.k, size): number for size, number in _group_sizes(blocks).items()}
    noun = "records" if plan.unit_column is None else "units"
    findings = [
        *attained_k_findings(plan, counted.attained_k, counted.unit, (), linkage),
        *_findings_on_files(job, counted, strata),
        *loss_findings(counted.measures["information_loss"], plan.thresholds.loss),
        *_missing_value_findings(job, blocks, n_source, counted.n_records),
        *_constant_column_findings(job),
        *findings_from_counts(
            verdict_counts,
            job.step,
            column_block_sizes or [counted.class_sizes],
            plan.thresholds,
            counted.unit,
        ),
        *large_group_findings(n_groups, plan.thresholds.group_size, noun),
        *further_findings,
        omitted_checks_finding(OMITTED_CHECKS),
    ]
    return make_verdict(
        plan.k, counted.attained_k, counted.unit, findings, verdict_counts.exact_shares
    )


def judge_recoding(
    job: ReleaseJob,
    counted: CountedRelease,
    recoded: RecodedCombinations,
    further_findings: Sequence[Finding],
) -> Verdict:
    """Return the verdict on a release whose combinations of values were recoded.

    ``further_findings`` are those of the run itself.
    """
    plan = counted.plan
    exact = recoded.exact_shares(plan.masked)
    findings = [
        *attained_k_findings(plan, counted.attained_k, counted.unit),
        *_findings_on_files(job, counted),
        *exact_value_findings(exact, plan.thresholds.exact, advice_to_mask_more(plan.steps)),
        *map(as_finding, recoded.warnings),
        *further_findings,
        omitted_checks_finding(OMITTED_CHECKS),
    ]
    return make_verdict(plan.k, counted.attained_k, counted.unit, findings, exact)


def _findings_on_files(
    job: ReleaseJob, counted: CountedRelease, strata: Sequence[str] = ()
) -> list[Finding]:
    """Return the findings that follow from the plan and what was counted on the files."""
    plan, shards = counted.plan, counted.shards
    assessment = Assessment(counted.measures, counted.remarks)
    n_classes = sum(counted.measures["class_sizes"].values())
    findings = [
        *unchecked_identifier_findings(plan),
        *columns_without_role_findings(plan, counted.columns),
        *homogeneous_class_findings(
            sum_shared_counts(shard.shared_counts for shard in shards),
            n_classes,
            counted.unit,
            advice_to_merge(plan.steps),
            classes_known=plan.k is not None,
        ),
        *limit_findings(plan.limits.check(assessment), plan.steps),
    ]
    n_unique = [shard.n_unique for shard in shards if shard.n_unique is not None]
    if n_unique:
        share = sum(n_unique) / counted.n_records
        other_columns = [*strata, *job.other_columns]
        findings += unique_record_findings(
            other_columns, None, share, plan.thresholds.unique, RECORDS
        )
    smallest_sizes = [
        shard.smallest_class_with_weights
        for shard in shards
        if shard.smallest_class_with_weights is not None
    ]
    if smallest_sizes and job.weight is not None:
        findings += released_weight_findings(job.weight, plan.k, min(smallest_sizes), counted.unit)
    return findings


def _group_sizes(blocks: Sequence[MaskedBlock]) -> dict[int, int]:
    """Return the number of groups of each size, in units if k counts units."""
    in_units = sum_counts(block.group_units for block in blocks)
    return in_units or sum_counts(sizes for block in blocks for sizes in block.group_sizes)


def judge_recount(
    plan: Plan,
    attained_k: int,
    columns: Iterable[str],
    constraints: tuple[float | None, float | None] = (None, None),
) -> Verdict:
    """Return the verdict on a released folder whose classes were counted again.

    ``constraints`` are the least diversity and the greatest distance of a class, or None if not
    counted.
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
    job: MicroaggregationJob, blocks: Sequence[MaskedBlock], n_source: int, n_released: int
) -> list[Finding]:
    """Return how many records were dropped, and how many cells imputed or suppressed."""
    sentences = []
    if n_source > n_released:
        n_dropped = n_source - n_released
        verb = "was" if n_dropped == 1 else "were"
        sentences.append(
            f"{n_dropped:,} of {n_source:,} records {verb} dropped because values are missing."
        )
    imputed = list_counts(sum_counts(block.n_imputed for block in blocks))
    if imputed:
        sentences.append(f"Cells that were missing now have the value of the group: {imputed}.")
    suppressed = list_counts(sum_counts(block.n_suppressed for block in blocks))
    if suppressed and job.step.missing == "own-groups":
        sentences.append(
            "Cells were suppressed, so that every pattern of missing cells is shared by at least k"
            f" {job.step.unit_noun} of a block: {suppressed}."
        )
    elif suppressed:
        sentences.append(
            "Cells were suppressed where only one record of a group has a value, since releasing it"
            f" for all would disclose that record: {suppressed}."
        )
    return [Finding("missing-values", "informs", sentence) for sentence in sentences]


def _constant_column_findings(job: MicroaggregationJob) -> list[Finding]:
    """Return which masked columns are constant, so that distances do not depend on them."""
    constant = [encoder.name for encoder in job.encoders.masked if encoder.is_constant]
    return list(map(as_finding, constant_column_warnings(constant)))
