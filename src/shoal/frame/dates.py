"""Dates, times of day and durations as numbers."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import ColumnError, InputError
from shoal.frame.arrow_types import is_plain_number, is_text
from shoal.frame.notation.date_formats import parse_date, possible_formats
from shoal.frame.notation.texts import text_of

TICKS_PER_DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


def rank_dates(
    name: str, array: Any, date_format: str = ""
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the days from the earliest date to each distinct date, and the rank of each record.

    Dates are ranked as integers, so that dates a nanosecond apart remain distinct. The rank of a
    missing date is -1. Text, and numbers if the type of the column has a format, are parsed by
    ``date_format``; an empty one stands for ISO dates.
    """
    ticks, per_day = _ticks(_as_temporal(name, array, date_format))
    is_valid = np.asarray(ticks.is_valid())
    rank = np.full(len(ticks), -1, np.int64)
    dates, rank[is_valid] = np.unique(ticks.drop_null().to_numpy(), return_inverse=True)
    return (dates - dates[:1]) / per_day, rank


def days_since_epoch(name: str, array: Any, date_format: str = "") -> NDArray[np.float64]:
    """Return dates as whole days since 1970-01-01 in their own time zone, NaN where missing."""
    array = _as_temporal(name, array, date_format)
    if pa.types.is_timestamp(array.type) and array.type.tz is not None:
        array = pc.local_timestamp(array)
    if not (pa.types.is_timestamp(array.type) or pa.types.is_date(array.type)):
        raise _not_a_date_error(name, array.type)
    ticks, per_day = _ticks(array)
    days = np.full(len(ticks), np.nan)
    is_valid = np.asarray(ticks.is_valid())
    days[is_valid] = ticks.drop_null().to_numpy() // per_day
    return days


def _as_temporal(name: str, array: Any, date_format: str) -> Any:
    """Return an array of dates, which may be given as text or numbers; refuse other values."""
    if date_format and is_plain_number(array.type):
        texts = [None if value is None else text_of(value) for value in array.to_pylist()]
        array = pa.array(texts, pa.string())
    if is_text(array.type):
        array = _parse_text(name, array, date_format)
    if not pa.types.is_temporal(array.type) or pa.types.is_interval(array.type):
        raise _not_a_date_error(name, array.type)
    return array


def _not_a_date_error(name: str, arrow_type: Any) -> ColumnError:
    return ColumnError(
        f"Column {name!r} is declared as date but contains {arrow_type} values. Declare another"
        " kind.",
        code="not-a-date",
        column=name,
        kind=str(arrow_type),
    )


def _ticks(array: Any) -> tuple[Any, int]:
    """Return dates as integers, and the number of their units in a day."""
    is_date = pa.types.is_date32(array.type)
    per_day = 1 if is_date else TICKS_PER_DAY[getattr(array.type, "unit", "ms")]
    if is_date or pa.types.is_time32(array.type):
        array = array.cast(pa.int32())
    return array.cast(pa.int64()), per_day


def _parse_text(name: str, array: Any, date_format: str) -> Any:
    """Return text as timestamps or times of day; refuse text in another format."""
    encoded = array.dictionary_encode()
    texts = [text.strip() for text in encoded.dictionary.to_pylist()]
    if not date_format and texts and all(text[2:3] == ":" for text in texts):
        return _parse_times(name, encoded, texts)
    if not date_format:
        date_format = _infer_format(name, texts)
    parsed = [parse_date(text, date_format) for text in texts]
    _refuse_invalid(name, encoded, parsed, date_format)
    if len({date.tzinfo is None for date in parsed if date is not None}) > 1:
        raise InputError(
            f"Column {name!r} is declared as date, but only some cells have a time zone."
            " Correct them first.",
            code="zones-differ",
            column=name,
        )
    return pc.take(pa.array(parsed), encoded.indices)


def _parse_times(name: str, encoded: Any, texts: list[str]) -> Any:
    """Return text as times of day; refuse other text."""
    parsed: list[dt.time | None] = []
    for text in texts:
        try:
            parsed.append(dt.time.fromisoformat(text))
        except ValueError:
            parsed.append(None)
    _refuse_invalid(name, encoded, parsed, "")
    return pc.take(pa.array(parsed, pa.time64("us")), encoded.indices)


def _infer_format(name: str, texts: list[str]) -> str:
    """Return the format that fits the texts, or "" for ISO; refuse dates that fit two formats."""
    formats = possible_formats(texts)
    if len(formats) > 1:
        raise InputError(
            f"The dates in column {name!r} can be read in two ways: day and month could be swapped."
            f' Give the format with `types`: {{"kind": "date", "format": "{formats[0]}"}} or'
            f' "{formats[1]}" (on the command line --type {name}=date:{formats[0]}).',
            code="dates-ambiguous",
            column=name,
            formats=tuple(formats),
        )
    return formats[0] if formats else ""


def _refuse_invalid(name: str, encoded: Any, parsed: Sequence[Any], date_format: str) -> None:
    """Refuse a column if a distinct text could not be parsed; the message counts the cells."""
    invalid = [i for i, date in enumerate(parsed) if date is None]
    if not invalid:
        return
    index = encoded.indices.fill_null(-1).to_numpy()
    invalid_records = np.flatnonzero(np.isin(index, invalid))
    expected = f"written as {date_format!r}" if date_format else "ISO dates such as 2024-01-31"
    raise InputError(
        f"Column {name!r} is declared as date, but {len(invalid_records):,} of"
        f" {int((index >= 0).sum()):,} cells are not {expected}; the first is in record"
        f" {invalid_records[0] + 1:,}. Correct them, or give the format with `types`.",
        code="not-a-date",
        column=name,
        count=len(invalid_records),
        record=int(invalid_records[0]) + 1,
    )
