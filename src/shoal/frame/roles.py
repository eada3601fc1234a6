"""Roles of columns: what a column is, as opposed to what a step does to it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

from shoal._params import format_argument, hint
from shoal._text import join_names
from shoal.errors import ParameterError, PlanError

Role = Literal[
    "identifier",
    "quasi-identifier",
    "confidential",
    "non-confidential",
    "weight",
    "unit",
    "household",
    "unassigned",
]
UNIT_ROLES: tuple[Role, ...] = ("unit", "household")  # k counts the values of such a column
RECORD_UNIT = "record"  # the unit of protection if no column of units is declared
ROLES: tuple[Role, ...] = get_args(Role)


def check_roles(roles: Mapping[str, str]) -> None:
    """Refuse roles that do not exist."""
    if not isinstance(roles, Mapping):
        raise PlanError(
            f"Roles must map columns to roles. Got {format_argument(roles)} instead.",
            code="roles-no-mapping",
        )
    for column, role in roles.items():
        if not isinstance(column, str):
            raise PlanError(
                f"Column names must be text. Got {format_argument(column)} instead. Rename the"
                " column.",
                code="name-not-text",
            )
        if not isinstance(role, str) or role not in ROLES:
            raise PlanError(
                f"Column {column!r} has the unknown role"
                f" {format_argument(role)}.{hint(role, ROLES)} The roles are: {', '.join(ROLES)}.",
                code="unknown-role",
                column=column,
            )


def as_list(names: str | Iterable[str] | None) -> list[str]:
    """Return column names as a list; accepts a single name, and None for no columns."""
    if names is None or isinstance(names, str):
        return [] if names is None else [names]
    result = list(names) if isinstance(names, Iterable) else [names]
    if isinstance(names, bytes | Mapping) or not all(isinstance(name, str) for name in result):
        raise ParameterError(
            f"Columns must be given as a name or a list of names. Got {format_argument(names)}"
            " instead.",
            code="names-not-text",
        )
    return result


def columns_with(roles: Mapping[str, str], role: Role) -> list[str]:
    """Return the columns that have ``role``."""
    return [column for column, column_role in roles.items() if column_role == role]


def name_columns(columns: Sequence[str], singular: str = "Column", plural: str = "Columns") -> str:
    """Return the names of columns for a sentence: ``Columns 'a', 'b' and 'c'``."""
    return f"{singular if len(columns) == 1 else plural} {join_names([*map(repr, columns)])}"
