"""Finite values and value counts of columns, and a hash of a table."""

from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.frame.arrow_types import decode
from shoal.frame.tables import Frame, arrow, floats


def finite_values(frame: Frame, name: str) -> NDArray[np.float64]:
    """Return the numbers of a column without missing and infinite values."""
    values = floats(frame[name])
    return values[np.isfinite(values)]


def are_years(values: NDArray[np.float64]) -> bool:
    """Return whether numbers seem to be years: whole, and all from 1800 to 2100.

    Examples
    --------
    >>> are_years(np.array([1967.0, 2024.0])), are_years(np.array([1967.5])), are_years(np.empty(0))
    (True, False, False)
    """
    return bool(len(values)) and bool(
        np.all((values >= 1800) & (values <= 2100) & (np.mod(values, 1) == 0))
    )


def value_counts(frame: Frame, name: str) -> dict[Any, int]:
    """Return how often each value of a column occurs; a missing value is None."""
    counted = decode(arrow(frame, name)).value_counts().to_pylist()
    return {entry["values"]: entry["counts"] for entry in counted}


def digest(frame: Frame) -> str:
    """Return the SHA-256 of the names, types and values of all columns."""
    result = sha256()
    for name in frame.columns:
        column = arrow(frame, name)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, pa.schema([pa.field(name, column.type)])) as stream:
            stream.write_batch(pa.record_batch([column], names=[name]))
        result.update(sink.getvalue())
    return result.hexdigest()
