"""A column as numbers that distances and aggregates can work with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import ColumnError, InputError
from shoal.frame import tables
from shoal.frame.categories import (
    Cells,
    in_order,
    refuse_disguised,
    texts_and_index,
    without_order,
)
from shoal.frame.dates import ranked_dates
from shoal.frame.tables import Frame
from shoal.frame.types import Kind, Type, text_of


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table, whatever its kind.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        What its values are.
    values : ndarray of shape (n_records,)
        The numbers; the place in the order of an ordinal value; days since the
        earliest date; a code. Not a number where the value is missing.
    codes : ndarray of shape (n_records,)
        For all kinds but numbers: equal where the values are equal, counted from 0
        without gaps, in the order of the values; -1 where the value is missing.
    distances : ndarray of shape (n_codes, n_codes), optional
        Distance between any two values, where a hierarchy or a table declares it.
    spelling : ndarray of shape (n_records,), optional
        Rank of the way a record writes its value, where equal values are written in
        several ways, as ``1`` and ``1.0`` are.
    """

    name: str
    kind: Kind
    values: NDArray[np.float64]
    codes: NDArray[np.int64]
    distances: NDArray[np.float64] | None = None
    spelling: NDArray[np.int64] | None = None

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Where the value is missing."""
        return np.isnan(self.values)

    def record_of(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each code a record that has its value; any for the code -1.

        Of several ways to write a value it is the first by rank, whatever the order of records.
        """
        order = np.arange(len(self.codes))
        if self.spelling is not None:
            order = np.argsort(self.spelling, kind="stable")
        first = np.zeros(self.codes.max(initial=-1) + 2, np.int64)
        first[self.codes[order[::-1]]] = order[::-1]
        return first[codes]


def read_column(frame: Frame, name: str, declared: Type | None = None) -> Column:
    """Return a column by its declared type, or by what the table says it is."""
    tables.check_columns(frame, [name])
    if kind_of(frame, name, declared) == "numeric":
        return Column(name, "numeric", tables.numbers(frame, name), np.empty(0, np.int64))
    return _read(name, tables.arrow(frame, name), declared)


def read_concatenated(
    before: Frame, after: Frame, name: str, declared: Type | None = None
) -> Column:
    """Return a column of two tables, one after the other."""
    first, second = (tables.arrow(frame, name) for frame in (before, after))
    told = [  # what is all missing may have lost its type
        kind_of(frame, name, declared)
        for frame, part in ((before, first), (after, second))
        if part.null_count < len(part)
    ] or [kind_of(before, name, declared)]
    if told[0] != told[-1]:
        raise ColumnError(
            f"Column {name!r} is {told[0]} in one table, {told[1]} in the other.",
            code="kinds-differ",
            column=name,
            kinds=tuple(told),
        )
    if told[0] == "numeric":
        values = [_numbers(frame, name) for frame in (before, after)]
        return Column(name, "numeric", np.concatenate(values), np.empty(0, np.int64))
    if declared is None:
        _read(name, first, None)  # what one table refuses, two do
        declared = Type(told[0])
    if declared.kind == "ordinal" and not declared.order:
        declared = replace(declared, order=_own_order(first))
    kind = _plain(second if first.null_count == len(first) else first).type
    try:
        joined = pa.concat_arrays([part.cast(kind) for part in map(_plain, (first, second))])
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ColumnError(
            f"Column {name!r} is of another type in the other table.",
            code="kinds-differ",
            column=name,
        ) from None
    return _read(name, joined, declared)


def kind_of(frame: Frame, name: str, declared: Type | None = None) -> Kind:
    """Return the kind of a column: as declared, or as its type in the table says."""
    if declared is not None:
        return declared.kind
    if frame[name].dtype.is_numeric():
        return "numeric"
    return _kind(name, tables.arrow(frame, name).type)


def refuse_missing(columns: list[Column], way_out: str) -> None:
    """Refuse missing values, with their number in each column."""
    refuse_missing_counts(
        {column.name: int(column.is_missing.sum()) for column in columns}, way_out
    )


def refuse_missing_counts(counts: Mapping[str, int], way_out: str) -> None:
    """Refuse columns with missing values, by the number of these."""
    holes = {name: count for name, count in counts.items() if count}
    if holes:
        name, count = next(iter(holes.items()))
        others = ", ".join(f"{other!r} {n}" for other, n in list(holes.items())[1:])
        raise InputError(
            f"Column {name!r} has {count} missing value{'s' if count > 1 else ''}"
            f"{f' ({others} too)' if others else ''}. {way_out}",
            code="missing-values",
            column=name,
            count=count,
            counts=dict(holes),
        )


