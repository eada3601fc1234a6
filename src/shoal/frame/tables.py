"""Tables of any kind, seen through narwhals; nobody else imports it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal._params import hint
from shoal.errors import ColumnError, InputError
from shoal.frame.names import check_names
from shoal.frame.residue import all_missing, drop_unused_categories

Frame = nw.DataFrame[Any]

EXACT = 2**53  # beyond it, a float64 cannot tell two whole numbers apart
GREATEST_RATIO = 1e12  # between weights; beyond it, sums lose the lesser ones
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
            f" {type(data).__name__} instead.{lazy}",
            code="not-a-table",
            given=type(data).__name__,
        ) from None
    check_names(frame.columns)
    if len(frame) == 0:
        raise InputError("The data hold no records.", code="no-records")
    return frame


def check_columns(frame: Frame, columns: Collection[str]) -> None:
    """Refuse columns that the frame does not have."""
    for name in columns:
        if name not in frame.columns:
            raise ColumnError(
                f"The data have no column {name!r}.{hint(str(name), frame.columns)}"
                f" The columns are: {', '.join(frame.columns)}.",
                code="no-such-column",
                column=name,
            )


def matrix(
    frame: Frame, columns: Sequence[str], *, order: Literal["C", "F"] = "C"
) -> NDArray[np.float64]:
    """Return the columns as a float64 matrix in original units; refuse what has no mean."""
    check_columns(frame, columns)
    for name in columns:
        _numeric(frame, name)
    missing = missing_counts(frame, columns)
    if missing:
        name, count = next(iter(missing.items()))
        others = ", ".join(f"{other!r} {n}" for other, n in list(missing.items())[1:])
        raise InputError(
            f"Column {name!r} has {count} missing value{'s' if count > 1 else ''}"
            f"{f' ({others} too)' if others else ''}. Impute or drop them first: a group mean over"
            " a hole protects fewer than k records.",
            code="missing-values",
            column=name,
            count=count,
        )
    X = np.empty((len(frame), len(columns)), order=order)
    for at, name in enumerate(columns):
        X[:, at] = numbers(frame, name)
    return X


def numbers(frame: Frame, name: str) -> NDArray[np.float64]:
    """Return a column as float64, not a number where it is missing; refuse what has no mean."""
    column = _numeric(frame, name)
    if column.dtype.is_integer() and column.count():
        _check_whole(column, name)
    values = np.array(column.cast(nw.Float64).to_numpy(), np.float64)
    _check_range(values, name)
    return values


def floats(column: nw.Series[Any]) -> NDArray[np.float64]:
    """Return a column of numbers as float64, not a number where it is missing.

    Whole numbers beyond 2**53 are rounded: good enough to compare and to draw, not to mask.
    """
    if not column.dtype.is_integer():
        return np.array(column.cast(nw.Float64).to_numpy(), np.float64)
    whole = column.to_arrow().cast(pa.float64(), safe=False)  # Arrow refuses to round otherwise
    return np.array(whole.to_numpy(zero_copy_only=False), np.float64)


def weights(frame: Frame, name: str) -> NDArray[np.float64]:
    """Return a column of survey weights; refuse those that are missing, negative or 0."""
    check_columns(frame, [name])
    found = numbers(frame, name)
    bad = {
        "missing": int(np.isnan(found).sum()),
        "negative": int((found < 0).sum()),
        "zero": int((found == 0).sum()),
    }
    check_weights(name, bad, float(found.min()), float(found.max()))
    return found


def check_weights(name: str, bad: Mapping[str, int], least: float, most: float) -> None:
    """Refuse weights of which some are bad, counted by what they are, or that differ too much."""
    told = ", ".join(f"{count} {kind}" for kind, count in bad.items() if count)
    if told:
        raise InputError(
            f"Column {name!r} holds weights that cannot be used: {told}. A weight says for how many"
            " a record stands, so it must be above 0: correct these records or leave them out.",
            code="weights-unusable",
            column=name,
        )
    if most > GREATEST_RATIO * least:
        raise InputError(
            f"The weights in column {name!r} differ by a factor beyond {GREATEST_RATIO:g}, so some"
            " records count for nothing. Correct them.",
            code="weights-too-different",
            column=name,
        )


def arrow(frame: Frame, name: str) -> Any:
    """Return a column as an Arrow array in one piece."""
    try:
        column = frame[name].to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise ColumnError(
            f"Column {name!r} mixes kinds of values. Turn it into text first.",
            code="mixed-values",
            column=name,
        ) from None
    except pa.ArrowNotImplementedError:
        raise ColumnError(
            f"Column {name!r} holds {frame[name].to_native().dtype} values, which cannot be"
            " compared. Turn it into text first, or leave it out.",
            code="unrepresentable-column",
            column=name,
        ) from None
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


@dataclass(frozen=True, eq=False)
class RowGather:
    """New values of a column that stand in some record of it, so that their type stays."""

    records: NDArray[np.int64]
    is_missing: NDArray[np.bool_]


def with_values(frame: Frame, values: Mapping[str, NDArray[Any] | RowGather]) -> Frame:
    """Return the frame with the values of some columns replaced; all else stays.

    Not a number stands for a missing value.
    """
    return frame.with_columns(_series(frame, name, new) for name, new in values.items())


def filter_rows(frame: Frame, kept: NDArray[np.bool_]) -> Frame:
    """Return some records of the frame, in their order, and nothing of the others."""
    if kept.all():
        return frame
    frame = frame.filter(kept.tolist())
    return frame.with_columns(drop_unused_categories(frame[name]) for name in frame.columns)


def take(frame: Frame, rows: NDArray[np.int64]) -> Frame:
    """Return the records of some rows, in the order of these and numbered anew.

    Nothing of the other records stays, and no index of a pandas table tells the old rows.
    """
    frame = nw.maybe_reset_index(frame[rows.tolist()])
    return frame.with_columns(drop_unused_categories(frame[name]) for name in frame.columns)


def has_missing(frame: Frame, columns: Sequence[str]) -> NDArray[np.bool_]:
    """Say for each record whether a value of some columns is missing."""
    check_columns(frame, columns)
    found = np.zeros(len(frame), bool)
    for name in columns:
        found |= np.asarray(_hole(frame[name]).to_numpy(), bool)
    return found


def missing_counts(frame: Frame, columns: Sequence[str]) -> dict[str, int]:
    """Return the number of missing values of each column that has some."""
    counted = {name: _holes(frame[name]) for name in columns}
    return {name: count for name, count in counted.items() if count}


def select_columns(frame: Frame, columns: Sequence[str]) -> Frame:
    """Return the frame with some columns alone."""
    return frame.select(columns)


def drop_columns(frame: Frame, columns: Sequence[str]) -> Frame:
    """Return the frame without some columns."""
    return frame.drop(columns)


def to_native(frame: Frame) -> Any:
    """Return the table in the kind that the caller handed over, without notes on its source.

    The schema of an Arrow table may name dropped columns, or hold anything else; so may the
    attributes of a pandas table. Categories that no record shows are left out, but for a code book
    (ordered categories) of a column that is released unchanged.
    """
    pruned = frame.with_columns(
        drop_unused_categories(frame[name], books=False) for name in frame.columns
    )
    native = pruned.to_native()
    if isinstance(native, pa.Table):
        bare = pa.schema([field.remove_metadata() for field in native.schema])
        return pa.Table.from_arrays(native.columns, schema=bare)
    if getattr(native, "attrs", None):
        native = native.copy(deep=False)
        native.attrs = {}
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
        encoded[:, at] = _encoded(frame, name)
    return encoded


def keys(frame: Frame, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return what `codes` does, sooner: the numbers have gaps and no order."""
    check_columns(frame, columns)
    found = np.empty((len(frame), len(columns)), np.int64, order="F")
    for at, name in enumerate(columns):
        column = frame[name]
        plain = column.dtype in (nw.Float64, nw.Int64) and column.null_count() == 0
        values = column.to_numpy() if plain else _encoded(frame, name)
        if values.dtype == np.float64:  # its bits; those of zero and of minus zero differ
            values = np.where(np.isnan(values), np.nan, values).view(np.int64)
        found[:, at] = values
    return found


