"""Inputs of measures, read from two tables: numbers, categories and axes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.codes import codes, keys
from shoal.frame.columns import Column, ordered_columns, rank_or_category_codes, read_concatenated
from shoal.frame.roles import name_columns
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.geometry import MAX_EXACT_CATEGORIES, axes_of, join_axes, means
from shoal.metrics import MEASURE_INFO, accepts_axes, classes, inputs_of
from shoal.metrics.assessment.category_inputs import CategoryInputs, category_inputs
from shoal.metrics.utility.totals import describe_totals


@dataclass(frozen=True, eq=False)
class MeasureInputs:
    """The inputs of measures by name, and the columns that they consist of.

    Parameters
    ----------
    values : dict
        The inputs, with one column for each numeric quasi-identifier.
    axes : dict
        The inputs that replace inputs of the same name in ``values`` in measures of axes, or an
        empty dict if all masked columns are numeric and complete.
    axes_remark : str
        A sentence on columns that have no axes, or approximate axes, or an empty string.
    numeric : list of str
        The masked columns that are numeric and complete in both tables.
    not_numeric : list of str
        The other masked columns.
    confidential : list of str
        The confidential columns.
    categorical_confidential : list of str
        The confidential columns that count as categories: not numeric, or with missing values.
    unusable_confidential : list of str
        The confidential columns of a numeric type that measures use neither as numbers nor as
        categories, because they have missing values or are declared to be of another kind.
    incomplete_confidential : list of str
        The confidential columns of a numeric type with missing values, which have no order.
    categories : CategoryInputs
        The inputs from masked categorical columns.
    """

    values: dict[str, Any]
    axes: dict[str, Any]
    axes_remark: str
    numeric: list[str]
    not_numeric: list[str]
    confidential: list[str]
    categorical_confidential: list[str]
    unusable_confidential: list[str]
    incomplete_confidential: list[str]
    categories: CategoryInputs

    def of_measure(self, name: str) -> dict[str, Any]:
        """Return the inputs that a measure can use."""
        return {**self.values, **self.axes} if accepts_axes(name) else self.values

    def columns_of(self, name: str) -> list[str]:
        """Return the columns for which a measure has one number each, if it has several numbers."""
        columns = {
            "quasi-identifier": self.numeric,
            "confidential": self.confidential,
            "categorical": self.categories.columns,
        }
        return columns.get(MEASURE_INFO[name].per, [])

    def remark_on(self, name: str) -> str:
        """Return sentences on columns that a measure leaves out or converts, or ""."""
        if name in ("one_way_change", "two_way_change"):
            return self.categories.remark
        if accepts_axes(name):
            return self.axes_remark
        input_names = inputs_of(name)
        remark = self._remark_on_columns(input_names)
        if "weights" in input_names:
            return f"{remark} {self._weighted_totals()}".lstrip()
        return remark

    def _remark_on_columns(self, input_names: Sequence[str]) -> str:
        """Return a sentence on columns that are left out or counted as categories, or ""."""
        if "original" in input_names and self.not_numeric:
            return (
                f"{name_columns(self.not_numeric)} left out: not numeric and complete in both"
                " tables."
            )
        left_out = (
            self.unusable_confidential
            if "categories" in input_names
            else self.categorical_confidential
        )
        if "confidential" in input_names and left_out:
            return f"{name_columns(left_out)} left out: not numeric, or with missing values."
        if "ordered" in input_names and self.incomplete_confidential:
            return (
                f"{name_columns(self.incomplete_confidential)} counted as categories: missing"
                " values have no order."
            )
        return ""

    def _weighted_totals(self) -> str:
        """Return a sentence with the weighted totals of both tables."""
        original_totals, masked_totals = (
            (self.values[table] * self.values["weights"]).sum(axis=0)
            for table in ("original", "masked")
        )
        return describe_totals(self.numeric, original_totals, masked_totals)


def read_inputs(
    original: Frame,
    masked: Frame,
    quasi_identifiers: Sequence[str],
    masked_columns: Sequence[str],
    confidential: Sequence[str],
    *,
    recoded_columns: Sequence[str],
    types: Mapping[str, Type],
    optional_inputs: Mapping[str, Any],
) -> MeasureInputs:
    """Return the inputs of measures, read from two tables, together with ``optional_inputs``."""
    numeric = _complete_numeric_columns(original, masked, masked_columns, types)
    ordered = ordered_columns(original, confidential, types)
    numeric_confidential = [name for name, column in ordered.items() if column.kind == "numeric"]
    categorical_confidential = [name for name in confidential if name not in numeric_confidential]
    unusable = [name for name in categorical_confidential if tables.is_numeric(original, name)]
    # A column of class labels replaces all released columns, so that no measure groups them again.
    values: dict[str, Any] = {"released": classes(keys(masked, quasi_identifiers))[:, np.newaxis]}
    if numeric:
        values["original"] = tables.matrix(original, numeric, order="F")
        values["masked"] = tables.matrix(masked, numeric, order="F")
    if numeric_confidential:
        values["confidential"] = tables.matrix(original, numeric_confidential, order="F")
    if usable := [name for name in categorical_confidential if name not in unusable]:
        values["categories"] = codes(original, usable)
    if confidential:
        values["confidential_codes"], values["ordered"] = rank_or_category_codes(
            original, confidential, types
        )
    categories = category_inputs(
        original, masked, masked_columns, recoded_columns, confidential, types
    )
    axes, axes_remark = _axes_inputs(original, masked, masked_columns, types)
    return MeasureInputs(
        {**values, **categories.inputs, **optional_inputs},
        axes,
        axes_remark,
        numeric=numeric,
        not_numeric=[name for name in masked_columns if name not in numeric],
        confidential=list(confidential),
        categorical_confidential=categorical_confidential,
        unusable_confidential=unusable,
        incomplete_confidential=list(tables.missing_counts(original, unusable)),
        categories=categories,
    )


def _complete_numeric_columns(
    original: Frame, masked: Frame, names: Sequence[str], types: Mapping[str, Type]
) -> list[str]:
    """Return the columns that are numeric in both tables, complete, and not declared otherwise."""
    numeric = [
        name
        for name in names
        if (name not in types or types[name].kind == "numeric")
        and tables.is_numeric(original, name)
        and tables.is_numeric(masked, name)
    ]
    incomplete = {
        *tables.missing_counts(original, numeric),
        *tables.missing_counts(masked, numeric),
    }
    return [name for name in numeric if name not in incomplete]


def _axes_inputs(
    original: Frame, masked: Frame, masked_columns: Sequence[str], types: Mapping[str, Type]
) -> tuple[dict[str, Any], str]:
    """Return both tables as axes, unless all columns are numeric and complete, and a remark.

    A suppressed value counts as the mean of its column, an originally missing value as unchanged.
    """
    columns, not_comparable = _comparable_columns(original, masked, masked_columns, types)
    remarks = []
    if not_comparable:
        remarks.append(
            f"{name_columns(not_comparable)} left out: the kinds differ between the tables."
        )
    incomplete = [column.name for column in columns if column.is_missing.any()]
    if not columns or (not incomplete and all(column.kind == "numeric" for column in columns)):
        return {}, " ".join(remarks)
    axes, column_of_axis = join_axes([axes_of(*column.axes_arguments) for column in columns])
    projected = [column.name for column in columns if column.n_categories > MAX_EXACT_CATEGORIES]
    if projected:
        remarks.append(
            f"{name_columns(projected)} with more than {MAX_EXACT_CATEGORIES:,} categories:"
            " distances between them are approximate."
        )
    original_axes, masked_axes = axes[: len(original)], axes[len(original) :]
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
    inputs = {"original": original_axes, "masked": masked_axes, "columns": column_of_axis}
    return inputs, " ".join(remarks)


def _comparable_columns(
    original: Frame, masked: Frame, names: Sequence[str], types: Mapping[str, Type]
) -> tuple[list[Column], list[str]]:
    """Return the columns of the same kind in both tables, and the names of the other columns.

    If a column with a declared type cannot be read, it is refused.
    """
    comparable: list[Column] = []
    not_comparable: list[str] = []
    for name in names:
        try:
            comparable.append(read_concatenated([original, masked], name, types.get(name)))
        except InputError:
            if name in types:
                raise
            not_comparable.append(name)
    return comparable, not_comparable
