"""Shares of records that are unique in columns and combinations of columns."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.inspection.column_entry import ColumnEntry

MAX_COMBINATIONS = 5  # combinations of each size that are shown
MAX_COLUMNS = 20  # columns whose combinations are examined: those with the most unique values
MAX_CELLS = 2e7  # records times combinations; triples beyond it are not examined
MIN_GAIN = 0.05  # increase in the share of unique records that makes a column quasi-identifying

Codes = NDArray[np.int64]


def share_unique(codes: Codes, missing: NDArray[np.bool_] | None = None) -> float:
    """Return the share of records whose code no other record has.

    Records that ``missing`` marks have no value, so they count as not unique.
    """
    known_codes = codes if missing is None else codes[~missing]
    return float((np.bincount(known_codes) == 1).sum() / len(codes))


def suggest_by_combination(
    column_codes: Codes, quasi_identifiers: list[int], columns: Sequence[ColumnEntry]
) -> None:
    """Suggest further columns that make more records unique together with quasi-identifiers."""
    joint_codes = _joint_codes(column_codes, quasi_identifiers)
    share_without = share_unique(joint_codes)
    for i, entry in enumerate(columns):
        if entry["role"] is not None or not quasi_identifiers:
            continue
        share_with = share_unique(_combine_codes(joint_codes, column_codes[:, i]))
        if share_with - share_without >= MIN_GAIN:
            entry["role"] = "quasi-identifier"
            entry["why"] = (
                f"with the quasi-identifiers it singles out {100 * share_with:.0f} % of the"
                f" records, without it {100 * share_without:.0f} %"
            )


def revealing_combinations(
    column_codes: Codes, quasi_identifiers: list[int], columns: Sequence[ColumnEntry]
) -> list[dict[str, Any]]:
    """Return the most revealing pairs and triples, and all suggested quasi-identifiers together.

    Pairs and triples consist of the columns with the most unique values.
    """
    entries: list[dict[str, Any]] = []
    most_unique = sorted(
        quasi_identifiers, key=lambda i: (-columns[i]["unique"], -columns[i]["distinct"], i)
    )
    most_unique = sorted(most_unique[:MAX_COLUMNS])
    for size in (2, 3):
        subsets = (
            list(combinations(most_unique, size))
            if size < len(quasi_identifiers) or size == 2
            else []
        )
        if len(subsets) * len(column_codes) > MAX_CELLS and size > 2:
            continue
        combinations_of_size: list[dict[str, Any]] = [
            {
                "columns": [columns[i]["name"] for i in subset],
                "unique": share_unique(_joint_codes(column_codes, list(subset))),
            }
            for subset in subsets
        ]
        entries += sorted(combinations_of_size, key=lambda entry: -entry["unique"])[
            :MAX_COMBINATIONS
        ]
    if len(quasi_identifiers) > 2:
        share = share_unique(_joint_codes(column_codes, quasi_identifiers))
        entries.append(
            {"columns": [columns[i]["name"] for i in quasi_identifiers], "unique": share}
        )
    return entries


def _joint_codes(column_codes: Codes, columns: list[int]) -> Codes:
    """Return one code per record for its combination of values in the given columns."""
    joint_codes = np.zeros(len(column_codes), np.int64)
    for i in columns:
        joint_codes = _combine_codes(joint_codes, column_codes[:, i])
        if joint_codes.max() == len(joint_codes) - 1:  # all records are unique already
            break
    return joint_codes


def _combine_codes(joint_codes: Codes, codes: Codes) -> Codes:
    """Return one code per record for its pair of codes."""
    return np.asarray(
        np.unique(joint_codes * (codes.max() + 1) + codes, return_inverse=True)[1].ravel()
    )
