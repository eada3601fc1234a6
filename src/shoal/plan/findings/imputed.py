"""Imputed values that rest on few records."""

from collections.abc import Mapping

import numpy as np

from shoal.frame import tables
from shoal.metrics.contributors import count_contributors
from shoal.plan.evidence import Evidence
from shoal.plan.findings.words import by_column
from shoal.plan.verdict import Finding
from shoal.steps import Microaggregate


def find_imputed(evidence: Evidence) -> list[Finding]:
    """Find groups whose imputed value comes from fewer than k records, or from a single one."""
    if evidence.original is None:
        return []
    single: dict[str, int] = {}
    few: dict[str, int] = {}
    for step in evidence.plan.steps:
        if not isinstance(step, Microaggregate) or step.missing != "impute":
            continue
        for block in step.column_blocks:
            labels = evidence.classes_on([*block, *step.strata])
            sizes = evidence.sizes(labels)
            for name in block:
                given = count_contributors(
                    labels, ~tables.has_missing(evidence.original, [name]), evidence.units
                )
                shown = np.bincount(labels, ~tables.has_missing(evidence.released, [name])) > 0
                single[name] = int((shown & (given == 1) & (sizes > 1)).sum())
                few[name] = int((shown & (given > 1) & (given < step.k)).sum())
    return check_contributors(single, few, evidence.plan.k)


def check_contributors(
    single: Mapping[str, int], few: Mapping[str, int], k: int | None
) -> list[Finding]:
    """Find groups whose value comes from one record, or from fewer than k, given their number."""
    return [*_single(single), *_few(few, k)]


def _single(groups: Mapping[str, int]) -> list[Finding]:
    counts = {name: number for name, number in groups.items() if number}
    if not counts:
        return []
    words = by_column({name: f"in {number}" for name, number in counts.items()})
    return [
        Finding(
            "one-contributor",
            "qualifies",
            "In some groups all records but one had a missing value, and now show the value of that"
            f" one: {words}.",
            {"groups": counts},
            tuple(counts),
            'Use `missing="own-groups"` or `missing="drop"`.',
        )
    ]


def _few(groups: Mapping[str, int], k: int | None) -> list[Finding]:
    counts = {name: number for name, number in groups.items() if number}
    if not counts:
        return []
    words = by_column({name: f"in {number}" for name, number in counts.items()})
    return [
        Finding(
            "few-contributors",
            "qualifies",
            "In some groups fewer than k records gave the released value, because the others had"
            f" none: {words}. Each of two contributors computes the value of the other.",
            {"groups": counts, "k": k},
            tuple(counts),
            'Use `missing="own-groups"` or `missing="drop"`.',
        )
    ]
