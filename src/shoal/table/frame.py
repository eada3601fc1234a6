"""Tables of any kind, seen through narwhals; nobody else imports it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import ColumnError, InputError
from shoal.parameters import hint
from shoal.table.files import check_names

Frame = nw.DataFrame[Any]

EXACT = 2**53  # beyond it, a float64 cannot tell two whole numbers apart
GREATEST = 1e300  # beyond it, sums of a group may not fit into a float64


def open_frame(data: Any) -> Frame:
    """Return ``data`` as a frame; refuse what is no table or has ambiguous columns."""
    try:
        frame: Frame = nw.from_native(data, eager_only=True)
    except nw.exceptions.DuplicateError:
        check_names(getattr(data, "column_names", data.columns))
        raise
    except TypeError:
        lazy = " Call .collect() first." if hasattr(data, "collect") else ""
        raise InputError(
            f"The data must be a pandas, polars or pyarrow table. Got a"
            f" {type(data).__name__} instead.{lazy}"
        ) from None
    check_names(frame.columns)
    if len(frame) == 0:
        raise InputError("The data hold no records.")
    return frame


def check_columns(frame: Frame, columns: Collection[str]) -> None:
    """Refuse columns that the frame does not have."""
    for name in columns:
        if name not in frame.columns:
            raise ColumnError(
                f"The data have no column {name!r}.{hint(str(name), frame.columns)}"
                f" The columns are: {', '.join(frame.columns)}."
            )


def matrix(
    frame: Frame, columns: Sequence[str], *, order: Literal["C", "F"] = "C"
) -> NDArray[np.float64]:
    """Return the columns as a float64 matrix in original units; refuse what has no mean."""
    check_columns(frame, columns)
    numbers = [_numeric(frame, name) for name in columns]
    X = np.empty((len(frame), len(columns)), order=order)
    holes = {}
    for at, (name, column) in enumerate(zip(columns, numbers, strict=True)):
        missing = int(column.null_count())
        if not missing or column.dtype.is_float():
            values = _floats(column, name)
            missing = int(np.isnan(values).sum())
            X[:, at] = values
        if missing:
            holes[name] = missing
    if holes:
        name, count = next(iter(holes.items()))
        others = ", ".join(f"{other!r} {n}" for other, n in list(holes.items())[1:])
        raise InputError(
            f"Column {name!r} has {count} missing value{'s' if count > 1 else ''}"
            f"{f' ({others} too)' if others else ''}. Impute or drop them first: a group mean over"
            " a hole protects fewer than k records."
        )
    for at, name in enumerate(columns):
        _check_range(X[:, at], name)
    return X


def with_values(frame: Frame, values: Mapping[str, NDArray[Any]]) -> Frame:
    """Return the frame with the values of some columns replaced; all else stays."""
    return frame.with_columns(
        nw.new_series(name, column, backend=frame.implementation) for name, column in values.items()
    )


def only(frame: Frame, columns: Sequence[str]) -> Frame:
    """Return the frame with some columns alone."""
    return frame.select(columns)


def without(frame: Frame, columns: Sequence[str]) -> Frame:
    """Return the frame without some columns."""
    return frame.drop(columns)


def to_native(frame: Frame) -> Any:
    """Return the table in the kind that the caller handed over, without notes on its source.

    The schema of an Arrow table may name dropped columns, or hold anything else.
    """
    native = frame.to_native()
    if isinstance(native, pa.Table):
        bare = pa.schema([field.remove_metadata() for field in native.schema])
        return pa.Table.from_arrays(native.columns, schema=bare)
    return native


def has_own_index(frame: Frame) -> bool:
    """Say whether a pandas table has an index other than the row numbers."""
    index = nw.maybe_get_index(frame)
    return index is not None and type(index).__name__ != "RangeIndex"


def is_numeric(frame: Frame, name: str) -> bool:
    """Say whether a column is there and holds numbers by its type."""
    return name in frame.columns and frame[name].dtype.is_numeric()


def is_measurable(frame: Frame, name: str) -> bool:
    """Say whether a column holds numbers throughout, all fit to compute with."""
    try:
        matrix(frame, [name])
    except InputError:
        return False
    return True


def is_whole(frame: Frame, name: str) -> bool:
    """Say whether a column holds whole numbers by its type."""
    return frame[name].dtype.is_integer()


def codes(frame: Frame, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return one column of numbers per column: equal numbers where the values are equal.

    A missing value counts as a value of its own.
    """
    check_columns(frame, columns)
    encoded = np.empty((len(frame), len(columns)), np.int64, order="F")
    for at, name in enumerate(columns):
        encoded[:, at] = _encoded(frame[name], name)
    return encoded


