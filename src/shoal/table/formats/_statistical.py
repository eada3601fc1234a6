"""What Stata, SPSS and SAS files have in common: pyreadstat reads and writes them.

Dates stay numbers on the way through pyreadstat and are converted here, so that what
cannot be converted exactly comes back to the last digit.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import FileError, MissingDependency
from shoal.table.dialect import Dialect
from shoal.table.formats._calendar import Clock
from shoal.table.notes import Notes

EXACT = 2**53  # beyond it, a float64 cannot tell two whole numbers apart
INTEGERS = {"int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32()}


def pyreadstat() -> Any:
    """Import pyreadstat, or say how to install it."""
    try:
        import pyreadstat
    except ImportError:
        raise MissingDependency(
            'Stata, SPSS and SAS files need the package pyreadstat: pip install "shoal[files]".'
        ) from None
    return pyreadstat


def parsed(
    reader: Callable[..., Any], path: Path, dialect: Dialect, kind: str, **options: Any
) -> tuple[Mapping[str, list[Any]], Any]:
    """Return the columns as lists, and what the file says about them."""
    if not dialect.is_utf8:
        options["encoding"] = dialect.encoding
    try:
        return reader(  # type: ignore[no-any-return]
            path, output_format="dict", disable_datetime_conversion=True, **options
        )
    except OSError:
        raise
    except Exception:  # pyreadstat raises its own kinds and plain ones; some show values
        raise FileError(
            f"{path.name!r} is not {kind}, or it is damaged or cut off. If its text is in another"
            " character set, name it with --encoding."
        ) from None


def numbers(
    cells: list[Any], kind: str, *, clock: Clock | None, whole: bool
) -> tuple[pa.Array, pa.Array | None]:
    """Return a column of numbers or dates, and the letters that stand for missing values."""
    letters = [cell if isinstance(cell, str) else None for cell in cells]
    values = np.array(
        [np.nan if cell is None or isinstance(cell, str) else cell for cell in cells], np.float64
    )
    codes = pa.array(letters, pa.string()) if any(letters) else None
    return typed(values, kind, clock=clock, whole=whole), codes


def typed(values: Any, kind: str, *, clock: Clock | None, whole: bool) -> pa.Array:
    """Return float64 values with holes as dates, whole numbers or numbers."""
    hole = np.isnan(values)
    if clock is not None:
        moments = clock.decode(values, hole)
        if moments is not None:
            return moments
    if kind in INTEGERS:
        return pa.array(values, mask=hole).cast(INTEGERS[kind])
    if whole and _is_whole(values[~hole]):
        return pa.array(values, mask=hole).cast(pa.int64())
    if kind == "float":
        return pa.array(values, mask=hole).cast(pa.float32())
    return pa.array(values, mask=hole)


def text(cells: list[Any]) -> pa.Array:
    """Return a column of text."""
    return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())


def letters(notes: Notes, name: str, spelled: Callable[[str], str]) -> list[str | None] | None:
    """Return the letters that stand for missing values in a column, where letters do."""
    codes = notes.on(name).codes
    if codes is None or notes.family not in ("stata", "sas"):
        return None
    return [None if code is None else spelled(code) for code in codes.to_pylist()]


def with_letters(column: Any, letters: list[str | None]) -> Any:
    """Return a column of a frame with letters in place of holes."""
    mixed = column.astype(object)
    for at, letter in enumerate(letters):
        if letter is not None:
            mixed.iat[at] = letter
    return mixed


def frame(table: pa.Table) -> Any:
    """Return a frame that pyreadstat takes; whole numbers stay whole beside holes."""
    import pandas

    kinds = {pa.int8(): pandas.Int8Dtype(), pa.int32(): pandas.Int32Dtype()}
    return table.to_pandas(types_mapper=kinds.get)


def plain(table: pa.Table, clocks: Callable[[str, pa.DataType], Clock], kind: str) -> pa.Table:
    """Return the table with columns that such a file can hold: numbers and text."""
    columns = []
    for field in table.schema:
        column = pa.concat_arrays(table.column(field.name).chunks)
        columns.append(_plain(column, field.name, clocks, kind))
    return pa.table(columns, names=table.column_names)


def labels_for(value_labels: Mapping[Any, str], column: pa.Array) -> dict[Any, str]:
    """Return value labels whose values are of the column's type; letters stay letters."""
    found: dict[Any, str] = {}
    for value, label in value_labels.items():
        if pa.types.is_string(column.type):
            found[str(value)] = label
        elif isinstance(value, str):
            found[value] = label
        elif not pa.types.is_integer(column.type):
            found[float(value)] = label
        elif float(value).is_integer():
            found[int(value)] = label
    return found


