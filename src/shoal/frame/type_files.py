"""Files that declare a hierarchy or distances: which may be read, and their rows."""

import csv
from pathlib import Path

from shoal.errors import FileError


def read_rows(name: str | Path, folder: Path | None) -> list[list[str]]:
    """Read rows from a text file without a header; the first line shows what separates cells.

    A hierarchy may come from other software, which mostly writes semicolons.

    Parameters
    ----------
    name : str or Path
        The file, as a type names it.
    folder : Path or None
        The folder that the file must lie in, for a type that a plan document declares; None for
        one that the user gives, who may name any file.

    Returns
    -------
    list of list of str
        The cells of each row.
    """
    path = Path(name) if folder is None else inside(name, folder)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = (error.strerror or "I/O error").lower()
        raise FileError(
            f"{str(name)!r} could not be read: {reason}.", code="file-unreadable", file=str(name)
        ) from None
    except UnicodeError:
        raise FileError(
            f"{path.name!r} is not written in utf-8.", code="wrong-encoding", file=path.name
        ) from None
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    return [row for row in csv.reader(text.splitlines(), delimiter=separator) if row]


def inside(name: str | Path, folder: Path) -> Path:
    """Return the path of a file that a plan names; refuse one that lies outside its folder.

    Whoever writes a plan could otherwise have any file of the machine read, and its rows stand in
    manifest and report.
    """
    path = Path(name)
    if path.is_absolute() or ".." in path.parts:
        raise FileError(
            f"The plan names the file {str(name)!r}, outside its own folder. Put the file beside"
            " the plan.",
            code="file-outside-plan",
            file=str(name),
        )
    try:
        found, home = (folder / path).resolve(), folder.resolve()
        special = found.exists() and not found.is_file()
    except (OSError, ValueError, RuntimeError):  # too long, a NUL, links in a circle
        raise FileError(
            f"{str(name)!r} could not be read: it is not the name of a file.",
            code="file-unreadable",
            file=str(name),
        ) from None
    if not found.is_relative_to(home):
        raise FileError(
            f"The plan names the file {str(name)!r}, which is a link to a place outside the plan's"
            " folder. Put the file itself beside the plan.",
            code="file-outside-plan",
            file=str(name),
        )
    if special:
        raise FileError(
            f"{str(name)!r} could not be read: it is not a regular file.",
            code="file-unreadable",
            file=str(name),
        )
    return found
