"""Survey weights of a large table: what they must be, and the totals that they keep."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.columns import Column
from shoal.scale.exact import UNIT, exact_products, exact_sum

GREATEST = 1e300  # beyond it, sums of w x x may not fit into a float64

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
        tables.check_weights(name, bad, self.least, self.most)


@dataclass(frozen=True)
class Units:
    """Weighted moments of a column of numbers, which set the units of distances.

    Parameters
    ----------
    weight, total, squares : int
        Sums of w, of w x and of w x x, in units of `shoal.scale.exact.UNIT`.
    """

    weight: int = 0
    total: int = 0
    squares: int = 0

    @classmethod
    def of(cls, values: Values, weights: Values) -> Self:
        """Return the moments of some values; what is not a number is missing."""
        known = ~np.isnan(values)
        sums = exact_products(weights[known], values[known])
        return cls(exact_sum(weights[known]), *sums)

    def __add__(self, other: "Units") -> "Units":
        return Units(
            self.weight + other.weight,
            self.total + other.total,
            self.squares + other.squares,
        )

    @property
    def mean(self) -> float:
        """The weighted mean; 0 where there are no values."""
        return float(Fraction(self.total, self.weight)) if self.weight else 0.0

    @property
    def deviation(self) -> float:
        """The weighted standard deviation."""
        if not self.weight:
            return 0.0
        mean = Fraction(self.total, self.weight)
        return math.sqrt(max(Fraction(0), Fraction(self.squares, self.weight) - mean**2))


@dataclass(frozen=True, eq=False)
class Weighed:
    """The different values of a column with the weight of each.

    Parameters
    ----------
    values : pyarrow.Array
        The different values.
    sums : list of int
        The weight of each, in units of `shoal.scale.exact.UNIT`.
    """

    values: pa.Array
    sums: Sequence[int]

    @classmethod
    def of(cls, values: pa.Array, weights: Values) -> Self:
        """Weigh the values of some records."""
        encoded = values.dictionary_encode(null_encoding="encode")
        code = encoded.indices.to_numpy(zero_copy_only=False)
        order = np.argsort(code, kind="stable")
        parts = np.split(weights[order], np.cumsum(np.bincount(code))[:-1])
        return cls(encoded.dictionary, [exact_sum(part) for part in parts])

    def __add__(self, other: "Weighed") -> "Weighed":
        both = pa.concat_arrays([self.values, other.values])
        encoded = both.dictionary_encode(null_encoding="encode")
        sums = [0] * len(encoded.dictionary)
        for at, one in zip(encoded.indices.to_pylist(), [*self.sums, *other.sums], strict=True):
            sums[at] += one
        return Weighed(encoded.dictionary, sums)

    def of_each(self, values: pa.Array) -> Values:
        """Return the weight of each of some values."""
        at = pc.index_in(values, value_set=self.values, skip_nulls=False)
        return np.array([float(self.sums[one] * UNIT) for one in at.to_pylist()])


def weigh(
    table: pa.Table, numbers: Sequence[str], words: Sequence[str], weights: Values
) -> dict[str, Units | Weighed]:
    """Return of each column of some records what its values weigh."""
    frame = tables.open_frame(table)
    found: dict[str, Units | Weighed] = {}
    for name in numbers:
        values = tables.numbers(frame, name)
        if np.nanmax(np.abs(values), initial=0.0) ** 2 * weights.max() > GREATEST:
            raise InputError(
                f"Column {name!r} holds values too large to be weighed. Rescale it.",
                code="values-too-large",
                column=name,
            )
        found[name] = Units.of(values, weights)
    for name in words:
        found[name] = Weighed.of(table.column(name).combine_chunks(), weights)
    return found


def joined_weights(
    found: Sequence[Mapping[str, Units | Weighed]],
) -> dict[str, Units | Weighed]:
    """Return what values weigh in several parts together; their order does not matter."""
    total: dict[str, Any] = {}
    for part in found:
        for name, one in part.items():
            total[name] = total[name] + one if name in total else one
    return total


def totals(weights: Values, before: Sequence[Column], after: Sequence[Column]) -> Totals:
    """Return the weighted totals of columns of numbers, before and after, in units of ``UNIT``.

    Beside them, how large the values are that they are made of.
    """
    found: dict[tuple[str, str], int] = {}
    for one, other in zip(before, after, strict=True):
        if one.kind != "numeric" or one.is_missing.any():
            continue
        found[one.name, "before"] = exact_sum(weights * one.values)
        found[one.name, "after"] = exact_sum(weights * other.values)
        found[one.name, "size"] = exact_sum(weights * np.abs(one.values))
    return found


def total_change(found: Totals, columns: Sequence[str]) -> tuple[dict[str, float], str]:
    """Return how far each total moved, as `shoal.metrics.weighted_total_change`, and the totals."""
    moved: dict[str, float] = {}
    told: list[str] = []
    for name in columns:
        before, after, size = (found[name, which] * UNIT for which in ("before", "after", "size"))
        moved[name] = float(100 * abs(after - before) / size) if size else 100.0 * (after != before)
        told.append(f"{name!r} {float(before):.10g} before and {float(after):.10g} after")
    return moved, f"Totals under the weights: {', '.join(told)}."