def column_differs(first: Frame, second: Frame, name: str) -> bool:
    """Say whether a column has other values, or values of another type, in the other table."""
    one, other = first[name], second[name]
    if one.dtype.is_integer() and other.dtype.is_integer():  # a float would round them
        return bool(one.to_list() != other.to_list())
    if one.dtype.is_numeric() and other.dtype.is_numeric():
        return not np.array_equal(floats(one), floats(other), equal_nan=True)
    # Of categories the class alone: those that no record shows may have been pruned.
    return type(one.dtype) is not type(other.dtype) or one.to_list() != other.to_list()


def _series(frame: Frame, name: str, new: NDArray[Any] | RowGather) -> nw.Series[Any]:
    if isinstance(new, RowGather):
        hole = new.is_missing
        if hole.all() and (missing := all_missing(frame[name])) is not None:
            return drop_unused_categories(missing)
        # What a missing cell hides in memory is a value that is released elsewhere.
        records = new.records if hole.all() else np.where(hole, new.records[~hole][0], new.records)
        column = frame[name][records]
    else:
        column, hole = nw.new_series(name, new, backend=frame.implementation), np.isnan(new)
    if not hole.any():
        return drop_unused_categories(column)
    # pandas would turn what cannot be missing into objects or floats.
    plain = column.dtype == nw.Boolean or column.dtype.is_integer()
    known = nw.new_series("known", ~hole, backend=frame.implementation)
    both = column.alias("value").to_frame().with_columns(known)
    column = both.select(nw.when(nw.col("known")).then(nw.col("value")))["value"].alias(name)
    return nw.maybe_convert_dtypes(column) if plain else drop_unused_categories(column)


