"""A preview of a table before it is masked: its first rows, and a distribution of each column.

The values stay within the session: only its page shows them.
"""

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal._text import shorten
from shoal.frame.arrow_types import is_plain_number, without_dictionary
from shoal.frame.description.summaries import are_years
from shoal.frame.notation.decimals import MAX_EXACT_INTEGER

ROWS = 8
BINS = 12
MAX_VALUES = 6  # most frequent values that are shown
MAX_TEXT = 40  # characters that are shown of a cell


def preview(
    text_table: pa.Table,
    parsed_table: pa.Table,
    categorical: Collection[str] = (),
    labels: Mapping[str, Mapping[Any, str]] | None = None,
) -> dict[str, Any]:
    """Return the first rows as they are written, and a distribution of each column.

    Parameters
    ----------
    text_table : pyarrow.Table
        The table as it was read.
    parsed_table : pyarrow.Table
        The same table with numbers parsed.
    categorical : collection of str
        Columns whose values are counted as they are written, even if they are numbers.
    labels : mapping, optional
        Labels of values, by column; they are shown after the values.

    Returns
    -------
    dict
        ``rows``, lists of texts, and ``distributions``, one for each column.
    """
    first_rows = text_table.slice(0, ROWS)
    labels_by_column = {
        name: {_cell_text(value): label for value, label in (labels or {}).get(name, {}).items()}
        for name in text_table.column_names
    }
    columns = [
        [_with_label(_cell_text(value), labels_by_column[name]) for value in column.to_pylist()]
        for name, column in zip(first_rows.column_names, first_rows.columns, strict=True)
    ]
    return {
        "rows": [list(row) for row in zip(*columns, strict=True)],
        "distributions": [
            distribution(
                _as_written(written, column) if name in categorical else column,
                labels_by_column[name],
            )
            for name, written, column in zip(
                parsed_table.column_names, text_table.columns, parsed_table.columns, strict=True
            )
        ],
    }


def _as_written(written: pa.ChunkedArray, parsed: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return values as text, with the leading zeros of codes, and null where they are missing."""
    if not is_plain_number(parsed.type):
        return parsed
    return pc.if_else(pc.is_valid(parsed), pc.cast(written, pa.string()), None)


def distribution(
    column: pa.ChunkedArray, labels: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the distribution of a column: heights of bars between 0 and 1, and a description.

    Numbers and dates have equally wide bins; other values are counted, the most frequent first.
    ``labels`` has the labels of values, by the values as they are written.
    """
    column = without_dictionary(column)
    arrow_type = column.type
    values = column.drop_null()
    if len(values) == 0:
        return {"kind": "empty", "bars": [], "description": "no values"}
    if pa.types.is_temporal(arrow_type) and not pa.types.is_duration(arrow_type):
        low, high = (_cell_text(end.as_py()) for end in (pc.min(values), pc.max(values)))
        return _binned(_seconds(values), low, high)
    if is_plain_number(arrow_type) or pa.types.is_decimal(arrow_type):
        numbers = pc.cast(values, pa.float64(), safe=False).to_numpy()
        numbers = numbers[np.isfinite(numbers)]
        if len(numbers):
            mark = "" if are_years(numbers) else ","
            low, high = (f"{end:{mark}.6g}" for end in (numbers.min(), numbers.max()))
            return _binned(numbers, low, high, _median_clause(numbers, mark))
        return {"kind": "empty", "bars": [], "description": "no finite values"}
    return _value_counts(values, labels or {})


def _binned(numbers: Any, low: str, high: str, median_clause: str = "") -> dict[str, Any]:
    """Return the distribution of values of which ``low`` and ``high`` are the extremes as text."""
    if low == high:
        return {
            "kind": "bins",
            "bars": [1.0],
            "low": low,
            "high": high,
            "description": f"always {low}",
        }
    distinct = np.unique(numbers[:100_000])
    counts, _ = np.histogram(numbers, bins=min(BINS, max(2, len(distinct))))
    return {
        "kind": "bins",
        "bars": _bar_heights(counts),
        "low": low,
        "high": high,
        "description": f"from {low} to {high}{median_clause}",
    }


def _median_clause(numbers: Any, separator: str) -> str:
    """Return the median for a description, unless it exceeds the range of a float."""
    median = float(np.median(numbers))
    return f", median {median:{separator}.6g}" if math.isfinite(median) else ""


def _value_counts(values: pa.ChunkedArray, labels: Mapping[str, str]) -> dict[str, Any]:
    texts = pc.cast(values, pa.string()) if not pa.types.is_string(values.type) else values
    counted = texts.value_counts()
    counts = counted.field("counts").to_numpy()
    if len(counts) == len(texts) > MAX_VALUES:
        return {
            "kind": "unique",
            "bars": [],
            "description": f"{len(counts):,} values, all different",
        }
    order = np.lexsort((np.arange(len(counts)), -counts))[:MAX_VALUES]
    names = [
        _with_label(_cell_text(counted.field("values")[int(i)].as_py()), labels) for i in order
    ]
    shares = [float(counts[i]) / len(texts) for i in order]
    description = ", ".join(
        f"{name or 'empty'} {_percent(share)}"
        for name, share in zip(names[:3], shares, strict=False)
    )
    n_others = len(counts) - 3
    description += f" and {n_others:,} more" if n_others > 0 else ""
    return {"kind": "counts", "bars": _bar_heights(counts[order]), "description": description}


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.005 else "<1 %"


def _bar_heights(counts: Any) -> list[float]:
    """Return the heights of bars, relative to the highest."""
    return [round(float(count) / float(counts.max()), 3) for count in counts]


def _seconds(values: pa.ChunkedArray) -> Any:
    if pa.types.is_time(values.type):
        values = pc.cast(values, pa.int64() if values.type.bit_width == 64 else pa.int32())
    else:
        values = pc.cast(pc.cast(values, pa.timestamp("us"), safe=False), pa.int64())
    return values.to_numpy().astype(float)


def _with_label(text: str, labels: Mapping[str, str]) -> str:
    """Return a value with its label, if it has one."""
    return _short(f"{text} {labels[text]}") if text in labels else text


def _cell_text(value: Any) -> str:
    """Return a value as short text; whole numbers have no decimals."""
    if isinstance(value, float) and value.is_integer() and abs(value) < MAX_EXACT_INTEGER:
        value = int(value)
    return "" if value is None else _short(str(value))


def _short(text: str) -> str:
    return shorten(text, MAX_TEXT)
