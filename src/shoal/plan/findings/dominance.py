"""Records that dominate the sum of their group, and so give their value away."""

from collections.abc import Mapping

import numpy as np

from shoal.frame import tables
from shoal.metrics.dominance import dominated_groups
from shoal.plan.evidence import Evidence
from shoal.plan.findings.words import by_column
from shoal.plan.thresholds import Thresholds
from shoal.plan.verdict import Finding
from shoal.steps import Microaggregate, Step


def averages(step: Step) -> bool:
    """Say whether a step releases means of groups."""
    return isinstance(step, Microaggregate) and step.aggregate == "mean"


def numeric(evidence: Evidence, step: Step) -> list[str]:
    """Return the columns of a step of which means were taken."""
    types = evidence.plan.types
    return [
        name
        for name in step.columns
        if (name not in types or types[name].kind == "numeric")
        and evidence.original is not None
        and tables.is_numeric(evidence.original, name)
    ]


def find_dominance(evidence: Evidence) -> list[Finding]:
    """Find groups in which one record holds most of the sum of a column, or of the weight."""
    original, limits = evidence.original, evidence.plan.thresholds
    if original is None:
        return []
    found: dict[str, int] = {}
    groups: dict[str, int] = {}
    for step in filter(averages, evidence.plan.steps):
        columns = [n for n in numeric(evidence, step) if not binary(tables.numbers(original, n))]
        weights = None if step.weight is None else tables.weights(original, step.weight)
        for block in step.column_blocks:
            labels = evidence.classes_on([*block, *step.strata])
            parts = {name: tables.numbers(original, name) for name in block if name in columns}
            if weights is not None:
                share = weights / weights.max()  # products must fit into a float64
                parts = {name: values * share for name, values in parts.items()}
                parts[str(step.weight)] = share
            if not parts:
                continue
            counts = dominated_groups(
                np.column_stack(list(parts.values())),
                labels,
                limits.dominance,
                limits.p_percent,
                evidence.units,
            )
            found |= dict(zip(parts, counts.tolist(), strict=True))
            groups |= dict.fromkeys(parts, int(labels.max()) + 1)
    who = "record" if evidence.units is None else "unit"
    return check_dominance(found, groups, limits, who)


def check_dominance(
    found: Mapping[str, int], groups: Mapping[str, int], limits: Thresholds, who: str = "record"
) -> list[Finding]:
    """Find dominated groups, by their number and the number of all groups of each column."""
    found = {name: count for name, count in found.items() if count}
    if not found:
        return []
    words = by_column({name: f"in {count} of {groups[name]}" for name, count in found.items()})
    rule = "" if limits.p_percent is None else f", or the {limits.p_percent:g} % rule is broken"
    return [
        Finding(
            "dominated-groups",
            "qualifies",
            f"In some groups one {who} holds more than {100 * limits.dominance:g} % of the sum"
            f"{rule}, so that the group's mean gives its value away: {words}.",
            {"groups": found, "share": limits.dominance},
            tuple(found),
            'Top-code the column, raise k, or release `aggregate="median"`.',
        )
    ]


def binary(values: np.ndarray) -> bool:
    """Say whether a column has two values at most: sums of such are counts."""
    known = values[~np.isnan(values)]
    if not len(known):
        return True
    low, high = known.min(), known.max()
    return bool(((known == low) | (known == high)).all())