def ordered_columns(
    frame: Frame, names: Sequence[str], types: Mapping[str, Type]
) -> dict[str, Column]:
    """Return the columns whose values have an order and are all there."""
    found = {}
    for name in names:
        try:
            column = read_column(frame, name, types.get(name))
        except InputError:
            if name in types:
                raise
            continue
        if column.kind in ("numeric", "ordinal", "date") and not column.is_missing.any():
            found[name] = column
    return found


def ranks(
    frame: Frame, names: Sequence[str], types: Mapping[str, Type]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the values of columns as numbers from 0 on, and whether their order means something.

    What has an order and is all there is numbered in its order; all else is a
    category, and a missing value is one.
    """
    numbered = tables.codes(frame, names)
    ordered = ordered_columns(frame, names, types)
    for at, name in enumerate(names):
        if name in ordered:
            numbered[:, at] = np.unique(ordered[name].values, return_inverse=True)[1]
    return numbered, np.array([name in ordered for name in names], bool)


def _kind(name: str, kind: Any) -> Kind:
    """Return the kind that an Arrow type speaks for; numbers are seen to before."""
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        return "date"
    if pa.types.is_dictionary(kind):
        return "ordinal" if kind.ordered else "nominal"
    if _is_text(kind) or pa.types.is_null(kind):
        return "nominal"
    raise _without_distance(name, kind)


def _without_distance(name: str, kind: Any) -> ColumnError:
    return ColumnError(
        f"Column {name!r} holds {kind} values, which have no distance here. Leave it out, or turn"
        " it into numbers or text first.",
        code="no-distance",
        column=name,
        kind=str(kind),
    )


def column_from_counts(
    name: str, values: Any, counts: NDArray[np.int64], declared: Type | None = None
) -> Column:
    """Return a column of any kind but numbers, of which each value stands ``counts`` times."""
    return _read(name, values, declared, counts)


def _read(
    name: str, array: Any, declared: Type | None, counts: NDArray[np.int64] | None = None
) -> Column:
    """Return a column of any kind but numbers."""
    known = declared or Type(_kind(name, array.type))
    plain = _plain(array)
    if pa.types.is_nested(plain.type) or isinstance(plain.type, pa.BaseExtensionType):
        raise _without_distance(name, plain.type)
    distances = None
    if known.kind == "date":
        place, index = ranked_dates(name, plain)
    else:
        if known.kind == "ordinal" and not known.order and pa.types.is_dictionary(array.type):
            known = replace(known, order=_own_order(array))
        texts, index = texts_and_index(plain)
        cells = Cells(index, counts)
        if known.kind == "ordinal":
            place = in_order(name, texts, cells, known)
        else:
            if declared is None and _is_text(array.type):
                refuse_disguised(name, texts, cells)
            place, distances = without_order(name, texts, cells, known)
    code = np.unique(place, return_inverse=True)[1].astype(np.int64)
    values = np.append(place, np.nan)[index]
    codes = np.append(code, -1)[index]
    return Column(name, known.kind, values, codes, distances, _spelling(plain, len(set(code))))


def _numbers(frame: Frame, name: str) -> NDArray[np.float64]:
    """Return a column of numbers that may have lost its type because all are missing."""
    if frame[name].null_count() == len(frame):
        return np.full(len(frame), np.nan)
    return tables.numbers(frame, name)


def _plain(array: Any) -> Any:
    """Return the values without a dictionary; what is not a number is missing."""
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if pa.types.is_floating(array.type):
        array = pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array)
    return array


def _spelling(plain: Any, different: int) -> NDArray[np.int64] | None:
    """Return the rank of each record's way to write its value; None where there is one each."""
    if not _is_text(plain.type) and not pa.types.is_floating(plain.type):
        return None
    encoded = plain.dictionary_encode()
    if len(encoded.dictionary) == different:
        return None
    rank = np.argsort(np.argsort([repr(value) for value in encoded.dictionary.to_pylist()]))
    return np.asarray(rank[encoded.indices.fill_null(0).to_numpy()])


def _own_order(array: Any) -> tuple[str, ...]:
    """Return the order that ordered categories bring along; none if they have none."""
    kind = array.type
    ordered = pa.types.is_dictionary(kind) and kind.ordered
    entries = map(text_of, array.dictionary.to_pylist()) if ordered else ()
    return tuple(dict.fromkeys(entries))  # Arrow allows one entry twice


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
