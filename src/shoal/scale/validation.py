"""Refuse plans, sources and columns that large tables do not support."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal._params import hint
from shoal.errors import ColumnError, InputError, ParameterError, PlanError
from shoal.frame.column_names import words_of
from shoal.frame.inference.kinds import CLASSIFICATION_NAMES
from shoal.frame.roles import columns_with, name_columns
from shoal.partitioners import Prove, Search
from shoal.scale.assessment.measures import MICROAGGREGATION_MEASURES, RECODING_MEASURES
from shoal.scale.sources.dask_frames import is_dask_frame
from shoal.steps import Generalise, Microaggregate, Suppress
from shoal.steps._step import check_confidential

if TYPE_CHECKING:
    from shoal.plan import Plan


def check_plan(plan: "Plan") -> None:
    """Refuse plans that are not supported."""
    recoding_steps = [step for step in plan.steps if isinstance(step, Generalise | Suppress)]
    is_microaggregation = len(plan.steps) == 1 and isinstance(plan.steps[0], Microaggregate)
    if not is_microaggregation and len(recoding_steps) < len(plan.steps):
        raise _unsupported_error(
            "steps",
            "shoal.scale supports plans of one step 'microaggregate', and plans of 'generalise' and"
            " 'suppress'. Run other steps on a table that fits into memory.",
        )
    if plan.edits:
        raise _unsupported_error(
            "edits",
            "shoal.scale does not check edits. Leave them out, and check the release yourself.",
        )
    computed = RECODING_MEASURES if recoding_steps else MICROAGGREGATION_MEASURES
    unsupported_limits = [name for name in plan.limits.figures if name not in computed]
    if unsupported_limits:
        raise _unsupported_error(
            "limits",
            f"A limit on {unsupported_limits[0]} is not supported by shoal.scale, which computes"
            f" {', '.join(computed)}. Leave it out, and check it on a part of the table.",
        )
    if recoding_steps:
        _check_recoding(plan, recoding_steps)
    elif isinstance(plan.steps[0], Microaggregate):
        _check_microaggregation(plan, plan.steps[0])


def _unsupported_error(what: str, sentence: str) -> PlanError:
    """Return the error that refuses a part of a plan, named by ``what``."""
    return PlanError(sentence, code="not-for-large-tables", what=what)


def _needs_closeness(plan: "Plan") -> bool:
    """Return whether t-closeness is guaranteed or limited."""
    is_limited = "t_closeness" in plan.limits.figures
    return is_limited or any(step.closeness is not None for step in plan.steps)


def _masked_confidential(plan: "Plan") -> list[str]:
    """Return the confidential columns that are masked too."""
    return [name for name in columns_with(plan.roles, "confidential") if name in plan.masked]


def _check_recoding(plan: "Plan", steps: Sequence[Generalise | Suppress]) -> None:
    """Refuse options that need more than the counts of value combinations or of single files."""
    if any(set(step.columns) != set(steps[0].columns) for step in steps):
        raise _unsupported_error(
            "steps",
            "The steps of a plan for shoal.scale must mask the same columns, because classes are"
            " counted file by file, on all quasi-identifiers. Name the same columns in each.",
        )
    for step in steps:
        if isinstance(step, Suppress) and step.missing_means == "any":
            raise _unsupported_error(
                "missing_means",
                '`missing_means="any"` is not supported by shoal.scale: a record with suppressed'
                ' cells matches records of all files. Use `missing_means="own"`.',
            )
    masked = _masked_confidential(plan)
    if masked and _needs_closeness(plan):
        raise _unsupported_error(
            "closeness",
            f"`closeness` is not supported by shoal.scale for {name_columns(masked)}, which the"
            " plan masks too: it is measured on original values, and classes are counted on the"
            " released files. Leave one of the two out.",
        )


def _check_microaggregation(plan: "Plan", step: Microaggregate) -> None:
    """Refuse options of a microaggregation that are not supported."""
    if step.recoded_columns:
        raise _unsupported_error(
            "aggregate",
            "Ancestors and ranges are not supported by shoal.scale. Use another aggregate, or the"
            " step 'generalise', which recodes large tables to ancestors.",
        )
    if step.round == "original":
        raise _unsupported_error(
            "round",
            '`round="original"` is not supported by shoal.scale: the decimals of a column are known'
            " only after all records are read. State them by column with `decimals`.",
        )
    _check_constraints(plan, step)
    options = step.partitioner.get_params(deep=True).values()
    if any(isinstance(value, Search | Prove) for value in (step.partitioner, *options)):
        raise _unsupported_error(
            "effort",
            "An effort with a time budget is not supported by shoal.scale: its result would depend"
            ' on the workers. Use `effort="refine"` or `effort="quick"`.',
        )
    _check_roles(plan, step)


def _check_constraints(plan: "Plan", step: Microaggregate) -> None:
    """Refuse constraints on groups that cannot be checked within a block of records."""
    confidential = columns_with(plan.roles, "confidential")
    if step.whole_households:
        raise _unsupported_error(
            "whole_households",
            "`whole_households` is not supported by shoal.scale: members of a household may be in"
            " different blocks. Leave it out: k then counts households, whose members may be in"
            " different groups.",
        )
    if step.homogeneity == "noise":
        raise _unsupported_error(
            "homogeneity",
            '`homogeneity="noise"` is not supported by shoal.scale: the noise depends on the values'
            ' of all records. Use `homogeneity="merge"` or `homogeneity="refuse"`.',
        )
    if step.closeness_by == "first":
        raise _unsupported_error(
            "closeness_by",
            '`closeness_by="first"` is not supported by shoal.scale: it draws every group from the'
            ' whole table. Use `closeness_by="merge"` or `closeness_by="swap"`.',
        )
    needs_closeness = _needs_closeness(plan)
    if needs_closeness and step.unit_column is not None:
        raise _unsupported_error(
            "closeness",
            "`closeness` of units is not supported by shoal.scale in the step 'microaggregate':"
            " each unit counts once in the table, divided among its records, which may be in"
            ' different blocks. Use `diversity`, or count records with `unit="record"`.',
        )
    masked = _masked_confidential(plan)
    if needs_closeness and masked:
        raise _unsupported_error(
            "closeness",
            f"`closeness` is not supported by shoal.scale for {name_columns(masked)}, which the"
            " step masks too: its released values are known only when all records are masked."
            " Leave one of the two out.",
        )
    constraints = {
        "diversity": step.diversity is not None,
        "closeness": step.closeness is not None,
        "homogeneity": step.homogeneity != "warn",
    }
    for name, is_set in constraints.items():
        if is_set:
            check_confidential(confidential, name)


def _check_roles(plan: "Plan", step: Microaggregate) -> None:
    """Refuse roles that contradict the options of the step."""
    confidential = columns_with(plan.roles, "confidential")
    if step.dependence > 0:
        check_confidential(confidential, f"`dependence={step.dependence:g}`")
    confidential_strata = [name for name in step.strata if name in confidential]
    if confidential_strata:
        raise ParameterError(
            f"{name_columns(confidential_strata)} cannot be quasi-identifier and confidential at"
            " once. Choose one.",
            code="two-roles",
            columns=tuple(confidential_strata),
        )


def check_source(source: Any) -> None:
    """Refuse a source that is neither files nor a Dask DataFrame."""
    paths = source if isinstance(source, list | tuple) else [source]
    are_paths = bool(paths) and all(isinstance(path, str | os.PathLike) for path in paths)
    if not are_paths and not is_dask_frame(source):
        raise InputError(
            "The source must be a folder, Parquet files or a Dask DataFrame; for a table in memory"
            " use Plan.run.",
            code="source-not-accepted",
        )


def check_columns(plan: "Plan", schema: pa.Schema, ordered_columns: frozenset[str]) -> None:
    """Refuse missing columns, nested types and categories whose order is not declared."""
    for name in [*plan.roles, *plan.types, *plan.quasi_identifiers]:
        if name not in schema.names:
            raise ColumnError(
                f"The data have no column {name!r}.{hint(name, schema.names)} The columns are:"
                f" {', '.join(schema.names)}.",
                code="no-such-column",
                column=name,
            )
    for name in dict.fromkeys([*plan.masked, *plan.quasi_identifiers]):
        arrow_type = schema.field(name).type
        if pa.types.is_nested(arrow_type):
            raise ColumnError(
                f"Column {name!r} holds {arrow_type} values, for which no distance is defined."
                " Leave it out, or convert it to numbers or text first.",
                code="no-distance",
                column=name,
            )
    if not isinstance(plan.steps[0], Microaggregate):
        return
    for name in plan.masked:
        if name in ordered_columns and name not in plan.types:
            raise InputError(
                f"Column {name!r} holds ordered categories, whose order may differ from file to"
                " file. Declare its type: ordinal, with the order.",
                code="order-unknown",
                column=name,
            )
        code_words = words_of(name) & CLASSIFICATION_NAMES
        if code_words and name not in plan.types and pa.types.is_integer(schema.field(name).type):
            raise InputError(
                f"Column {name!r} holds whole numbers, and its name suggests that they are codes"
                f" ({min(code_words)}). Declare its type: nominal or numeric.",
                code="codes-undeclared",
                column=name,
            )


def check_weight(name: str | None, schema: pa.Schema) -> None:
    """Refuse weights that are not numeric."""
    if name is not None and not is_numeric_type(schema.field(name).type):
        raise ColumnError(
            f"Column {name!r} holds {schema.field(name).type} values where weights are needed."
            " Convert it to numbers first, or leave it out.",
            code="no-numbers",
            column=name,
        )


def is_numeric_type(arrow_type: Any) -> bool:
    """Return whether a type is numeric."""
    return bool(
        pa.types.is_integer(arrow_type)
        or pa.types.is_floating(arrow_type)
        or pa.types.is_decimal(arrow_type)
    )
