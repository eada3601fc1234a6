"""Dates and times as numbers since an epoch, as statistical software stores them."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_RANGE = 1e14  # milliseconds: about three thousand years around 1970


@dataclass(frozen=True)
class Clock:
    """A numeric encoding of dates or times.

    Parameters
    ----------
    zero : str
        The epoch, for instance ``"1960-01-01"``.
    unit : float
        Milliseconds in one unit.
    days : bool
        Whether the values are days without a time of day.
    """

    zero: str
    unit: float
    days: bool

    @property
    def _offset(self) -> int:
        return int(np.datetime64(self.zero, "ms").astype(np.int64))

    def decode(self, values: NDArray[np.float64], is_missing: NDArray[np.bool_]) -> pa.Array | None:
        """Return dates or times, or None if some value is not exactly one."""
        scaled = np.where(is_missing, 0.0, values) * self.unit
        if not np.all(np.abs(scaled) < _RANGE):
            return None
        moments = np.rint(scaled).astype(np.int64)
        if not np.array_equal(moments / self.unit, np.where(is_missing, 0.0, values)):
            return None
        moments = moments + self._offset
        if not self.days:
            return pa.array(moments, pa.timestamp("ms"), mask=is_missing)
        whole, rest = np.divmod(moments, 86_400_000)
        if np.any(rest[~is_missing]):
            return None
        return pa.array(whole.astype(np.int32), pa.int32(), mask=is_missing).cast(pa.date32())

    def encode(self, column: pa.Array) -> pa.Array:
        """Return dates or times as numbers since the epoch."""
        is_missing = column.is_null().to_numpy(zero_copy_only=False)
        fine = column.cast(pa.timestamp("us")).cast(pa.int64()).fill_null(0)
        # Whole units first: a sum in float64 would lose the last digits.
        moments = fine.to_numpy(zero_copy_only=False) - 1000 * self._offset
        whole, rest = np.divmod(moments, 1000)
        numbers = whole / self.unit + rest / (1000 * self.unit)
        return pa.array(numbers, pa.float64(), mask=is_missing)
