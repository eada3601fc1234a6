"""Checks of the options of a microaggregation, and of the values that it is applied to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from shoal._params import hint
from shoal.errors import InputError, PlanError
from shoal.frame.columns import Column, refuse_missing
from shoal.frame.roles import name_columns
from shoal.partitioners import MDAV, Auto
from shoal.steps.microaggregation.centroid import check_positive
from shoal.steps.microaggregation.distance_space import DistanceSpace

if TYPE_CHECKING:
    from shoal.steps.microaggregate import Microaggregate

MISSING_VALUES_HINT = (
    'Use `missing="own-groups"`, `missing="impute"` or `missing="drop"`, or correct them first: a'
    " group mean over a missing value protects fewer than k records."
)


def check_options(step: "Microaggregate") -> None:
    """Refuse options that do not fit together."""
    block_columns = [name for block in step.column_blocks for name in block]
    if sorted(block_columns) != sorted(step.columns):
        names = dict.fromkeys([*step.columns, *block_columns])
        misplaced_columns = [
            name for name in names if name not in step.columns or block_columns.count(name) != 1
        ]
        raise PlanError(
            "`blocks` must name each masked column exactly once, and no other column. Correct"
            f" {name_columns(misplaced_columns, 'column', 'columns')}.",
            code="blocks-not-a-partition",
        )
    if not all(step.column_blocks):
        raise PlanError("A block of `blocks` names no column. Leave it out.", code="block-empty")
    _check_constraints(step)
    _check_options_by_column(step)
    aggregates = {step.aggregate_of(name) for name in step.columns}
    if (step.trim is None) == ("trimmed-mean" in aggregates):
        raise PlanError(
            '`aggregate="trimmed-mean"` and `trim` belong together. Give both or none.',
            code="trim-and-aggregate",
        )
    if step.small_strata == "merge" and not step.strata:
        raise PlanError(
            '`small_strata="merge"` needs strata. Name their columns with `within`.',
            code="strata-missing",
            option="small_strata",
        )
    _check_units(step)
    if step.weight is not None and "trimmed-mean" in aggregates:
        raise PlanError(
            '`aggregate="trimmed-mean"` has no agreed definition with weights. Use'
            ' `aggregate="mean"` or `aggregate="median"`, or leave the weight out.',
            code="trimmed-mean-with-weights",
        )
    if step.weighted_distances and step.standardise != "zscore":
        raise PlanError(
            '`weighted_distances` sets the scale of z-scores, but `standardise="none"` computes'
            " none. Leave one of the two options out.",
            code="weighted-distances-without-zscore",
        )


def _check_options_by_column(step: "Microaggregate") -> None:
    """Refuse an option by column that names a column which the step does not mask."""
    for option in ("aggregate", "decimals", "column_weights"):
        value = getattr(step, option)
        if not isinstance(value, Mapping):
            continue
        for name in value:
            if name not in step.columns:
                raise PlanError(
                    f"`{option}` names column {name!r}, which the step does not mask."
                    f"{hint(name, step.columns)}",
                    code="option-of-another-column",
                    option=option,
                    columns=(name,),
                )


def check_values(step: "Microaggregate", columns: list[Column]) -> None:
    """Refuse missing values, and values without a geometric mean, if the options need others."""
    if step.missing in ("refuse", "drop"):
        refuse_missing(columns, MISSING_VALUES_HINT)
    for column in columns:
        if step.aggregate_of(column.name) == "geometric-mean":
            check_positive(column)


def check_axes(step: "Microaggregate", space: DistanceSpace, has_missing: bool) -> None:
    """Refuse a method that sorts by columns if a column has no single order."""
    if not step.partitioner.needs_one_axis_per_column:
        return
    name = type(step.partitioner).__name__
    for i, n_axes in enumerate(np.bincount(space.columns)):
        if n_axes > 1:
            raise InputError(
                f"{name} with these options sorts by columns, but the categories of column"
                f" {space.names[i]!r} need {n_axes} axes. Declare an order of the categories, or"
                " use another method.",
                code="sorts-by-categories",
                column=space.names[i],
                axes=int(n_axes),
            )
    if has_missing and step.missing == "own-groups" and max(map(len, step.column_blocks)) > 1:
        raise InputError(
            f'{name} with these options sorts by columns, but `missing="own-groups"` leaves out'
            ' columns with missing cells. Use another method, or `missing="impute"`.',
            code="sorts-by-missing-columns",
        )


def _check_units(step: "Microaggregate") -> None:
    """Refuse two columns of units, and options that would separate members of a household."""
    if step.unit is not None and step.household is not None:
        raise PlanError(
            "`unit` and `household` both define what k counts. Choose one. If persons live in"
            " households, k households include at least k persons.",
            code="several-units",
            columns=(step.unit, step.household),
        )
    if not step.whole_households:
        return
    if step.household is None:
        raise PlanError(
            "`whole_households` needs `household`, the column of the households. Name the column,"
            " or leave `whole_households` out.",
            code="household-missing",
            option="whole_households",
        )
    if step.missing == "own-groups":
        raise PlanError(
            "`whole_households` keeps the members of a household together, but"
            ' `missing="own-groups"` separates them by their missing cells. Use `missing="impute"`'
            ' or `missing="drop"`.',
            code="splits-households",
            option="missing",
        )
    if step.closeness_by != "merge":
        raise PlanError(
            f'`closeness_by="{step.closeness_by}"` moves single records, but `whole_households`'
            ' keeps the members of a household together. Use `closeness_by="merge"`.',
            code="splits-households",
            option="closeness_by",
        )


def _check_constraints(step: "Microaggregate") -> None:
    """Refuse options of l-diversity and t-closeness that do not fit together."""
    if step.diversity is None and step.closeness is None and step.closeness_by == "merge":
        return
    if len(step.column_blocks) > 1:
        raise PlanError(
            "`diversity` and `closeness` apply to all masked columns together, but `blocks`"
            " separates the columns. Leave out either the constraints or `blocks`.",
            code="constraint-with-blocks",
        )
    if step.closeness is None and step.closeness_by != "merge":
        raise PlanError(
            f'`closeness_by="{step.closeness_by}"` needs `closeness`, the maximum distance between'
            " a group and the table. Give both, or leave both out.",
            code="closeness-missing",
            option="closeness",
        )
    if step.closeness_by == "first":
        _check_closeness_first(step)


def _check_closeness_first(step: "Microaggregate") -> None:
    """Refuse options that do not fit `ClosenessFirst`, which groups the whole table."""
    if step.strata:
        raise PlanError(
            '`closeness_by="first"` draws every group from the whole table, but `within` keeps'
            ' groups inside strata. Use `closeness_by="merge"` or `closeness_by="swap"`.',
            code="closeness-first-splits",
            option="within",
        )
    if step.missing == "own-groups":
        raise PlanError(
            '`closeness_by="first"` draws every group from the whole table, but'
            ' `missing="own-groups"` splits the table. Use `closeness_by="merge"` or'
            ' `closeness_by="swap"`.',
            code="closeness-first-splits",
            option="missing",
        )
    if not isinstance(step.partitioner, MDAV | Auto):
        raise PlanError(
            '`closeness_by="first"` forms groups by its own method, starting from mdav, so'
            f' {type(step.partitioner).__name__} would be ignored. Use the method "auto" or "mdav",'
            ' `closeness_by="merge"` or `closeness_by="swap"`.',
            code="closeness-first-ignores-method",
        )
