"""Survey weights of a large table: validation, weighted moments and weighted totals."""

import math
from collections.abc import Iterable, Mapping, Sequence
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
from shoal.frame.weights import check_weights
from shoal.metrics.utility.totals import describe_totals
from shoal.scale.statistics.exact_sums import UNIT, exact_integer_sum, exact_products

MAX_WEIGHTED_SQUARE = 1e300  # beyond this value of w x², sums may overflow

Values = NDArray[np.float64]


@dataclass(frozen=True)
class WeightStatistics:
    """Counts and extremes of survey weights.

    Parameters
    ----------
    missing, negative, zero : int
        Number of weights that cannot be used.
    smallest, largest : float
        Extremes of the weights that can be used.
    """

    missing: int = 0
    negative: int = 0
    zero: int = 0
    smallest: float = math.inf
    largest: float = -math.inf

    @classmethod
    def from_weights(cls, values: Values) -> Self:
        """Return the statistics of the given weights."""
        positive = values[values > 0]
        return cls(
            int(np.isnan(values).sum()),
            int((values < 0).sum()),
            int((values == 0).sum()),
            float(positive.min(initial=math.inf)),
            float(positive.max(initial=-math.inf)),
        )

    def __add__(self, other: "WeightStatistics") -> "WeightStatistics":
        return WeightStatistics(
            self.missing + other.missing,
            self.negative + other.negative,
            self.zero + other.zero,
            min(self.smallest, other.smallest),
            max(self.largest, other.largest),
        )

    def check(self, name: str) -> None:
        """Refuse weights by the same rules as for a table in memory."""
        unusable = {"missing": self.missing, "negative": self.negative, "zero": self.zero}
        check_weights(name, unusable, self.smallest, self.largest)


@dataclass(frozen=True)
class WeightedMoments:
    """Weighted moments of a numeric column, which standardise weighted distances.

    Parameters
    ----------
    weight, total, squares : int
        Sums of w, of w x and of w x², in units of `exact_sums.UNIT`.
    """

    weight: int = 0
    total: int = 0
    squares: int = 0

    @classmethod
    def from_values(cls, values: Values, weights: Values) -> Self:
        """Return the moments of the given values; NaN is missing."""
        present = ~np.isnan(values)
        sums = exact_products(weights[present], values[present])
        return cls(exact_integer_sum(weights[present]), *sums)

    def __add__(self, other: "WeightedMoments") -> "WeightedMoments":
        return WeightedMoments(
            self.weight + other.weight,
            self.total + other.total,
            self.squares + other.squares,
        )

    @property
    def mean(self) -> float:
        """The weighted mean, or 0 if there are no values."""
        return float(Fraction(self.total, self.weight)) if self.weight else 0.0

    @property
    def deviation(self) -> float:
        """The weighted standard deviation."""
        if not self.weight:
            return 0.0
        mean = Fraction(self.total, self.weight)
        return math.sqrt(max(Fraction(0), Fraction(self.squares, self.weight) - mean**2))


@dataclass(frozen=True, eq=False)
class WeightedValues:
    """The distinct values of a column with the total weight of each.

    Parameters
    ----------
    values : pyarrow.Array
        The distinct values.
    sums : list of int
        The total weight of each value, in units of `exact_sums.UNIT`.
    """

    values: pa.Array
    sums: Sequence[int]

    @classmethod
    def from_values(cls, values: pa.Array, weights: Values) -> Self:
        """Sum the weights of the records with each value."""
        encoded = values.dictionary_encode(null_encoding="encode")
        code = encoded.indices.to_numpy(zero_copy_only=False)
        order = np.argsort(code, kind="stable")
        weights_by_code = np.split(weights[order], np.cumsum(np.bincount(code))[:-1])
        return cls(
            encoded.dictionary,
            [exact_integer_sum(value_weights) for value_weights in weights_by_code],
        )

    def __add__(self, other: "WeightedValues") -> "WeightedValues":
        all_values = pa.concat_arrays([self.values, other.values])
        encoded = all_values.dictionary_encode(null_encoding="encode")
        sums = [0] * len(encoded.dictionary)
        weights = [*self.sums, *other.sums]
        for code, weight in zip(encoded.indices.to_pylist(), weights, strict=True):
            sums[code] += weight
        return WeightedValues(encoded.dictionary, sums)

    def weights_of(self, values: pa.Array) -> Values:
        """Return the total weight of each of ``values``."""
        positions = pc.index_in(values, value_set=self.values, skip_nulls=False)
        return np.array([float(self.sums[position] * UNIT) for position in positions.to_pylist()])


