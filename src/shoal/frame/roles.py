"""What a column is: its role, which is not what is done to it."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from shoal._params import hint
from shoal.errors import PlanError

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
OF_UNITS: tuple[Role, ...] = ("unit", "household")  # roles of columns whose values k counts
RECORDS = "record"  # the unit of protection where no column names another
ROLES: tuple[Role, ...] = get_args(Role)


def check_roles(roles: Mapping[str, str]) -> None:
    """Refuse a role that does not exist."""
    for column, role in roles.items():
        if role not in ROLES:
            raise PlanError(
                f"Column {column!r} has the unknown role {role!r}.{hint(str(role), ROLES)} The"
                f" roles are: {', '.join(ROLES)}."
            )


def as_list(names: str | Sequence[str]) -> list[str]:
    """Return names as a list; one name may stand alone."""
    return [names] if isinstance(names, str) else list(names)


def columns_with(roles: Mapping[str, str], role: Role) -> list[str]:
    """Return the columns that have ``role``."""
    return [column for column, given in roles.items() if given == role]


def listed(columns: Sequence[str], singular: str = "Column", plural: str = "Columns") -> str:
    """Name one or several columns in a sentence."""
    names = [repr(column) for column in columns]
    if len(names) == 1:
        return f"{singular} {names[0]}"
    return f"{plural} {', '.join(names[:-1])} and {names[-1]}"
