"""Groups behind a release: their sizes, and that what is released stands for them."""

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from fuzz import promises
from fuzz.counter import View, key
from fuzz.recoded import is_local

GROUPING = ("microaggregate", "swap", "hybridise")


def group_problems(
    plan: promises.Document, before: View, after: View, labels: Sequence[Sequence[int]]
) -> Iterator[str]:
    """Yield what is wrong with the groups of each step and block, in order.

    ``before`` holds the records that were released, in the order of the release.
    """
    blocks = [
        (step, columns)
        for step in plan["steps"]
        if step["method"] in GROUPING
        for columns in promises.column_blocks(step)
    ]
    if len(blocks) != len(labels):
        yield f"groups: {len(labels)} partitions of {len(blocks)} blocks"
        return
    unit, weight = promises.unit_of(plan), promises.weight_of(plan)
    for (step, columns), numbers in zip(blocks, labels, strict=True):
        k, groups = step["partition"]["k"], _members(numbers)
        counted = [len({key(before[unit][at]) for at in g}) if unit else len(g) for g in groups]
        if min(counted) < k:
            yield f"groups: the smallest of {step['method']} holds {min(counted)}, k={k}"
        if step["method"] != "microaggregate":
            continue
        weights = None if weight is None else before[weight]
        for name in columns:
            if sum(name in other["columns"] for other in plan["steps"]) > 1:
                continue  # another step changed what the group shows, or what it was made of
            if is_local(step, name):
                shown = [{key(after[name][at]) for at in g} for g in groups]
                if max(map(len, shown)) > 1:
                    yield f"groups: {name!r} shows several ancestors or ranges in a group"
                continue  # `local_problems` says whether they cover their values
            old, new = before[name], after[name]
            if name in plan.get("types", {}):  # no numbers, whatever they look like
                old, new = ([None if v is None else str(v) for v in part] for part in (old, new))
            elif any(isinstance(v, int | float) for v in new):  # text that was read as numbers
                old = [_as_number(v) for v in old]
            units = None if unit is None else before[unit]
            wrong = [g for g in groups if not _stands(step, old, new, g, weights, units)]
            if wrong:
                yield f"groups: {name!r} does not stand for {len(wrong)} of {len(groups)} groups"


def _as_number(value: Any) -> Any:
    """Return the number that a text holds; None for a text that stands for a missing value."""
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _members(numbers: Sequence[int]) -> list[list[int]]:
    members: dict[int, list[int]] = {}
    for at, number in enumerate(numbers):
        members.setdefault(number, []).append(at)
    return list(members.values())


def _stands(
    step: promises.Document,
    old: Sequence[Any],
    new: Sequence[Any],
    group: list[int],
    weights: Sequence[float] | None,
    units: Sequence[Any] | None = None,
) -> bool:
    """Return whether the released value of a group is one, and what it should be.

    A value that a single record or unit gave is not imputed: the group is left empty.
    """
    if len({key(new[at]) for at in group}) > 1:
        return False
    value = new[group[0]]
    known = [at for at in group if old[at] is not None]
    if value is None:
        givers = len(known) if units is None else len({key(units[at]) for at in known})
        return givers <= 1 or step.get("missing") == "own-groups"
    if not known:
        return False
    values = [old[at] for at in known]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return key(value) in {key(one) for one in values}
    decimals = step.get("decimals")
    rounding = 0.0 if decimals is None else 0.5 * 10.0**-decimals
    slack = rounding + 1e-9 * max(abs(one) for one in values) + 1e-300
    expected: float
    if step.get("aggregate", "mean") == "mean" or isinstance(step["aggregate"], dict):
        if weights is None:
            expected = math.fsum(one / len(values) for one in values)
        else:
            total = math.fsum(weights[at] for at in known)
            expected = math.fsum(old[at] * (weights[at] / total) for at in known)
    elif step["aggregate"] == "median" and weights is None:
        expected = statistics.median([one / 2 for one in values]) * 2  # no sum beyond a float
    else:
        return min(values) - slack <= value <= max(values) + slack
    return abs(value - expected) <= slack
