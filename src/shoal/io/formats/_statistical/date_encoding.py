"""Dates and times as numbers since an epoch, as statistical software stores them."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_MAX_MILLISECONDS = 1e14  # about three thousand years before and after the epoch


@dataclass(frozen=True)
class DateEncoding:
    """A numeric encoding of dates or times.

    Parameters
    ----------
    epoch : str
        The day that is stored as 0, such as ``"1960-01-01"``.
    milliseconds : float
        Length of the stored unit in milliseconds: 86,400,000 for days.
    is_date : bool
        Whether the values are days without a time of day.
    """

    epoch: str
    milliseconds: float
    is_date: bool

    @property
    def _offset(self) -> int:
        """Milliseconds from 1970-01-01 to the epoch; negative if the epoch is earlier."""
        return int(np.datetime64(self.epoch, "ms").astype(np.int64))

    def decode(self, values: NDArray[np.float64], is_missing: NDArray[np.bool_]) -> pa.Array | None:
        """Return dates or times, or None if a value is not exactly a date or time."""
        scaled = np.where(is_missing, 0.0, values) * self.milliseconds
        if not np.all(np.abs(scaled) < _MAX_MILLISECONDS):
            return None
        timestamps = np.rint(scaled).astype(np.int64)
        if not np.array_equal(timestamps / self.milliseconds, np.where(is_missing, 0.0, values)):
            return None
        timestamps = timestamps + self._offset
        if not self.is_date:
            return pa.array(timestamps, pa.timestamp("ms"), mask=is_missing)
        days, time_of_day = np.divmod(timestamps, 86_400_000)
        if np.any(time_of_day[~is_missing]):
            return None
        return pa.array(days.astype(np.int32), pa.int32(), mask=is_missing).cast(pa.date32())

    def encode(self, column: pa.Array) -> pa.Array:
        """Return dates or times as numbers since the epoch."""
        is_missing = column.is_null().to_numpy(zero_copy_only=False)
        since_1970 = column.cast(pa.timestamp("us")).cast(pa.int64()).fill_null(0)
        since_epoch = since_1970.to_numpy(zero_copy_only=False) - 1000 * self._offset
        # Whole milliseconds first: a sum in float64 would lose the last digits.
        milliseconds, microseconds = np.divmod(since_epoch, 1000)
        numbers = milliseconds / self.milliseconds + microseconds / (1000 * self.milliseconds)
        return pa.array(numbers, pa.float64(), mask=is_missing)
