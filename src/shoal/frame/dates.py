"""Dates, times of day and durations as whole numbers."""

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import ColumnError, InputError

DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


def ranked_dates(name: str, array: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the days from the earliest to each different date, and the rank of each record.

    Ranks are those of whole numbers, so that dates a nanosecond apart stay two. The rank
    of a missing date is -1. Text is read as ISO dates.
    """
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        array = _parsed(name, array)
    kind = array.type
    if not pa.types.is_temporal(kind) or pa.types.is_interval(kind):
        raise ColumnError(
            f"Column {name!r} is declared as date and holds {kind} values.",
            code="not-a-date",
            column=name,
            kind=str(kind),
        )
    per_day = 1 if pa.types.is_date32(kind) else DAY[getattr(kind, "unit", "ms")]
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        array = array.cast(pa.int32())
    ticks = array.cast(pa.int64())
    known = np.asarray(ticks.is_valid())
    rank = np.full(len(ticks), -1, np.int64)
    moments, rank[known] = np.unique(ticks.drop_null().to_numpy(), return_inverse=True)
    return (moments - moments[:1]) / per_day, rank


def _parsed(name: str, array: Any) -> Any:
    """Return ISO text as timestamps or times of day; refuse all else."""
    encoded = array.dictionary_encode()
    texts = [text.strip() for text in encoded.dictionary.to_pylist()]
    times = bool(texts) and all(text[2:3] == ":" for text in texts)
    read: Any = dt.time.fromisoformat if times else dt.datetime.fromisoformat
    found, bad = [], []
    for at, text in enumerate(texts):
        try:
            found.append(read(text))
        except ValueError:
            bad.append(at)
    if bad or len({moment.tzinfo is None for moment in found}) > 1:
        index = encoded.indices.drop_null().to_numpy()
        cells = int(np.isin(index, bad).sum())
        what = f"{cells} of {len(index)} cells are no ISO dates such as 2024-01-31"
        if not bad:
            what = "some cells tell their zone and some do not"
        raise InputError(
            f"Column {name!r} is declared as date, but {what}. Mend them first.",
            code="not-a-date",
            column=name,
        )
    moments = pa.array(found, pa.time64("us") if times else None)
    return pc.take(moments, encoded.indices)
