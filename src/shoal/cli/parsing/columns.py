"""Lists of columns on the command line: ``-c age,wage`` or ``-c age -c wage``."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.cli.parsing.sources import may_be_large

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect

COLUMNS = "COLUMN,..."  # metavar of a list of columns

ColumnLists = Sequence[Sequence[str] | None]  # None for an option that is not given


def split_columns(texts: Sequence[str], columns: Collection[str]) -> list[str]:
    """Return the names in a list of columns; a name of ``columns`` may itself contain a comma.

    Examples
    --------
    >>> split_columns(["age,wage", "sex"], ["age", "wage", "sex"])
    ['age', 'wage', 'sex']
    >>> split_columns(["age,wage,sex"], ["age", "wage,sex"])
    ['age', 'wage,sex']
    """
    names = [name for text in texts for name in _split_text(text, columns)]
    return [name for name in names if name] or list(texts)


def _split_text(text: str, columns: Collection[str]) -> list[str]:
    """Return the names in a text; if several columns match its beginning, the longest is taken."""
    names: list[str] = []
    pieces = text.split(",")
    while pieces:
        lengths = range(len(pieces), 0, -1)
        matches = ((_matching_column(",".join(pieces[:n]), columns), n) for n in lengths)
        name, length = next((match for match in matches if match[0]), (pieces[0].strip(), 1))
        names.append(name)
        pieces = pieces[length:]
    return names


def _matching_column(text: str, columns: Collection[str]) -> str:
    """Return the column that a text names, without surrounding spaces, or an empty string."""
    return next((name for name in (text, text.strip()) if name in columns), "")


def split_lists(
    lists: ColumnLists, read_names: Callable[[], Collection[str]]
) -> list[list[str] | None]:
    """Split several lists of columns; ``read_names`` is called only if one contains a comma."""
    if not any("," in text for texts in lists for text in texts or ()):
        return [None if texts is None else list(texts) for texts in lists]
    names = read_names()
    return [None if texts is None else split_columns(texts, names) for texts in lists]


def column_names_of(sources: Sequence[str], dialect: "Dialect") -> list[str]:
    """Return the names of the columns of a source.

    Only the header of text tables and Parquet files is read; other files are read whole.
    """
    from shoal.io.database.connection import is_database
    from shoal.io.files import open_source
    from shoal.io.formats import format_of
    from shoal.io.text_tables.reading import read_header

    first = sources[0]
    if len(sources) > 1 or may_be_large(first):
        from shoal.scale.sources.chunks import read_footer
        from shoal.scale.sources.source_files import find_files

        files = find_files(sources)
        return list(read_footer(files[0]).schema.names) if files else []
    path = Path(first)
    if not is_database(first) and path.is_file() and format_of(path, dialect).name == "text":
        return read_header(path, dialect)
    return list(open_source(first, dialect=dialect, numbers=()).table.column_names)
