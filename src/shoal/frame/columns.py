"""Columns as numbers for distances and aggregates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import ColumnError, InputError
from shoal.frame import tables
from shoal.frame.arrow_types import decode, is_text
from shoal.frame.categories import (
    CategoryGeometry,
    CellTexts,
    nominal_codes,
    ordinal_codes,
    refuse_ambiguous_text,
    texts_and_index,
)
from shoal.frame.codes import value_codes
from shoal.frame.dates import rank_dates
from shoal.frame.notation.texts import text_of
from shoal.frame.tables import Frame
from shoal.frame.types import Kind, Type


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table, of any kind.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : str
        Kind of its values; see `shoal.frame.types.Type`.
    values : ndarray of shape (n_records,)
        Numbers, ranks of ordinal values, days since the earliest date, or codes of nominal
        values. NaN where the value is missing.
    codes : ndarray of shape (n_records,)
        Codes of the distinct values, from 0 without gaps and in the order of the values; -1 where
        the value is missing. Empty for a numeric column.
    distances : ndarray of shape (n_codes, n_codes), optional
        Distances between the values, if a hierarchy or a table declares them.
    ancestors : ndarray of shape (n_codes, n_levels), optional
        Codes of the ancestors of each value in a hierarchy of many values, instead of distances.
    spelling : ndarray of shape (n_records,), optional
        Rank of the spelling of each record's value, if equal values are spelled in several ways,
        such as ``1`` and ``1.0``.
    """

    name: str
    kind: Kind
    values: NDArray[np.float64]
    codes: NDArray[np.int64]
    distances: NDArray[np.float64] | None = None
    ancestors: NDArray[np.int64] | None = None
    spelling: NDArray[np.int64] | None = None

    @property
    def axes_arguments(self) -> tuple[Any, ...]:
        """The arguments of `shoal.geometry.axes_of`."""
        return self.values, self.codes, self.kind, self.distances, self.ancestors, self.name

    @property
    def n_categories(self) -> int:
        """Number of categories of a nominal column; 0 for any other."""
        nominal = self.kind in ("nominal", "boolean")
        return int(self.codes.max(initial=-1)) + 1 if nominal else 0

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Mask of the records whose value is missing."""
        return np.isnan(self.values)

    def record_of(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each code the index of a record with that value; any record for code -1.

        If a value has several spellings, the record has the first one by rank, so the result does
        not depend on the order of the records.
        """
        order = np.arange(len(self.codes))
        if self.spelling is not None:
            order = np.argsort(self.spelling, kind="stable")
        first = np.zeros(self.codes.max(initial=-1) + 2, np.int64)
        first[self.codes[order[::-1]]] = order[::-1]
        return first[codes]


def read_column(frame: Frame, name: str, declared_type: Type | None = None) -> Column:
    """Return a column, interpreted by its declared type or else by its type in the table."""
    tables.check_columns(frame, [name])
    if kind_of(frame, name, declared_type) == "numeric":
        return Column(name, "numeric", tables.numbers(frame, name), np.empty(0, np.int64))
    return _read_non_numeric(name, tables.arrow(frame, name), declared_type)


def read_concatenated(
    frames: Sequence[Frame], name: str, declared_type: Type | None = None
) -> Column:
    """Return a column of several tables, one below the other."""
    arrays = [tables.arrow(frame, name) for frame in frames]
    kinds = [  # a column whose values are all missing may have lost its type
        kind_of(frame, name, declared_type)
        for frame, array in zip(frames, arrays, strict=True)
        if array.null_count < len(array)
    ] or [kind_of(frames[0], name, declared_type)]
    if len(set(kinds)) > 1:
        raise ColumnError(
            f"Column {name!r} is {kinds[0]} in one table but {_other_kind(kinds)} in another."
            " Convert one of them, or declare the type with `types`.",
            code="kinds-differ",
            column=name,
            kinds=tuple(kinds),
        )
    if kinds[0] == "numeric":
        values = [_numbers(frame, name) for frame in frames]
        return Column(name, "numeric", np.concatenate(values), np.empty(0, np.int64))
    first = arrays[0]
    if declared_type is None:
        _read_non_numeric(name, first, None)  # refuses what a single table would refuse
        declared_type = Type(kinds[0])
    if declared_type.kind == "ordinal" and not declared_type.order:
        declared_type = replace(declared_type, order=category_order(first))
    arrays_with_values = [array for array in arrays if array.null_count < len(array)] or arrays
    arrow_type = decode(arrays_with_values[0]).type
    try:
        joined = pa.concat_arrays([array.cast(arrow_type) for array in map(decode, arrays)])
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ColumnError(
            f"Column {name!r} has different types in the two tables. Convert one of them.",
            code="kinds-differ",
            column=name,
        ) from None
    return _read_non_numeric(name, joined, declared_type)


def _other_kind(kinds: Sequence[Kind]) -> Kind:
    return next(kind for kind in kinds if kind != kinds[0])


def kind_of(frame: Frame, name: str, declared_type: Type | None = None) -> Kind:
    """Return the declared kind of a column, or the kind of its type in the table."""
    if declared_type is not None:
        return declared_type.kind
    if frame[name].dtype.is_numeric():
        return "numeric"
    return _kind_of_type(name, tables.arrow(frame, name).type)


