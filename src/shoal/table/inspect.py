"""Look at a table: how telling each column is, and which role it may have."""

import re
from itertools import combinations
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.table.frame import Frame, codes, open_frame

IDENTIFIER = {
    "id", "identifier", "name", "surname", "firstname", "lastname", "ssn", "passport", "email",
    "mail", "phone", "telephone", "mobile", "address", "street", "iban", "account", "company",
    "person", "patient", "respondent", "licence", "license", "nif", "siren", "uuid", "key",
}  # fmt: skip
QUASI_IDENTIFIER = {
    "age", "sex", "gender", "birth", "birthday", "dob", "zip", "zipcode", "postcode", "postal",
    "region", "state", "county", "province", "municipality", "city", "town", "country", "district",
    "education", "schooling", "occupation", "job", "profession", "industry", "sector", "marital",
    "nationality", "citizenship", "ethnicity", "race", "language", "children", "household", "size",
    "height", "weight", "surface", "employees", "date", "year", "month", "admission",
}  # fmt: skip
CONFIDENTIAL = {
    "income", "salary", "wage", "earnings", "pay", "tax", "debt", "wealth", "assets", "benefit",
    "turnover", "profit", "revenue", "sales", "diagnosis", "disease", "illness", "health", "icd",
    "drug", "medication", "treatment", "test", "result", "hiv", "bmi", "pressure", "cholesterol",
    "glucose", "religion", "party", "vote", "union", "orientation", "conviction", "crime", "score",
    "smoker", "smoking", "alcohol", "disability",
}  # fmt: skip

TELLING = 0.2  # share of unique values from which a column points at persons by itself
PAIRS = 5  # combinations shown


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
        values, share of values that occur once, suggested role and reason;
        ``combinations`` of the suggested quasi-identifiers with the share of
        records that are alone with theirs.
    """
    frame = open_frame(data)
    code = codes(frame, frame.columns)
    columns = [_column(frame, name, code[:, at]) for at, name in enumerate(frame.columns)]
    known = [at for at, c in enumerate(columns) if c["role"] == "quasi-identifier"]
    return {
        "records": len(frame),
        "columns": columns,
        "combinations": _combinations(code, known, frame.columns),
    }


def shown(found: dict[str, Any]) -> str:
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
    lines += ["", "Roles are suggestions by name and uniqueness; only you know what others know."]
    return "\n".join(lines)


def _column(frame: Frame, name: str, code: NDArray[np.int64]) -> dict[str, Any]:
    column = frame[name]
    missing = int(column.null_count())
    counts = np.bincount(code)
    distinct = int((counts > 0).sum()) - (missing > 0)
    alone = _share_alone(code)
    role, why = _suggest(name, column, distinct, alone)
    return {
        "name": name,
        "type": _kind(column.dtype),
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


def _suggest(
    name: str, column: nw.Series[Any], distinct: int, alone: float
) -> tuple[str | None, str]:
    words = set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()))
    n = len(column)
    kind = _kind(column.dtype)
    if distinct <= 1:
        return "non-confidential", "every value is the same"
    if words & IDENTIFIER and (alone > 0.5 or kind == "text"):
        return "identifier", f"its name says so ({min(words & IDENTIFIER)})"
    if alone == 1.0 and kind == "text" and n > 1:
        return "identifier", "text, and every value occurs once"
    if alone == 1.0 and kind == "whole" and _counts_up(column):
        return "identifier", "whole numbers that count the records"
    if words & CONFIDENTIAL:
        return "confidential", f"its name says so ({min(words & CONFIDENTIAL)})"
    if words & QUASI_IDENTIFIER:
        return "quasi-identifier", f"its name says so ({min(words & QUASI_IDENTIFIER)})"
    if alone >= TELLING:
        return "quasi-identifier", f"{100 * alone:.0f}% of the records are alone with their value"
    return None, "nothing speaks for a role: could somebody know it?"


def _counts_up(column: nw.Series[Any]) -> bool:
    values = column.to_numpy()
    return bool(values.max() - values.min() == len(values) - 1)


def _combinations(
    code: NDArray[np.int64], known: list[int], names: list[str]
) -> list[dict[str, Any]]:
    """Return the most telling pairs, and all suggested quasi-identifiers together."""
    pairs: list[dict[str, Any]] = [
        {"columns": [names[a], names[b]], "unique": _share_alone(_joint(code, [a, b]))}
        for a, b in combinations(known, 2)
    ]
    pairs = sorted(pairs, key=lambda pair: -pair["unique"])[:PAIRS]
    if len(known) > 2:
        together = _share_alone(_joint(code, known))
        pairs.append({"columns": [names[at] for at in known], "unique": together})
    return pairs


def _joint(code: NDArray[np.int64], columns: list[int]) -> NDArray[np.int64]:
    found = np.zeros(len(code), np.int64)
    for at in columns:
        found = np.unique(found * (code[:, at].max() + 1) + code[:, at], return_inverse=True)[1]
    return found


def _share_alone(code: NDArray[np.int64]) -> float:
    return float((np.bincount(code) == 1).sum() / len(code))
