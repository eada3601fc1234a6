"""Columns as integer codes, equal where the values are equal, and as ranks.

Records are compared by `codes`, by the faster `keys`, or by `any_codes` where a column may have a
type that Arrow does not represent; confidential values by `value_codes` or `codes_with_missing`;
columns of several tables by `text_codes`.
"""

from collections.abc import Sequence
from contextlib import suppress

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import ColumnError
from shoal.frame.arrow_types import without_dictionary
from shoal.frame.notation.texts import text_of
from shoal.frame.tables import Frame, arrow, check_columns, floats, has_missing

ARROW_ERRORS = (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError)
MISSING = -1  # the code of a missing value in `codes_with_missing`


def codes(frame: Frame, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return integer codes of columns, equal where the values are equal.

    A missing value counts as a value of its own.
    """
    check_columns(frame, columns)
    encoded = np.empty((len(frame), len(columns)), np.int64, order="F")
    for i, name in enumerate(columns):
        encoded[:, i] = _encode(frame, name)
    return encoded


def value_codes(frame: Frame, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return `codes` in which zero and minus zero are one value, and so are NaN and missing.

    Use it for confidential values, because programs that read a file may not distinguish such
    values. Records are distinguished by `codes` and `keys`, in which the values differ.
    """
    encoded = codes(frame, columns)
    for i, name in enumerate(columns):
        if frame[name].dtype.is_float():
            values = floats(frame[name])
            for are_equal in (values == 0, np.isnan(values)):
                encoded[are_equal, i] = encoded[are_equal, i].min(initial=len(frame))
    return encoded


def codes_with_missing(frame: Frame, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return `value_codes` in which a missing value has the code `MISSING`."""
    encoded = value_codes(frame, columns)
    for i, name in enumerate(columns):
        encoded[has_missing(frame, [name]), i] = MISSING
    return encoded


def keys(frame: Frame, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return integer keys of columns, equal where the values are equal; faster than `codes`."""
    check_columns(frame, columns)
    result = np.empty((len(frame), len(columns)), np.int64, order="F")
    for i, name in enumerate(columns):
        column = frame[name]
        is_complete = column.dtype in (nw.Float64, nw.Int64) and column.null_count() == 0
        values = column.to_numpy() if is_complete else _encode(frame, name)
        if values.dtype == np.float64:  # by bit pattern, so zero and minus zero differ
            values = np.where(np.isnan(values), np.nan, values).view(np.int64)
        result[:, i] = values
    return result


def any_codes(frame: Frame, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return `codes`, also of columns that Arrow cannot represent, by the repr of their values."""
    result = np.empty((len(frame), len(columns)), np.int64, order="F")
    for i, name in enumerate(columns):
        try:
            result[:, i] = codes(frame, [name])[:, 0]
        except (*ARROW_ERRORS, ColumnError):
            if name not in frame.columns:
                raise
            texts = np.array([repr(value) for value in frame[name].to_list()])
            result[:, i] = np.unique(texts, return_inverse=True)[1]
    return result


def text_codes(frames: Sequence[Frame], name: str) -> list[NDArray[np.int64]]:
    """Return a column of several tables as codes that are equal where the values' texts are.

    A missing value has the code -1. The column may have another type in each table.
    """
    return text_codes_and_labels(frames, name)[0]


def text_codes_and_labels(
    frames: Sequence[Frame], name: str
) -> tuple[list[NDArray[np.int64]], list[str]]:
    """Return the result of `text_codes` and the text of each code."""
    code_of_text: dict[str, int] = {}
    codes_by_frame = []
    for frame in frames:
        column = without_dictionary(arrow(frame, name))
        encoded = column.dictionary_encode()
        values = encoded.dictionary.to_pylist()
        dictionary_codes = [
            code_of_text.setdefault(text_of(value), len(code_of_text))
            if value == value  # not NaN
            else -1
            for value in values
        ]
        index = encoded.indices.fill_null(len(dictionary_codes)).to_numpy(zero_copy_only=False)
        codes_by_frame.append(np.array([*dictionary_codes, -1], np.int64)[index])
    return codes_by_frame, list(code_of_text)


def value_ranks(frame: Frame, name: str) -> NDArray[np.float64] | None:
    """Return a sort key for each value of a column, NaN where missing, or None without an order.

    Numbers are their own key. Dates are ranked, and so is text: by number if it is all numbers,
    otherwise alphabetically.
    """
    column = frame[name]
    if column.dtype.is_numeric():
        return floats(column)
    try:
        coded = without_dictionary(arrow(frame, name)).dictionary_encode()
        values = coded.dictionary
        with suppress(*ARROW_ERRORS):
            values = values.cast(pa.float64())
        order = np.asarray(pc.sort_indices(values))
    except (*ARROW_ERRORS, ColumnError):
        return None
    rank = np.empty(len(values) + 1)
    rank[order] = np.arange(len(values))
    rank[-1] = np.nan
    indices: NDArray[np.int64] = coded.indices.fill_null(len(values)).to_numpy()
    return np.asarray(rank[indices])


def _encode(frame: Frame, name: str) -> NDArray[np.int64]:
    column = without_dictionary(arrow(frame, name))
    try:
        coded = column.dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:  # lists, structs, intervals: compare their repr
        coded = pa.array(map(repr, column.to_pylist()), pa.string()).dictionary_encode()
    return np.asarray(coded.indices.to_numpy())
