"""Counts on the records of a block that the verdict on the whole release is computed from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.frame.columns import Column
from shoal.metrics import units_per_class
from shoal.metrics.dominance import dominated_groups
from shoal.metrics.findings.contributors import count_contributors
from shoal.partitioners import Partition
from shoal.plan.findings.dominance import dominated_group_findings, is_binary, releases_means
from shoal.plan.findings.exact_values import exact_value_findings
from shoal.plan.findings.imputed_values import contributor_findings
from shoal.plan.findings.insiders import insider_findings
from shoal.plan.thresholds import Thresholds
from shoal.plan.verdict import RECORD_UNIT, Finding
from shoal.steps import Microaggregate

Codes = NDArray[np.int64]


class ColumnGroups(NamedTuple):
    """The groups of a masked column, and which records have no value of it in the release."""

    groups: Partition
    missing: NDArray[np.bool_]


# By what is counted ("same", "present", "one", "few", "dominated", "groups") and by column.
VerdictCounts = Mapping[tuple[str, str], int]
ALL_COLUMNS = ""  # stands for all masked columns together


def count_for_verdict(
    step: Microaggregate,
    thresholds: Thresholds,
    original_columns: Sequence[Column],
    masked_columns: Sequence[Column],
    groups_of: Mapping[str, ColumnGroups],
    weights: NDArray[np.float64] | None,
    units: Codes | None,
) -> Counter[tuple[str, str]]:
    """Count unchanged values, dominated groups, and groups imputed from fewer than k records."""
    counts: Counter[tuple[str, str]] = Counter()
    is_unchanged = np.ones(len(original_columns[0].values), bool)
    for original, masked in zip(original_columns, masked_columns, strict=True):
        groups = groups_of[original.name].groups
        present = ~original.is_missing
        is_same = (original.values == masked.values) | (original.is_missing & masked.is_missing)
        counts["same", original.name] = int((is_same & present).sum())
        counts["present", original.name] = int(present.sum())
        is_unchanged &= is_same
        if step.missing == "impute":
            n_contributors = count_contributors(groups.labels, present, units)
            has_value = np.bincount(groups.labels, ~masked.is_missing) > 0
            has_one_contributor = (
                has_value & (n_contributors == 1) & (_class_sizes(groups, units) > 1)
            )
            counts["one", original.name] = int(has_one_contributor.sum())
            has_few_contributors = has_value & (n_contributors > 1) & (n_contributors < step.k)
            counts["few", original.name] = int(has_few_contributors.sum())
    counts["same", ALL_COLUMNS] = int(is_unchanged.sum())
    counts["present", ALL_COLUMNS] = len(is_unchanged)
    if releases_means(step):
        for names in step.column_blocks:
            columns, groups = (
                [column for column in original_columns if column.name in names],
                groups_of[names[0]].groups,
            )
            counts.update(
                _count_dominated(thresholds, columns, groups, weights, str(step.weight), units)
            )
    return counts


def _class_sizes(groups: Partition, units: Codes | None) -> Codes:
    return groups.sizes if units is None else units_per_class(groups.labels, units)


def _count_dominated(
    thresholds: Thresholds,
    columns: Sequence[Column],
    groups: Partition,
    weights: NDArray[np.float64] | None,
    weight_name: str,
    units: Codes | None,
) -> Counter[tuple[str, str]]:
    numeric = [
        column for column in columns if column.kind == "numeric" and not is_binary(column.values)
    ]
    contributions = {column.name: column.values for column in numeric}
    if weights is not None:
        share = weights / weights.max()
        weighted_contributions = {name: values * share for name, values in contributions.items()}
        contributions = {**weighted_contributions, weight_name: share}
    if not contributions:
        return Counter()
    matrix = np.column_stack(list(contributions.values()))
    dominated = dominated_groups(
        matrix, groups.labels, thresholds.dominance, thresholds.p_percent, units
    )
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
    share_of_all = shares.pop(ALL_COLUMNS)
    return {**shares, ALL_COLUMNS: share_of_all}


def findings_from_counts(
    counts: VerdictCounts,
    step: Microaggregate,
    class_sizes: Sequence[Mapping[int, int]],
    thresholds: Thresholds,
    unit: str = RECORD_UNIT,
) -> list[Finding]:
    """Return the findings that follow from the counts of all blocks.

    ``class_sizes`` contains the number of classes by size of each block of columns; sizes are
    counted in units if k counts the values of the column ``unit``.
    """
    dominated, groups = _by_column(counts, "dominated"), _by_column(counts, "groups")
    findings = [
        *exact_value_findings(exact_shares(counts), thresholds.exact),
        *dominated_group_findings(
            dominated, groups, thresholds, "record" if unit == RECORD_UNIT else "unit"
        ),
        *contributor_findings(_by_column(counts, "one"), _by_column(counts, "few"), step.k),
    ]
    averaged = [name for name in groups if name in step.columns]
    if releases_means(step) and averaged:
        pairs = zip(step.column_blocks, class_sizes, strict=True)
        sizes_by_block = [sizes for names, sizes in pairs if set(names) & set(averaged)]
        smallest = min(map(min, sizes_by_block))
        number = sum(sizes.get(smallest, 0) for sizes in sizes_by_block)
        findings += insider_findings(
            smallest, number, averaged, unit, is_weighted=step.weight is not None
        )
    return findings


def _by_column(counts: VerdictCounts, quantity: str) -> dict[str, int]:
    return {name: number for (counted, name), number in counts.items() if counted == quantity}