def check_names(table: pa.Table, pattern: Any, kind: str) -> None:
    """Refuse column names that such a file cannot hold."""
    seen: dict[str, str] = {}
    for name in table.column_names:
        if not pattern.fullmatch(name):
            raise FileError(
                f"{kind} cannot hold a column named {name!r}. Rename it: letters, digits and _,"
                " and not too many; or write another format."
            )
        if kind != "A Stata file" and name.lower() in seen:
            raise FileError(
                f"{kind} does not tell {seen[name.lower()]!r} and {name!r} apart. Rename one."
            )
        seen[name.lower()] = name


def fix_times(path: Path, places: list[tuple[int, bytes]]) -> None:
    """Write fixed moments where a file holds the one at which it was made.

    The same release gives the same bytes, and nobody learns when it was made.
    """
    with path.open("r+b") as file:
        for at, moment in places:
            file.seek(at)
            file.write(moment)


def _within(kind: str) -> str:
    """Return the name of a kind of file as it stands within a sentence."""
    return kind[:1].lower() + kind[1:]


def _is_whole(values: Any) -> bool:
    return bool(len(values)) and bool(np.all(np.abs(values) < EXACT) and np.all(values % 1 == 0))


def _plain(
    column: pa.Array, name: str, clocks: Callable[[str, pa.DataType], Clock], kind: str
) -> pa.Array:
    held = column.type
    if pa.types.is_dictionary(held):
        return _plain(column.cast(held.value_type), name, clocks, kind)
    if pa.types.is_date(held) or pa.types.is_timestamp(held):
        if pa.types.is_timestamp(held) and held.tz is not None:
            column = column.cast(pa.timestamp(held.unit, "UTC")).cast(pa.timestamp(held.unit))
        return clocks(name, held).encode(column)
    if pa.types.is_boolean(held):
        return column.cast(pa.int8())
    if pa.types.is_integer(held):
        return _fitting(column, name, kind)
    if pa.types.is_decimal(held) or pa.types.is_floating(held):
        return _finite(column.cast(pa.float64()), name, kind)
    if pa.types.is_string(held) or pa.types.is_large_string(held):
        return column.cast(pa.string()).fill_null("")  # such files know no missing text
    if pa.types.is_null(held):
        return column.cast(pa.float64())
    if pa.types.is_time(held):
        return column.cast(pa.string()).fill_null("")
    raise FileError(f"Column {name!r} holds {held} values, which {_within(kind)} cannot.")


def _finite(column: pa.Array, name: str, kind: str) -> pa.Array:
    """Return floats with holes where there is no number; refuse infinite ones."""
    column = pc.if_else(pc.is_nan(column), pa.scalar(None, pa.float64()), column)
    infinite = pc.sum(pc.is_inf(column).cast(pa.int64())).as_py() or 0
    if infinite:
        raise FileError(
            f"Column {name!r} has {infinite} infinite value{'s' if infinite > 1 else ''}, which"
            f" {_within(kind)} cannot hold. Correct or drop them."
        )
    return column


def _fitting(column: pa.Array, name: str, kind: str) -> pa.Array:
    """Return whole numbers in 32 bits where they fit, and as floats where those are exact."""
    bounds = pc.min_max(column).as_py()
    low, high = bounds["min"] or 0, bounds["max"] or 0
    if low > -(2**31) and high < 2**31 - 100:  # Stata keeps the last ones for missing codes
        return column.cast(pa.int32())
    if max(-low, high) >= EXACT:
        raise FileError(
            f"Column {name!r} holds whole numbers beyond 2**53, which {_within(kind)} cannot. Leave"
            " it out, or write another format."
        )
    return column.cast(pa.float64())
