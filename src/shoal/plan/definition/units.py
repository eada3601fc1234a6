"""The units of a plan: its roles and steps must agree on what k counts."""

from collections.abc import Mapping, Sequence

import numpy as np

from shoal import _params as parameters
from shoal._params import format_argument
from shoal.errors import InputError, PlanError
from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.frame.roles import RECORD_UNIT, UNIT_ROLES, columns_with, name_columns
from shoal.frame.tables import Frame
from shoal.steps import Step


def resolve_unit(
    roles: Mapping[str, str], steps: Sequence[Step], unit: str | None
) -> tuple[dict[str, str], list[Step], str | None]:
    """Return roles and steps that agree on what k counts, and what it counts.

    A column that ``unit`` or a step names gets the role ``unit`` or ``household``, and the k of
    every step then counts its values.

    Parameters
    ----------
    roles : mapping of str to str
        The role of each column.
    steps : sequence of Step
        The steps.
    unit : str or None
        A column, ``"record"``, or None if the plan leaves it to roles and steps.

    Returns
    -------
    roles, steps
        The roles and the steps, with the column of the units added where it was missing.
    unit : str or None
        The column whose values k counts; ``"record"`` if the plan states that records are
        counted, None if it states nothing.
    """
    if unit is not None and not isinstance(unit, str):
        raise PlanError(
            f"The unit must be the name of a column, or {RECORD_UNIT!r}. Got"
            f" {format_argument(unit)} instead.",
            code="unit-not-a-name",
        )
    columns = _unit_columns(roles, steps)
    states_records = unit == RECORD_UNIT or any(step.unit == RECORD_UNIT for step in steps)
    stated_units = [unit] if unit is not None else []
    stated_units += [RECORD_UNIT] if states_records else []
    units = list(dict.fromkeys([*stated_units, *columns]))
    if len(units) > 1:
        raise PlanError(
            f"{' and '.join(map(repr, units))} cannot all be units: k counts one thing. Choose"
            " one; if persons live in households, k households have at least k persons.",
            code="several-units",
            units=tuple(units),
        )
    if RECORD_UNIT in columns:
        raise PlanError(
            f"A column of units cannot be called {RECORD_UNIT!r}, which stands for counting"
            " records. Rename the column.",
            code="unit-called-record",
        )
    if not units or states_records:
        record_steps = [
            step.replace(unit=None) if step.unit == RECORD_UNIT else step for step in steps
        ]
        return dict(roles), record_steps, RECORD_UNIT if units else None
    column = units[0]
    role = _role_of_units(roles, steps, column)
    return (
        {**roles, column: role},
        [_with_unit_column(step, column, role) for step in steps],
        column,
    )


def _unit_columns(roles: Mapping[str, str], steps: Sequence[Step]) -> list[str]:
    """Return the columns of units that roles and steps name; they may repeat."""
    columns = [name for role in UNIT_ROLES for name in columns_with(roles, role)]
    named_by_steps = [name for step in steps for name in (step.unit, step.household) if name]
    return columns + [name for name in named_by_steps if name != RECORD_UNIT]


def _role_of_units(roles: Mapping[str, str], steps: Sequence[Step], column: str) -> str:
    """Return ``"unit"`` or ``"household"``; refuse a column that has another role."""
    is_household = roles.get(column) == "household" or any(
        step.household == column for step in steps
    )
    role = "household" if is_household else "unit"
    if roles.get(column, role) not in (*UNIT_ROLES, "identifier"):
        raise PlanError(
            f"Column {column!r} is named as {roles[column]} and as {role}. Choose one.",
            code="two-roles",
            column=column,
        )
    return role


def _with_unit_column(step: Step, column: str, role: str) -> Step:
    """Return the step with a k that counts the values of a column, if it has such a parameter."""
    declared = parameters.signature_parameters(type(step))
    if "unit" not in declared or step.unit_column is not None:
        return step
    return step.replace(**{role if role in declared else "unit": column})


def refuse_repeated_identifiers(frame: Frame, identifiers: Sequence[str]) -> None:
    """Refuse identifiers whose values repeat, if the plan does not state what k counts.

    Missing values do not count as repeated.
    """
    counts = {name: _records_per_value(frame, name) for name in identifiers}
    repeated = [name for name, (max_records, _) in counts.items() if max_records > 1]
    if not repeated:
        return
    worst = max(repeated, key=lambda name: counts[name][0])
    max_records, n_values = counts[worst]
    verb = "repeats" if len(repeated) == 1 else "repeat"
    raise InputError(
        f"{name_columns(repeated, 'Identifier', 'Identifiers')} {verb}: up to {max_records:,}"
        f" records share a value of {worst!r}, which has {n_values:,} values in {len(frame):,}"
        " records. k would count records, and a class might hold a single person. If the column"
        f' names persons or firms, set `unit="{worst}"` to count its values. If every record is a'
        f' unit of its own, and the column is only a category, set `unit="{RECORD_UNIT}"`.',
        code="identifier-repeats",
        columns=tuple(repeated),
        column=worst,
        most=max_records,
        values=n_values,
    )


def _records_per_value(frame: Frame, name: str) -> tuple[int, int]:
    """Return the largest number of records with the same value, and the number of values."""
    is_present = ~tables.has_missing(frame, [name])
    counts = np.unique(codes(frame, [name])[is_present], return_counts=True)[1]
    return int(counts.max(initial=0)), len(counts)
