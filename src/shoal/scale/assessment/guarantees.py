"""Check the guarantees of a plan by counts on the released files; raise if one is not kept."""

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.errors import GuaranteeBroken
from shoal.frame.roles import RECORD_UNIT
from shoal.plan import Plan
from shoal.plan.findings.privacy_constraints import constraint_findings
from shoal.plan.guarantees import (
    must_refuse_homogeneous,
    refuse_homogeneous_classes,
    refuse_unmet_constraint,
)
from shoal.scale.job import MicroaggregationJob, ReleaseJob
from shoal.scale.microaggregation.block_measures import MaskedBlock
from shoal.scale.shards import Shard
from shoal.scale.statistics.counts import sum_shared_counts
from shoal.steps import Step
from shoal.steps.constraints.homogeneity import refuse_homogeneous_groups


def check_guarantee(
    plan: Plan,
    measures: Mapping[str, Any],
    n_expected: int,
    n_written: int,
    column_block_sizes: Sequence[Mapping[int, int]] = (),
) -> None:
    """Raise if classes are smaller than the plan guarantees; nothing is released then.

    If there are several blocks of columns, k is guaranteed for each: ``column_block_sizes`` then
    contains the number of classes by size of each block.
    """
    attained_k, noun = measures["smallest_class"], "records"
    if plan.unit_column is not None:
        attained_k, noun = measures["fewest_units"], "units"
    if column_block_sizes:
        attained_k = min(min(sizes) for sizes in column_block_sizes)
    k = max(step.k or 0 for step in plan.steps if plan.is_intact(step))
    if attained_k < k:
        raise GuaranteeBroken(
            f"The smallest class of the released values holds {attained_k} {noun}; k={k} was"
            " guaranteed. No data were released. Please report this.",
            code="guarantee-broken",
            smallest=attained_k,
            k=k,
        )
    if n_expected != n_written:
        raise GuaranteeBroken(
            f"{n_expected:,} records were read and {n_written:,} would be released. No data were"
            " released. Please report this.",
            code="records-lost",
            expected=n_expected,
            written=n_written,
        )


def check_constraints(
    plan: Plan, job: ReleaseJob, measures: Mapping[str, Any], shards: Sequence[Shard]
) -> None:
    """Raise if confidential values are less protected than the plan guarantees."""
    step = plan.steps[0]  # validation refuses such guarantees in plans of several steps
    least_diversity, greatest_distance = _attained_constraints(step, shards)
    for finding in constraint_findings(step, least_diversity, greatest_distance, job.confidential):
        refuse_unmet_constraint(finding, by_units=job.unit is not None)
    if must_refuse_homogeneous(plan):
        shared_counts = sum_shared_counts(shard.shared_counts for shard in shards)
        refuse_homogeneous_classes(plan, shared_counts, sum(measures["class_sizes"].values()))


def _attained_constraints(step: Step, shards: Sequence[Shard]) -> tuple[float | None, float | None]:
    """Return the least diversity and the greatest distance of all classes, if guaranteed."""
    least_diversity = greatest_distance = None
    if step.diversity is not None:
        diversities = [shard.diversity[step.diversity_kind] for shard in shards if shard.diversity]
        least_diversity = min(
            attained for diversity_by_column in diversities for attained in diversity_by_column
        )
    if step.closeness is not None:
        greatest_distance = max(attained for shard in shards for attained in shard.closeness or ())
    return least_diversity, greatest_distance


def check_homogeneity(job: MicroaggregationJob, blocks: Sequence[MaskedBlock]) -> None:
    """Refuse groups with a single confidential value, if the step is set to refuse them."""
    if job.step.homogeneity != "refuse":
        return
    shared_counts = sum_shared_counts(block.shared_counts for block in blocks)
    n_groups = sum(sum(sizes.values()) for block in blocks for sizes in block.group_sizes)
    refuse_homogeneous_groups(shared_counts, n_groups, job.step.unit_column or RECORD_UNIT)
