"""Counts on the records of a block, from which the verdict on the whole release is computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.frame.columns import Column
from shoal.frame.roles import RECORD_UNIT
from shoal.metrics.equivalence_classes import sizes_per_class
from shoal.metrics.findings.contributors import count_contributors
from shoal.metrics.findings.dominance import dominated_groups
from shoal.partitioners import Partition
from shoal.plan.findings.dominance import (
    dominated_group_findings,
    is_binary,
    releases_means,
    weighted_contributions,
)
from shoal.plan.findings.exact_values import exact_value_findings
from shoal.plan.findings.imputed_values import contributor_findings
from shoal.plan.findings.insiders import insider_findings
from shoal.plan.thresholds import Thresholds
from shoal.plan.verdict import Finding
from shoal.scale.statistics.counts import sum_counts
from shoal.steps import Microaggregate

Codes = NDArray[np.int64]
CountByColumn = Mapping[str, int]

ALL_COLUMNS = ""  # stands for all masked columns together


class ColumnGroups(NamedTuple):
    """The groups of a masked column, and which records have no value of it in the release."""

    groups: Partition
    missing: NDArray[np.bool_]


@dataclass(frozen=True)
class VerdictCounts:
    """Counts on records and groups, by column; a column without a count has no entry.

    Parameters
    ----------
    unchanged : dict
        Number of records with the original value; under ``""``, number of records with the original
        values in all masked columns.
    present : dict
        Number of records whose original value is not missing; under ``""``, number of all records.
    one_contributor : dict
        Number of groups of two or more records, or units, whose released value comes from one.
    few_contributors : dict
        Number of groups whose released value comes from two or more, but fewer than k.
    dominated : dict
        Number of groups that one record, or one unit, dominates.
    checked_for_dominance : dict
        Number of groups that were checked for dominance.
    """

    unchanged: CountByColumn = field(default_factory=dict)
    present: CountByColumn = field(default_factory=dict)
    one_contributor: CountByColumn = field(default_factory=dict)
    few_contributors: CountByColumn = field(default_factory=dict)
    dominated: CountByColumn = field(default_factory=dict)
    checked_for_dominance: CountByColumn = field(default_factory=dict)

    def __add__(self, other: "VerdictCounts") -> "VerdictCounts":
        sums = {
            name: sum_counts([counts, getattr(other, name)]) for name, counts in vars(self).items()
        }
        return VerdictCounts(**sums)

    @property
    def exact_shares(self) -> dict[str, float]:
        """Share of records that show the original value: by column, and in all columns together."""
        shares = {
            name: self.unchanged[name] / n_present if n_present else 0.0
            for name, n_present in self.present.items()
        }
        share_of_all = shares.pop(ALL_COLUMNS)
        return {**shares, ALL_COLUMNS: share_of_all}


def count_for_verdict(
    step: Microaggregate,
    thresholds: Thresholds,
    original_columns: Sequence[Column],
    masked_columns: Sequence[Column],
    groups_by_column: Mapping[str, ColumnGroups],
    weights: NDArray[np.float64] | None,
    units: Codes | None,
) -> VerdictCounts:
    """Count unchanged values, dominated groups, and groups imputed from fewer than k records."""
    counts = _count_unchanged(original_columns, masked_columns)
    if step.missing == "impute":
        counts += _count_contributors(
            step.k, original_columns, masked_columns, groups_by_column, units
        )
    if releases_means(step):
        for names in step.column_blocks:
            columns = [column for column in original_columns if column.name in names]
            groups = groups_by_column[names[0]].groups
            counts += _count_dominated(
                thresholds, columns, groups, weights, str(step.weight), units
            )
    return counts


def _count_unchanged(
    original_columns: Sequence[Column], masked_columns: Sequence[Column]
) -> VerdictCounts:
    """Count the records with their original value, in each column and in all of them."""
    unchanged, present = {}, {}
    is_same_in_all = np.ones(len(original_columns[0].values), bool)
    for original, masked in zip(original_columns, masked_columns, strict=True):
        is_present = ~original.is_missing
        is_same = (original.values == masked.values) | (original.is_missing & masked.is_missing)
        unchanged[original.name] = int((is_same & is_present).sum())
        present[original.name] = int(is_present.sum())
        is_same_in_all &= is_same
    return VerdictCounts(
        unchanged={**unchanged, ALL_COLUMNS: int(is_same_in_all.sum())},
        present={**present, ALL_COLUMNS: len(is_same_in_all)},
    )


def _count_contributors(
    k: int,
    original_columns: Sequence[Column],
    masked_columns: Sequence[Column],
    groups_by_column: Mapping[str, ColumnGroups],
    units: Codes | None,
) -> VerdictCounts:
    """Count the groups whose released value comes from fewer than k records, or units."""
    one_contributor, few_contributors = {}, {}
    for original, masked in zip(original_columns, masked_columns, strict=True):
        groups = groups_by_column[original.name].groups
        n_contributors = count_contributors(groups.labels, ~original.is_missing, units)
        has_value = np.bincount(groups.labels, ~masked.is_missing) > 0
        sizes = sizes_per_class(groups.labels, units)
        one_contributor[original.name] = int(
            (has_value & (n_contributors == 1) & (sizes > 1)).sum()
        )
        few_contributors[original.name] = int(
            (has_value & (n_contributors > 1) & (n_contributors < k)).sum()
        )
    return VerdictCounts(one_contributor=one_contributor, few_contributors=few_contributors)


def _count_dominated(
    thresholds: Thresholds,
    columns: Sequence[Column],
    groups: Partition,
    weights: NDArray[np.float64] | None,
    weight_name: str,
    units: Codes | None,
) -> VerdictCounts:
    """Count the groups of a block of columns that one record, or unit, dominates."""
    numeric = [
        column for column in columns if column.kind == "numeric" and not is_binary(column.values)
    ]
    contributions = weighted_contributions(
        {column.name: column.values for column in numeric}, weights, weight_name
    )
    if not contributions:
        return VerdictCounts()
    matrix = np.column_stack(list(contributions.values()))
    dominated = dominated_groups(
        matrix, groups.labels, thresholds.dominance, thresholds.p_percent, units
    )
    return VerdictCounts(
        dominated=dict(zip(contributions, map(int, dominated), strict=True)),
        checked_for_dominance=dict.fromkeys(contributions, groups.n_groups),
    )


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
    noun = "record" if unit == RECORD_UNIT else "unit"
    findings = [
        *exact_value_findings(counts.exact_shares, thresholds.exact),
        *dominated_group_findings(counts.dominated, counts.checked_for_dominance, thresholds, noun),
        *contributor_findings(counts.one_contributor, counts.few_contributors, step.k),
    ]
    averaged = [name for name in counts.checked_for_dominance if name in step.columns]
    if releases_means(step) and averaged:
        pairs = zip(step.column_blocks, class_sizes, strict=True)
        sizes_by_block = [sizes for names, sizes in pairs if set(names) & set(averaged)]
        smallest = min(map(min, sizes_by_block))
        n_smallest = sum(sizes.get(smallest, 0) for sizes in sizes_by_block)
        findings += insider_findings(
            smallest, n_smallest, averaged, unit, is_weighted=step.weight is not None
        )
    return findings
