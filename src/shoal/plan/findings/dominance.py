"""Records that dominate the sum of their group, so that its mean reveals their value."""

from collections.abc import Callable, Mapping

import numpy as np

from shoal.frame import tables
from shoal.metrics.dominance import dominated_groups
from shoal.plan.evidence import Evidence
from shoal.plan.findings.words import by_column
from shoal.plan.thresholds import Thresholds
from shoal.plan.verdict import Finding
from shoal.steps import Microaggregate, Step


def releases_means(step: Step) -> bool:
    """Return whether a step releases means of groups."""
    return isinstance(step, Microaggregate) and any(map(_is_averaged(step), step.columns))


def _is_averaged(step: Step) -> Callable[[str], bool]:
    """Return a function that tells whether numbers of a column are replaced by their mean."""
    return lambda name: not isinstance(step, Microaggregate) or step.aggregate_of(name) == "mean"


def averaged_columns(evidence: Evidence, step: Step) -> list[str]:
    """Return the columns of a step that were averaged."""
    types = evidence.plan.types
    return [
        name
        for name in step.columns
        if _is_averaged(step)(name)
        and (name not in types or types[name].kind == "numeric")
        and evidence.original is not None
        and tables.is_numeric(evidence.original, name)
    ]


def find_dominance(evidence: Evidence) -> list[Finding]:
    """Find groups in which one record holds most of the sum of a column, or of the weight."""
    original, limits = evidence.original, evidence.plan.thresholds
    if original is None:
        return []
    dominated: dict[str, int] = {}
    groups: dict[str, int] = {}
    for step in filter(releases_means, evidence.plan.steps):
        columns = [
            n
            for n in averaged_columns(evidence, step)
            if not is_binary(tables.numbers(original, n))
        ]
        weights = None if step.weight is None else tables.weights(original, step.weight)
        for block in step.column_blocks:
            labels = evidence.classes_on([*block, *step.strata])
            parts = {name: tables.numbers(original, name) for name in block if name in columns}
            if weights is not None:
                share = weights / weights.max()  # avoids overflow of the products
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
            dominated |= dict(zip(parts, counts.tolist(), strict=True))
            groups |= dict.fromkeys(parts, int(labels.max()) + 1)
    noun = "record" if evidence.units is None else "unit"
    return check_dominance(dominated, groups, limits, noun, of_classes=True)


def check_dominance(
    counts: Mapping[str, int],
    groups: Mapping[str, int],
    limits: Thresholds,
    noun: str = "record",
    *,
    of_classes: bool = False,
) -> list[Finding]:
    """Find dominated groups, or classes, given their number and that of all by column."""
    dominated = {name: count for name, count in counts.items() if count}
    if not dominated:
        return []
    words = by_column(
        {name: f"in {count:,} of {groups[name]:,}" for name, count in dominated.items()}
    )
    one, several = ("class", "classes") if of_classes else ("group", "groups")
    rule = "" if limits.p_percent is None else f", or the {limits.p_percent:g} % rule is broken"
    return [
        Finding(
            "dominated-groups",
            "qualifies",
            f"In some {several} one {noun} holds more than {100 * limits.dominance:g} % of the sum"
            f"{rule}, so that the mean of the {one} reveals its value: {words}.",
            {"groups": dominated, "share": limits.dominance},
            tuple(dominated),
            'Top-code the column, raise k, or release `aggregate="median"`.',
        )
    ]


def is_binary(values: np.ndarray) -> bool:
    """Return whether a column has at most two values, so that its sums are counts."""
    known = values[~np.isnan(values)]
    if not len(known):
        return True
    low, high = known.min(), known.max()
    return bool(((known == low) | (known == high)).all())