def refuse_missing(columns: list[Column], way_out: str) -> None:
    """Raise `InputError` if columns have missing values; the message counts them."""
    tables.refuse_missing_counts(
        {column.name: int(column.is_missing.sum()) for column in columns}, way_out
    )


def ordered_columns(
    frame: Frame, names: Sequence[str], types: Mapping[str, Type]
) -> dict[str, Column]:
    """Return the columns whose values are ordered and complete."""
    columns = {}
    for name in names:
        try:
            column = read_column(frame, name, types.get(name))
        except InputError:
            if name in types:
                raise
            continue
        if column.kind in ("numeric", "ordinal", "date") and not column.is_missing.any():
            columns[name] = column
    return columns


def rank_or_category_codes(
    frame: Frame, names: Sequence[str], types: Mapping[str, Type]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return integer codes of columns, and for each column whether the codes are ranks.

    Ordered, complete columns are coded by rank; all others by category, and a missing value is a
    category of its own.
    """
    encoded = value_codes(frame, names)
    ranked_columns = ordered_columns(frame, names, types)
    for i, name in enumerate(names):
        if name in ranked_columns:
            encoded[:, i] = np.unique(ranked_columns[name].values, return_inverse=True)[1]
    return encoded, np.array([name in ranked_columns for name in names], bool)


def _kind_of_type(name: str, arrow_type: Any) -> Kind:
    """Return the kind of a non-numeric Arrow type."""
    if pa.types.is_boolean(arrow_type):
        return "boolean"
    if pa.types.is_temporal(arrow_type) and not pa.types.is_interval(arrow_type):
        return "date"
    if pa.types.is_dictionary(arrow_type):
        return "ordinal" if arrow_type.ordered else "nominal"
    if is_text(arrow_type) or pa.types.is_null(arrow_type):
        return "nominal"
    raise _no_distance_error(name, arrow_type)


def _no_distance_error(name: str, arrow_type: Any) -> ColumnError:
    return ColumnError(
        f"Column {name!r} contains {arrow_type} values, for which no distance is defined. Leave it"
        " out, or convert it to numbers or text first.",
        code="no-distance",
        column=name,
        kind=str(arrow_type),
    )


def column_from_counts(
    name: str, values: Any, counts: NDArray[np.int64], declared_type: Type | None = None
) -> Column:
    """Return a non-numeric column from its distinct values and how often each occurs."""
    return _read_non_numeric(name, values, declared_type, counts)


def _read_non_numeric(
    name: str, array: Any, declared_type: Type | None, counts: NDArray[np.int64] | None = None
) -> Column:
    """Return a non-numeric column from its Arrow array, or from distinct values and counts."""
    column_type = declared_type or Type(_kind_of_type(name, array.type))
    decoded = decode(array)
    if pa.types.is_nested(decoded.type) or isinstance(decoded.type, pa.BaseExtensionType):
        raise _no_distance_error(name, decoded.type)
    geometry = CategoryGeometry()
    if column_type.kind == "date":
        distinct, index = rank_dates(name, decoded, column_type.format)
    else:
        is_dictionary = pa.types.is_dictionary(array.type)
        if column_type.kind == "ordinal" and not column_type.order and is_dictionary:
            column_type = replace(column_type, order=category_order(array))
        texts, index = texts_and_index(decoded)
        cells = CellTexts(index, counts)
        if column_type.kind == "ordinal":
            distinct = ordinal_codes(name, texts, cells, column_type)
        else:
            if declared_type is None and is_text(array.type):
                refuse_ambiguous_text(name, texts, cells)
            distinct, geometry = nominal_codes(name, texts, cells, column_type)
    code_of_distinct = np.unique(distinct, return_inverse=True)[1].astype(np.int64)
    values = np.append(distinct, np.nan)[index]
    codes = np.append(code_of_distinct, -1)[index]
    spelling = _spelling_ranks(decoded, len(set(code_of_distinct)))
    return Column(name, column_type.kind, values, codes, *geometry, spelling)


def _numbers(frame: Frame, name: str) -> NDArray[np.float64]:
    """Return a numeric column, which may have lost its type because all values are missing."""
    if frame[name].null_count() == len(frame):
        return np.full(len(frame), np.nan)
    return tables.numbers(frame, name)


def _spelling_ranks(decoded: Any, n_values: int) -> NDArray[np.int64] | None:
    """Return the rank of each record's spelling, or None if every value has only one."""
    if not is_text(decoded.type) and not pa.types.is_floating(decoded.type):
        return None
    encoded = decoded.dictionary_encode()
    if len(encoded.dictionary) == n_values:
        return None
    rank = np.argsort(np.argsort([repr(value) for value in encoded.dictionary.to_pylist()]))
    return np.asarray(rank[encoded.indices.fill_null(0).to_numpy()])


def category_order(array: Any) -> tuple[str, ...]:
    """Return the categories of an ordered Arrow array in their order, or none for other arrays."""
    is_ordered = pa.types.is_dictionary(array.type) and array.type.ordered
    entries = map(text_of, array.dictionary.to_pylist()) if is_ordered else ()
    return tuple(dict.fromkeys(entries))  # Arrow allows duplicate entries
