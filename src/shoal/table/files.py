"""A path becomes a table, and a table a file."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import ColumnError, FileError
from shoal.table.csv import Dialect, parse_columns, read_csv, write_csv
from shoal.table.types import Type

TEXT = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")


def read(
    path: str | Path, *, dialect: Dialect | None = None, numbers: Collection[str] | None = None
) -> pa.Table:
    """Read a table from a CSV or Parquet file.

    Parameters
    ----------
    path : str or Path
        The file; its ending says what it is.
    dialect : Dialect, optional
        How a text table is written.
    numbers : collection of str, optional
        Columns of a text table to read as numbers where they hold numbers; the
        others stay as they are written. None reads every column that holds
        only numbers as numbers.

    Returns
    -------
    pyarrow.Table
        The table.
    """
    path = Path(path)
    kind = _kind(path)
    if path.is_dir():
        raise FileError(f"{str(path)!r} is a directory. Name a file in it.")
    if not path.exists():
        raise FileError(f"There is no file {str(path)!r}.")
    try:
        if kind == "text":
            table = read_csv(path, dialect or Dialect(), numbers)
        else:
            table = pq.read_table(path)
    except pa.ArrowInvalid:
        raise FileError(f"{path.name!r} is not a Parquet file, or it is damaged.") from None
    except FileError:
        raise
    except OSError as error:
        reason = (error.strerror or "the file is damaged").lower()
        raise FileError(f"{str(path)!r} could not be read: {reason}.") from None
    check_names(table.column_names)
    if table.num_rows == 0:
        raise FileError(f"{path.name!r} holds no records.")
    return table


def with_numbers(
    table: pa.Table,
    columns: Collection[str],
    *,
    path: Path,
    dialect: Dialect | None = None,
    words: Collection[str] = (),
) -> pa.Table:
    """Return a table read from ``path`` with more columns as numbers, where it is a text table.

    Those of ``columns`` that hold other text, and ``words``, stay text, in which nothing
    and the sign for a missing value are holes.
    """
    if _kind(path) != "text":
        return table
    return parse_columns(table, columns, dialect or Dialect(), words)


def read_typed(path: Path, types: Mapping[str, Type], dialect: Dialect) -> pa.Table:
    """Read a table in which some columns have declared types, and guess the others."""
    table = read(path, dialect=dialect, numbers=())
    words = [name for name, declared in types.items() if declared.kind != "numeric"]
    others = [name for name in table.column_names if name not in words]
    return with_numbers(table, others, path=path, dialect=dialect, words=words)


def as_written(
    table: pa.Table, source: pa.Table, columns: Collection[str], kept: Any = None
) -> pa.Table:
    """Return ``table`` with some columns as they stand in ``source``, to the letter.

    ``kept`` says which records of the source the table holds, where it lacks some.
    """
    source = source if kept is None else source.filter(pa.array(kept))
    for name in columns:
        table = table.set_column(table.column_names.index(name), name, source.column(name))
    return table


def write(data: Any, path: str | Path, *, target: Path, dialect: Dialect | None = None) -> None:
    """Write an Arrow table to ``path`` in the format that the name of ``target`` asks for."""
    dialect = dialect or Dialect()
    if _kind(target) == "text":
        write_csv(data, Path(path), dialect, dialect.separator_for(target))
    else:
        pq.write_table(data, path)


def check_names(names: Collection[Any]) -> None:
    """Refuse names that do not tell the columns apart."""
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise ColumnError(f"Column names must be text. Got {name!r}: rename the column.")
        if name in seen:
            raise ColumnError(f"There are two columns named {name!r}. Rename one of them.")
        seen.add(name)


def check_format(path: Path) -> None:
    """Refuse a path whose ending names no format."""
    _kind(path)


def _kind(path: Path) -> str:
    suffix = Path(path).suffix.lower()
    if suffix in TEXT:
        return "text"
    if suffix in PARQUET:
        return "parquet"
    raise FileError(
        f"The ending of {Path(path).name!r} names no format. Use one of:"
        f" {', '.join(TEXT + PARQUET)}."
    )
