"""What is counted on the records of a block for the verdict on the whole release."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.frame.columns import Column
from shoal.metrics.dominance import dominated_groups
from shoal.partitioners import Partition
from shoal.plan.findings.dominance import check_dominance, is_binary, releases_means
from shoal.plan.findings.exact import check_exact
from shoal.plan.findings.imputed import check_givers
from shoal.plan.findings.insiders import check_insiders
from shoal.plan.thresholds import Thresholds
from shoal.plan.verdict import RECORD_UNIT, Finding
from shoal.steps import Microaggregate

Facts = Mapping[tuple[str, str], int]  # what was counted, and the column
ALL = ""  # all masked columns together


def count_facts(
    step: Microaggregate,
    limits: Thresholds,
    before: Sequence[Column],
    after: Sequence[Column],
    groups: Partition,
    weights: NDArray[np.float64] | None,
) -> Counter[tuple[str, str]]:
    """Count values that stay as they are, dominated groups and values that one record gave."""
    found: Counter[tuple[str, str]] = Counter()
    everywhere = np.ones(len(groups.labels), bool)
    for one, other in zip(before, after, strict=True):
        same = (one.values == other.values) | (one.is_missing & other.is_missing)
        found["same", one.name] = int((same & ~one.is_missing).sum())
        found["known", one.name] = int((~one.is_missing).sum())
        everywhere &= same
        if step.missing == "impute":
            given = np.bincount(groups.labels, ~one.is_missing)
            shown = np.bincount(groups.labels, ~other.is_missing) > 0
            found["one", one.name] = int((shown & (given == 1) & (groups.sizes > 1)).sum())
            found["few", one.name] = int((shown & (given > 1) & (given < step.k)).sum())
    found["same", ALL], found["known", ALL] = int(everywhere.sum()), len(everywhere)
    if releases_means(step):
        found.update(_dominated(limits, before, groups, weights, str(step.weight)))
    return found


def _dominated(
    limits: Thresholds,
    columns: Sequence[Column],
    groups: Partition,
    weights: NDArray[np.float64] | None,
    weight: str,
) -> Counter[tuple[str, str]]:
    numbers = [one for one in columns if one.kind == "numeric" and not is_binary(one.values)]
    parts = {one.name: one.values for one in numbers}
    if weights is not None:
        share = weights / weights.max()
        parts = {**{name: values * share for name, values in parts.items()}, weight: share}
    if not parts:
        return Counter()
    counts = dominated_groups(
        np.column_stack(list(parts.values())), groups.labels, limits.dominance, limits.p_percent
    )
    found = {("dominated", name): int(n) for name, n in zip(parts, counts, strict=True)}
    return Counter({**found, **{("groups", name): groups.n_groups for name in parts}})


def exact_shares(facts: Facts) -> dict[str, float]:
    """Return the share of records that show the original value, by column and of all together."""
    known = {name: number for (what, name), number in facts.items() if what == "known"}
    shares = {n: facts["same", n] / number if number else 0.0 for n, number in known.items()}
    return {**{name: share for name, share in shares.items() if name}, ALL: shares[ALL]}


def find_facts(
    facts: Facts, step: Microaggregate, class_sizes: Mapping[int, int], limits: Thresholds
) -> list[Finding]:
    """Return the findings that follow from what was counted on all blocks."""

    def of(what: str) -> dict[str, int]:
        return {name: number for (kind, name), number in facts.items() if kind == what}

    found = [
        *check_exact(exact_shares(facts), limits.exact),
        *check_dominance(of("dominated"), of("groups"), limits),
        *check_givers(of("one"), of("few"), step.k),
    ]
    numbers = [name for name in of("groups") if name in step.columns]
    if releases_means(step) and numbers:
        least = min(class_sizes)
        found += check_insiders(least, class_sizes[least], numbers, RECORD_UNIT)
    return found
