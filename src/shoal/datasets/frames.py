"""Text becomes a table, and a table the frame of the kind that was asked for."""

from io import BytesIO
from typing import Any, Literal, get_args

import pyarrow as pa
from pyarrow import csv

from shoal.errors import InputError, MissingDependency, ParameterError

Kind = Literal["pandas", "polars", "pyarrow"]


def schema(columns: tuple[str, ...], text: tuple[str, ...] = ()) -> pa.Schema:
    """Return a schema of whole numbers, but for the columns in ``text``."""
    return pa.schema([(name, pa.string() if name in text else pa.int64()) for name in columns])


def parse_csv(content: bytes, expected: pa.Schema, rows: int, source: str) -> pa.Table:
    """Read a CSV and check that it is the table that was expected.

    What a wrong file holds is not ours to show: the messages say what was
    expected and how much was found, never a name or a value from the file.
    """
    types = {field.name: field.type for field in expected}
    try:
        table = csv.read_csv(
            BytesIO(content), convert_options=csv.ConvertOptions(column_types=types)
        )
    except pa.ArrowInvalid:
        raise InputError(f"{source} is not the table expected: {_shape(rows, types)}.") from None
    return checked(table, expected, rows, source)


def checked(table: pa.Table, expected: pa.Schema, rows: int, source: str) -> pa.Table:
    """Return ``table`` if it has the rows, the columns and no hole, else refuse it."""
    names = expected.names
    if table.num_rows != rows or table.num_columns != len(names):
        raise InputError(
            f"{source} has {_shape(table.num_rows, table.column_names)};"
            f" {_shape(rows, names)} were expected."
        )
    if table.column_names != names:
        raise InputError(
            f"{source} has other column names than expected. They are, in this order:"
            f" {', '.join(names)}."
        )
    for name in names:
        if table[name].null_count:
            raise InputError(
                f"Column {name!r} of {source} has {table[name].null_count} missing values;"
                " none were expected."
            )
    return table


def check_kind(kind: str) -> None:
    """Refuse a kind of frame that is unknown or not installed, before any work is done."""
    if kind not in get_args(Kind):
        raise ParameterError(
            f"There is no kind of frame {kind!r}. Choose one of: {', '.join(get_args(Kind))}."
        )
    if kind == "polars":
        _polars()


def frame(table: pa.Table, kind: str) -> Any:
    """Return ``table`` as a frame of ``kind``."""
    if kind == "pandas":
        return table.to_pandas()
    return _polars().from_arrow(table) if kind == "polars" else table


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        raise MissingDependency(
            'kind="polars" needs the package polars. Install it with: pip install polars'
        ) from None
    return polars


def _shape(rows: int, columns: Any) -> str:
    return f"{rows} rows x {len(columns)} columns"
