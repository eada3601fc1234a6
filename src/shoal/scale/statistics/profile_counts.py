"""Counts of the original and masked columns of a large table, added up block by block.

The values of a numeric column are counted on a grid that is laid over a sample of the original. The
intervals of the grid divide the bins of a histogram, so that bins are the same as in memory. Means
and deviations come from exact sums, quartiles and similarities from the grid.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.frame.columns import Column
from shoal.plan.profile import MAX_COLUMNS, MIN_COUNT
from shoal.scale.statistics.moment_sums import MomentSums
from shoal.scale.statistics.profile_entries import (
    NumberCounts,
    assemble_profile,
    category_entry,
    number_entry,
    summary_of,
)
from shoal.scale.statistics.sample import Sample
from shoal.scale.statistics.table_statistics import Moments
from shoal.scale.statistics.value_counts import COUNT, merge_values

Values = NDArray[np.float64]
Counts = NDArray[np.int64]

BINS = 16  # bins of a histogram over the bulk of a column
TAIL = 0.05  # share of the values outside the bulk, on either side
MARGIN = 2.0  # how far the grid extends beyond the bulk on either side, in widths of the bulk


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
        # Whole numbers lie in the middle of intervals, so that none is at an edge.
        offset, step = (0.5, max(step, 1.0)) if is_whole else (0.0, step)
        first, last = (math.floor((edge + offset) / step) for edge in (low, high))
        margin = math.ceil(MARGIN * width / step)
        return cls(step, offset, first - margin, last + margin)

    def counts_of(self, values: Values) -> Counts:
        """Return the number of values in each interval."""
        intervals = np.floor((values + self.offset) / self.step) - self.first
        n_intervals = self.last - self.first + 1
        intervals = np.clip(intervals, 0, n_intervals - 1).astype(np.int64)
        return np.bincount(intervals, minlength=n_intervals)

    @property
    def midpoints(self) -> Values:
        """The middle of each interval; if an interval contains one whole number, that number."""
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
    for columns in zip(original, masked, strict=True):
        name = columns[0].name
        if name in grids:
            original_counts, masked_counts = (
                SparseCounts.from_counts(grids[name].counts_of(column.values[~column.is_missing]))
                for column in columns
            )
            grid_counts[name] = original_counts, masked_counts
    return grid_counts


class ProfileCounts:
    """Counts for the profile of a table, added up block by block in any order.

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
            The distinct values of the other columns of the original, with their counts.
        whole_columns : list of str
            Columns of whole numbers.
        k : int or None
            Figures show no counts of 1 to k - 1 original records.

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


def _as_dict(name: str, counts: pa.Table | None) -> dict[Any, int]:
    """Return how often each value occurs, from a table of values and their counts."""
    if counts is None:
        return {}
    return dict(zip(counts.column(name).to_pylist(), counts.column(COUNT).to_pylist(), strict=True))
