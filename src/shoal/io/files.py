"""Reading a table from a file or a database, and writing it to a file."""

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import FileError, ShoalError
from shoal.frame.column_names import check_names
from shoal.frame.missing_codes import MissingCodes, without_codes
from shoal.frame.tables import open_frame, to_native
from shoal.frame.types import Type
from shoal.io.database.connection import is_database, read_table
from shoal.io.dialect import Dialect
from shoal.io.formats import check_signature, format_of, writable_suffixes
from shoal.io.formats._arrow_schema import metadata_of
from shoal.io.source import Source
from shoal.io.store_addresses import refuse_store


def read(
    path: str | Path, *, dialect: Dialect | None = None, numbers: Collection[str] | None = None
) -> pa.Table:
    """Read a table from a file or a database.

    Parameters
    ----------
    path : str or Path
        The file, in the format of its suffix, or the address of a database. See docs/files.md.
    dialect : Dialect, optional
        What the file does not state, such as the separator of a text table.
    numbers : collection of str, optional
        Columns of a text table to parse as numbers if they contain only numbers; the others stay
        text. None parses all columns that contain only numbers.

    Returns
    -------
    pyarrow.Table
        The records, without the metadata of the file.
    """
    return open_source(path, dialect=dialect, numbers=numbers).table


def open_source(
    path: str | Path, *, dialect: Dialect | None = None, numbers: Collection[str] | None = None
) -> Source:
    """Read a table with the metadata of its file; see `read`."""
    dialect = dialect or Dialect()
    if is_database(path):
        return _check_table(read_table(str(path), dialect.table), "The table")
    refuse_store(path)
    path = Path(path)
    file_format = format_of(path, dialect)
    if path.is_dir():
        raise FileError(
            f"{str(path)!r} is a directory. Name a file in it.",
            code="is-a-directory",
            file=str(path),
        )
    if not path.exists():
        raise FileError(f"There is no file {str(path)!r}.", code="no-such-file", file=str(path))
    try:
        check_signature(path, file_format)
        source: Source = file_format.load().read(path, dialect, numbers)
    except ShoalError:
        raise
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError, pa.ArrowKeyError):
        raise FileError(
            f"{path.name!r} is not a {file_format.name} file, or it is damaged.",
            code="file-damaged",
            file=path.name,
        ) from None
    except pa.ArrowMemoryError:  # a damaged file may declare any length
        raise FileError(
            f"{path.name!r} declares more values than fit into memory, or it is damaged.",
            code="file-too-large",
            file=path.name,
        ) from None
    except OSError as error:
        raise FileError.unreadable(path, error, "the file is damaged") from None
    return _check_table(source, repr(path.name))


def read_typed(
    path: str | Path,
    types: Mapping[str, Type],
    dialect: Dialect,
    missing_codes: MissingCodes | None = None,
) -> pa.Table:
    """Read a table; columns without a declared type are parsed as numbers where possible.

    Missing codes of columns that the table has become null.
    """
    return typed_table(open_source(path, dialect=dialect, numbers=()), types, missing_codes)


def typed_table(
    source: Source, types: Mapping[str, Type], missing_codes: MissingCodes | None = None
) -> pa.Table:
    """Return the table of a source, as `read_typed` reads it."""
    text_columns = [name for name, declared in types.items() if declared.kind != "numeric"]
    names = source.table.column_names
    codes = {
        name: column_codes for name, column_codes in (missing_codes or {}).items() if name in names
    }
    other_names = [name for name in names if name not in text_columns]
    table = source.without_codes(codes).table_with_numbers(other_names, text_columns)
    return to_native(without_codes(open_frame(table), codes)) if codes else table


def write(
    data: Any, path: str | Path, *, target: Path, dialect: Dialect | None = None
) -> tuple[str, ...]:
    """Write a table to ``path`` in the format of the suffix of ``target``.

    Parameters
    ----------
    data : Source or pyarrow.Table
        The table, with the metadata of its file or in its schema.
    path : str or Path
        File to write.
    target : Path
        Final name of the file.
    dialect : Dialect, optional
        What the suffix does not state, such as the separator of a text table.

    Returns
    -------
    tuple of str
        Sentences about metadata that the format cannot hold.
    """
    dialect = dialect or Dialect()
    source = data if isinstance(data, Source) else Source(data, metadata_of(data.schema))
    remarks = format_of(target, dialect).load().write(source, Path(path), dialect, target)
    return (*source.remarks, *remarks)


def read_back(path: Path, *, target: Path, dialect: Dialect) -> Source:
    """Read a file written for ``target`` as readers of the release will read it."""
    # The file has one sheet, and its table fitted into memory already.
    reading_dialect = replace(dialect, sheet=None, table=None, memory_limit=math.inf)
    try:
        return open_source(path, dialect=reading_dialect, numbers=())
    except ShoalError:
        raise FileError(
            f"{target.name!r} could not be read back after writing. Nothing was released. Write"
            " another format.",
            code="not-read-back",
            file=target.name,
        ) from None


def check_format(path: Path, dialect: Dialect | None = None) -> None:
    """Refuse a path whose suffix names no format, or a format that cannot be written."""
    file_format = format_of(path, dialect)
    if not file_format.writable:
        raise FileError(
            f"{file_format.name} files can be read, not written. Write {file_format.write_suffix}"
            f" instead, or another format: {', '.join(writable_suffixes())}.",
            code="format-only-read",
            format=file_format.name,
            instead=file_format.write_suffix,
        )
    file_format.load()  # raises now, not after the computation, if a package is missing


def _check_table(source: Source, description: str) -> Source:
    check_names(source.table.column_names)
    if source.table.num_rows == 0:
        raise FileError(f"{description} has no records.", code="no-records")
    return source
