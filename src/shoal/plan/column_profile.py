"""Masked columns and their pairs before and after: figures, and how alike they are."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.arrow_types import decode
from shoal.frame.describe import are_years, finite_values
from shoal.frame.tables import Frame
from shoal.frame.types import text_of
from shoal.metrics.similarity import (
    similarity_of_correlations,
    similarity_of_counts,
    similarity_of_numbers,
)


def profile_columns(
    before: Frame, after: Frame, names: Sequence[str], categorical: Sequence[str]
) -> list[dict[str, Any]]:
    """Return figures about columns of both tables, those that changed most first.

    Parameters
    ----------
    before : Frame
        The original table.
    after : Frame
        The masked table.
    names : list of str
        The columns.
    categorical : list of str
        Those of them that hold categories, whatever their type.

    Returns
    -------
    list of dict
        ``column``, ``similarity``, ``missing`` before and after; for numbers ``mean``, ``sd`` and
        ``quartiles``, for others ``levels``, each before and after; ``years`` is
        whether numbers seem to be years.
    """
    entries = []
    for name in names:
        is_numeric = all(tables.is_numeric(frame, name) for frame in (before, after))
        profile_one = _numbers if is_numeric and name not in categorical else _categories
        missing = [
            int(tables.missing_counts(frame, [name]).get(name, 0)) for frame in (before, after)
        ]
        entries.append({"column": name, **profile_one(before, after, name), "missing": missing})
    return sorted(entries, key=lambda entry: entry["similarity"])


def profile_pairs(
    correlations: Mapping[str, Any],
    associations: Mapping[str, Any] | None = None,
    tables_alike: Sequence[float] = (),
) -> list[dict[str, Any]]:
    """Return figures about pairs of columns, those that changed most first.

    Parameters
    ----------
    correlations : mapping
        ``columns`` with their correlations ``before`` and ``after``; may be empty.
    associations : mapping, optional
        The same of Cramér's V of categories.
    tables_alike : list of float
        The similarity of the two-way tables of each pair of categories, row by row of the lower
        triangle.

    Returns
    -------
    list of dict
        ``columns``, the two names; ``statistic``, its value ``before`` and ``after``, and
        ``similarity``.
    """
    entries = [
        {**entry, "similarity": similarity_of_correlations(entry["before"], entry["after"])}
        for entry in _lower_triangle(correlations, "correlation")
    ]
    associated = _lower_triangle(associations or {}, "Cramér's V")
    entries += [
        {**entry, "similarity": alike}
        for entry, alike in zip(associated, tables_alike, strict=True)
    ]
    return sorted(entries, key=lambda entry: entry["similarity"])


def _lower_triangle(matrices: Mapping[str, Any], statistic: str) -> list[dict[str, Any]]:
    names, first, second = (matrices.get(part, []) for part in ("columns", "before", "after"))
    return [
        {
            "columns": [names[j], names[i]],
            "statistic": statistic,
            "before": first[i][j],
            "after": second[i][j],
        }
        for i in range(len(names))
        for j in range(i)
    ]


def scores(
    columns: Sequence[Mapping[str, Any]], pairs: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the mean similarity of columns and of pairs of columns, and of both.

    Parameters
    ----------
    columns : list of dict
        What `profile_columns` returns.
    pairs : list of dict
        What `profile_pairs` returns.

    Returns
    -------
    dict
        ``columns``, ``pairs`` (None without pairs) and ``overall``, each between 0 and 1.
    """
    column_score, pair_score = (
        float(np.mean([entry["similarity"] for entry in entries])) if entries else None
        for entries in (columns, pairs)
    )
    defined = [score for score in (column_score, pair_score) if score is not None]
    overall = float(np.mean(defined)) if defined else None
    return {"columns": column_score, "pairs": pair_score, "overall": overall}


def _numbers(before: Frame, after: Frame, name: str) -> dict[str, Any]:
    values = [finite_values(frame, name) for frame in (before, after)]
    return {
        "similarity": similarity_of_numbers(values[0], values[1]),
        "years": tables.is_whole(before, name) and are_years(np.rint(values[1])),
        "mean": [_scaled_moment(part, np.mean) for part in values],
        "sd": [_scaled_moment(part, np.std) for part in values],
        "quartiles": [
            [float(quartile) for quartile in np.quantile(part, [0.25, 0.5, 0.75])]
            if len(part)
            else None
            for part in values
        ],
    }


def _scaled_moment(values: NDArray[np.float64], function: Any) -> float | None:
    """Return a moment; huge values are scaled, so that their sum stays finite."""
    if not len(values):
        return None
    scale = float(np.abs(values).max()) or 1.0
    return float(function(values / scale) * scale)


def _categories(before: Frame, after: Frame, name: str) -> dict[str, Any]:
    counts = [_counts(frame, name) for frame in (before, after)]
    return {
        "similarity": similarity_of_counts(*counts),
        "levels": [sum(value != "" for value in part) for part in counts],
    }


def _counts(frame: Frame, name: str) -> dict[str, int]:
    """Return how often each value occurs, as text; missing values are empty."""
    counts: Counter[str] = Counter()
    for entry in decode(tables.arrow(frame, name)).value_counts().to_pylist():
        value = entry["values"]
        counts["" if value is None else text_of(value)] += entry["counts"]
    return dict(counts)
