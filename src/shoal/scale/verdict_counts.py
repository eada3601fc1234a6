"""Counts on the records of a block that the verdict on the whole release is computed from."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.frame.columns import Column
from shoal.metrics.dominance import dominated_groups
from shoal.partitioners import Partition
from shoal.plan.findings.dominance import check_dominance, is_binary, releases_means
from shoal.plan.findings.exact import check_exact
from shoal.plan.findings.imputed import check_contributors
from shoal.plan.findings.insiders import check_insiders
from shoal.plan.thresholds import Thresholds
from shoal.plan.verdict import RECORD_UNIT, Finding
from shoal.steps import Microaggregate

# By what is counted ("same", "present", "one", "few", "dominated", "groups") and by column.
VerdictCounts = Mapping[tuple[str, str], int]
ALL_COLUMNS = ""  # stands for all masked columns together


def count_for_verdict(
    step: Microaggregate,
    limits: Thresholds,
    before: Sequence[Column],
    after: Sequence[Column],
    groups: Partition,
    weights: NDArray[np.float64] | None,
) -> Counter[tuple[str, str]]:
    """Count unchanged values, dominated groups, and groups imputed from fewer than k records."""
    counts: Counter[tuple[str, str]] = Counter()
    unchanged = np.ones(len(groups.labels), bool)
    for original, masked in zip(before, after, strict=True):
        present = ~original.is_missing
        same = (original.values == masked.values) | (original.is_missing & masked.is_missing)
        counts["same", original.name] = int((same & present).sum())
        counts["present", original.name] = int(present.sum())
        unchanged &= same
        if step.missing == "impute":
            n_givers = np.bincount(groups.labels, present)
            has_value = np.bincount(groups.labels, ~masked.is_missing) > 0
            one_giver = has_value & (n_givers == 1) & (groups.sizes > 1)
            counts["one", original.name] = int(one_giver.sum())
            few_givers = has_value & (n_givers > 1) & (n_givers < step.k)
            counts["few", original.name] = int(few_givers.sum())
    counts["same", ALL_COLUMNS] = int(unchanged.sum())
    counts["present", ALL_COLUMNS] = len(unchanged)
    if releases_means(step):
        counts.update(_count_dominated(limits, before, groups, weights, str(step.weight)))
    return counts


def _count_dominated(
    limits: Thresholds,
    columns: Sequence[Column],
    groups: Partition,
    weights: NDArray[np.float64] | None,
    weight: str,
) -> Counter[tuple[str, str]]:
    numeric = [one for one in columns if one.kind == "numeric" and not is_binary(one.values)]
    contributions = {one.name: one.values for one in numeric}
    if weights is not None:
        share = weights / weights.max()
        weighted = {name: values * share for name, values in contributions.items()}
        contributions = {**weighted, weight: share}
    if not contributions:
        return Counter()
    matrix = np.column_stack(list(contributions.values()))
    dominated = dominated_groups(matrix, groups.labels, limits.dominance, limits.p_percent)
    counts = Counter({("groups", name): groups.n_groups for name in contributions})
    pairs = zip(contributions, dominated, strict=True)
    counts.update({("dominated", name): int(number) for name, number in pairs})
    return counts


def exact_shares(counts: VerdictCounts) -> dict[str, float]:
    """Return the share of records that show the original value, by column and of all together."""
    shares = {
        name: counts["same", name] / number if number else 0.0
        for name, number in _by_column(counts, "present").items()
    }
    of_all = shares.pop(ALL_COLUMNS)
    return {**shares, ALL_COLUMNS: of_all}


def findings_from_counts(
    counts: VerdictCounts,
    step: Microaggregate,
    class_sizes: Mapping[int, int],
    limits: Thresholds,
) -> list[Finding]:
    """Return the findings that follow from the counts of all blocks."""
    dominated, groups = _by_column(counts, "dominated"), _by_column(counts, "groups")
    findings = [
        *check_exact(exact_shares(counts), limits.exact),
        *check_dominance(dominated, groups, limits),
        *check_contributors(_by_column(counts, "one"), _by_column(counts, "few"), step.k),
    ]
    averaged = [name for name in groups if name in step.columns]
    if releases_means(step) and averaged:
        smallest = min(class_sizes)
        findings += check_insiders(smallest, class_sizes[smallest], averaged, RECORD_UNIT)
    return findings


def _by_column(counts: VerdictCounts, what: str) -> dict[str, int]:
    return {name: number for (counted, name), number in counts.items() if counted == what}
