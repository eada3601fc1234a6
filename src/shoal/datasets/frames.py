"""Frames of the tables in the package: pandas, polars or pyarrow."""

from io import BytesIO
from typing import Any, Literal, get_args

import pyarrow as pa
from pyarrow import csv

from shoal.errors import MissingDependency, ParameterError

FrameLibrary = Literal["pandas", "polars", "pyarrow"]


def integer_schema(columns: tuple[str, ...], text: tuple[str, ...] = ()) -> pa.Schema:
    """Return a schema of whole numbers, except for the columns in ``text``."""
    return pa.schema([(name, pa.string() if name in text else pa.int64()) for name in columns])


def parse_csv(content: bytes, schema: pa.Schema) -> pa.Table:
    """Read the CSV of a table that comes with the package."""
    types = {field.name: field.type for field in schema}
    return csv.read_csv(BytesIO(content), convert_options=csv.ConvertOptions(column_types=types))


def check_kind(kind: str) -> None:
    """Refuse a kind of frame that is unknown or not installed, before any work is done."""
    if kind not in get_args(FrameLibrary):
        raise ParameterError(
            f"There is no kind of frame {kind!r}. Choose one of:"
            f" {', '.join(get_args(FrameLibrary))}.",
            code="unknown-frame-kind",
            given=kind,
        )
    if kind == "polars":
        _polars()


def to_frame(table: pa.Table, kind: str) -> Any:
    """Return ``table`` as a frame of ``kind``."""
    if kind == "pandas":
        return table.to_pandas()
    return _polars().from_arrow(table) if kind == "polars" else table


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        raise MissingDependency(
            'kind="polars" needs the package polars. Install it with: pip install polars',
            code="package-missing",
            extra="polars",
        ) from None
    return polars
