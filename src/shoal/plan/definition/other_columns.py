"""Columns of a table that a plan does not name, which it refuses, drops or releases."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from shoal._params import hint
from shoal.errors import ColumnError, PlanError
from shoal.frame.roles import name_columns

if TYPE_CHECKING:
    from shoal.plan import Plan

OtherColumns = Literal["refuse", "drop", "release"]
CHOICES: tuple[OtherColumns, ...] = get_args(OtherColumns)


def check_other_columns(option: object) -> OtherColumns:
    """Return a valid choice for other columns; refuse any other value."""
    for choice in CHOICES:
        if option == choice:
            return choice
    raise PlanError(
        f"`other_columns` must be one of {', '.join(map(repr, CHOICES))}. Got {option!r} instead."
        f"{hint(str(option), CHOICES)}",
        code="unknown-other-columns",
        given=option,
    )


def unnamed_columns(plan: "Plan", columns: Sequence[str]) -> list[str]:
    """Return the columns to which the plan gives no role and which no step masks or splits by."""
    names = {*plan.roles, *plan.masked, *plan.quasi_identifiers}
    return [name for name in columns if name not in names]


def columns_to_drop(plan: "Plan", columns: Sequence[str]) -> list[str]:
    """Return the columns to drop because the plan does not name them, or refuse them.

    Parameters
    ----------
    plan : Plan
        The plan.
    columns : list of str
        The columns of a table.

    Returns
    -------
    list of str
        The columns to drop; an empty list if the plan releases other columns.
    """
    unnamed = unnamed_columns(plan, columns)
    if unnamed and plan.other_columns == "refuse":
        verb = "has" if len(unnamed) == 1 else "have"
        raise ColumnError(
            f"{name_columns(unnamed)} {verb} no role in the plan. Give every column a role in the"
            ' plan, or choose `other_columns="drop"` or `other_columns="release"`.',
            code="columns-not-named",
            columns=tuple(unnamed),
        )
    return unnamed if plan.other_columns == "drop" else []


def with_all_columns_named(plan: "Plan", columns: Sequence[str]) -> "Plan":
    """Return a plan that names all columns of a release and refuses any other column.

    Columns that were released unnamed get the role ``unassigned``.

    Parameters
    ----------
    plan : Plan
        The plan of the release.
    columns : list of str
        The columns of the table that it was run on.

    Returns
    -------
    Plan
        The plan with further roles, or ``plan`` itself if it does not release unnamed columns.
    """
    changes = changes_to_name_all_columns(plan, columns)
    return plan.replace(**changes) if changes else plan


def changes_to_name_all_columns(plan: "Plan", columns: Sequence[str]) -> dict[str, Any]:
    """Return the parameters that `with_all_columns_named` replaces, which may be none."""
    if plan.other_columns != "release":
        return {}
    roles = dict.fromkeys(unnamed_columns(plan, columns), "unassigned")
    return {"roles": {**plan.roles, **roles}, "other_columns": "refuse"}
