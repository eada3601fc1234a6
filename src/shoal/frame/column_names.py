"""Column names: their validation, and the words in them."""

import re
from collections.abc import Collection
from typing import Any

from shoal.errors import ColumnError


def check_names(names: Collection[Any]) -> None:
    """Refuse column names that are not text or not unique."""
    earlier_names: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise ColumnError(
                f"Column names must be text. Got {name!r} instead. Rename the column.",
                code="name-not-text",
            )
        if name in earlier_names:
            raise ColumnError(
                f"There are two columns named {name!r}. Rename one of them.",
                code="name-twice",
                column=name,
            )
        earlier_names.add(name)


def words_of(name: str) -> set[str]:
    """Return the words in the name of a column, in lower case.

    Examples
    --------
    >>> sorted(words_of("ZipCode_2")), sorted(words_of("date of birth"))
    (['code', 'zip'], ['birth', 'date', 'of'])
    """
    spaced_name = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()
    return set(re.findall(r"[^\W\d_]+", spaced_name))
