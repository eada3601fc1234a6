"""Statistics of the whole table in one pass: exact moments, value counts and a sample.

The statistics of parts can be merged in any order, with the same result.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame import tables
from shoal.scale.sources.chunks import Chunk, read_batches
from shoal.scale.statistics.exact_sums import UNIT, exact_integer_sum, exact_squares
from shoal.scale.statistics.hashes import record_hashes
from shoal.scale.statistics.sample import Sample
from shoal.scale.statistics.value_counts import (
    count_combinations,
    count_values,
    merge_combinations,
    merge_values,
)
from shoal.scale.statistics.weights import (
    WeightedMoments,
    WeightedValues,
    WeightStatistics,
    merge_weighted,
    weighted_statistics,
)
from shoal.scale.worker_task import worker_task

MAX_ABS_VALUE = 1e150  # squares of larger values overflow


@dataclass(frozen=True)
class Moments:
    """Exact moments of a numeric column.

    Parameters
    ----------
    n_present, n_missing : int
        Number of values that are present, and number of missing values.
    total, squares : int
        Sum of the values and of their squares, in units of `exact_sums.UNIT`.
    smallest, largest : float
        Extremes of the values.
    """

    n_present: int = 0
    n_missing: int = 0
    total: int = 0
    squares: int = 0
    smallest: float = math.inf
    largest: float = -math.inf

    @classmethod
    def from_values(cls, values: NDArray[np.float64]) -> Self:
        """Return the moments of a column; NaN is missing."""
        present = values[~np.isnan(values)]
        n_missing = len(values) - len(present)
        if not len(present):
            return cls(n_missing=n_missing)
        sums = exact_integer_sum(present), exact_squares(present)
        return cls(len(present), n_missing, *sums, float(present.min()), float(present.max()))

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(
            self.n_present + other.n_present,
            self.n_missing + other.n_missing,
            self.total + other.total,
            self.squares + other.squares,
            min(self.smallest, other.smallest),
            max(self.largest, other.largest),
        )

    @property
    def mean(self) -> float:
        """The mean, rounded once, or 0 if there are no values."""
        return float(self.total * UNIT / self.n_present) if self.n_present else 0.0

    @property
    def deviation(self) -> float:
        """The population standard deviation, or 0 if all values are the same."""
        if self.smallest >= self.largest:
            return 0.0
        mean = Fraction(self.total * UNIT, self.n_present)
        return math.sqrt(self.squares * UNIT / self.n_present - mean**2)


@dataclass(frozen=True, eq=False)
class StatisticsRequest:
    """What to compute in the first pass over the table.

    Parameters
    ----------
    numeric : list of str
        Numeric columns.
    categorical : list of str
        Columns of other kinds.
    strata : list of str
        Columns that split the records into strata.
    required_columns : list of str
        Columns whose missing values drop a record.
    share : float
        Share of the distinct records in the sample.
    seed : int
        Seed of the sample.
    weight : str, optional
        The column of survey weights.
    weighted_distances : bool
        Whether distances are standardised by weighted moments.
    unit : str, optional
        The column of units, whose missing values are counted.
    confidential : list of str
        Confidential columns whose values are counted.
    """

    numeric: Sequence[str]
    categorical: Sequence[str]
    strata: Sequence[str]
    required_columns: Sequence[str]
    share: float
    seed: int
    weight: str | None = None
    weighted_distances: bool = False
    unit: str | None = None
    confidential: Sequence[str] = ()

    @property
    def columns_to_read(self) -> list[str]:
        """All columns that are needed."""
        weight_and_unit = [name for name in (self.weight, self.unit) if name is not None]
        return list(dict.fromkeys([*self.columns, *weight_and_unit, *self.confidential]))

    @property
    def columns(self) -> list[str]:
        """The columns of the sample; records that are equal in all of them are counted as one."""
        strata = [name for name in self.strata if name not in self.categorical]
        return [*self.numeric, *self.categorical, *strata]


@dataclass(frozen=True, eq=False)
class TableStatistics:
    """Statistics of a table or of a part of it.

    Parameters
    ----------
    n_records : int
        Number of records, without dropped ones.
    moments : dict
        Moments of the numeric columns.
    value_counts : dict
        The distinct values of each categorical column with their counts.
    strata : pyarrow.Table or None
        The strata with their counts.
    sample : Sample or None
        Distinct records, sampled by their values, or None if there are no records.
    weight_statistics : WeightStatistics
        Counts and extremes of the survey weights.
    weighted : dict
        Weighted moments, or the weight of each value, by column, or an empty dict unless distances
        are standardised by weighted moments.
    n_without_unit : int
        Number of records without a unit, if units are counted.
    confidential : dict
        The distinct values of each confidential column with their counts, if requested.
    """

    n_records: int = 0
    moments: Mapping[str, Moments] = field(default_factory=dict)
    value_counts: Mapping[str, pa.Table] = field(default_factory=dict)
    strata: pa.Table | None = None
    sample: Sample | None = None
    weight_statistics: WeightStatistics = WeightStatistics()
    weighted: Mapping[str, WeightedMoments | WeightedValues] = field(default_factory=dict)
    n_without_unit: int = 0
    confidential: Mapping[str, pa.Table] = field(default_factory=dict)


@worker_task
def chunk_statistics(chunk: Chunk, request: StatisticsRequest) -> TableStatistics:
    """Return the statistics of one chunk."""
    batches = read_batches(chunk, request.columns_to_read, request.required_columns)
    return merge_statistics(batch_statistics(table, request) for table in batches)


def merge_statistics(statistics: Iterable[TableStatistics]) -> TableStatistics:
    """Return the statistics of several parts together; their order does not matter."""
    statistics = list(statistics)
    if len(statistics) == 1:
        return statistics[0]
    moments: dict[str, Moments] = {}
    for part in statistics:
        moments |= {
            name: moments.get(name, Moments()) + new_moments
            for name, new_moments in part.moments.items()
        }
    strata = [part.strata for part in statistics if part.strata is not None]
    samples = [part.sample for part in statistics if part.sample is not None]
    return TableStatistics(
        n_records=sum(part.n_records for part in statistics),
        moments=moments,
        value_counts=merge_values([part.value_counts for part in statistics]),
        strata=merge_combinations(strata, strata[0].column_names[:-1]) if strata else None,
        sample=Sample.merge(samples) if samples else None,
        weight_statistics=sum((part.weight_statistics for part in statistics), WeightStatistics()),
        weighted=merge_weighted([part.weighted for part in statistics]),
        n_without_unit=sum(part.n_without_unit for part in statistics),
        confidential=merge_values([part.confidential for part in statistics]),
    )


def batch_statistics(table: pa.Table, request: StatisticsRequest) -> TableStatistics:
    """Return the statistics of a table in memory."""
    frame = tables.open_frame(table)
    moments = {}
    for name in request.numeric:
        moments[name] = Moments.from_values(tables.numbers(frame, name))
        if max(-moments[name].smallest, moments[name].largest) > MAX_ABS_VALUE:
            raise InputError(
                f"Column {name!r} contains values beyond {MAX_ABS_VALUE:g}. Rescale it.",
                code="values-too-large",
                column=name,
            )
    hashes = record_hashes(table, request.columns, request.seed)
    weight_statistics, weighted = WeightStatistics(), {}
    if request.weight is not None:
        weights = tables.numbers(frame, request.weight)
        weight_statistics = WeightStatistics.from_weights(weights)
        if request.weighted_distances:
            # Unusable weights are refused when the weights of all parts have been counted.
            usable = np.where(weights > 0, weights, 0.0)
            weighted = weighted_statistics(table, request.numeric, request.categorical, usable)
    unit = [] if request.unit is None else [request.unit]
    return TableStatistics(
        n_records=len(table),
        moments=moments,
        value_counts=count_values(table, request.categorical),
        strata=count_combinations(table, request.strata) if request.strata else None,
        sample=Sample.from_records(table.select(request.columns), hashes, request.share),
        weight_statistics=weight_statistics,
        weighted=weighted,
        n_without_unit=sum(tables.missing_counts(frame, unit).values()),
        confidential=count_values(table, request.confidential),
    )
