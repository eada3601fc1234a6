"""Figures of columns and of pairs of columns before and after masking, and their similarity."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.arrow_types import decode
from shoal.frame.description.summaries import are_years, finite_values
from shoal.frame.notation.texts import text_of
from shoal.frame.tables import Frame
from shoal.metrics.chart_data.similarity import (
    similarity_of_correlations,
    similarity_of_counts,
    similarity_of_numbers,
)


def profile_columns(
    original: Frame, masked: Frame, names: Sequence[str], categorical: Sequence[str]
) -> list[dict[str, Any]]:
    """Return figures about columns of both tables, those that changed most first.

    Parameters
    ----------
    original : Frame
        The original table.
    masked : Frame
        The masked table.
    names : list of str
        The columns.
    categorical : list of str
        The columns that contain categories, whatever their type.

    Returns
    -------
    list of dict
        ``column``, ``similarity``, ``missing`` before and after; for numbers ``mean``, ``sd`` and
        ``quartiles``, for others ``levels``, each before and after. ``years`` states whether
        numbers seem to be years.
    """
    entries = []
    for name in names:
        is_numeric = all(tables.is_numeric(frame, name) for frame in (original, masked))
        profile_values = (
            _profile_numbers if is_numeric and name not in categorical else _profile_categories
        )
        missing = [
            int(tables.missing_counts(frame, [name]).get(name, 0)) for frame in (original, masked)
        ]
        entries.append(
            {"column": name, **profile_values(original, masked, name), "missing": missing}
        )
    return sorted(entries, key=lambda entry: entry["similarity"])


def profile_pairs(
    correlations: Mapping[str, Any],
    associations: Mapping[str, Any] | None = None,
    table_similarities: Sequence[float] = (),
) -> list[dict[str, Any]]:
    """Return figures about pairs of columns, those that changed most first.

    Parameters
    ----------
    correlations : mapping
        ``columns`` with their correlations ``before`` and ``after``, or an empty mapping.
    associations : mapping, optional
        ``columns`` with Cramér's V of each pair of categorical columns, in the same form.
    table_similarities : list of float
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
    association_entries = _lower_triangle(associations or {}, "Cramér's V")
    entries += [
        {**entry, "similarity": similarity}
        for entry, similarity in zip(association_entries, table_similarities, strict=True)
    ]
    return sorted(entries, key=lambda entry: entry["similarity"])


def _lower_triangle(matrices: Mapping[str, Any], statistic: str) -> list[dict[str, Any]]:
    """Return an entry for each pair of columns of two symmetric matrices."""
    names, original, masked = (matrices.get(key, []) for key in ("columns", "before", "after"))
    return [
        {
            "columns": [names[j], names[i]],
            "statistic": statistic,
            "before": original[i][j],
            "after": masked[i][j],
        }
        for i in range(len(names))
        for j in range(i)
    ]


def similarity_scores(
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
    scores = {"columns": _mean_similarity(columns), "pairs": _mean_similarity(pairs)}
    known_scores = [score for score in scores.values() if score is not None]
    return {**scores, "overall": float(np.mean(known_scores)) if known_scores else None}


def _mean_similarity(entries: Sequence[Mapping[str, Any]]) -> float | None:
    if not entries:
        return None
    return float(np.mean([entry["similarity"] for entry in entries]))


def _profile_numbers(original: Frame, masked: Frame, name: str) -> dict[str, Any]:
    """Return the figures of a numeric column, before and after."""
    values = [finite_values(frame, name) for frame in (original, masked)]
    return {
        "similarity": similarity_of_numbers(values[0], values[1]),
        "years": tables.has_integer_type(original, name) and are_years(np.rint(values[1])),
        "mean": [_scaled_moment(table_values, np.mean) for table_values in values],
        "sd": [_scaled_moment(table_values, np.std) for table_values in values],
        "quartiles": [
            [float(quartile) for quartile in np.quantile(table_values, [0.25, 0.5, 0.75])]
            if len(table_values)
            else None
            for table_values in values
        ],
    }


def _scaled_moment(values: NDArray[np.float64], function: Any) -> float | None:
    """Return a moment, or None without values; huge values are scaled so that sums stay finite."""
    if not len(values):
        return None
    scale = float(np.abs(values).max()) or 1.0
    return float(function(values / scale) * scale)


def _profile_categories(original: Frame, masked: Frame, name: str) -> dict[str, Any]:
    """Return the figures of a categorical column, before and after."""
    counts = [_counts_by_text(frame, name) for frame in (original, masked)]
    return {
        "similarity": similarity_of_counts(*counts),
        "levels": [sum(value != "" for value in table_counts) for table_counts in counts],
    }


def _counts_by_text(frame: Frame, name: str) -> dict[str, int]:
    """Return how often each value occurs, as text; missing values are empty."""
    counts: Counter[str] = Counter()
    for entry in decode(tables.arrow(frame, name)).value_counts().to_pylist():
        value = entry["values"]
        counts["" if value is None else text_of(value)] += entry["counts"]
    return dict(counts)