def keys(frame: Frame, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return what `codes` does, sooner: the numbers have gaps and no order."""
    check_columns(frame, columns)
    found = np.empty((len(frame), len(columns)), np.int64, order="F")
    for at, name in enumerate(columns):
        column = frame[name]
        plain = column.dtype in (nw.Float64, nw.Int64) and column.null_count() == 0
        values = column.to_numpy() if plain else _encoded(column, name)
        if values.dtype == np.float64:  # its bits; those of zero and of minus zero differ
            values = np.where(np.isnan(values), np.nan, values).view(np.int64)
        found[:, at] = values
    return found


def _encoded(column: nw.Series[Any], name: str) -> NDArray[np.int64]:
    try:
        values = column.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise ColumnError(
            f"Column {name!r} mixes kinds of values. Turn it into text first."
        ) from None
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    return np.asarray(values.dictionary_encode(null_encoding="encode").indices.to_numpy())


def differ(first: Frame, second: Frame, name: str) -> bool:
    """Say whether a column has other values, or values of another type, in the other table."""
    one, other = first[name], second[name]
    if one.dtype.is_numeric() and other.dtype.is_numeric():
        one, other = one.cast(nw.Float64), other.cast(nw.Float64)
        return not np.array_equal(one.to_numpy(), other.to_numpy(), equal_nan=True)
    return one.dtype != other.dtype or one.to_list() != other.to_list()


def values_at(frame: Frame, columns: Sequence[str], row: int) -> list[Any]:
    """Return the values of one record."""
    return [frame[name][row] for name in columns]


def _numeric(frame: Frame, name: str) -> nw.Series[Any]:
    column = frame[name]
    if not column.dtype.is_numeric():
        if column.dtype != nw.String:
            kind = str(column.dtype).partition("(")[0].lower()
            raise ColumnError(
                f"Column {name!r} holds {kind} values where numbers are needed. Leave it out, or"
                " turn it into numbers first."
            )
        words = sum(not _is_number(cell) for cell in column.to_list())
        raise ColumnError(
            f"Column {name!r} holds text where numbers are needed, in {words} of {len(column)}"
            " cells. Leave it out, or turn it into numbers; for files, see --missing-text and"
            " --decimal."
        )
    return column


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _floats(column: nw.Series[Any], name: str) -> NDArray[np.float64]:
    if column.dtype.is_integer() and max(-int(column.min()), int(column.max())) >= EXACT:
        raise InputError(
            f"Column {name!r} holds whole numbers beyond 2**53, which cannot be averaged exactly."
            " Leave it out if it is an identifier, or rescale it."
        )
    return np.asarray(column.cast(nw.Float64).to_numpy())


def _check_range(values: NDArray[np.float64], name: str) -> None:
    greatest = max(values.max(), -values.min())
    if greatest == np.inf:
        infinite = int(np.isinf(values).sum())
        raise InputError(
            f"Column {name!r} has {infinite} infinite value{'s' if infinite > 1 else ''}. Correct"
            " or drop them: they have no mean."
        )
    if greatest > GREATEST:
        raise InputError(f"Column {name!r} holds values beyond {GREATEST:g}. Rescale it.")
