"""The judge of a release: what was promised is counted, what was not masked is compared."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fuzz import promises
from fuzz.alike import alike, is_missing_word, number_of
from fuzz.columns import TELLTALES
from fuzz.counter import (
    View,
    fewest_matches,
    greatest_distance,
    key,
    least_diversity,
    smallest_class,
)
from fuzz.recoded import (
    is_ancestor,
    is_local,
    local_problems,
    pram_problems,
    recode_problems,
)

ROUNDING = 1e-9


@dataclass(frozen=True)
class Judged:
    """A release beside its original, as plain values.

    Parameters
    ----------
    plan : dict
        The plan document.
    before : dict
        The original, column by column; None where a value is missing.
    after : dict
        The release.
    orders : dict
        The order of the values of each column whose order means something.
    verdict : Verdict
        What Shoal says about the release; for the command line, the status alone.
    unmasked_before : dict, optional
        The original as a reader of its file sees it, where that differs from ``before``.
    same_cell : callable
        Says whether an unmasked cell is what it was.
    secrets : dict, optional
        The released confidential columns, where text stands for their numbers.
    in_file : bool
        Whether the release was read from a file, in which text may stand for numbers.
    with_holes : dict, optional
        The release of a file with None where a cell stands for a missing value.
    rows : list of int, optional
        The record of the original that each released record was, where they are shuffled.
    """

    plan: promises.Document
    before: View
    after: View
    orders: dict[str, Sequence[Any]]
    verdict: Any
    unmasked_before: View | None = None
    same_cell: Callable[[Any, Any], bool] = lambda one, other: key(one) == key(other)
    secrets: View | None = None
    in_file: bool = False
    with_holes: View | None = None
    rows: Sequence[int] | None = None


def problems(judged: Judged) -> Iterator[str]:
    """Yield what is wrong with a release, each as ``check: what``."""
    yield from _columns(judged)
    released = len(next(iter(judged.after.values())))
    kept = kept_records(judged.plan, judged.before, released)
    if released != len(kept):
        yield f"records: {released} were released, {len(kept)} expected"
        return
    if judged.plan.get("shuffle"):
        if judged.rows is None:  # nobody can say which record is which
            if promises.unit_of(judged.plan) is None:
                yield from _constraint_failures(judged, judged.before)
            return
        if sorted(judged.rows) != kept:
            yield "records: shuffled, they are not those of the table"
            return
        kept = list(judged.rows)
    before = {name: [values[at] for at in kept] for name, values in judged.before.items()}
    seen = judged.unmasked_before or judged.before
    yield from _unmasked(judged, {name: [v[at] for at in kept] for name, v in seen.items()})
    yield from _classes(judged, before)
    yield from _constraint_failures(judged, before)
    yield from _verdict(judged, before)
    yield from _values(judged, before)


def telltale(text: str) -> str | None:
    """Return the planted value that a message holds, if it holds one."""
    return next((mark for mark in TELLTALES if mark in text), None)


def kept_records(plan: promises.Document, before: View, released: int) -> list[int]:
    """Return the records that no step drops because a value is missing.

    Signs such as a dot are missing values among numbers that are written as text, but not among
    categories: whether they were can be seen by the number of records that were ``released``.
    """
    needed = [
        name for step in plan["steps"] if step.get("missing") == "drop" for name in step["columns"]
    ]
    n = len(next(iter(before.values())))
    untyped = [name for name in needed if name not in plan.get("types", {})]
    with_signs = {**before, **{name: _without_missing_words(before[name]) for name in untyped}}
    kept = [
        [at for at in range(n) if all(view[name][at] is not None for name in needed)]
        for view in (before, with_signs)
    ]
    return kept[1] if len(kept[0]) != released == len(kept[1]) else kept[0]


def _without_missing_words(values: Sequence[Any]) -> Sequence[Any]:
    """Return None for signs such as a dot in a column of numbers that are written as text."""
    texts = [value.strip() for value in values if isinstance(value, str)]
    numbers = [t for t in texts if number_of(t) is not None and not is_missing_word(t)]
    if not numbers or any(t not in numbers and not is_missing_word(t) for t in texts):
        return values
    return [v if isinstance(v, str) and v.strip() in numbers else None for v in values]


def _columns(judged: Judged) -> Iterator[str]:
    dropped_columns = promises.dropped(judged.plan)
    others = promises.unnamed(judged.plan, judged.before)
    choice = judged.plan.get("other_columns", "refuse")
    if others and choice == "refuse":
        yield f"columns: {others} are not named in the plan, and were not refused"
    dropped_columns |= set(others) if choice == "drop" else set()
    expected = [name for name in judged.before if name not in dropped_columns]
    if list(judged.after) != expected and not (
        judged.in_file and sorted(judged.after) == sorted(expected)
    ):
        yield f"columns: {list(judged.after)} were released, {expected} expected"


def _unmasked(judged: Judged, before: View) -> Iterator[str]:
    """Compare the columns that no step masks."""
    masked = promises.masked(judged.plan)
    merged = {
        name
        for step in judged.plan["steps"]
        if step.get("small_strata") == "merge"
        for name in promises.as_list(step.get("within"))
    }
    noisy = any(step.get("homogeneity") == "noise" for step in judged.plan["steps"])
    changed_too = promises.with_role(judged.plan, "confidential") if noisy else []
    for name, values in judged.after.items():
        if name in masked or name in changed_too:
            continue
        pairs = zip(before[name], values, strict=True)
        changed = [at for at, (old, new) in enumerate(pairs) if not judged.same_cell(old, new)]
        if name in merged:
            known = dict.fromkeys(map(key, before[name]))
            old = {key(value): value for value in before[name]}
            changed = [
                at
                for at in changed
                if key(values[at]) not in known
                and not any(judged.same_cell(one, values[at]) for one in old.values())
            ]
        if changed:
            yield f"unmasked: column {name!r} has changed in {len(changed)} records"


def _classes(judged: Judged, before: View) -> Iterator[str]:
    for block in promises.blocks(judged.plan):
        smallest = _smallest(judged, block.columns, block.wildcards)
        if smallest < block.k:
            yield f"k: a class of {block.columns} holds {smallest} records, k={block.k}"
        if block.unit is not None:
            smallest = _smallest(judged, block.columns, block.wildcards, before[block.unit])
            if smallest < block.k:
                yield f"k: a class of {block.columns} holds {smallest} units, k={block.k}"


def _smallest(
    judged: Judged,
    columns: Sequence[str],
    wildcards: Sequence[str],
    units: Sequence[Any] | None = None,
) -> int:
    """Count the smallest class, or the fewest matches where missing cells match every value."""
    if not wildcards:
        return smallest_class(judged.after, columns, units)
    return fewest_matches(judged.with_holes or judged.after, columns, wildcards, units)


def _constraint_failures(judged: Judged, before: View) -> Iterator[str]:
    secret = promises.with_role(judged.plan, "confidential")
    unit = promises.unit_of(judged.plan)
    units = None if unit is None else before[unit]
    for step in judged.plan["steps"]:
        columns = [*step["columns"], *promises.as_list(step.get("within"))]
        for name in secret:
            values = (judged.secrets or judged.after)[name]
            if "diversity" in step:
                kind = step.get("diversity_kind", "distinct")
                least = least_diversity(judged.after, columns, values, kind, units)
                if least < step["diversity"] - ROUNDING:
                    yield f"diversity: {least} of {name!r}, {step['diversity']} promised"
            if "closeness" in step:
                order = judged.orders.get(name)
                least = greatest_distance(judged.after, columns, values, order, units)
                if least > step["closeness"] + ROUNDING:
                    yield f"closeness: {least} of {name!r}, {step['closeness']} promised"


def _verdict(judged: Judged, before: View) -> Iterator[str]:
    verdict, promised = judged.verdict, promises.promised_k(judged.plan)
    unit = promises.unit_of(judged.plan)
    units = None if unit is None else before[unit]
    known, wildcards = promises.known(judged.plan), promises.wildcards(judged.plan)
    smallest = _smallest(judged, known, wildcards, units)
    if not hasattr(verdict, "k"):  # the command line tells the status alone
        if (promised is not None and smallest < promised) and verdict.status != "not kept":
            yield f"verdict: {verdict.status!r}, k={promised} was promised, counted {smallest}"
        return
    if verdict.k != smallest:
        yield f"verdict: it says k={verdict.k}, counted {smallest}"
    if verdict.unit != (unit or "record"):
        yield f"verdict: it counts {verdict.unit!r}, the plan {unit!r}"
    if verdict.promised != promised:
        yield f"verdict: it says that {verdict.promised} was promised, the plan says {promised}"
    if promised is None:
        if verdict.status == "kept":
            yield "verdict: kept, and no k is promised"
    elif (smallest < promised or promised == 1) != (verdict.status == "not kept"):
        yield f"verdict: {verdict.status!r}, k={promised} was promised, counted {smallest}"
    texts = [verdict.sentence, *(finding.sentence for finding in verdict.findings)]
    mark = telltale(" ".join(texts))
    if mark:
        yield f"verdict: a sentence holds a value of the data ({mark})"


def _values(judged: Judged, before: View) -> Iterator[str]:
    """Compare masked values with the original ones, as far as the step says how."""
    for step in judged.plan["steps"]:
        for name in step["columns"]:
            if sum(name in other["columns"] for other in judged.plan["steps"]) > 1:
                continue  # several steps changed it
            # The sign of a zero is not released.
            old = ["0" if k == "-0" else k for k in map(key, before[name])]
            new = list(map(key, judged.after[name]))
            values = [v for v in judged.after[name] if v is not None]
            numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
            if judged.in_file:
                yield from _file_values(judged, step, name, before)
                continue
            if step["method"] == "suppress":
                empty = key(None)
                if any(n not in (o, empty) for n, o in zip(new, old, strict=True)):
                    yield f"values: suppress changed a value of {name!r}"
            elif step["method"] == "generalise":
                pairs = zip(judged.after[name], before[name], strict=True)
                if not all(is_ancestor(n, o) for n, o in pairs):
                    yield f"values: generalise released another value of {name!r}"
            elif step["method"] == "recode":
                yield from recode_problems(step, name, before[name], judged.after[name])
            elif step["method"] == "pram":
                yield from pram_problems(step, name, before, judged.after[name])
            elif step["method"] in ("swap", "rank-swap"):
                if sorted(new) != sorted(old):
                    yield f"values: {step['method']} changed the distribution of {name!r}"
            elif is_local(step, name):
                yield from local_problems(judged.plan, name, before[name], judged.after[name])
            elif step["method"] == "microaggregate" and not numeric:
                unknown = set(new) - set(old) - {key(None)}
                if unknown:
                    yield f"values: {name!r} shows values that the original does not have"


def _file_values(judged: Judged, step: promises.Document, name: str, before: View) -> Iterator[str]:
    """Compare masked cells of a file, in whatever way its format spells them."""
    old, new = before[name], (judged.with_holes or judged.after)[name]
    if step["method"] == "suppress":
        pairs = zip(old, new, strict=True)
        if any(alike(None, n) is False and not alike(o, n) for o, n in pairs):
            yield f"values: suppress changed a value of {name!r}"
    elif step["method"] == "generalise":
        if not all(is_ancestor(n, o) for n, o in zip(new, old, strict=True)):
            yield f"values: generalise released another value of {name!r}"
    elif step["method"] == "recode":
        yield from recode_problems(step, name, old, new)
    elif step["method"] == "pram":
        yield from pram_problems(step, name, before, new)
    elif is_local(step, name):
        yield from local_problems(judged.plan, name, old, new)
    elif step["method"] == "microaggregate":
        values = [value for value in old if value is not None]
        if not values or any(number_of(value) is not None for value in values):
            return
        distinct = {key(value): value for value in values}
        for value in {key(value): value for value in new}.values():
            if not alike(None, value) and not any(alike(o, value) for o in distinct.values()):
                yield f"values: {name!r} shows values that the original does not have"
                return
