"""Look at a table: how telling each column is, and which role it may have."""

from itertools import combinations
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.frame.roles import UNIT_ROLES
from shoal.frame.suggest import Facts, suggest, suggest_kind
from shoal.frame.tables import Frame, codes, open_frame

SHOWN = 5  # combinations of each size
MOST_CELLS = 2e7  # records times combinations that are worth looking at
GAIN = 0.05  # share of the records that a column must single out, with the others, to be named


def inspect(data: Any) -> dict[str, Any]:
    """Return what is known about each column, and how unique their combinations are.

    Parameters
    ----------
    data : pandas, polars or pyarrow table
        The table to look at.

    Returns
    -------
    dict
        ``records``; ``columns``, each with its type, missing values, distinct
        values, share of values that occur once, suggested role, kind to declare
        and reason; ``combinations`` of two and three of the suggested
        quasi-identifiers, and all of them, with the share of records that are alone
        with theirs.
    """
    frame = open_frame(data)
    code = codes(frame, frame.columns)
    columns = [_column(frame, name, code[:, at]) for at, name in enumerate(frame.columns)]
    _choose_unit(columns)
    known = [at for at, c in enumerate(columns) if c["role"] == "quasi-identifier"]
    known = sorted([*known, *_by_combination(code, known, columns)])
    return {
        "records": len(frame),
        "columns": columns,
        "combinations": _combinations(code, known, frame.columns),
    }


def _choose_unit(columns: list[dict[str, Any]]) -> None:
    """Leave one column of units: households if there are some, else that of the fewest values.

    A unit must be complete, so a column with missing values is an identifier.
    """
    units = [entry for entry in columns if entry["role"] in UNIT_ROLES]
    whole = [entry for entry in units if not entry["missing"]]
    chosen = min(whole, key=lambda e: (e["role"] != "household", e["distinct"]), default=None)
    for entry in units:
        if entry is not chosen:
            entry["role"] = "identifier"
            reason = "k counts another column" if entry in whole else "and some values are missing"
            entry["why"] += f"; {reason}"


def format_inspection(found: dict[str, Any]) -> str:
    """Return the findings as text for a terminal."""
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
        for entry in found["columns"]
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(len(titles) - 1)]
    lines = [f"{found['records']} records, {len(found['columns'])} columns", ""]
    lines += [
        "  ".join([*(f"{c:<{w}}" for c, w in zip(r, widths, strict=False)), r[-1]]) for r in rows
    ]
    if found["combinations"]:
        lines += [
            "",
            "Records that are alone with their combination of suggested quasi-identifiers:",
        ]
    for entry in found["combinations"]:
        lines.append(f"  {100 * entry['unique']:5.1f}%  {' + '.join(entry['columns'])}")
    lines += [
        "",
        "Roles are suggestions by name, type, uniqueness and combinations; only you know what"
        " others know.",
    ]
    return "\n".join(lines)


def _column(frame: Frame, name: str, code: NDArray[np.int64]) -> dict[str, Any]:
    column = frame[name]
    missing = int(column.null_count())
    counts = np.bincount(code)
    distinct = int((counts > 0).sum()) - (missing > 0)
    alone = _share_alone(code)
    kind = _kind(column.dtype)
    plain = missing == 0 and kind in ("whole", "number")
    facts = Facts(
        name,
        kind,
        len(column),
        distinct,
        alone,
        counts_up=plain and kind == "whole" and _counts_up(column),
        positive=plain and bool(column.min() > 0),
        missing=missing,
    )
    role, why = suggest(facts)
    return {
        "name": name,
        "type": kind,
        "declare": suggest_kind(facts),
        "missing": missing,
        "distinct": distinct,
        "unique": alone,
        "role": role,
        "why": why,
    }


def _kind(dtype: Any) -> str:
    for kind, holds in {
        "whole": dtype.is_integer(),
        "number": dtype.is_numeric(),
        "date": dtype.is_temporal(),
        "yes/no": dtype == nw.Boolean,
    }.items():
        if holds:
            return kind
    return "text"


def _counts_up(column: nw.Series[Any]) -> bool:
    values = column.to_numpy()
    return bool(values.max() - values.min() == len(values) - 1)


def _by_combination(
    code: NDArray[np.int64], known: list[int], columns: list[dict[str, Any]]
) -> list[int]:
    """Suggest columns that single out more records together with the quasi-identifiers."""
    together = _joint(code, known)
    before, found = _share_alone(together), []
    for at, entry in enumerate(columns):
        if entry["role"] is not None or not known:
            continue
        after = _share_alone(_joint(code, [*known, at]))
        if after - before >= GAIN:
            found.append(at)
            entry["role"] = "quasi-identifier"
            entry["why"] = (
                f"with the quasi-identifiers it singles out {100 * after:.0f}% of the records,"
                f" without it {100 * before:.0f}%"
            )
    return found


def _combinations(
    code: NDArray[np.int64], known: list[int], names: list[str]
) -> list[dict[str, Any]]:
    """Return the most telling pairs and triples, and all suggested quasi-identifiers together."""
    found: list[dict[str, Any]] = []
    for size in (2, 3):
        sets = list(combinations(known, size)) if size < len(known) or size == 2 else []
        if len(sets) * len(code) > MOST_CELLS and size > 2:
            continue
        told: list[dict[str, Any]] = [
            {"columns": [names[at] for at in one], "unique": _share_alone(_joint(code, list(one)))}
            for one in sets
        ]
        found += sorted(told, key=lambda entry: -entry["unique"])[:SHOWN]
    if len(known) > 2:
        together = _share_alone(_joint(code, known))
        found.append({"columns": [names[at] for at in known], "unique": together})
    return found


def _joint(code: NDArray[np.int64], columns: list[int]) -> NDArray[np.int64]:
    found = np.zeros(len(code), np.int64)
    for at in columns:
        found = np.unique(found * (code[:, at].max() + 1) + code[:, at], return_inverse=True)[1]
    return found


def _share_alone(code: NDArray[np.int64]) -> float:
    return float((np.bincount(code) == 1).sum() / len(code))
