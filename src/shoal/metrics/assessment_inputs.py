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
from shoal.geometry import MAX_EXACT_CATEGORIES, axes_of, join_axes, means
from shoal.metrics import classes


def read_unit_codes(frame: Frame, name: str) -> NDArray[np.int64]:
    """Return the unit of each record as an integer; a missing value is a unit of its own."""
    units = classes(codes(frame, [name]))
    missing = np.flatnonzero(tables.has_missing(frame, [name]))
    units[missing] = units.max() + 1 + np.arange(len(missing))
    return units


def check_same_records(n_original: int, n_masked: int) -> None:
    """Refuse tables of different length."""
    if n_original != n_masked:
        raise InputError(
            f"The original holds {n_original} records and the masked table {n_masked}. Compare"
            " tables with the same records in the same order.",
            code="records-differ",
            original=n_original,
            masked=n_masked,
        )


def measure_inputs(
    original: Frame,
    masked: Frame,
    quasi_identifiers: Sequence[str],
    masked_columns: Sequence[str],
    confidential: Sequence[str],
    types: Mapping[str, Type],
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return the inputs of measures, and the columns by how measures can use them."""
    undeclared = [
        name for name in masked_columns if name not in types or types[name].kind == "numeric"
    ]
    numeric = [
        name
        for name in undeclared
        if tables.is_numeric(original, name) and tables.is_numeric(masked, name)
    ]
    incomplete = [
        *tables.missing_counts(original, numeric),
        *tables.missing_counts(masked, numeric),
    ]
    numeric = [name for name in numeric if name not in incomplete]
    ordered = ordered_columns(original, confidential, types)
    numeric_confidential = [name for name, column in ordered.items() if column.kind == "numeric"]
    # One label per class represents all released values, so that no measure groups them again.
    inputs: dict[str, Any] = {"released": classes(keys(masked, quasi_identifiers))[:, np.newaxis]}
    if numeric:
        inputs["original"] = tables.matrix(original, numeric, order="F")
        inputs["masked"] = tables.matrix(masked, numeric, order="F")
    if numeric_confidential:
        inputs["confidential"] = tables.matrix(original, numeric_confidential, order="F")
    category_columns = [
        name
        for name in confidential
        if name not in numeric_confidential and not tables.is_numeric(original, name)
    ]
    if category_columns:
        inputs["categories"] = codes(original, category_columns)
    if confidential:
        inputs["confidential_codes"], inputs["ordered"] = rank_or_category_codes(
            original, confidential, types
        )
    return inputs, {
        "quasi-identifier": numeric,
        "other": [name for name in masked_columns if name not in numeric],
        "confidential": list(confidential),
        "categories": [name for name in confidential if name not in numeric_confidential],
        "incomplete": [
            name for name in confidential if name not in (*numeric_confidential, *category_columns)
        ],
    }


def axes_inputs(
    original: Frame, masked: Frame, masked_columns: Sequence[str], types: Mapping[str, Type]
) -> tuple[dict[str, Any], str]:
    """Return both tables as axes, if columns are not all numeric and complete, and a remark.

    Missing values are at the mean of their column; originally missing values cannot change.
    """
    comparable, not_comparable, n_records = [], [], len(original)
    for name in masked_columns:
        try:
            comparable.append(read_concatenated(original, masked, name, types.get(name)))
        except InputError:
            if name in types:
                raise
            not_comparable.append(name)
    remarks = (
        [f"{name_columns(not_comparable)} left out: not of one kind in both tables."]
        if not_comparable
        else []
    )
    incomplete = [column.name for column in comparable if column.is_missing.any()]
    if not comparable or (
        not incomplete and all(column.kind == "numeric" for column in comparable)
    ):
        return {}, " ".join(remarks)
    axes, columns = join_axes([axes_of(*column.for_axes) for column in comparable])
    projected_columns = [
        column.name for column in comparable if column.n_categories > MAX_EXACT_CATEGORIES
    ]
    if projected_columns:
        remarks.append(
            f"{name_columns(projected_columns)} with more than {MAX_EXACT_CATEGORIES} categories:"
            " distances between them are approximate."
        )
    original_axes, masked_axes = axes[:n_records], axes[n_records:]
    if incomplete:
        masked_axes[np.isnan(original_axes)] = np.nan
        centre = means(original_axes)
        original_axes, masked_axes = (
            np.where(np.isnan(matrix), centre, matrix) for matrix in (original_axes, masked_axes)
        )
        remarks.append(
            f"{name_columns(incomplete)} with missing cells: originally missing values count as"
            " unchanged, suppressed ones as the mean."
        )
    return {"original": original_axes, "masked": masked_axes, "columns": columns}, " ".join(remarks)


def describe_columns(
    original: Frame, columns: Mapping[str, list[str]], needed: Sequence[str]
) -> str:
    """Return a sentence on columns that a measure ignores or counts as categories; may be empty."""
    if "original" in needed and columns["other"]:
        return (
            f"{name_columns(columns['other'])} left out: not numeric and complete in both tables."
        )
    excluded_columns = columns["incomplete" if "categories" in needed else "categories"]
    if "confidential" in needed and excluded_columns:
        return f"{name_columns(excluded_columns)} left out: not numeric, or with missing values."
    numeric = [name for name in columns["categories"] if tables.is_numeric(original, name)]
    incomplete = list(tables.missing_counts(original, numeric))
    if "ordered" in needed and incomplete:
        return f"{name_columns(incomplete)} counted as categories: missing values have no order."
    return ""


def describe_totals(inputs: Mapping[str, Any], columns: Sequence[str]) -> str:
    """Return a sentence with the weighted totals of both tables."""
    sums = [(inputs[table] * inputs["weights"]).sum(axis=0) for table in ("original", "masked")]
    totals = [
        f"{name!r} {original:.10g} before and {masked:.10g} after"
        for name, original, masked in zip(columns, *sums, strict=True)
    ]
    return f"Weighted totals: {', '.join(totals)}."


def check_assessed_columns(quasi_identifiers: Sequence[str], confidential: Sequence[str]) -> None:
    """Refuse to measure risk without a quasi-identifier, or with a column in two roles."""
    if not quasi_identifiers:
        raise ParameterError(
            "Name at least one quasi-identifier: risk is counted on them.",
            code="quasi-identifiers-needed",
        )
    in_both_roles = [name for name in quasi_identifiers if name in confidential]
    if in_both_roles:
        raise ParameterError(
            f"{name_columns(in_both_roles)} cannot be both quasi-identifier and confidential."
            " Choose one.",
            code="two-roles",
            columns=tuple(in_both_roles),
        )
