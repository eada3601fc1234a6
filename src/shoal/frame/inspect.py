"""Inspect a table: uniqueness of columns and combinations, and suggested roles."""

from itertools import combinations
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.frame.codes import codes
from shoal.frame.roles import UNIT_ROLES
from shoal.frame.suggest import Facts, suggest, suggest_kind
from shoal.frame.tables import Frame, IntoDataFrame, open_frame

MAX_COMBINATIONS = 5  # shown of each size
MAX_CELLS = 2e7  # records times combinations; triples beyond it are not examined
MIN_GAIN = 0.05  # increase in the share of unique records that makes a column quasi-identifying


def inspect(data: IntoDataFrame) -> dict[str, Any]:
    """Describe each column of a table and how unique combinations of columns are.

    Parameters
    ----------
    data : pandas, polars or pyarrow table
        The table to inspect.

    Returns
    -------
    dict
        ``records``, the number of records; ``columns``, each with its type, number of missing
        and distinct values, share of unique values, suggested role, suggested kind and the reason;
        ``combinations`` of two, three and all suggested quasi-identifiers, each with the share of
        records that are unique in them.
    """
    frame = open_frame(data)
    column_codes = codes(frame, frame.columns)
    columns = [
        _describe_column(frame, name, column_codes[:, at]) for at, name in enumerate(frame.columns)
    ]
    _choose_unit(columns)
    quasi = [at for at, c in enumerate(columns) if c["role"] == "quasi-identifier"]
    quasi = sorted([*quasi, *_suggest_by_combination(column_codes, quasi, columns)])
    return {
        "records": len(frame),
        "columns": columns,
        "combinations": _combinations(column_codes, quasi, frame.columns),
    }


def _choose_unit(columns: list[dict[str, Any]]) -> None:
    """Keep one column of units: households if suggested, else that with the fewest values.

    A column of units must be complete; one with missing values becomes an identifier.
    """
    units = [entry for entry in columns if entry["role"] in UNIT_ROLES]
    complete = [entry for entry in units if not entry["missing"]]
    chosen = min(complete, key=lambda e: (e["role"] != "household", e["distinct"]), default=None)
    for entry in units:
        if entry is not chosen:
            entry["role"] = "identifier"
            reason = "k counts another column" if entry in complete else "some values are missing"
            entry["why"] += f"; {reason}"


def format_inspection(inspection: dict[str, Any]) -> str:
    """Return the result of `inspect` as text for a terminal."""
    titles = ("column", "type", "missing", "distinct", "unique", "role", "why")
    rows = [titles] + [
        (
            entry["name"],
            entry["type"],
            str(entry["missing"]),
            str(entry["distinct"]),
            f"{100 * entry['unique']:.1f}%",
            entry["role"] or "?",
            entry["why"],
        )
        for entry in inspection["columns"]
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(len(titles) - 1)]
    lines = [f"{inspection['records']} records, {len(inspection['columns'])} columns", ""]
    lines += [
        "  ".join([*(f"{c:<{w}}" for c, w in zip(r, widths, strict=False)), r[-1]]) for r in rows
    ]
    if inspection["combinations"]:
        lines += [
            "",
            "Records that are unique in combinations of suggested quasi-identifiers:",
        ]
    for entry in inspection["combinations"]:
        lines.append(f"  {100 * entry['unique']:5.1f}%  {' + '.join(entry['columns'])}")
    lines += [
        "",
        "Roles are suggested by name, type, uniqueness and combinations; only you know what"
        " attackers may know.",
    ]
    return "\n".join(lines)


def _describe_column(frame: Frame, name: str, code: NDArray[np.int64]) -> dict[str, Any]:
    column = frame[name]
    missing = int(column.null_count())
    counts = np.bincount(code)
    distinct = int((counts > 0).sum()) - (missing > 0)
    unique = _share_unique(code)
    kind = _kind(column.dtype)
    complete_number = missing == 0 and kind in ("whole", "number")
    facts = Facts(
        name,
        kind,
        len(column),
        distinct,
        unique,
        is_sequence=complete_number and kind == "whole" and _is_sequence(column),
        positive=complete_number and bool(column.min() > 0),
        missing=missing,
    )
    role, why = suggest(facts)
    return {
        "name": name,
        "type": kind,
        "declare": suggest_kind(facts),
        "missing": missing,
        "distinct": distinct,
        "unique": unique,
        "role": role,
        "why": why,
    }


def _kind(dtype: Any) -> str:
    for kind, applies in {
        "whole": dtype.is_integer(),
        "number": dtype.is_numeric(),
        "date": dtype.is_temporal(),
        "yes/no": dtype == nw.Boolean,
    }.items():
        if applies:
            return kind
    return "text"


def _is_sequence(column: nw.Series[Any]) -> bool:
    values = column.to_numpy()
    return bool(values.max() - values.min() == len(values) - 1)


def _suggest_by_combination(
    column_codes: NDArray[np.int64], quasi: list[int], columns: list[dict[str, Any]]
) -> list[int]:
    """Return further columns that make more records unique together with the quasi-identifiers."""
    before, suggested = _share_unique(_joint_codes(column_codes, quasi)), []
    for at, entry in enumerate(columns):
        if entry["role"] is not None or not quasi:
            continue
        after = _share_unique(_joint_codes(column_codes, [*quasi, at]))
        if after - before >= MIN_GAIN:
            suggested.append(at)
            entry["role"] = "quasi-identifier"
            entry["why"] = (
                f"with the quasi-identifiers it singles out {100 * after:.0f}% of the records,"
                f" without it {100 * before:.0f}%"
            )
    return suggested


def _combinations(
    column_codes: NDArray[np.int64], quasi: list[int], names: list[str]
) -> list[dict[str, Any]]:
    """Return the most revealing pairs and triples, and all suggested quasi-identifiers together."""
    entries: list[dict[str, Any]] = []
    for size in (2, 3):
        subsets = list(combinations(quasi, size)) if size < len(quasi) or size == 2 else []
        if len(subsets) * len(column_codes) > MAX_CELLS and size > 2:
            continue
        of_size: list[dict[str, Any]] = [
            {
                "columns": [names[at] for at in subset],
                "unique": _share_unique(_joint_codes(column_codes, list(subset))),
            }
            for subset in subsets
        ]
        entries += sorted(of_size, key=lambda entry: -entry["unique"])[:MAX_COMBINATIONS]
    if len(quasi) > 2:
        unique = _share_unique(_joint_codes(column_codes, quasi))
        entries.append({"columns": [names[at] for at in quasi], "unique": unique})
    return entries


def _joint_codes(column_codes: NDArray[np.int64], columns: list[int]) -> NDArray[np.int64]:
    """Return one code per record for its combination of values in some columns."""
    joint = np.zeros(len(column_codes), np.int64)
    for at in columns:
        code = column_codes[:, at]
        joint = np.unique(joint * (code.max() + 1) + code, return_inverse=True)[1]
    return joint


def _share_unique(code: NDArray[np.int64]) -> float:
    return float((np.bincount(code) == 1).sum() / len(code))
