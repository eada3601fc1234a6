"""The number of decimals of numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_DECIMALS = 15
MAX_EXACT_INTEGER = 2**53  # float64 does not represent all larger integers


def decimals_of_values(values: NDArray[Any]) -> int | None:
    """Return the smallest number of decimals that represents all values.

    Missing values are ignored. Return None if the values need all digits of a float.

    Examples
    --------
    >>> decimals_of_values(np.array([1.5, 2.25, np.nan]))
    2
    >>> decimals_of_values(np.array([1.0, 30.0]))
    0
    >>> decimals_of_values(np.array([0.1 + 0.2]))
    """
    finite = values[np.isfinite(values)]
    as_float64 = finite.astype(np.float64)
    for decimals in range(MAX_DECIMALS + 1):
        if not decimals_fit(as_float64, decimals):
            return None
        if np.array_equal(np.round(as_float64, decimals).astype(finite.dtype), finite):
            return decimals
    return None


def decimals_fit(values: NDArray[np.float64], decimals: int) -> bool:
    """Return whether float64 represents the values exactly with this number of decimals."""
    largest = np.fmax.reduce(np.abs(values), initial=0.0)
    return bool(largest * 10.0**decimals < MAX_EXACT_INTEGER)
