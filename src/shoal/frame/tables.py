"""Access to tables of any library, through narwhals."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from narwhals.stable.v2.typing import IntoDataFrame as IntoDataFrame
from numpy.typing import NDArray

from shoal._params import hint
from shoal._text import count
from shoal.errors import ColumnError, InputError
from shoal.frame.column_names import check_names
from shoal.frame.conversion import as_supported
from shoal.frame.hidden_values import drop_unused_categories
from shoal.frame.notation.decimals import MAX_EXACT_INTEGER

Frame = nw.DataFrame[Any]

MAX_VALUE = 1e300  # sums over a group of larger values may overflow float64


def open_frame(data: IntoDataFrame) -> Frame:
    """Return ``data`` as a narwhals frame; refuse other objects and ambiguous column names."""
    data = as_supported(data)
    try:
        frame: Frame = nw.from_native(data, eager_only=True)
    except nw.exceptions.DuplicateError:
        check_names(getattr(data, "column_names", data.columns))
        raise
    except TypeError:
        collect_hint = " Call .collect() first." if hasattr(data, "collect") else ""
        raise InputError(
            "The data must be a pandas, polars or pyarrow table, or a DuckDB relation. Got an"
            f" object of type {type(data).__name__} instead.{collect_hint}",
            code="not-a-table",
            given=type(data).__name__,
        ) from None
    check_names(frame.columns)
    if len(frame) == 0:
        raise InputError("The data have no records.", code="no-records")
    return frame


def check_columns(frame: Frame, columns: Collection[str]) -> None:
    """Raise `ColumnError` for a column that the frame does not have."""
    existing = set(frame.columns)
    for name in columns:
        if name not in existing:
            raise ColumnError(
                f"The data have no column {name!r}.{_column_hint(str(name), frame.columns)}"
                f" The columns are: {', '.join(frame.columns)}.",
                code="no-such-column",
                column=name,
            )


def _column_hint(name: str, columns: Sequence[str]) -> str:
    """Return what an unknown name may mean: several columns, or one of a similar name."""
    names = [part.strip() for part in name.split(",")]
    if len(names) > 1 and set(names) <= set(columns):
        return " These are several columns: name each of them separately."
    return hint(name, columns)


def matrix(
    frame: Frame, columns: Sequence[str], *, order: Literal["C", "F"] = "C"
) -> NDArray[np.float64]:
    """Return columns as a float64 matrix in original units; refuse missing values and text."""
    check_columns(frame, columns)
    for name in columns:
        _numeric(frame, name)
    way_out = (
        "Impute or drop them first: a group mean with a missing value protects fewer than k"
        " records."
    )
    refuse_missing_counts(missing_counts(frame, columns), way_out)
    X = np.empty((len(frame), len(columns)), order=order)
    for i, name in enumerate(columns):
        X[:, i] = numbers(frame, name)
    return X


def refuse_missing_counts(counts: Mapping[str, int], way_out: str) -> None:
    """Raise `InputError` if a column has a positive count of missing values."""
    positive = {name: number for name, number in counts.items() if number}
    if positive:
        name, n_missing = next(iter(positive.items()))
        other_counts = ", ".join(
            f"{other_name!r} has {number}" for other_name, number in list(positive.items())[1:]
        )
        raise InputError(
            f"Column {name!r} has {count(n_missing, 'missing value')}"
            f"{f' ({other_counts})' if other_counts else ''}. {way_out}",
            code="missing-values",
            column=name,
            count=n_missing,
            counts=positive,
        )


def numbers(frame: Frame, name: str) -> NDArray[np.float64]:
    """Return a numeric column as float64, NaN where missing; refuse values without a mean."""
    column = _numeric(frame, name)
    if column.dtype.is_integer() and column.count():
        _check_exact(column, name)
    values = np.array(column.cast(nw.Float64).to_numpy(), np.float64)
    _check_range(values, name)
    return values


def floats(column: nw.Series[Any]) -> NDArray[np.float64]:
    """Return a numeric column as float64, NaN where missing.

    Whole numbers beyond 2**53 are rounded, which suffices for comparisons and plots but not for
    masking.
    """
    if not column.dtype.is_integer():
        return np.array(column.cast(nw.Float64).to_numpy(), np.float64)
    integers = column.to_arrow().cast(pa.float64(), safe=False)  # a safe cast refuses to round
    return np.array(integers.to_numpy(zero_copy_only=False), np.float64)


def arrow(frame: Frame, name: str) -> Any:
    """Return a column as a single Arrow array."""
    try:
        column = frame[name].to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise ColumnError(
            f"Column {name!r} mixes kinds of values. Convert it to text first.",
            code="mixed-values",
            column=name,
        ) from None
    except pa.ArrowNotImplementedError:
        raise ColumnError(
            f"Column {name!r} contains {frame[name].to_native().dtype} values, which cannot be"
            " compared. Convert it to text first, or leave it out.",
            code="unrepresentable-column",
            column=name,
        ) from None
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def filter_rows(frame: Frame, mask: NDArray[np.bool_]) -> Frame:
    """Return the records where ``mask`` is true, without categories used only by others."""
    if mask.all():
        return frame
    frame = frame.filter(mask.tolist())
    return frame.with_columns(drop_unused_categories(frame[name]) for name in frame.columns)


def take(frame: Frame, rows: NDArray[np.int64]) -> Frame:
    """Return the given rows in the given order.

    The index of a pandas table is reset, so that it does not reveal the original rows, and
    categories used only by other records are dropped.
    """
    frame = nw.maybe_reset_index(frame[rows.tolist()])
    return frame.with_columns(drop_unused_categories(frame[name]) for name in frame.columns)


def has_missing(frame: Frame, columns: Sequence[str]) -> NDArray[np.bool_]:
    """Return a mask of the records with a missing value in any of ``columns``."""
    check_columns(frame, columns)
    mask = np.zeros(len(frame), bool)
    for name in columns:
        mask |= np.asarray(_is_missing(frame[name]).to_numpy(), bool)
    return mask


def missing_counts(frame: Frame, columns: Sequence[str]) -> dict[str, int]:
    """Return the number of missing values of each column that has any."""
    counts = {name: _missing_count(frame[name]) for name in columns}
    return {name: count for name, count in counts.items() if count}


def new_frame(columns: Mapping[str, Sequence[Any]], library: Any) -> Frame:
    """Return a frame of new columns, of the named library (see `library_of`)."""
    return nw.from_dict(columns, backend=library)


def library_of(frame: Frame) -> str:
    """Return the name of the library of a frame, such as ``"polars"``."""
    return str(frame.implementation.value)


def select_columns(frame: Frame, columns: Sequence[str]) -> Frame:
    """Return the frame with only the given columns."""
    return frame.select(columns)


def drop_columns(frame: Frame, columns: Sequence[str]) -> Frame:
    """Return the frame without the given columns."""
    return frame.drop(columns)


def with_columns_of(frame: Frame, other: Frame, columns: Sequence[str]) -> Frame:
    """Return a frame with columns of another frame of the same records and library."""
    return frame.with_columns(other[name] for name in dict.fromkeys(columns))


def to_native(frame: Frame) -> Any:
    """Return the table in the caller's library, without metadata of its source.

    The schema metadata of an Arrow table and the attributes of a pandas table may hold anything,
    such as names of dropped columns. Unused categories are removed too, except for a code book
    (ordered categories) of a column that is released unchanged.
    """
    pruned = frame.with_columns(
        drop_unused_categories(frame[name], prune_ordered=False) for name in frame.columns
    )
    native = pruned.to_native()
    if isinstance(native, pa.Table):
        schema = pa.schema([field.remove_metadata() for field in native.schema])
        return pa.Table.from_arrays(native.columns, schema=schema)
    if getattr(native, "attrs", None):
        native = native.copy(deep=False)
        native.attrs = {}
    return native


def has_own_index(frame: Frame) -> bool:
    """Return whether a pandas table has an index other than the row numbers."""
    index = nw.maybe_get_index(frame)
    return index is not None and type(index).__name__ != "RangeIndex"


def is_numeric(frame: Frame, name: str) -> bool:
    """Return whether the frame has the column and its type is numeric."""
    return name in frame.columns and frame[name].dtype.is_numeric()


def is_measurable(frame: Frame, name: str) -> bool:
    """Return whether a column is numeric, complete and within the supported range."""
    try:
        matrix(frame, [name])
    except InputError:
        return False
    return True


def has_integer_type(frame: Frame, name: str) -> bool:
    """Return whether the type of a column is an integer type."""
    return frame[name].dtype.is_integer()


def _numeric(frame: Frame, name: str) -> nw.Series[Any]:
    """Return a column of numbers; refuse other columns."""
    column = frame[name]
    if not column.dtype.is_numeric():
        if column.dtype != nw.String:
            kind = str(column.dtype).partition("(")[0].lower()
            raise ColumnError(
                f"Column {name!r} contains {kind} values where numbers are needed. Leave it out, or"
                " convert it to numbers first.",
                code="no-numbers",
                column=name,
                kind=kind,
            )
        cells = [cell for cell in column.to_list() if cell is not None]
        n_text = sum(not _is_number(cell) for cell in cells)
        raise text_among_numbers_error(name, n_text, len(column))
    return column


def text_among_numbers_error(name: str, n_text: int, n_cells: int) -> ColumnError:
    """Return the error for a column of numbers with text in ``n_text`` cells."""
    return ColumnError(
        f"Column {name!r} contains text where numbers are needed, in {n_text:,} of {n_cells:,}"
        " cells. Leave it out, or convert it to numbers; for files, see `missing_text` and"
        " `decimal`.",
        code="text-among-numbers",
        column=name,
        count=n_text,
    )


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _is_missing(column: nw.Series[Any]) -> nw.Series[Any]:
    mask = column.is_null()
    if column.dtype.is_float():
        mask = mask | column.is_nan().fill_null(True)
    return mask


def _missing_count(column: nw.Series[Any]) -> int:
    if not column.dtype.is_float():
        return int(column.null_count())
    return int(np.isnan(column.cast(nw.Float64).to_numpy()).sum())


def _check_exact(column: nw.Series[Any], name: str) -> None:
    if max(-int(column.min()), int(column.max())) >= MAX_EXACT_INTEGER:
        raise InputError(
            f"Column {name!r} contains whole numbers beyond 2**53, which cannot be averaged"
            " exactly. Leave it out if it is an identifier, or rescale it.",
            code="whole-numbers-too-large",
            column=name,
        )


def _check_range(values: NDArray[np.float64], name: str) -> None:
    largest = max(np.fmax.reduce(values), -np.fmin.reduce(values))
    if largest == np.inf:
        infinite = int(np.isinf(values).sum())
        raise InputError(
            f"Column {name!r} has {count(infinite, 'infinite value')}. Correct"
            " or drop them: their mean is undefined.",
            code="infinite-values",
            column=name,
            count=infinite,
        )
    if largest > MAX_VALUE:
        raise InputError(
            f"Column {name!r} contains values larger than {MAX_VALUE:g}. Rescale it.",
            code="values-too-large",
            column=name,
        )
