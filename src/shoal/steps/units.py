"""Units: the persons, households or firms that k counts, each with any number of records."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal import _params as parameters
from shoal._params import format_argument
from shoal.errors import InputError, PlanError
from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.frame.roles import RECORD_UNIT, UNIT_ROLES, columns_with, name_columns
from shoal.frame.tables import Frame
from shoal.steps._step import Step

Codes = NDArray[np.int64]


def read_units(frame: Frame, name: str) -> Codes:
    """Return the unit of each record as an integer from 0; refuse records without a unit."""
    tables.check_columns(frame, [name])
    refuse_missing_units(name, tables.missing_counts(frame, [name]).get(name, 0))
    return np.unique(codes(frame, [name]), return_inverse=True)[1].ravel()


def refuse_missing_units(name: str, n_missing: int) -> None:
    """Refuse records without a unit, given their number."""
    if n_missing:
        raise InputError(
            f"Column {name!r} has {n_missing} missing value{'s' if n_missing > 1 else ''}, and k"
            " counts its values. Give every record a unit, its own where it belongs to no other, or"
            " remove such records.",
            code="unit-missing",
            column=name,
            missing=n_missing,
        )


def n_candidates_needed(present_units: Codes, candidate_units: Codes, k: int) -> int:
    """Return how many candidates, in order, must join some records to reach k units.

    Both are given by their units. All candidates must join if the rest would hold fewer than k.

    Examples
    --------
    >>> n_candidates_needed(np.array([1, 1]), np.array([1, 2, 3, 4, 5]), k=2)
    2
    >>> n_candidates_needed(np.array([1, 1]), np.array([1, 2, 3, 2, 3]), k=3)
    5
    """
    units, n_candidates = set(present_units.tolist()), len(candidate_units)
    for number, unit in enumerate(candidate_units.tolist(), start=1):
        units.add(unit)
        if len(units) >= k:
            return number if len(np.unique(candidate_units[number:])) >= k else n_candidates
    return n_candidates


def with_unit(
    roles: Mapping[str, str], steps: Sequence[Step], unit: str | None
) -> tuple[dict[str, str], list[Step], str | None]:
    """Return roles and steps that agree on what k counts, and what it counts.

    A column that a step or ``unit`` names gets the role ``unit`` or ``household``, and the k of
    every step then counts its values. The third value is that column, ``"record"`` where the plan
    states that records are counted, or None if it states nothing.
    """
    if unit is not None and not isinstance(unit, str):
        raise PlanError(
            f"The unit must be the name of a column, or {RECORD_UNIT!r}. Got"
            f" {format_argument(unit)} instead.",
            code="unit-not-a-name",
        )
    stated_units = [unit] if unit is not None else []
    stated_units += [step.unit for step in steps if step.unit == RECORD_UNIT]
    columns = [name for role in UNIT_ROLES for name in columns_with(roles, role)]
    columns += [
        name
        for step in steps
        for name in (step.unit, step.household)
        if name and name != RECORD_UNIT
    ]
    units = list(dict.fromkeys([*stated_units, *columns]))
    if len(units) > 1:
        raise PlanError(
            f"{' and '.join(map(repr, units))} cannot all be units: k counts one thing. Choose"
            " one; where persons live in households, k households hold at least k persons.",
            code="several-units",
            units=tuple(units),
        )
    if not units or units == [RECORD_UNIT] and RECORD_UNIT not in columns:
        record_steps = [
            step.replace(unit=None) if step.unit == RECORD_UNIT else step for step in steps
        ]
        return dict(roles), record_steps, RECORD_UNIT if units else None
    column = units[0]
    if column == RECORD_UNIT:
        raise PlanError(
            f"A column of units cannot be called {RECORD_UNIT!r}, which stands for counting"
            " records. Rename it.",
            code="unit-called-record",
        )
    role = "household" if any(step.household == column for step in steps) else "unit"
    role = "household" if roles.get(column) == "household" else role
    if roles.get(column, role) not in (*UNIT_ROLES, "identifier"):
        raise PlanError(
            f"Column {column!r} is named as {roles[column]} and as {role}. Choose one.",
            code="two-roles",
            column=column,
        )
    return (
        {**roles, column: role},
        [_with_unit_column(step, column, role) for step in steps],
        column,
    )


def _with_unit_column(step: Step, column: str, role: str) -> Step:
    """Return the step with a k that counts the values of a column, if it has such a parameter."""
    declared = parameters.signature_parameters(type(step))
    if "unit" not in declared or step.unit_column is not None:
        return step
    return step.replace(**{role if role in declared else "unit": column})


def refuse_repeated_identifiers(frame: Frame, identifiers: Sequence[str]) -> None:
    """Refuse identifiers whose values repeat, where the plan does not state what k counts.

    Missing values do not count as repeated.
    """
    counts = {name: _records_per_value(frame, name) for name in identifiers}
    repeated = [name for name, (max_records, _) in counts.items() if max_records > 1]
    if not repeated:
        return
    worst = max(repeated, key=lambda name: counts[name][0])
    max_records, n_values = counts[worst]
    raise InputError(
        f"{name_columns(repeated, 'Identifier', 'Identifiers')}"
        f" repeat{'s' * (len(repeated) == 1)}: up to"
        f" {max_records} records share a value of {worst!r}, and it has {n_values:,} values in"
        f" {len(frame):,} records. k would count records, and a class might hold one person alone."
        f' If it names persons or firms, set `unit="{worst}"` to count its values. If every record'
        f' is a unit of its own, and the column only a category, set `unit="{RECORD_UNIT}"`.',
        code="identifier-repeats",
        columns=tuple(repeated),
        column=worst,
        most=max_records,
        values=n_values,
    )


def _records_per_value(frame: Frame, name: str) -> tuple[int, int]:
    """Return the greatest number of records with the same value, and the number of values."""
    is_present = ~tables.has_missing(frame, [name])
    counts = np.unique(codes(frame, [name])[is_present], return_counts=True)[1]
    return int(counts.max(initial=0)), len(counts)
