"""Combinations of values before and after recoding, each with its number of records.

`generalise` and `suppress` compare values without computing with them, so they only need the
distinct combinations of values and the number of records of each. The records of a combination may
be recoded in several ways; the records that are recoded alike form a *part* of the combination.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import ShoalWarning
from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.frame.comparison import same_values
from shoal.frame.replacement import TextColumn, with_values
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.metrics import classes, units_per_class
from shoal.plan.profile import MIN_COUNT
from shoal.scale.statistics.profile_entries import (
    ColumnEntry,
    NumberCounts,
    NumberSummary,
    assemble_profile,
    category_entry,
    number_entry,
    risk_of_original,
)
from shoal.scale.statistics.value_counts import COUNT
from shoal.steps import Generalise, Suppress

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RecodedCombinations:
    """The parts of all combinations, with their values before and after recoding.

    Parameters
    ----------
    combination : ndarray of shape (n_parts,)
        The combination of each part, ascending.
    record_counts : ndarray of shape (n_parts,)
        Number of records of each part.
    original, masked : Frame
        The columns of the combinations before and after recoding, one row per part.
    warnings : list of ShoalWarning
        The warnings of the steps.
    """

    combination: Codes
    record_counts: Codes
    original: Frame
    masked: Frame
    warnings: Sequence[ShoalWarning]

    def exact_shares(self, columns: Sequence[str]) -> dict[str, float]:
        """Return the share of records with the original value, as `Evidence.exact_shares` does."""
        shares: dict[str, float] = {}
        same_in_all = np.ones(len(self.combination), bool)
        for name in columns:
            same = same_values(self.original, self.masked, name)
            present = ~tables.has_missing(self.original, [name])
            n_present = int(self.record_counts[present].sum())
            shares[name] = (
                float(self.record_counts[same & present].sum() / n_present) if n_present else 0.0
            )
            same_in_all &= same
        return {
            **shares,
            "": float(self.record_counts[same_in_all].sum() / self.record_counts.sum()),
        }


def profile_recoded(
    recoded: RecodedCombinations, columns: Sequence[str], unit: str | None, k: int | None
) -> dict[str, Any]:
    """Return the columns before and after, as `shoal.plan.profile.profile` does.

    All values are known with their counts, so nothing is approximate.
    """
    min_count = max(k or 0, MIN_COUNT)
    class_of = classes(codes(recoded.original, columns))
    n_records = np.bincount(class_of, recoded.record_counts).astype(np.int64)
    records_by_units = None
    if unit is not None:
        n_units = units_per_class(class_of, classes(codes(recoded.original, [unit])))
        records_by_units = _sum_by_size(n_units, n_records)
    before = risk_of_original(_sum_by_size(n_records, n_records), records_by_units)
    entries = [_profile_column(recoded, name, min_count) for name in columns]
    return {"before": before, **assemble_profile(entries, {})}


def _sum_by_size(sizes: Codes, record_counts: Codes) -> dict[int, int]:
    """Return the number of records in classes of each size, given both for every class."""
    totals: Counter[int] = Counter()
    for size, count in zip(sizes.tolist(), record_counts.tolist(), strict=True):
        totals[size] += count
    return dict(totals)


def _profile_column(recoded: RecodedCombinations, name: str, min_count: int) -> ColumnEntry:
    frames = (recoded.original, recoded.masked)
    if all(tables.is_numeric(frame, name) for frame in frames):
        values_by_table = [tables.numbers(frame, name) for frame in frames]
        present = [np.isfinite(values) for values in values_by_table]
        if all(is_present.any() for is_present in present):
            pairs = zip(values_by_table, present, strict=True)
            values = np.unique(
                np.concatenate([numbers[is_present] for numbers, is_present in pairs])
            )
            counts, summaries = [], []
            for table_values, is_present in zip(values_by_table, present, strict=True):
                positions = np.searchsorted(values, table_values[is_present])
                n_present, n_missing = (
                    recoded.record_counts[is_present],
                    recoded.record_counts[~is_present],
                )
                table_counts = np.bincount(positions, n_present, len(values)).astype(np.int64)
                counts.append(table_counts)
                summaries.append(_summarise(values, table_counts, int(n_missing.sum())))
            numbers = NumberCounts(values, *counts)
            is_whole = tables.has_integer_type(recoded.original, name)
            original_summary, masked_summary = summaries
            return number_entry(
                name, numbers, original_summary, masked_summary, min_count, is_whole=is_whole
            )
    original_counts, masked_counts = (
        _value_counts(frame, name, recoded.record_counts) for frame in frames
    )
    return category_entry(name, original_counts, masked_counts, min_count)


def _summarise(values: NDArray[np.float64], counts: Codes, missing: int) -> NumberSummary:
    present, share = values[counts > 0], counts[counts > 0] / counts.sum()
    mean = float((present * share).sum())
    deviation = float(np.sqrt(((present - mean) ** 2 * share).sum()))
    return NumberSummary(mean, deviation, float(present[0]), float(present[-1]), missing)


def _value_counts(frame: Frame, name: str, record_counts: Codes) -> dict[Any, int]:
    counts: Counter[Any] = Counter()
    for value, count in zip(frame[name].to_list(), record_counts.tolist(), strict=True):
        counts[value] += count
    return dict(counts)


def recode_combinations(
    steps: Sequence[Generalise | Suppress],
    combinations: pa.Table,
    confidential: Sequence[str],
    types: Mapping[str, Type],
) -> RecodedCombinations:
    """Apply steps to the combinations of a table, each to the result of the step before."""
    counts = combinations.column(COUNT).to_numpy()
    original = tables.open_frame(combinations.drop_columns([COUNT]))
    combination, frame, known_types = np.arange(len(counts)), original, dict(types)
    warnings: list[ShoalWarning] = []
    for step in steps:
        result = step.apply_to_distinct(frame, counts, confidential, known_types)
        combination, counts = combination[result.rows], result.record_counts
        frame = with_values(tables.take(frame, result.rows), dict(result.values))
        now_text = [
            name for name, new_values in result.values.items() if isinstance(new_values, TextColumn)
        ]
        known_types |= dict.fromkeys(now_text, Type("nominal"))
        warnings += result.warnings
    order = np.argsort(combination, kind="stable")
    return RecodedCombinations(
        combination[order],
        counts[order],
        tables.take(original, combination[order]),
        tables.take(frame, order),
        warnings,
    )
