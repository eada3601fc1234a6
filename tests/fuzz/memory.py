"""A plan is run on a table in memory, and the release is judged."""

import copy
import json
import traceback
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from fuzz.case import Case
from fuzz.columns import Column
from fuzz.counter import smallest_class
from fuzz.frames import categories_of, plain_values, to_frame, types_of
from fuzz.groups import group_problems
from fuzz.judge import Judged, kept_records, problems, telltale
from fuzz.promises import as_list, known, masked
from shoal.errors import GuaranteeBroken, InputError, ShoalError, ShoalWarning
from shoal.frame import tables
from shoal.plan import Plan
from shoal.plan.assessment import attack_release
from shoal.plan.release import Release

ATTACKED = 0.1  # the share of releases that are attacked
CEILED = ("linkability", "linkage-distance", "linkage-rank", "linkage-probabilistic")


def run_in_memory(case: Case) -> tuple[str, list[str]]:
    """Return the outcome of a run (``"released"`` or ``"refused"``), and what is wrong."""
    data = to_frame(case.columns, case.library, case.stream("frame"))
    before = plain_values(data)
    document = copy.deepcopy(case.plan)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            plan = Plan.from_dict(case.plan)
            release = plan.run(data)
            again = release.plan.run(data) if case.stream("checks").random() < 0.3 else None
    except ShoalError as error:
        return "refused", list(refusal_problems(error))
    except Exception as error:
        return "crashed", [f"traceback: {last_line(error)}"]
    actual = [*_warning_problems(caught)]
    if document != case.plan:
        actual.append("plan: running it changed the document")
    if _signature(plain_values(data)) != _signature(before):
        actual.append("original: running the plan changed the table")
    if Plan.from_dict(plan.to_dict()) != plan or json.dumps(plan.to_dict()) == "":
        actual.append("plan: its document gives another plan")
    after = plain_values(release.data)
    judged = Judged(
        case.plan,
        before,
        after,
        orders_of(case.columns, data),
        release.verdict,
        rows=None if release.rows is None else release.rows.tolist(),
    )
    actual += problems(judged)
    released = len(next(iter(after.values())))
    kept = kept_records(case.plan, before, released) if judged.rows is None else judged.rows
    ordered = {name: [values[at] for at in kept] for name, values in before.items()}
    labels = [groups.labels.tolist() for groups in release.partitions]
    actual += group_problems(case.plan, ordered, after, labels)
    actual += _type_problems(case, data, release.data)
    if case.stream("attack").random() < ATTACKED:
        actual += attack_problems(release, data, kept)
    if release.measures["smallest_class"] != smallest_class(after, known(case.plan)):
        actual.append("measures: smallest_class is not what was counted")
    cut_short = "unfinished" in release.verdict.codes()
    if again is not None and not cut_short and not _same(release.data, again.data):
        actual.append("repeat: the same plan and seed gave another release")
    return "released", actual


def attack_problems(release: Release, data: Any, kept: Sequence[int]) -> Iterator[str]:
    """Yield the attacks on a release that exceed the ceiling that its k implies."""
    plan = release.plan
    before = tables.take(tables.open_frame(data), np.asarray(kept))
    try:
        attacks = attack_release(plan, before, tables.open_frame(release.data), CEILED)
    except InputError:
        return  # no quasi-identifier can be compared
    for name in attacks.exceeded:
        yield f"attack: {name} succeeds in {attacks[name].rate:.1%}, k = {attacks.k}"


def refusal_problems(error: ShoalError) -> Iterator[str]:
    """Yield what is wrong with a refusal: a broken guarantee, a value in its message."""
    if isinstance(error, GuaranteeBroken) and "Please report" in str(error):
        yield f"guarantee: {error}"
    mark = telltale(str(error))
    if mark:
        yield f"message: it holds a value of the data ({mark}): {error}"


def last_line(error: BaseException) -> str:
    """Return an exception with the place in Shoal where it came from, in one line."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "shoal" in f.filename]
    where = f" at {frames[-1].filename.split('shoal/')[-1]}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}: {str(error)[:200]}"


def orders_of(columns: Sequence[Column], data: Any) -> dict[str, Sequence[Any]]:
    """Return the values of each column whose order means something, from the least on.

    A column with a missing value has no order, nor one with numbers that have no mean.
    """
    orders: dict[str, Sequence[Any]] = {}
    values = plain_values(data)
    for column in columns:
        codes = set(values[column.name])
        if None in codes:
            continue
        if column.kind in ("date", "moment") or (column.numeric and all(map(_has_mean, codes))):
            orders[column.name] = sorted(codes)
        elif column.kind == "ordered":
            orders[column.name] = [one for one in _own_order(data, column.name) if one in codes]
    return orders


def _has_mean(value: float) -> bool:
    return abs(value) < 2**53 if isinstance(value, int) else abs(value) <= 1e300


def _own_order(data: Any, name: str) -> list[str]:
    if isinstance(data, pl.DataFrame):
        return list(data.schema[name].categories)  # type: ignore[attr-defined]
    if isinstance(data, pd.DataFrame):
        return list(data[name].cat.categories)
    return list(data[name].chunk(0).dictionary.to_pylist())


def _warning_problems(caught: Sequence[warnings.WarningMessage]) -> Iterator[str]:
    for one in caught:
        if not issubclass(one.category, ShoalWarning):
            yield f"warning: {one.category.__name__} at {one.filename[-40:]}: {one.message}"
        mark = telltale(str(one.message))
        if mark:
            yield f"warning: it holds a value of the data ({mark}): {one.message}"


def _type_problems(case: Case, data: Any, released: Any) -> Iterator[str]:
    if type(data) is not type(released):
        yield f"type: {type(released).__name__} was released"
        return
    changed = {*masked(case.plan)}
    for step in case.plan["steps"]:
        if step.get("small_strata") == "merge":
            changed |= {*as_list(step.get("within"))}
    before, after = types_of(data), types_of(released)
    for name in after:
        pruned = any(step.get("missing") == "drop" for step in case.plan["steps"])
        same = before[name] == after[name] or (  # categories of dropped records alone are gone
            pruned and before[name].partition("(")[0] == after[name].partition("(")[0]
        )
        if name not in changed and not same:
            yield f"type: unmasked column {name!r} was {before[name]}, is {after[name]}"
        categories = categories_of(released, name) if name in changed else None
        shown = set(plain_values(released)[name]) if categories is not None else set()
        if categories is not None and not set(categories) <= shown:
            yield f"categories: {name!r} brings along categories that no record shows"


def _signature(view: Any) -> str:
    return repr(view)


def _same(one: Any, other: Any) -> bool:
    return _signature(plain_values(one)) == _signature(plain_values(other)) and types_of(
        one
    ) == types_of(other)