def _encoded(frame: Frame, name: str) -> NDArray[np.int64]:
    column = arrow(frame, name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        coded = column.dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:  # lists, structs, intervals: equal where they look alike
        coded = pa.array(map(repr, column.to_pylist()), pa.string()).dictionary_encode()
    return np.asarray(coded.indices.to_numpy())


def _numeric(frame: Frame, name: str) -> nw.Series[Any]:
    column = frame[name]
    if not column.dtype.is_numeric():
        if column.dtype != nw.String:
            kind = str(column.dtype).partition("(")[0].lower()
            raise ColumnError(
                f"Column {name!r} holds {kind} values where numbers are needed. Leave it out, or"
                " turn it into numbers first.",
                code="no-numbers",
                column=name,
                kind=kind,
            )
        words = sum(not _is_number(cell) for cell in column.to_list())
        raise ColumnError(
            f"Column {name!r} holds text where numbers are needed, in {words} of {len(column)}"
            " cells. Leave it out, or turn it into numbers; for files, see `missing_text` and"
            " `decimal`.",
            code="text-among-numbers",
            column=name,
            count=words,
        )
    return column


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _hole(column: nw.Series[Any]) -> nw.Series[Any]:
    hole = column.is_null()
    if column.dtype.is_float():
        hole = hole | column.is_nan().fill_null(True)
    return hole


def _holes(column: nw.Series[Any]) -> int:
    if not column.dtype.is_float():
        return int(column.null_count())
    return int(np.isnan(column.cast(nw.Float64).to_numpy()).sum())


def _check_whole(column: nw.Series[Any], name: str) -> None:
    if max(-int(column.min()), int(column.max())) >= EXACT:
        raise InputError(
            f"Column {name!r} holds whole numbers beyond 2**53, which cannot be averaged exactly."
            " Leave it out if it is an identifier, or rescale it.",
            code="whole-numbers-too-large",
            column=name,
        )


def _check_range(values: NDArray[np.float64], name: str) -> None:
    greatest = max(np.fmax.reduce(values), -np.fmin.reduce(values))
    if greatest == np.inf:
        infinite = int(np.isinf(values).sum())
        raise InputError(
            f"Column {name!r} has {infinite} infinite value{'s' if infinite > 1 else ''}. Correct"
            " or drop them: they have no mean.",
            code="infinite-values",
            column=name,
            count=infinite,
        )
    if greatest > GREATEST:
        raise InputError(
            f"Column {name!r} holds values beyond {GREATEST:g}. Rescale it.",
            code="values-too-large",
            column=name,
        )
