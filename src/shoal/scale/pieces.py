"""Pieces: some records of a combination of values, and what these show instead.

Steps that compare values without computing with them, `generalise` and `suppress`, need the
distinct combinations of values alone, each with its number of records.
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
from shoal.frame.new_values import TextColumn, with_values
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.frame.values import same_values
from shoal.metrics import classes, units_per_class
from shoal.plan.chaining import NOMINAL
from shoal.plan.profile import MIN_COUNT
from shoal.scale.profile import (
    Entry,
    Numbers,
    Summary,
    assemble,
    category_entry,
    number_entry,
    risk_of_original,
)
from shoal.scale.statistics import COUNT
from shoal.steps import Generalise, Suppress

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pieces:
    """The records of each combination, in pieces that are released with the same values.

    Parameters
    ----------
    row : ndarray of shape (n_pieces,)
        The combination that each piece is of, ascending.
    records : ndarray of shape (n_pieces,)
        Its number of records.
    before, after : Frame
        The columns of the combination, before and after.
    warnings : list of ShoalWarning
        The warnings of the steps.
    """

    row: Codes
    records: Codes
    before: Frame
    after: Frame
    warnings: Sequence[ShoalWarning]

    def exact_shares(self, columns: Sequence[str]) -> dict[str, float]:
        """Return the share of records that show the original value, as `Evidence.exact` does."""
        shares: dict[str, float] = {}
        in_all = np.ones(len(self.row), bool)
        for name in columns:
            same = same_values(self.before, self.after, name)
            present = ~tables.has_missing(self.before, [name])
            number = int(self.records[present].sum())
            shares[name] = float(self.records[same & present].sum() / number) if number else 0.0
            in_all &= same
        return {**shares, "": float(self.records[in_all].sum() / self.records.sum())}


def profile_pieces(
    pieces: Pieces, columns: Sequence[str], unit: str | None, k: int | None
) -> dict[str, Any]:
    """Return the columns before and after, as `shoal.plan.profile.profile` does.

    All values are known with their counts, so nothing is approximate.
    """
    least = max(k or 0, MIN_COUNT)
    label = classes(codes(pieces.before, columns))
    if unit is None:
        sizes = np.bincount(label, pieces.records).astype(np.int64)
    else:
        sizes = units_per_class(label, classes(codes(pieces.before, [unit])))
    records_by_size: Counter[int] = Counter()
    for size, number in zip(sizes[label].tolist(), pieces.records.tolist(), strict=True):
        records_by_size[size] += number
    entries = [_profile_column(pieces, name, least) for name in columns]
    return {"before": risk_of_original(records_by_size), **assemble(entries, {})}


def _profile_column(pieces: Pieces, name: str, least: int) -> Entry:
    frames = (pieces.before, pieces.after)
    if all(tables.is_numeric(frame, name) for frame in frames):
        sides = [tables.numbers(frame, name) for frame in frames]
        present = [np.isfinite(values) for values in sides]
        if all(mask.any() for mask in present):
            values = np.unique(np.concatenate([v[m] for v, m in zip(sides, present, strict=True)]))
            counts, summaries = [], []
            for side_values, mask in zip(sides, present, strict=True):
                positions = np.searchsorted(values, side_values[mask])
                number = np.bincount(positions, pieces.records[mask], len(values)).astype(np.int64)
                counts.append(number)
                summaries.append(_summarise(values, number, int(pieces.records[~mask].sum())))
            numbers = Numbers(values, *counts)
            whole = tables.is_whole(pieces.before, name)
            old_figures, new_figures = summaries
            return number_entry(name, numbers, old_figures, new_figures, least, whole=whole)
    old, new = (_value_counts(frame, name, pieces.records) for frame in frames)
    return category_entry(name, old, new, least)


def _summarise(values: NDArray[np.float64], counts: Codes, missing: int) -> Summary:
    present, share = values[counts > 0], counts[counts > 0] / counts.sum()
    mean = float((present * share).sum())
    deviation = float(np.sqrt(((present - mean) ** 2 * share).sum()))
    return Summary(mean, deviation, float(present[0]), float(present[-1]), missing)


def _value_counts(frame: Frame, name: str, records: Codes) -> dict[Any, int]:
    counts: Counter[Any] = Counter()
    for value, number in zip(frame[name].to_list(), records.tolist(), strict=True):
        counts[value] += number
    return dict(counts)


def recode_combinations(
    steps: Sequence[Generalise | Suppress],
    combinations: pa.Table,
    confidential: Sequence[str],
    types: Mapping[str, Type],
) -> Pieces:
    """Apply steps to the combinations of a table, each to the result of the step before."""
    counts = combinations.column(COUNT).to_numpy()
    original = tables.open_frame(combinations.drop_columns([COUNT]))
    row, frame, known = np.arange(len(counts)), original, dict(types)
    warnings: list[ShoalWarning] = []
    for step in steps:
        result = step.apply_to_distinct(frame, counts, confidential, known)
        row, counts = row[result.rows], result.records
        frame = with_values(tables.take(frame, result.rows), dict(result.values))
        recoded = [name for name, new in result.values.items() if isinstance(new, TextColumn)]
        known |= dict.fromkeys(recoded, NOMINAL)
        warnings += result.warnings
    order = np.argsort(row, kind="stable")
    return Pieces(
        row[order],
        counts[order],
        tables.take(original, row[order]),
        tables.take(frame, order),
        warnings,
    )
