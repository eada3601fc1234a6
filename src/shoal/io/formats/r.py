"""R files, .rds and .rda: a data frame, read only.

The package rdata reads the objects; factors, dates and labels are converted here.
"""

import bz2
import gzip
import lzma
import warnings
import zlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import ColumnError, FileError, MissingDependency
from shoal.io.dialect import Dialect
from shoal.io.formats._table_choice import choose_table
from shoal.io.metadata import ColumnMetadata, FileMetadata
from shoal.io.size_limits import check_columns, check_growth
from shoal.io.source import Source

try:
    import rdata
except ImportError:
    raise MissingDependency(
        'R files need the package rdata: pip install "shoal[r]".',
        code="package-missing",
        extra="r",
    ) from None

CHUNK = 1 << 20
_COMPRESSIONS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}


@dataclass(frozen=True)
class _DataFrame:
    """An R data frame: its columns, and whether its rows have names."""

    columns: Mapping[str, Any]
    has_row_names: bool


@dataclass(frozen=True)
class _Labelled:
    """A vector with a label and value labels."""

    values: Any
    label: str | None = None
    value_labels: Mapping[Any, str] = field(default_factory=dict)


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a data frame of an R file."""
    del numbers  # the format has types
    content = _decompress(path, dialect)
    try:
        with warnings.catch_warnings(action="ignore"):  # a warning may show a value
            parsed = rdata.parser.parse_data(content, extension=path.suffix.lower())
            objects = rdata.conversion.convert(parsed, constructor_dict=_CONSTRUCTORS)
    except Exception:  # rdata raises many kinds of errors, and some show values
        raise _damaged_error(path) from None
    frame = _choose_frame(objects, path, dialect.table)
    check_columns(path.name, len(frame.columns))
    columns, column_metadata = {}, {}
    for name, values in frame.columns.items():
        labelled = values if isinstance(values, _Labelled) else _Labelled(values)
        columns[name] = _array(name, labelled.values)
        column_metadata[name] = ColumnMetadata(
            label=labelled.label, value_labels=labelled.value_labels
        )
    remarks = ("The names of the rows are left out: they may name persons.",)
    table = pa.table(columns)
    return Source(
        table, FileMetadata("r", column_metadata), remarks=remarks if frame.has_row_names else ()
    )


def _decompress(path: Path, dialect: Dialect) -> bytes:
    """Return the content of a file, which R may have compressed; refuse one that is too large."""
    with path.open("rb") as file:
        first_bytes = file.read(8)
    open_file = next(
        (
            opener
            for signature, opener in _COMPRESSIONS.items()
            if first_bytes.startswith(signature)
        ),
        open,
    )
    content = bytearray()
    file_size = path.stat().st_size
    try:
        with open_file(path, "rb") as file:
            for chunk in iter(lambda: file.read(CHUNK), b""):
                content += chunk
                check_growth(path.name, file_size, len(content), dialect.memory_limit)
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile):
        raise _damaged_error(path) from None
    return bytes(content)


def _choose_frame(objects: Any, path: Path, name: str | None) -> _DataFrame:
    """Return the data frame of a file, by its name if there are several."""
    if isinstance(objects, _DataFrame):
        return objects
    by_name = objects if isinstance(objects, dict) else {}
    frames = {key: value for key, value in by_name.items() if isinstance(value, _DataFrame)}
    if not frames:
        raise FileError(
            f"{path.name!r} contains no data frame.", code="no-data-frame", file=path.name
        )
    return frames[choose_table(path, frames, name, noun="data frame", option="table")]


def _damaged_error(path: Path) -> FileError:
    return FileError(
        f"{path.name!r} is not an R file, or it is damaged or truncated.",
        code="file-damaged",
        file=path.name,
    )


def _data_frame(columns: Any, attributes: Mapping[str, Any]) -> _DataFrame:
    """Return a data frame; its rows have names unless they are numbered."""
    names = attributes.get("row.names", ())
    has_names = len(names) > 0 and isinstance(names[0], str)
    return _DataFrame({str(n): v for n, v in dict(columns or {}).items()}, has_names)


def _factor(codes: Any, attributes: Mapping[str, Any]) -> pa.Array:
    levels = [str(level) for level in attributes["levels"]]
    missing = np.ma.getmaskarray(codes) | (np.ma.getdata(codes) < 1)
    indices = pa.array(np.ma.getdata(codes).astype(np.int32) - 1, mask=missing)
    is_ordered = "ordered" in attributes.get("class", ())
    return pa.DictionaryArray.from_arrays(
        indices, pa.array(levels, pa.string()), ordered=is_ordered
    )


def _date(days: Any, attributes: Mapping[str, Any]) -> pa.Array:
    del attributes
    values, missing = _floats(days)
    return pa.array(np.floor(values).astype(np.int32), mask=missing).cast(pa.date32())


def _datetime(seconds: Any, attributes: Mapping[str, Any]) -> pa.Array:
    values, missing = _floats(seconds)
    zone = next(iter(attributes.get("tzone", ())), None) or "UTC"
    return pa.array(np.rint(values * 1e6).astype(np.int64), mask=missing).cast(
        pa.timestamp("us", str(zone))
    )


def _long_integers(bits: Any, attributes: Mapping[str, Any]) -> pa.Array:
    """Return 64-bit integers, which R stores in the bits of floats."""
    del attributes
    values = np.ascontiguousarray(np.ma.getdata(bits), np.float64).view(np.int64)
    return pa.array(values, mask=values == np.iinfo(np.int64).min)


def _decode_labelled(values: Any, attributes: Mapping[str, Any]) -> _Labelled:
    labels: Any = attributes.get("labels")
    label_of_value: dict[Any, str] = {}
    if hasattr(labels, "coords"):  # an array with names
        texts = next(iter(labels.coords.values())).values.tolist()
        label_of_value = dict(zip(np.asarray(labels.values).tolist(), map(str, texts), strict=True))
    label = next(iter(attributes.get("label", ())), None)
    return _Labelled(values, None if label is None else str(label), label_of_value)


_CONSTRUCTORS: Mapping[str | bytes, Callable[[Any, Mapping[str, Any]], Any]] = {
    "data.frame": _data_frame,
    "factor": _factor,
    "ordered": _factor,
    "Date": _date,
    "POSIXct": _datetime,
    "integer64": _long_integers,
    "haven_labelled": _decode_labelled,
}


def _floats(values: Any) -> tuple[Any, Any]:
    """Return float64 values, 0 where missing, and the mask of missing values."""
    array = getattr(values, "values", values)  # an array with names
    floats = np.ma.filled(np.ma.asarray(array).astype(np.float64), np.nan)
    missing = np.isnan(floats)
    return np.where(missing, 0.0, floats), missing


def _array(name: str, values: Any) -> pa.Array:
    """Return a column of R as an Arrow array."""
    if isinstance(values, pa.Array):
        return values
    values = getattr(values, "values", values)
    kind = getattr(values, "dtype", np.dtype(object)).kind
    if not isinstance(values, np.ndarray) or values.ndim != 1 or kind == "c":
        raise ColumnError(
            f"Column {name!r} contains lists, a matrix or complex numbers, which a table cannot"
            " hold. Leave it out, or make columns of its parts first.",
            code="nested-column",
            column=name,
        )
    if kind == "f":
        floats, missing = _floats(values)
        return pa.array(floats, mask=missing)
    if kind in "ibu":
        return pa.array(np.ma.getdata(values), mask=np.ma.getmaskarray(values))
    texts = [None if cell is None or cell != cell else str(cell) for cell in values.tolist()]
    return pa.array(texts, pa.string())
