"""The table to read from a file that may contain several: a sheet, a data frame or a table."""

from collections.abc import Collection
from pathlib import Path

from shoal._params import hint
from shoal.errors import FileError


def choose_table(
    path: Path, names: Collection[str], chosen: str | None, *, noun: str, option: str
) -> str:
    """Return the name of the table to read.

    Parameters
    ----------
    path : Path
        The file.
    names : collection of str
        The tables in the file.
    chosen : str or None
        The table that the user named, or None if the file is expected to contain only one.
    noun : str
        What such a table is called in the format, in the singular.
    option : str
        Field of a dialect that names the table: ``"sheet"`` or ``"table"``.

    Returns
    -------
    str
        One of ``names``.
    """
    if not names:
        raise FileError(
            f"{path.name!r} contains no {noun}.",
            code="no-sheet" if option == "sheet" else "no-table",
            file=path.name,
        )
    if chosen is None and len(names) == 1:
        return next(iter(names))
    listed_names = ", ".join(map(repr, names))
    if chosen is None:
        raise FileError(
            f"{path.name!r} contains several {noun}s: {listed_names}. Choose one with `{option}`.",
            code="sheet-needed" if option == "sheet" else "table-needed",
            file=path.name,
            **{f"{option}s": tuple(names)},
        )
    if chosen not in names:
        raise FileError(
            f"{path.name!r} has no {noun} {chosen!r}.{hint(chosen, names)} The {noun}s are:"
            f" {listed_names}.",
            code="no-such-sheet" if option == "sheet" else "no-such-table",
            file=path.name,
            **{option: chosen},
        )
    return chosen
