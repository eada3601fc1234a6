"""Entries of the profile of a large table: figures of columns, given counts of their values."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.frame.notation.texts import text_of
from shoal.metrics.chart_data.histogram import bars, histogram
from shoal.metrics.chart_data.similarity import similarity_of_counts, similarity_of_numbers
from shoal.plan.profile.column_profile import profile_pairs, similarity_scores
from shoal.scale.statistics.table_statistics import Moments

Values = NDArray[np.float64]
Counts = NDArray[np.int64]


class NumberCounts(NamedTuple):
    """Numbers in ascending order, and how often each occurs in the original and masked table."""

    values: Values
    original: Counts
    masked: Counts

    def quartiles(self, counts: Counts) -> list[float]:
        """Return the smallest numbers that a quarter, half and three quarters do not exceed."""
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
    """The distribution of a column for a chart, and its figures for a table."""

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


def risk_of_original(
    sizes: Mapping[int, int], unit_sizes: Mapping[int, int] | None = None
) -> dict[str, Any]:
    """Return the risk of the original, given its number of records by the size of their class.

    ``unit_sizes`` is the same by the number of units in the class, if k counts units; the chance
    of reidentification is counted in units then.
    """
    n_records = sum(sizes.values())
    chances = sum(Fraction(count, size) for size, count in (unit_sizes or sizes).items())
    return {
        "smallest_class": min(sizes),
        "unique": round(sizes.get(1, 0) / n_records, 3),
        "marketer": round(float(chances / n_records), 3),
    }


def _counts_by_text(counts: Mapping[Any, int]) -> dict[str, int]:
    """Return how often each value occurs, by its text; missing values are empty text."""
    counts_by_text: dict[str, int] = {}
    for value, count in counts.items():
        text = "" if value is None else text_of(value)
        counts_by_text[text] = counts_by_text.get(text, 0) + count
    return counts_by_text
