"""Inputs of the measures of `assess`: values of both tables, categories, axes and units."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError, ParameterError
from shoal.frame import tables
from shoal.frame.codes import codes, keys
from shoal.frame.columns import ordered_columns, rank_or_category_codes, read_concatenated
from shoal.frame.roles import name_columns
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.geometry import MAX_EXACT, axes_of, join_axes, means
from shoal.metrics import classes


def read_units(frame: Frame, name: str) -> NDArray[np.int64]:
    """Return the unit of each record as an integer; a missing value is a unit of its own."""
    units = classes(codes(frame, [name]))
    missing = np.flatnonzero(tables.has_missing(frame, [name]))
    units[missing] = units.max() + 1 + np.arange(len(missing))
    return units


def check_same_records(before: int, after: int) -> None:
    """Refuse tables of different length."""
    if before != after:
        raise InputError(
            f"The original holds {before} records and the masked table {after}. Compare tables with"
            " the same records in the same order.",
            code="records-differ",
            original=before,
            masked=after,
        )


def measure_inputs(
    before: Frame,
    after: Frame,
    quasi_identifiers: Sequence[str],
    changed: Sequence[str],
    confidential: Sequence[str],
    types: Mapping[str, Type],
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return the inputs of measures, and the columns by how measures can use them."""
    undeclared = [n for n in changed if n not in types or types[n].kind == "numeric"]
    numeric = [
        n for n in undeclared if tables.is_numeric(before, n) and tables.is_numeric(after, n)
    ]
    incomplete = [*tables.missing_counts(before, numeric), *tables.missing_counts(after, numeric)]
    numeric = [name for name in numeric if name not in incomplete]
    ordered = ordered_columns(before, confidential, types)
    numbers = [name for name, column in ordered.items() if column.kind == "numeric"]
    # One label per class represents all released values, so that no measure groups them again.
    inputs: dict[str, Any] = {"released": classes(keys(after, quasi_identifiers))[:, np.newaxis]}
    if numeric:
        inputs["original"] = tables.matrix(before, numeric, order="F")
        inputs["masked"] = tables.matrix(after, numeric, order="F")
    if numbers:
        inputs["confidential"] = tables.matrix(before, numbers, order="F")
    kinds = [n for n in confidential if n not in numbers and not tables.is_numeric(before, n)]
    if kinds:
        inputs["categories"] = codes(before, kinds)
    if confidential:
        inputs["confidential_codes"], inputs["ordered"] = rank_or_category_codes(
            before, confidential, types
        )
    return inputs, {
        "quasi-identifier": numeric,
        "other": [name for name in changed if name not in numeric],
        "confidential": list(confidential),
        "categories": [name for name in confidential if name not in numbers],
        "incomplete": [name for name in confidential if name not in (*numbers, *kinds)],
    }


def axes_inputs(
    before: Frame, after: Frame, changed: Sequence[str], types: Mapping[str, Type]
) -> tuple[dict[str, Any], str]:
    """Return both tables as axes, if columns are not all numeric and complete, and a remark.

    Missing values are at the mean of their column; originally missing values cannot change.
    """
    joined, not_comparable, n = [], [], len(before)
    for name in changed:
        try:
            joined.append(read_concatenated(before, after, name, types.get(name)))
        except InputError:
            if name in types:
                raise
            not_comparable.append(name)
    remarks = (
        [f"{name_columns(not_comparable)} left out: not of one kind in both tables."]
        if not_comparable
        else []
    )
    incomplete = [column.name for column in joined if column.is_missing.any()]
    if not joined or (not incomplete and all(column.kind == "numeric" for column in joined)):
        return {}, " ".join(remarks)
    axes, columns = join_axes([axes_of(*column.for_axes) for column in joined])
    projected = [column.name for column in joined if column.n_categories > MAX_EXACT]
    if projected:
        remarks.append(
            f"{name_columns(projected)} with more than {MAX_EXACT} categories: distances between"
            " them are approximate."
        )
    original, masked = axes[:n], axes[n:]
    if incomplete:
        masked[np.isnan(original)] = np.nan
        centre = means(original)
        original, masked = (
            np.where(np.isnan(matrix), centre, matrix) for matrix in (original, masked)
        )
        remarks.append(
            f"{name_columns(incomplete)} with missing cells: originally missing values count as"
            " unchanged, suppressed ones as the mean."
        )
    return {"original": original, "masked": masked, "columns": columns}, " ".join(remarks)


def describe_columns(before: Frame, columns: Mapping[str, list[str]], needed: Sequence[str]) -> str:
    """Return a sentence on columns that a measure ignores or counts as categories, or nothing."""
    if "original" in needed and columns["other"]:
        return (
            f"{name_columns(columns['other'])} left out: not numeric and complete in both tables."
        )
    excluded = columns["incomplete" if "categories" in needed else "categories"]
    if "confidential" in needed and excluded:
        return f"{name_columns(excluded)} left out: not numeric, or with missing values."
    numeric = [name for name in columns["categories"] if tables.is_numeric(before, name)]
    incomplete = list(tables.missing_counts(before, numeric))
    if "ordered" in needed and incomplete:
        return f"{name_columns(incomplete)} counted as categories: missing values have no order."
    return ""


def describe_totals(inputs: Mapping[str, Any], columns: Sequence[str]) -> str:
    """Return a sentence with the weighted totals of both tables."""
    sums = [(inputs[which] * inputs["weights"]).sum(axis=0) for which in ("original", "masked")]
    totals = [
        f"{name!r} {before:.10g} before and {after:.10g} after"
        for name, before, after in zip(columns, *sums, strict=True)
    ]
    return f"Weighted totals: {', '.join(totals)}."


def check_names(quasi_identifiers: Sequence[str], confidential: Sequence[str]) -> None:
    """Refuse to measure risk without a quasi-identifier, or with a column in two roles."""
    if not quasi_identifiers:
        raise ParameterError(
            "Name at least one quasi-identifier: risk is counted on them.",
            code="quasi-identifiers-needed",
        )
    twice = [name for name in quasi_identifiers if name in confidential]
    if twice:
        raise ParameterError(
            f"{name_columns(twice)} cannot be both quasi-identifier and confidential. Choose one.",
            code="two-roles",
            columns=tuple(twice),
        )
