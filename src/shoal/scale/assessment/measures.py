"""The measures of a large release, from the counts and exact sums of its blocks and shards."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from shoal.metrics import NEEDS, inputs_of
from shoal.metrics.assessment import linear_cost_measures
from shoal.scale.job import MicroaggregationJob, ReleaseJob
from shoal.scale.microaggregation.block_measures import DistanceSums, MaskedBlock
from shoal.scale.shards import Shard
from shoal.scale.statistics.counts import sum_counts, sum_shared_counts
from shoal.scale.statistics.exact_sums import UNIT
from shoal.scale.statistics.moment_sums import MOMENT_MEASURES, MomentSums
from shoal.scale.statistics.weights import sum_totals, total_change

# The measures that are computed on a large table, if its columns allow.
MICROAGGREGATION_MEASURES = (
    "information_loss", "smallest_class", "reidentification", "weighted_total_change",
    "homogeneous_classes", "linkage", "l_diversity", "p_sensitivity", "t_closeness",
    "fewest_units", "largest_unit_share", "distortion_x", "il1s",
    "euclidean_loss",
    *MOMENT_MEASURES,
)  # fmt: skip
# The measures that are computed for a plan that recodes combinations of values.
RECODING_MEASURES = (
    "smallest_class", "reidentification", "homogeneous_classes", "l_diversity", "p_sensitivity",
    "t_closeness", "fewest_units", "largest_unit_share",
)  # fmt: skip
CONFIDENTIAL_NEEDS = ("confidential", "confidential_codes", "ordered")
NEEDS_COLUMNS = "Not computed: needs {}."
NEEDS_WHOLE_TABLE = "Not computed on a table that no process holds."


def compute_measures(
    job: MicroaggregationJob,
    blocks: Sequence[MaskedBlock],
    shards: Sequence[Shard],
    sums: MomentSums,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the measures of a release, and remarks on how they were computed or why not."""
    moment_measures, remarks = sums.measures()
    loss = job.encoders.information_loss(sum_counts(block.squared_errors for block in blocks))
    measures: dict[str, Any] = {
        "information_loss": loss,
        "distortion_x": loss / 100,
        **class_measures(job, shards),
        **_distance_measures(job, sum((block.distances for block in blocks), DistanceSums())),
        **moment_measures,
    }
    if job.step.weight is not None and job.encoders.complete_columns:
        measures["weighted_total_change"], remarks["weighted_total_change"] = total_change(
            sum_totals(block.totals for block in blocks), job.encoders.complete_columns
        )
    n_attacked = sum(block.n_attacked for block in blocks)
    if n_attacked:
        n_records = sum(shard.n_records for shard in shards)
        measures["linkage"] = float(
            sum(block.expected_links for block in blocks) * UNIT / n_attacked
        )
        remarks["linkage"] = (
            f"Estimated on a sample of {n_attacked:,} of {n_records:,} records. Each masked record"
            " was compared with the original records of its own block only, standardised by the"
            " original table; comparing it with all records would not give more correct links."
        )
    return measures, {**why_not_computed(measures, bool(job.confidential)), **remarks}


def _distance_measures(job: MicroaggregationJob, sums: DistanceSums) -> dict[str, Any]:
    """Return the measures of distances between records and their masked form."""
    varying = [encoder.name for encoder in job.encoders.masked if not encoder.is_constant]
    if not varying:
        return {}
    n_records = job.encoders.masked[0].n_present + job.encoders.masked[0].n_missing
    mean_changes = [sums.by_column[name] * UNIT / n_records for name in varying]
    return {
        "euclidean_loss": float(100 * Fraction(sums.to_masked, sums.to_mean)),
        "il1s": float(sum(mean_changes) / len(varying)) / 2**0.5,
    }


def class_measures(job: ReleaseJob, shards: Sequence[Shard]) -> dict[str, Any]:
    """Return the measures that were counted on the files of a release."""
    class_sizes = sum_counts(shard.class_sizes for shard in shards)
    records_by_size = {size: size * n_classes for size, n_classes in class_sizes.items()}
    if job.unit is not None:
        records_by_size = sum_counts(shard.unit_records or {} for shard in shards)
    chances = sum(Fraction(n_records, size) for size, n_records in records_by_size.items())
    smallest = min(records_by_size)
    measures: dict[str, Any] = {
        "smallest_class": min(class_sizes),
        "class_sizes": class_sizes,
        "reidentification": {
            "prosecutor": 1 / smallest,
            "journalist": 1 / smallest,
            "marketer": float(chances / sum(records_by_size.values())),
        },
    }
    if job.confidential:
        shared_counts = sum_shared_counts(shard.shared_counts for shard in shards)
        measures["homogeneous_classes"] = {
            name: shared_counts[name].homogeneous for name in sorted(shared_counts)
        }
    return measures | _unit_measures(shards) | _constraint_measures(job, shards)


def _unit_measures(shards: Sequence[Shard]) -> dict[str, Any]:
    """Return the measures of classes counted in units, if units were counted."""
    sizes = sum_counts(shard.class_units for shard in shards if shard.class_units)
    shares = [shard.largest_unit_share for shard in shards if shard.largest_unit_share is not None]
    return {"fewest_units": min(sizes), "largest_unit_share": max(shares)} if sizes else {}


def _constraint_measures(job: ReleaseJob, shards: Sequence[Shard]) -> dict[str, Any]:
    """Return l-diversity and t-closeness of the release, if they are guaranteed or limited.

    Every class is in one shard, so they are the extremes of all shards.
    """
    columns, measures = job.confidential, {}
    diversities = [shard.diversity for shard in shards if shard.diversity is not None]
    if diversities:
        least_by_kind = {
            kind: [
                min(attained)
                for attained in zip(*(diversity[kind] for diversity in diversities), strict=True)
            ]
            for kind in diversities[0]
        }
        measures["l_diversity"] = {
            kind: dict(zip(columns, least, strict=True)) for kind, least in least_by_kind.items()
        }
        measures["p_sensitivity"] = min(least_by_kind["distinct"])
    distances = [shard.closeness for shard in shards if shard.closeness is not None]
    if distances:
        greatest_distances = [max(attained) for attained in zip(*distances, strict=True)]
        measures["t_closeness"] = dict(zip(columns, greatest_distances, strict=True))
    return measures


def why_not_computed(
    measures: Mapping[str, Any], confidential: bool, *, categories: bool = False
) -> dict[str, str]:
    """Return why measures of a table in memory are not among ``measures``."""
    remarks = {}
    for name in linear_cost_measures(categories=categories):
        needed = [need for need in inputs_of(name) if need in CONFIDENTIAL_NEEDS]
        if name in measures:
            continue
        if needed and not confidential:
            remarks[name] = NEEDS_COLUMNS.format(NEEDS[needed[0]])
        else:
            remarks[name] = NEEDS_WHOLE_TABLE
    return remarks
