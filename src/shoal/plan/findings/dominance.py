"""Records that dominate the sum of their group, so its mean reveals their value."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.weights import read_weights
from shoal.metrics.findings.dominance import dominated_groups
from shoal.plan.evidence import Evidence
from shoal.plan.findings.phrases import join_phrases
from shoal.plan.thresholds import Thresholds
from shoal.plan.verdict import Finding
from shoal.steps import Microaggregate, Step

Values = NDArray[np.float64]


def releases_means(step: Step) -> bool:
    """Return whether a step releases means of groups."""
    return any(_is_averaged(step, name) for name in step.columns)


def _is_averaged(step: Step, name: str) -> bool:
    """Return whether a step replaces the numbers of a column by means of groups."""
    return isinstance(step, Microaggregate) and step.aggregate_of(name) == "mean"


def averaged_columns(evidence: Evidence, step: Step) -> list[str]:
    """Return the numeric columns of a step that were averaged."""
    types = evidence.plan.types
    return [
        name
        for name in step.columns
        if _is_averaged(step, name)
        and (name not in types or types[name].kind == "numeric")
        and evidence.original is not None
        and tables.is_numeric(evidence.original, name)
    ]


def find_dominated_groups(evidence: Evidence) -> list[Finding]:
    """Find groups in which one record contributes most of the sum of a column or of the weight."""
    original, thresholds = evidence.original, evidence.plan.thresholds
    if original is None:
        return []
    n_dominated: Counter[str] = Counter()  # sums of blocks, since every block has the weight
    n_classes: Counter[str] = Counter()
    for step in filter(releases_means, evidence.plan.steps):
        columns = [
            name
            for name in averaged_columns(evidence, step)
            if not is_binary(tables.numbers(original, name))
        ]
        weights = None if step.weight is None else read_weights(original, step.weight)
        for block in step.column_blocks:
            labels = evidence.classes_on([*block, *step.strata])
            contributions = weighted_contributions(
                {name: tables.numbers(original, name) for name in block if name in columns},
                weights,
                str(step.weight),
            )
            if not contributions:
                continue
            counts = dominated_groups(
                np.column_stack(list(contributions.values())),
                labels,
                thresholds.dominance,
                thresholds.p_percent,
                evidence.units,
            )
            n_dominated.update(dict(zip(contributions, counts.tolist(), strict=True)))
            n_classes.update(dict.fromkeys(contributions, int(labels.max()) + 1))
    noun = "record" if evidence.units is None else "unit"
    return dominated_group_findings(n_dominated, n_classes, thresholds, noun, of_classes=True)


def weighted_contributions(
    values_by_column: Mapping[str, Values], weights: Values | None, weight_name: str
) -> dict[str, Values]:
    """Return the contribution of each record to the sums of columns and of the weights.

    Parameters
    ----------
    values_by_column : mapping of str to ndarray
        The values of each column.
    weights : ndarray of shape (n_records,) or None
        The weight of each record; without weights, the contributions are the values themselves.
    weight_name : str
        The column of the weights.

    Returns
    -------
    dict of str to ndarray
        The contributions by column.
    """
    if weights is None:
        return dict(values_by_column)
    share = weights / weights.max()  # avoids overflow of the products
    contributions = {name: values * share for name, values in values_by_column.items()}
    return {**contributions, weight_name: share}


def dominated_group_findings(
    n_dominated: Mapping[str, int],
    n_groups: Mapping[str, int],
    thresholds: Thresholds,
    noun: str = "record",
    *,
    of_classes: bool = False,
) -> list[Finding]:
    """Return the findings on dominated groups, from the numbers of these and of all, by column."""
    dominated = {name: number for name, number in n_dominated.items() if number}
    if not dominated:
        return []
    phrases = join_phrases(
        {name: f"in {number:,} of {n_groups[name]:,}" for name, number in dominated.items()}
    )
    singular, plural = ("class", "classes") if of_classes else ("group", "groups")
    p_percent_clause = (
        ""
        if thresholds.p_percent is None
        else f", or the {thresholds.p_percent:g} % rule is broken"
    )
    return [
        Finding(
            "dominated-groups",
            "qualifies",
            f"In some {plural} one {noun} contributes more than {100 * thresholds.dominance:g} % of"
            f" the sum{p_percent_clause}, so the mean of the {singular} reveals its value:"
            f" {phrases}.",
            {"groups": dominated, "share": thresholds.dominance},
            tuple(dominated),
            'Top-code the column, raise k, or release `aggregate="median"`.',
        )
    ]


def is_binary(values: np.ndarray) -> bool:
    """Return whether a column has at most two values, so its sums are counts."""
    present = values[~np.isnan(values)]
    if not len(present):
        return True
    low, high = present.min(), present.max()
    return bool(((present == low) | (present == high)).all())
