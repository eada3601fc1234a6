"""Lists of columns on the command line: ``-c age,wage`` or ``-c age -c wage``."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect

Lists = Sequence[Sequence[str] | None]


def split_columns(texts: Sequence[str], columns: Collection[str]) -> list[str]:
    """Return the names in a list of columns; a name of ``columns`` may itself contain a comma.

    Examples
    --------
    >>> split_columns(["age,wage", "sex"], ["age", "wage", "sex"])
    ['age', 'wage', 'sex']
    >>> split_columns(["age,wage,sex"], ["age", "wage,sex"])
    ['age', 'wage,sex']
    """
    names: list[str] = []
    for text in texts:
        parts = text.split(",")
        start = 0
        while start < len(parts):
            ends = range(len(parts), start + 1, -1)  # the longest name first
            joined_parts = {end: ",".join(parts[start:end]) for end in ends}
            end = next(
                (
                    stop
                    for stop, joined in joined_parts.items()
                    if _matching_column(joined, columns)
                ),
                start + 1,
            )
            names.append(
                _matching_column(",".join(parts[start:end]), columns) or parts[start].strip()
            )
            start = end
    return [name for name in names if name] or list(texts)


def _matching_column(text: str, columns: Collection[str]) -> str:
    """Return the column that a text names, with or without the spaces around it."""
    return next((name for name in (text, text.strip()) if name in columns), "")


def split_lists(lists: Lists, columns: Callable[[], Collection[str]]) -> list[list[str] | None]:
    """Split several lists of columns; ``columns`` is called only if one contains a comma."""
    if not any("," in text for texts in lists for text in texts or ()):
        return [None if texts is None else list(texts) for texts in lists]
    names = columns()
    return [None if texts is None else split_columns(texts, names) for texts in lists]


def column_names_of(sources: Sequence[str], dialect: "Dialect") -> list[str]:
    """Return the names of the columns of a source.

    Of text tables and Parquet files only the header is read; other files are read whole.
    """
    from shoal.io.csv import read_header
    from shoal.io.database import is_database
    from shoal.io.files import open_source
    from shoal.io.formats import format_of
    from shoal.io.store import is_store

    first = sources[0]
    if (
        len(sources) > 1
        or is_store(first)
        or first.lower().endswith((".parquet", ".pq"))
        or (Path(first).is_dir())
    ):
        from shoal.scale.sources.chunks import read_footer
        from shoal.scale.sources.source_files import find_files

        files = find_files(sources)
        return list(read_footer(files[0]).schema.names) if files else []
    path = Path(first)
    if not is_database(first) and path.is_file() and format_of(path, dialect).name == "text":
        return read_header(path, dialect)
    return list(open_source(first, dialect=dialect, numbers=()).table.column_names)
