"""Dates, times of day and durations as numbers."""

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import ColumnError, InputError

TICKS_PER_DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


def rank_dates(name: str, array: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the days from the earliest date to each distinct date, and the rank of each record.

    Dates are ranked as integers, so that dates a nanosecond apart remain distinct. The rank of a
    missing date is -1. Text is parsed as ISO dates.
    """
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        array = _parse_text(name, array)
    kind = array.type
    if not pa.types.is_temporal(kind) or pa.types.is_interval(kind):
        raise ColumnError(
            f"Column {name!r} is declared as date but holds {kind} values.",
            code="not-a-date",
            column=name,
            kind=str(kind),
        )
    per_day = 1 if pa.types.is_date32(kind) else TICKS_PER_DAY[getattr(kind, "unit", "ms")]
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        array = array.cast(pa.int32())
    ticks = array.cast(pa.int64())
    is_valid = np.asarray(ticks.is_valid())
    rank = np.full(len(ticks), -1, np.int64)
    dates, rank[is_valid] = np.unique(ticks.drop_null().to_numpy(), return_inverse=True)
    return (dates - dates[:1]) / per_day, rank


def _parse_text(name: str, array: Any) -> Any:
    """Return ISO text as timestamps or times of day; refuse any other text."""
    encoded = array.dictionary_encode()
    texts = [text.strip() for text in encoded.dictionary.to_pylist()]
    times = bool(texts) and all(text[2:3] == ":" for text in texts)
    read: Any = dt.time.fromisoformat if times else dt.datetime.fromisoformat
    parsed, invalid = [], []
    for at, text in enumerate(texts):
        try:
            parsed.append(read(text))
        except ValueError:
            invalid.append(at)
    if invalid or len({date.tzinfo is None for date in parsed}) > 1:
        if not invalid:
            raise InputError(
                f"Column {name!r} is declared as date, but only some cells have a time zone."
                " Correct them first.",
                code="zones-differ",
                column=name,
            )
        index = encoded.indices.drop_null().to_numpy()
        cells = int(np.isin(index, invalid).sum())
        raise InputError(
            f"Column {name!r} is declared as date, but {cells} of {len(index)} cells are not ISO"
            " dates such as 2024-01-31. Correct them first.",
            code="not-a-date",
            column=name,
            count=cells,
        )
    dates = pa.array(parsed, pa.time64("us") if times else None)
    return pc.take(dates, encoded.indices)
