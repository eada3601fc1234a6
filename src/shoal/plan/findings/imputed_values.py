"""Imputed values that rest on few records."""

from collections.abc import Mapping

import numpy as np

from shoal.frame import tables
from shoal.metrics.findings.contributors import count_contributors
from shoal.plan.evidence import Evidence
from shoal.plan.findings.phrases import join_phrases
from shoal.plan.verdict import Finding
from shoal.steps import Microaggregate

ONE_CONTRIBUTOR = (
    "In some groups all records but one had a missing value, and now show the value of that"
    " record: {columns}."
)
FEW_CONTRIBUTORS = (
    "In some groups fewer than k records gave the released value, because the other values were"
    " missing: {columns}. If there are two contributors, each can compute the other's value."
)


def find_imputed_values(evidence: Evidence) -> list[Finding]:
    """Find groups whose imputed value comes from fewer than k records, or from a single one."""
    if evidence.original is None:
        return []
    one_contributor: dict[str, int] = {}
    few_contributors: dict[str, int] = {}
    for step in evidence.plan.steps:
        if not isinstance(step, Microaggregate) or step.missing != "impute":
            continue
        for block in step.column_blocks:
            labels = evidence.classes_on([*block, *step.strata])
            sizes = evidence.class_sizes(labels)
            for name in block:
                contributors = count_contributors(
                    labels, ~tables.has_missing(evidence.original, [name]), evidence.units
                )
                is_released = (
                    np.bincount(labels, ~tables.has_missing(evidence.released, [name])) > 0
                )
                one_contributor[name] = int((is_released & (contributors == 1) & (sizes > 1)).sum())
                few_contributors[name] = int(
                    (is_released & (contributors > 1) & (contributors < step.k)).sum()
                )
    return contributor_findings(one_contributor, few_contributors, evidence.plan.k)


def contributor_findings(
    one_contributor: Mapping[str, int], few_contributors: Mapping[str, int], k: int | None
) -> list[Finding]:
    """Return the findings on groups whose value comes from one record, or from fewer than k."""
    return [
        *_count_findings("one-contributor", one_contributor, ONE_CONTRIBUTOR),
        *_count_findings("few-contributors", few_contributors, FEW_CONTRIBUTORS, k=k),
    ]


def _count_findings(
    code: str, groups: Mapping[str, int], sentence: str, **figures: int | None
) -> list[Finding]:
    """Return a finding on the number of groups by column, or none if there are no such groups."""
    counts = {name: number for name, number in groups.items() if number}
    if not counts:
        return []
    phrases = join_phrases({name: f"in {number:,}" for name, number in counts.items()})
    return [
        Finding(
            code,
            "qualifies",
            sentence.format(columns=phrases),
            {"groups": counts, **figures},
            tuple(counts),
            'Use `missing="own-groups"` or `missing="drop"`.',
        )
    ]
