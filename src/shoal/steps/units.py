"""Units: the persons, households or firms that k counts, of whatever number of records."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal import _params as parameters
from shoal._params import format_argument
from shoal.errors import InputError, PlanError
from shoal.frame import tables
from shoal.frame.roles import RECORD_UNIT, UNIT_ROLES, columns_with, name_columns
from shoal.frame.tables import Frame
from shoal.steps._step import Step

Codes = NDArray[np.int64]


def read_units(frame: Frame, name: str) -> Codes:
    """Return the unit of each record as a number from 0 on; refuse records without one."""
    tables.check_columns(frame, [name])
    holes = tables.missing_counts(frame, [name]).get(name, 0)
    if holes:
        raise InputError(
            f"Column {name!r} has {holes} missing value{'s' if holes > 1 else ''}, and k counts its"
            " values. Give every record a unit, one of its own if it stands alone, or leave such"
            " records out.",
            code="unit-missing",
            column=name,
            missing=holes,
        )
    return np.unique(tables.codes(frame, [name]), return_inverse=True)[1].ravel()


def enough(there: Codes, coming: Codes, k: int) -> int:
    """Return how many of those ``coming``, in order, must join to make k units.

    All must where those left behind would be fewer than k units.

    Examples
    --------
    >>> enough(np.array([1, 1]), np.array([1, 2, 3, 4, 5]), k=2)
    2
    >>> enough(np.array([1, 1]), np.array([1, 2, 3, 2, 3]), k=3)
    5
    """
    seen = set(there.tolist())
    for number, unit in enumerate(coming.tolist(), start=1):
        seen.add(unit)
        if len(seen) >= k:
            return number if len(np.unique(coming[number:])) >= k else len(coming)
    return len(coming)


def with_unit(
    roles: Mapping[str, str], steps: Sequence[Step], unit: str | None
) -> tuple[dict[str, str], list[Step], str | None]:
    """Return roles and steps that agree on what k counts, and what that is.

    A column that a step or ``unit`` names has the role ``unit`` or ``household``; all steps that
    count then count its values. The unit is ``"record"`` where somebody says so, and None where
    nobody says anything.
    """
    if unit is not None and not isinstance(unit, str):
        raise PlanError(
            f"The unit must be the name of a column, or {RECORD_UNIT!r}. Got"
            f" {format_argument(unit)} instead.",
            code="unit-not-a-name",
        )
    stated = [unit] if unit is not None else []
    stated += [step.unit for step in steps if step.unit == RECORD_UNIT]
    named = [name for role in UNIT_ROLES for name in columns_with(roles, role)]
    named += [n for step in steps for n in (step.unit, step.household) if n and n != RECORD_UNIT]
    several = list(dict.fromkeys([*stated, *named]))
    if len(several) > 1:
        raise PlanError(
            f"{' and '.join(map(repr, several))} cannot all be units: k counts one thing. Choose"
            " one; where persons live in households, k households hold at least k persons.",
            code="several-units",
            units=tuple(several),
        )
    if not several or several == [RECORD_UNIT] and RECORD_UNIT not in named:
        plain = [step.having(unit=None) if step.unit == RECORD_UNIT else step for step in steps]
        return dict(roles), plain, RECORD_UNIT if several else None
    column = several[0]
    if column == RECORD_UNIT:
        raise PlanError(
            f"A column of units cannot be called {RECORD_UNIT!r}, which says that records are"
            " meant. Rename it.",
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
    return {**roles, column: role}, [_counting(step, column, role) for step in steps], column


def _counting(step: Step, column: str, role: str) -> Step:
    """Return a step that counts the values of a column, if it counts at all."""
    declared = parameters.signature_parameters(type(step))
    if "unit" not in declared or step.counted is not None:
        return step
    return step.having(**{role if role in declared else "unit": column})


def refuse_repeated(frame: Frame, identifiers: Sequence[str]) -> None:
    """Refuse identifiers whose values repeat where nobody says what k counts.

    Missing values are no repetition.
    """
    found = {name: _records_per_value(frame, name) for name in identifiers}
    repeated = [name for name, (most, _) in found.items() if most > 1]
    if not repeated:
        return
    worst = max(repeated, key=lambda name: found[name][0])
    most, values = found[worst]
    raise InputError(
        f"{name_columns(repeated, 'Identifier', 'Identifiers')}"
        f" repeat{'s' * (len(repeated) == 1)}: up to"
        f" {most} records share a value of {worst!r}, and it has {values} values in"
        f" {len(frame)} records. k would count records, and a class might hold one person alone."
        f' Set `unit="{worst}"` to count its values, or `unit="{RECORD_UNIT}"` if every record is'
        " a unit of its own.",
        code="identifier-repeats",
        columns=tuple(repeated),
        column=worst,
        most=most,
        values=values,
    )


def _records_per_value(frame: Frame, name: str) -> tuple[int, int]:
    """Return how many records share a value at most, and how many values there are."""
    known = ~tables.has_missing(frame, [name])
    counts = np.unique(tables.codes(frame, [name])[known], return_counts=True)[1]
    return int(counts.max(initial=0)), len(counts)
