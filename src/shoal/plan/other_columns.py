"""Columns of a table that a plan does not name: refused, dropped or released."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

from shoal._params import hint
from shoal.errors import ColumnError, PlanError
from shoal.frame.roles import name_columns

if TYPE_CHECKING:
    from shoal.plan import Plan

OtherColumns = Literal["refuse", "drop", "release"]
CHOICES: tuple[OtherColumns, ...] = get_args(OtherColumns)


def check_choice(given: object) -> OtherColumns:
    """Return what is to be done with other columns; refuse what is none of the choices."""
    for choice in CHOICES:
        if given == choice:
            return choice
    raise PlanError(
        f"other_columns must be one of {', '.join(map(repr, CHOICES))}. Got {given!r} instead."
        f"{hint(str(given), CHOICES)}",
        code="unknown-other-columns",
        given=given,
    )


def unnamed(plan: "Plan", columns: Sequence[str]) -> list[str]:
    """Return the columns to which the plan gives no role and which no step masks or splits by."""
    named = {*plan.roles, *plan.masked, *plan.quasi_identifiers}
    return [name for name in columns if name not in named]


def to_drop(plan: "Plan", columns: Sequence[str]) -> list[str]:
    """Return the columns that leave because nobody names them; refuse them where the plan says so.

    Parameters
    ----------
    plan : Plan
        The plan.
    columns : list of str
        The columns of a table.

    Returns
    -------
    list of str
        The columns to drop; none where they are released.
    """
    others = unnamed(plan, columns)
    if others and plan.other_columns == "refuse":
        has = "has" if len(others) == 1 else "have"
        raise ColumnError(
            f"{name_columns(others)} {has} no role in the plan. Give every column a role in the"
            " plan, or"
            ' choose `other_columns="drop"` or `other_columns="release"`.',
            code="columns-not-named",
            columns=tuple(others),
        )
    return others if plan.other_columns == "drop" else []


def with_names(plan: "Plan", columns: Sequence[str]) -> "Plan":
    """Return the plan that repeats a release and refuses columns which that release did not have.

    Where other columns were released, each is given the role ``unassigned``.

    Parameters
    ----------
    plan : Plan
        The plan that was run.
    columns : list of str
        The columns of the table it was run on.

    Returns
    -------
    Plan
        The same plan, if it releases no columns beyond those it names.
    """
    if plan.other_columns != "release":
        return plan
    roles = dict.fromkeys(unnamed(plan, columns), "unassigned")
    return plan.replace(roles={**plan.roles, **roles}, other_columns="refuse")
