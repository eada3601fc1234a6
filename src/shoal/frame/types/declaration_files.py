"""Files with the rows of a hierarchy or of distances."""

import csv
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.errors import FileError

SEPARATORS = ("\t", ";", ",")


def read_rows(name: str | Path, folder: Path | None) -> Any:
    """Read the rows of a text file without a header; the separator is inferred from all lines.

    Hierarchies exported by other software usually use semicolons, and their values may contain
    commas. A ``.toml`` file contains a hierarchy as nested tables.

    Parameters
    ----------
    name : str or Path
        The file, as given in the type.
    folder : Path or None
        Folder that must contain the file, for a type declared in a plan document. None for a type
        given by the user, who may name any file.

    Returns
    -------
    list of list of str, or dict
        Cells of each row; the tables of a ``.toml`` file.
    """
    path = Path(name) if folder is None else resolve_inside(name, folder)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError.unreadable(name, error) from None
    except UnicodeError:
        raise FileError(
            f"{path.name!r} is not written in utf-8.", code="wrong-encoding", file=path.name
        ) from None
    if path.suffix.lower() == ".toml":
        return _parse_toml(text, path.name)
    return _split_rows(text.splitlines())


def _split_rows(lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of lines, by the first separator that gives all lines the same number.

    If there is none, the most frequent separator of the first line is used.

    >>> _split_rows(["Managers, directors;staff, all;*", "Clerks;staff, all;*"])
    [['Managers, directors', 'staff, all', '*'], ['Clerks', 'staff, all', '*']]
    """
    tables = {
        separator: [row for row in csv.reader(lines, delimiter=separator) if row]
        for separator in SEPARATORS
    }
    for rows in tables.values():
        if len({len(row) for row in rows}) == 1 and len(rows[0]) > 1:
            return rows
    first = lines[0] if lines else ""
    return tables[max(SEPARATORS, key=first.count)]


def _parse_toml(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        raise FileError(
            f"{name!r} cannot be read as TOML.", code="hierarchy-unreadable", file=name
        ) from None


def resolve_inside(name: str | Path, folder: Path) -> Path:
    """Return the path of a file named in a plan; refuse one outside the plan's folder.

    Otherwise a plan written by another person could copy any file of this machine into manifest
    and report.
    """
    path = Path(name)
    if path.is_absolute() or ".." in path.parts:
        raise FileError(
            f"The plan names the file {str(name)!r}, outside its own folder. Put the file next to"
            " the plan.",
            code="file-outside-plan",
            file=str(name),
        )
    try:
        resolved, home = (folder / path).resolve(), folder.resolve()
        is_special = resolved.exists() and not resolved.is_file()
    except (OSError, ValueError, RuntimeError):  # too long, a NUL character, circular links
        raise FileError(
            f"{str(name)!r} could not be read: it is not a valid file name.",
            code="file-unreadable",
            file=str(name),
        ) from None
    if not resolved.is_relative_to(home):
        raise FileError(
            f"The plan names the file {str(name)!r}, which links to a file outside the plan's"
            " folder. Put the file itself next to the plan.",
            code="file-outside-plan",
            file=str(name),
        )
    if is_special:
        raise FileError(
            f"{str(name)!r} could not be read: it is not a regular file.",
            code="file-unreadable",
            file=str(name),
        )
    return resolved
