"""Survey weights: read from a column, and refused if they cannot be used."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame.tables import Frame, check_columns, numbers

MAX_WEIGHT_RATIO = 1e12  # with a larger ratio, sums lose the smallest weights


def read_weights(frame: Frame, name: str) -> NDArray[np.float64]:
    """Return a column of survey weights; refuse missing, negative and zero weights."""
    check_columns(frame, [name])
    values = numbers(frame, name)
    invalid = {
        "missing": int(np.isnan(values).sum()),
        "negative": int((values < 0).sum()),
        "zero": int((values == 0).sum()),
    }
    check_weights(name, invalid, float(values.min()), float(values.max()))
    return values


def check_weights(name: str, invalid: Mapping[str, int], smallest: float, largest: float) -> None:
    """Refuse invalid weights, counted by kind, and weights that differ too much."""
    counts = ", ".join(f"{count:,} {kind}" for kind, count in invalid.items() if count)
    if counts:
        raise InputError(
            f"Column {name!r} contains weights that cannot be used: {counts}. A weight is the"
            " number of units that a record represents, so it must be above 0. Correct these"
            " records, or leave them out.",
            code="weights-unusable",
            column=name,
        )
    if largest > MAX_WEIGHT_RATIO * smallest:
        raise InputError(
            f"The weights in column {name!r} differ by a factor of more than"
            f" {MAX_WEIGHT_RATIO:g}, so some records have no influence. Correct them.",
            code="weights-too-different",
            column=name,
        )
