"""An independent counter, written with pandas: it shares no code with Shoal."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

View = Mapping[str, Sequence[Any]]  # each column as Python values, None where one is missing

MISSING = "\0missing"


def key(value: Any) -> str:
    """Return a text that is the same for two cells that look the same."""
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return f"bool {value}"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return "-0" if value == 0 and math.copysign(1, value) < 0 else repr(int(value))
    return f"text {value}" if isinstance(value, str) else repr(value)


def frame_of(view: View, columns: Sequence[str]) -> pd.DataFrame:
    """Return some columns as a table of keys."""
    return pd.DataFrame({name: [key(value) for value in view[name]] for name in columns})


def smallest_class(view: View, columns: Sequence[str], units: Sequence[Any] | None = None) -> int:
    """Return the size of the smallest class of records that look alike, in units if given."""
    frame = frame_of(view, columns)
    if units is not None:
        frame = frame.assign(__unit=[key(unit) for unit in units]).drop_duplicates()
    return int(frame.groupby(list(columns), sort=False).size().min())


def fewest_matches(
    view: View, columns: Sequence[str], wildcards: Sequence[str], units: Sequence[Any] | None = None
) -> int:
    """Return the least number of records that a record matches, in units if given.

    A missing cell of the columns ``wildcards`` matches every value.
    """
    frame = frame_of(view, columns)
    unit = pd.Series(range(len(frame)) if units is None else [key(one) for one in units])
    fewest = len(frame)
    for record in frame.drop_duplicates().itertuples(index=False):
        matches = pd.Series(True, index=frame.index)
        for name, cell in zip(columns, record, strict=True):
            if name not in wildcards:
                matches &= frame[name] == cell
            elif cell != MISSING:
                matches &= frame[name].isin([cell, MISSING])
        fewest = min(fewest, int(unit[matches].nunique()))
    return fewest


def classes(view: View, columns: Sequence[str]) -> list[list[int]]:
    """Return the records of each class."""
    number = frame_of(view, columns).groupby(list(columns), sort=False).ngroup()
    members: dict[int, list[int]] = {}
    for at, label in enumerate(number):
        members.setdefault(label, []).append(at)
    return list(members.values())


def least_diversity(
    view: View,
    columns: Sequence[str],
    secret: Sequence[Any],
    kind: str,
    units: Sequence[Any] | None = None,
) -> float:
    """Return the least number of values of a confidential column in a class.

    Of ``units`` each counts once in a class, for the value that most of them hold. Where two
    values are held by equally many, what a unit stands for is a choice, and nothing is counted.
    """
    keys, least = [key(value) for value in secret], math.inf
    for rows in classes(view, columns):
        values = [keys[at] for at in rows]
        if units is not None:
            held = pd.DataFrame({"unit": [key(units[at]) for at in rows], "value": values})
            held = held.drop_duplicates()
            held["holders"] = held.groupby("value")["unit"].transform("size")
            most = held.groupby("unit")["holders"].transform("max")
            held = held[held["holders"] == most]
            if held["unit"].duplicated().any():
                continue
            values = held["value"].tolist()
        shares = pd.Series(values).value_counts(normalize=True)
        entropy = -sum(share * math.log(share) for share in shares)
        least = min(least, len(shares) if kind == "distinct" else math.exp(entropy))
    return least


def _shares(rows: Sequence[int], keys: Sequence[Any], units: Sequence[Any] | None) -> pd.Series:
    """Return the share of each value; each of ``units`` counts once, spread over its records."""
    frame = pd.DataFrame({"value": [keys[at] for at in rows]})
    if units is None:
        frame["weight"] = 1.0
    else:
        unit = pd.Series([key(units[at]) for at in rows])
        frame["weight"] = 1.0 / unit.map(unit.value_counts())
    weights = frame.groupby("value", sort=False)["weight"].sum()
    return weights / weights.sum()


def greatest_distance(
    view: View,
    columns: Sequence[str],
    secret: Sequence[Any],
    order: Sequence[Any] | None,
    units: Sequence[Any] | None = None,
) -> float:
    """Return how far the farthest class is from the table in a confidential column.

    ``order`` lists the values from the least on where their order means something; else
    every two values are equally far apart. Values that no record shows do not count.
    """
    if order is not None:  # as numbers, minus zero is zero
        secret, order = ([v + 0.0 if isinstance(v, float) else v for v in part]
                         for part in (secret, order))  # fmt: skip
    keys = [key(value) for value in secret]
    values = list(dict.fromkeys(keys))
    if order is not None:
        values = [one for one in dict.fromkeys(map(key, order)) if one in set(keys)]
    everybody = _shares(range(len(keys)), keys, units).reindex(values, fill_value=0.0)
    farthest = 0.0
    for rows in classes(view, columns):
        own = _shares(rows, keys, units)
        gap = own.reindex(values, fill_value=0.0) - everybody
        if order is None:
            farthest = max(farthest, float(gap.abs().sum()) / 2)
        elif len(values) > 1:
            farthest = max(farthest, float(gap.cumsum().abs().sum()) / (len(values) - 1))
    return farthest
