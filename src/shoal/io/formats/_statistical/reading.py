"""Reading Stata, SPSS and SAS files with pyreadstat.

pyreadstat returns dates as numbers. They are converted here, so that a column with a number that is
not exactly a date keeps its numbers with all their digits.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import FileError, MissingDependency
from shoal.frame.notation.decimals import MAX_EXACT_INTEGER
from shoal.io.dialect import Dialect
from shoal.io.formats._statistical.date_encoding import DateEncoding
from shoal.io.size_limits import check_columns, check_growth

OBJECT_SIZE = 32  # bytes per value in pyreadstat, besides the value itself
INTEGERS = {"int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32()}


def pyreadstat() -> Any:
    """Return the module pyreadstat; raises `MissingDependency` if it is not installed."""
    try:
        import pyreadstat
    except ImportError:
        raise MissingDependency(
            'Stata, SPSS and SAS files need the package pyreadstat: pip install "shoal[files]".',
            code="package-missing",
            extra="files",
        ) from None
    return pyreadstat


def read_columns(
    reader: Callable[..., Any], path: Path, dialect: Dialect, kind: str, **options: Any
) -> tuple[Mapping[str, list[Any]], Any]:
    """Return the columns as lists, and the metadata of pyreadstat."""
    if not dialect.is_utf8:
        options["encoding"] = dialect.encoding
    with _refuse_damaged(path, kind):
        _check_size(reader, path, dialect, options)
        return reader(  # type: ignore[no-any-return]
            path, output_format="dict", disable_datetime_conversion=True, **options
        )


def read_metadata(reader: Callable[..., Any], path: Path, dialect: Dialect, kind: str) -> Any:
    """Return the metadata of a file without columns."""
    options = {} if dialect.is_utf8 else {"encoding": dialect.encoding}
    with _refuse_damaged(path, kind):
        return reader(path, output_format="dict", **options)[1]


@contextmanager
def _refuse_damaged(path: Path, kind: str) -> Iterator[None]:
    """Turn what pyreadstat raises into an error that shows no value."""
    try:
        with warnings.catch_warnings(action="ignore"):  # a warning may show a value
            yield
    except (OSError, FileError):
        raise
    except Exception:  # of pyreadstat or of Python; some show values
        raise FileError(
            f"{path.name!r} is not {kind}, or it is damaged or truncated. If its text is in another"
            " encoding, give it with `encoding`.",
            code="file-damaged",
            file=path.name,
        ) from None


def _check_size(
    reader: Callable[..., Any], path: Path, dialect: Dialect, options: Mapping[str, Any]
) -> None:
    """Refuse a file that takes too much memory, by the records and widths in its header."""
    if path.suffix.lower() == ".xpt":
        return  # not compressed, and its header has no number of records
    reader_options = {name: value for name, value in options.items() if name == "encoding"}
    meta = reader(path, metadataonly=True, **reader_options)[1]
    check_columns(path.name, meta.number_columns or 0)
    widths = (meta.variable_storage_width or {}).values()
    size = (meta.number_rows or 0) * sum(OBJECT_SIZE + (width or 0) for width in widths)
    check_growth(path.name, path.stat().st_size, max(size, 0), dialect.memory_limit)


def typed_column(
    cells: list[Any], kind: str, *, date_encoding: DateEncoding | None, is_whole: bool
) -> tuple[pa.Array, pa.Array | None]:
    """Return a column of Stata or SAS, and its missing codes as letters, or None without any.

    Parameters
    ----------
    cells : list
        The cells as pyreadstat returns them: a letter is a missing code of a number.
    kind : str
        How the file stores the values, such as ``"double"`` or ``"string"``.
    date_encoding : DateEncoding or None
        How numbers stand for dates or times, or None if they do not.
    is_whole : bool
        Whether the display format shows whole numbers, which then become integers.

    Returns
    -------
    column, codes : pyarrow.Array
        The values, and the code of each missing one.
    """
    if kind.startswith("string"):
        return text(cells), None
    letters = [cell if isinstance(cell, str) else None for cell in cells]
    values = np.array(
        [np.nan if cell is None or isinstance(cell, str) else cell for cell in cells], np.float64
    )
    codes = pa.array(letters, pa.string()) if any(letters) else None
    return to_type(values, kind, date_encoding=date_encoding, is_whole=is_whole), codes


def to_type(
    values: Any, kind: str, *, date_encoding: DateEncoding | None, is_whole: bool
) -> pa.Array:
    """Return float64 values, NaN for missing, as dates, integers or floats."""
    is_missing = np.isnan(values)
    if date_encoding is not None:
        dates = date_encoding.decode(values, is_missing)
        if dates is not None:
            return dates
    if kind in INTEGERS:
        return pa.array(values, mask=is_missing).cast(INTEGERS[kind])
    if is_whole and _is_whole(values[~is_missing]):
        return pa.array(values, mask=is_missing).cast(pa.int64())
    if kind == "float":
        return pa.array(values, mask=is_missing).cast(pa.float32())
    return pa.array(values, mask=is_missing)


def text(cells: list[Any], *, blank_is_missing: bool = True) -> pa.Array:
    """Return a column of text; in Stata and SAS, empty text is missing."""
    if blank_is_missing:
        cells = [cell or None for cell in cells]
    return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())


def _is_whole(values: Any) -> bool:
    return bool(len(values)) and bool(
        np.all(np.abs(values) < MAX_EXACT_INTEGER) and np.all(values % 1 == 0)
    )
