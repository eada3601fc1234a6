"""A high information loss, and groups far larger than k."""

from collections import Counter
from collections.abc import Mapping

from shoal._text import count
from shoal.plan.evidence import Evidence
from shoal.plan.findings.phrases import format_share
from shoal.plan.verdict import Finding
from shoal.steps import Microaggregate


def find_high_loss(evidence: Evidence) -> list[Finding]:
    """Find a high information loss, and groups far larger than k."""
    loss = (evidence.measures or {}).get("information_loss")
    is_averaged = all(isinstance(step, Microaggregate) for step in evidence.plan.steps)
    findings = loss_findings(
        loss,
        evidence.plan.thresholds.loss,
        is_averaged=is_averaged,
        has_k=evidence.plan.k is not None,
    )
    if evidence.units is None and evidence.plan.unit_column is not None:
        return findings  # k counts units, and these are unknown
    counts: Counter[tuple[int, int]] = Counter()
    for partition in evidence.partitions:
        counts.update(
            (partition.k, size) for size in evidence.class_sizes(partition.labels).tolist()
        )
    noun = "records" if evidence.units is None else "units"
    return [*findings, *large_group_findings(counts, evidence.plan.thresholds.group_size, noun)]


def large_group_findings(
    counts: Mapping[tuple[int, int], int], max_ratio: float, noun: str = "records"
) -> list[Finding]:
    """Return the findings on groups far larger than k, given the number of groups by k and size."""
    large = {(k, size): n_groups for (k, size), n_groups in counts.items() if size > max_ratio * k}
    if not large:
        return []
    largest = max(size for _, size in large)
    n_large, n_all = sum(large.values()), sum(counts.values())
    share = _n_members(large) / _n_members(counts)
    verb, pronoun = ("holds", "it") if n_large == 1 else ("hold", "them")
    return [
        Finding(
            "large-groups",
            "qualifies" if share > 0.5 else "informs",
            f"{n_large:,} of {count(n_all, 'group')} {verb} more than {max_ratio:g} times k {noun},"
            f" the largest {largest:,}; {format_share(share)} of the {noun} are in {pronoun}.",
            {"groups": n_large, "largest": largest, "share": share},
        )
    ]


def _n_members(counts: Mapping[tuple[int, int], int]) -> int:
    """Return the number of records, or units, in groups that are counted by k and size."""
    return sum(size * n_groups for (_, size), n_groups in counts.items())


def loss_findings(
    loss: float | None, limit: float, *, is_averaged: bool = True, has_k: bool = True
) -> list[Finding]:
    """Return the findings on an information loss above a limit, both in per cent.

    ``is_averaged`` is whether values were averaged within groups; otherwise a high loss does not
    mean that variation is gone. Without a k to lower, the way out is to change values less.
    """
    if loss is None or loss <= limit:
        return []
    meaning = ""
    if is_averaged and loss > 50:
        meaning = ": most of the variation of the masked columns is gone"
    elif loss > 100:
        meaning = (
            ": on average, released values are more distant from the original ones than the means"
            " of the columns are"
        )
    weaker_advice = "lower k" if has_k else "change values less"
    return [
        Finding(
            "high-loss",
            "qualifies",
            f"The information loss is {loss:.3g} %{meaning}.",
            {"information_loss": loss},
            way_out=f"Mask fewer columns in one step, {weaker_advice}, or try another method.",
        )
    ]
