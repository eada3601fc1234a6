"""Survey weights of a large table: what they must be, and the totals that they keep."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from shoal.scale.exact import UNIT, exact_sum
from shoal.table import frame as tables
from shoal.table.columns import Column

Values = NDArray[np.float64]
Totals = Mapping[tuple[str, str], int]  # by column and by what is summed


@dataclass(frozen=True)
class Weights:
    """What was counted of some weights.

    Parameters
    ----------
    missing, negative, zero : int
        Number of weights that cannot be used.
    least, most : float
        Extremes of the others.
    """

    missing: int = 0
    negative: int = 0
    zero: int = 0
    least: float = math.inf
    most: float = -math.inf

    @classmethod
    def of(cls, values: Values) -> Self:
        """Count some weights."""
        used = values[values > 0]
        return cls(
            int(np.isnan(values).sum()),
            int((values < 0).sum()),
            int((values == 0).sum()),
            float(used.min(initial=math.inf)),
            float(used.max(initial=-math.inf)),
        )

    def __add__(self, other: "Weights") -> "Weights":
        return Weights(
            self.missing + other.missing,
            self.negative + other.negative,
            self.zero + other.zero,
            min(self.least, other.least),
            max(self.most, other.most),
        )

    def check(self, name: str) -> None:
        """Refuse weights as in memory."""
        bad = {"missing": self.missing, "negative": self.negative, "zero": self.zero}
        tables.refuse_weights(name, bad, self.least, self.most)


def totals(weights: Values, before: Sequence[Column], after: Sequence[Column]) -> Totals:
    """Return the weighted totals of columns of numbers, before and after, in units of ``UNIT``.

    Beside them, how large the values are that they are made of.
    """
    found: dict[tuple[str, str], int] = {}
    for one, other in zip(before, after, strict=True):
        if one.kind != "numeric" or one.hole.any():
            continue
        found[one.name, "before"] = exact_sum(weights * one.values)
        found[one.name, "after"] = exact_sum(weights * other.values)
        found[one.name, "size"] = exact_sum(weights * np.abs(one.values))
    return found


def total_change(found: Totals, columns: Sequence[str]) -> tuple[dict[str, float], str]:
    """Return how far each total moved, as `shoal.measure.weighted_total_change`, and the totals."""
    moved: dict[str, float] = {}
    told: list[str] = []
    for name in columns:
        before, after, size = (found[name, which] * UNIT for which in ("before", "after", "size"))
        moved[name] = float(100 * abs(after - before) / size) if size else 100.0 * (after != before)
        told.append(f"{name!r} {float(before):.10g} before and {float(after):.10g} after")
    return moved, f"Totals under the weights: {', '.join(told)}."