def weighted_statistics(
    table: pa.Table, numeric: Sequence[str], categorical: Sequence[str], weights: Values
) -> dict[str, WeightedMoments | WeightedValues]:
    """Return the weighted moments or value weights of each column of a table."""
    frame = tables.open_frame(table)
    statistics: dict[str, WeightedMoments | WeightedValues] = {}
    for name in numeric:
        values = tables.numbers(frame, name)
        if np.nanmax(np.abs(values), initial=0.0) ** 2 * weights.max() > MAX_WEIGHTED_SQUARE:
            raise InputError(
                f"Column {name!r} contains values too large to be weighted. Rescale it.",
                code="values-too-large",
                column=name,
            )
        statistics[name] = WeightedMoments.from_values(values, weights)
    for name in categorical:
        statistics[name] = WeightedValues.from_values(table.column(name).combine_chunks(), weights)
    return statistics


def merge_weighted(
    statistics_of_parts: Sequence[Mapping[str, WeightedMoments | WeightedValues]],
) -> dict[str, WeightedMoments | WeightedValues]:
    """Return the weighted statistics of several parts together; their order does not matter."""
    merged: dict[str, Any] = {}
    for part_statistics in statistics_of_parts:
        for name, statistics in part_statistics.items():
            merged[name] = merged[name] + statistics if name in merged else statistics
    return merged


@dataclass(frozen=True)
class WeightedTotals:
    """The weighted totals of a column, in units of `exact_sums.UNIT`.

    Parameters
    ----------
    original, masked : int
        The totals of the original and of the masked values.
    absolute : int
        The total of the absolute original values; changes are stated in per cent of it.
    """

    original: int = 0
    masked: int = 0
    absolute: int = 0

    @classmethod
    def from_columns(cls, weights: Values, original: Column, masked: Column) -> Self:
        """Return the totals of the given columns."""
        return cls(
            exact_integer_sum(weights * original.values),
            exact_integer_sum(weights * masked.values),
            exact_integer_sum(weights * np.abs(original.values)),
        )

    def __add__(self, other: "WeightedTotals") -> "WeightedTotals":
        return WeightedTotals(
            self.original + other.original,
            self.masked + other.masked,
            self.absolute + other.absolute,
        )

    @property
    def change(self) -> float:
        """The change of the total, in per cent of the total of absolute values."""
        if not self.absolute:
            return 100.0 * (self.masked != self.original)
        return float(Fraction(100 * abs(self.masked - self.original), self.absolute))


def weighted_totals(
    weights: Values, original_columns: Sequence[Column], masked_columns: Sequence[Column]
) -> dict[str, WeightedTotals]:
    """Return the weighted totals of the complete numeric columns, by column."""
    return {
        original.name: WeightedTotals.from_columns(weights, original, masked)
        for original, masked in zip(original_columns, masked_columns, strict=True)
        if original.kind == "numeric" and not original.is_missing.any()
    }


def sum_totals(
    totals_of_parts: Iterable[Mapping[str, WeightedTotals]],
) -> dict[str, WeightedTotals]:
    """Return the weighted totals of several parts together, by column."""
    sums: dict[str, WeightedTotals] = {}
    for part_totals in totals_of_parts:
        for name, totals in part_totals.items():
            sums[name] = sums.get(name, WeightedTotals()) + totals
    return sums


def total_change(
    totals: Mapping[str, WeightedTotals], columns: Sequence[str]
) -> tuple[dict[str, float], str]:
    """Return `shoal.metrics.weighted_total_change` by column, and a sentence on the totals."""
    sentence = describe_totals(
        columns,
        [float(totals[name].original * UNIT) for name in columns],
        [float(totals[name].masked * UNIT) for name in columns],
    )
    return {name: totals[name].change for name in columns}, sentence
