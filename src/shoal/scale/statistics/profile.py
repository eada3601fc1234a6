"""Columns of a large table before and after masking, from counts that can be added.

The values of a numeric column are counted on a grid that is laid over a sample of the original. The
intervals of the grid divide the bins of a histogram, so that bins are the same as in memory. Means
and deviations come from exact sums, quartiles and similarities from the grid.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.frame.columns import Column
from shoal.frame.texts import text_of
from shoal.metrics.profile.histogram import bars, histogram
from shoal.metrics.profile.similarity import similarity_of_counts, similarity_of_numbers
from shoal.plan.column_profile import profile_pairs, similarity_scores
from shoal.plan.profile import MAX_COLUMNS, MIN_COUNT
from shoal.scale.statistics.moment_sums import MomentSums
from shoal.scale.statistics.sample import Sample
from shoal.scale.statistics.table_statistics import COUNT, Moments, merge_values

Values = NDArray[np.float64]
Counts = NDArray[np.int64]

BINS = 16  # bins of a histogram over the bulk of a column
TAIL = 0.05  # share of the values outside the bulk, on either side
MARGIN = 2.0  # width of the grid beyond the bulk, on either side, in widths of the bulk


class Grid(NamedTuple):
    """Intervals of equal width over the values of a column; the first and last are unbounded."""

    step: float
    offset: float
    first: int
    last: int

    @classmethod
    def from_sample(cls, values: Values, weights: Values, *, is_whole: bool) -> "Grid":
        """Return the grid over the bulk of a sample."""
        order = np.argsort(values, kind="stable")
        cumulative_share = np.cumsum(weights[order]) / weights.sum()
        positions = np.searchsorted(cumulative_share, [TAIL, 1 - TAIL]).clip(max=len(values) - 1)
        low, high = values[order][positions].tolist()
        width = (high - low) or float(np.ptp(values)) or abs(low) or 1.0
        # A tenth of the bins of a histogram, or finer; a power of ten divides all round steps.
        step = 10.0 ** (math.floor(math.log10(width / BINS)) - 1)
        offset, step = (0.5, max(step, 1.0)) if is_whole else (0.0, step)
        first, last = (math.floor((edge + offset) / step) for edge in (low, high))
        margin = math.ceil(MARGIN * width / step)
        return cls(step, offset, first - margin, last + margin)

    def counts_of(self, values: Values) -> Counts:
        """Return the number of values in each interval."""
        intervals = np.floor((values + self.offset) / self.step) - self.first
        number = self.last - self.first + 1
        return np.bincount(np.clip(intervals, 0, number - 1).astype(np.int64), minlength=number)

    @property
    def midpoints(self) -> Values:
        """The middle of each interval; if an interval holds one whole number, that number."""
        intervals = np.arange(self.first, self.last + 1)
        inside = self.offset if self.step == 1.0 and self.offset else self.step / 2
        return np.asarray(intervals * self.step + inside - self.offset, np.float64)


class SparseCounts(NamedTuple):
    """The non-zero counts of the intervals of a grid, small enough to be sent."""

    intervals: NDArray[np.int32]
    counts: NDArray[np.int32]

    @classmethod
    def from_counts(cls, counts: Counts) -> "SparseCounts":
        """Return the counts that are not zero."""
        intervals = np.flatnonzero(counts)
        return cls(intervals.astype(np.int32), counts[intervals].astype(np.int32))


@dataclass(frozen=True, eq=False)
class BlockProfile:
    """What was counted on the columns of a block before and after masking.

    Parameters
    ----------
    grid_counts : dict
        Counts on the grid of each numeric column, in the original and the masked table.
    moments : dict
        Moments of the masked values of each numeric column.
    value_counts : dict
        The distinct masked values of each other column with their counts.
    sums : MomentSums
        Sums of z-scores and of their products, in the original and the masked table.
    """

    grid_counts: Mapping[str, tuple[SparseCounts, SparseCounts]] = field(default_factory=dict)
    moments: Mapping[str, Moments] = field(default_factory=dict)
    value_counts: Mapping[str, pa.Table] = field(default_factory=dict)
    sums: MomentSums = field(default_factory=MomentSums)


def make_grids(
    sample: Sample, numeric: Iterable[str], whole_columns: Sequence[str]
) -> dict[str, Grid]:
    """Return a grid for each numeric column that has values."""
    grid_by_column: dict[str, Grid] = {}
    for name in numeric:
        values = sample.table.column(name).cast(pa.float64(), safe=False).to_numpy()
        present = np.isfinite(values)
        if present.any():
            weights = sample.weights[present]
            grid_by_column[name] = Grid.from_sample(
                values[present], weights, is_whole=name in whole_columns
            )
    return grid_by_column


def count_on_grids(
    grids: Mapping[str, Grid], original: Sequence[Column], masked: Sequence[Column]
) -> dict[str, tuple[SparseCounts, SparseCounts]]:
    """Count the values of numeric columns on their grids."""
    grid_counts = {}
    for pair in zip(original, masked, strict=True):
        grid = grids.get(pair[0].name)
        if grid is not None:
            original_counts, masked_counts = (
                SparseCounts.from_counts(grid.counts_of(column.values[~column.is_missing]))
                for column in pair
            )
            grid_counts[pair[0].name] = original_counts, masked_counts
    return grid_counts


class Profile:
    """The profile of a table, added up block by block in any order.

    Parameters
    ----------
    grids : dict
        The grid of each numeric column.
    """

    def __init__(self, grids: Mapping[str, Grid]):
        self.grids = grids
        self.counts = {
            name: np.zeros((2, grid.last - grid.first + 1), np.int64)
            for name, grid in grids.items()
        }
        self.moments: dict[str, Moments] = {}
        self.value_counts: dict[str, pa.Table] = {}
        self.sums = MomentSums()

    def add(self, block: BlockProfile) -> None:
        """Add the counts of a block."""
        for name, counts_by_table in block.grid_counts.items():
            for table, sparse_counts in enumerate(counts_by_table):
                self.counts[name][table][sparse_counts.intervals] += sparse_counts.counts
        for name, moments in block.moments.items():
            self.moments[name] = self.moments.get(name, Moments()) + moments
        self.value_counts = merge_values([self.value_counts, block.value_counts])
        self.sums = self.sums + block.sums

    def to_block(self) -> BlockProfile:
        """Return the counts in a form that can be sent and added."""
        grid_counts = {
            name: (SparseCounts.from_counts(counts[0]), SparseCounts.from_counts(counts[1]))
            for name, counts in self.counts.items()
        }
        return BlockProfile(grid_counts, self.moments, self.value_counts, self.sums)

    def to_dict(
        self,
        columns: Sequence[str],
        original_moments: Mapping[str, Moments],
        original_value_counts: Mapping[str, pa.Table],
        whole_columns: Sequence[str],
        k: int | None,
    ) -> dict[str, Any]:
        """Return the data for figures, as `shoal.plan.profile.profile` does.

        Parameters
        ----------
        columns : list of str
            The masked columns.
        original_moments : dict
            Moments of the numeric columns of the original.
        original_value_counts : dict
            The distinct values of its other columns with their counts.
        whole_columns : list of str
            Columns of whole numbers.
        k : int or None
            Figures show no count of 1 to k - 1 original records.

        Returns
        -------
        dict
            ``distributions``, ``columns``, ``scores`` and ``correlations``.
        """
        min_count = max(k or 0, MIN_COUNT)
        entries = []
        for name in columns:
            masked_moments = self.moments.get(name, Moments())
            if name in self.grids and original_moments[name].n_present and masked_moments.n_present:
                numbers = NumberCounts(self.grids[name].midpoints, *self.counts[name])
                original_summary, masked_summary = (
                    summary_of(original_moments[name]),
                    summary_of(masked_moments),
                )
                entries.append(
                    number_entry(
                        name,
                        numbers,
                        original_summary,
                        masked_summary,
                        min_count,
                        is_whole=name in whole_columns,
                    )
                )
            else:
                counts = (
                    _as_dict(name, original_value_counts.get(name)),
                    _as_dict(name, self.value_counts[name]),
                )
                entries.append(category_entry(name, *counts, min_count))
        return assemble_profile(entries, self.sums.correlations(MAX_COLUMNS))


class NumberCounts(NamedTuple):
    """Numbers in ascending order, and how often each occurs in the original and masked table."""

    values: Values
    original: Counts
    masked: Counts

    def quartiles(self, counts: Counts) -> list[float]:
        """Return the least numbers that a quarter, half and three quarters do not exceed."""
        ranks = np.ceil(np.array([0.25, 0.5, 0.75]) * counts.sum())
        positions = np.searchsorted(np.cumsum(counts), ranks)
        return [float(f"{value:.12g}") for value in self.values[positions]]


class NumberSummary(NamedTuple):
    """Mean, deviation, extremes and missing values of a numeric column."""

    mean: float
    deviation: float
    smallest: float
    largest: float
    missing: int


def summary_of(moments: Moments) -> NumberSummary:
    """Return the summary that follows from moments."""
    return NumberSummary(
        moments.mean, moments.deviation, moments.smallest, moments.largest, moments.n_missing
    )


class ColumnEntry(NamedTuple):
    """The distribution of a column for a figure, and its figures for a table."""

    distribution: dict[str, Any]
    column: dict[str, Any]


def number_entry(
    name: str,
    numbers: NumberCounts,
    original: NumberSummary,
    masked: NumberSummary,
    min_count: int,
    *,
    is_whole: bool,
) -> ColumnEntry:
    """Return the entry of a numeric column, given its counts and figures in both tables."""
    values, counts = numbers.values, (numbers.original, numbers.masked)
    bins = histogram(values, values, min_count, is_whole=is_whole, counts=counts)
    are_years = is_whole and round(masked.smallest) >= 1800 and round(masked.largest) <= 2100
    return ColumnEntry(
        {"column": name, **bins.to_dict(), "years": are_years},
        {
            "column": name,
            "similarity": similarity_of_numbers(values, values, counts),
            "years": are_years,
            "mean": [original.mean, masked.mean],
            "sd": [original.deviation, masked.deviation],
            "quartiles": [numbers.quartiles(table_counts) for table_counts in counts],
            "missing": [original.missing, masked.missing],
        },
    )


def category_entry(
    name: str, original: Mapping[Any, int], masked: Mapping[Any, int], min_count: int
) -> ColumnEntry:
    """Return the entry of a column of other values, given how often each occurs in both tables."""
    texts = _counts_by_text(original), _counts_by_text(masked)
    return ColumnEntry(
        {"column": name, **bars(original, masked, min_count).to_dict()},
        {
            "column": name,
            "similarity": similarity_of_counts(*texts),
            "levels": [sum(value != "" for value in counts) for counts in texts],
            "missing": [original.get(None, 0), masked.get(None, 0)],
        },
    )


def assemble_profile(
    entries: Sequence[ColumnEntry], correlations: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parts of a profile; the columns that changed most come first."""
    columns = sorted((entry.column for entry in entries), key=lambda column: column["similarity"])
    pairs = profile_pairs(correlations)
    return {
        "distributions": [entry.distribution for entry in entries],
        "columns": columns,
        "pairs": pairs,
        "scores": similarity_scores(columns, pairs),
        "correlations": dict(correlations),
    }


def risk_of_original(sizes: Mapping[int, int]) -> dict[str, Any]:
    """Return the risk of the original, given its number of records by the size of their class."""
    n_records = sum(sizes.values())
    chances = sum(Fraction(number, size) for size, number in sizes.items())
    return {
        "smallest_class": min(sizes),
        "unique": round(sizes.get(1, 0) / n_records, 3),
        "marketer": round(float(chances / n_records), 3),
    }


def _as_dict(name: str, counts: pa.Table | None) -> dict[Any, int]:
    if counts is None:
        return {}
    return dict(zip(counts.column(name).to_pylist(), counts.column(COUNT).to_pylist(), strict=True))


def _counts_by_text(counts: Mapping[Any, int]) -> dict[str, int]:
    counts_by_text: dict[str, int] = {}
    for value, number in counts.items():
        text = "" if value is None else text_of(value)
        counts_by_text[text] = counts_by_text.get(text, 0) + number
    return counts_by_text
