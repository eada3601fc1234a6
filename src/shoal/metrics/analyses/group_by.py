"""Random group-by queries: counts and means of groups."""

from itertools import combinations, product
from typing import Any

import numpy as np

from shoal.metrics._types import Labels, Values
from shoal.metrics.analyses._features import MAX_CATEGORIES
from shoal.metrics.analyses._setting import AnalysisSetting
from shoal.metrics.analyses._tables import SIDES, ColumnPair, Side
from shoal.metrics.analyses._weighted import weighted_deviation
from shoal.metrics.analyses.result import AnalysisResult

MAX_VALUES = 20  # a number with more distinct values is divided into fifths
FIFTHS = (0.2, 0.4, 0.6, 0.8)
MAX_QUERIES = 100


def group_by(setting: AnalysisSetting) -> AnalysisResult | str:
    r"""Compare counts and means of groups, for random groupings by one or two columns.

    Groups are the categories of a column, or the combinations of two; a number with many values is
    divided at the fifths of the original. Only groups of enough original records are compared. The
    error of a count is :math:`|n_\mathrm{masked} - n_\mathrm{original}| / n_\mathrm{original}`,
    that of a mean the absolute difference divided by the standard deviation of the original column.
    With survey weights, records count with their weights.

    Parameters
    ----------
    setting : AnalysisSetting
        Tables and options of the analysis.

    Returns
    -------
    AnalysisResult or str
        One row for each number of grouping columns, with the mean errors over all groups, and the
        share of the groups without a masked record.
    """
    labels_by_column = {
        pair.name: _group_labels(pair)
        for pair in setting.selected_pairs
        if pair.n_categories <= MAX_CATEGORIES
    }
    value_columns: list[str | None] = [pair.name for pair in setting.numeric_pairs]
    value_columns = value_columns or [None]
    rng = setting.rng("group by")
    rows, all_errors = [], []
    for n_columns in (1, 2):
        queries = [
            (by, value)
            for by, value in product(combinations(labels_by_column, n_columns), value_columns)
            if value not in by
        ]
        chosen_queries = rng.permutation(len(queries))[: min(MAX_QUERIES, setting.n_queries)]
        query_errors = [
            _query_errors(setting, labels_by_column, *queries[i])
            for i in np.sort(chosen_queries).tolist()
        ]
        errors = [np.concatenate(arrays) for arrays in zip(*query_errors, strict=True)]
        if errors and len(errors[0]):
            rows.append(
                {"columns": str(n_columns), "queries": len(query_errors), **_summarise(errors)}
            )
            all_errors.append((len(query_errors), errors))
    if not rows:
        return f"Needs a column with groups of at least {setting.min_group} records."
    pooled_errors = [
        np.concatenate(arrays) for arrays in zip(*(errors for _, errors in all_errors), strict=True)
    ]
    rows.append(
        {
            "columns": "all",
            "queries": sum(n_queries for n_queries, _ in all_errors),
            **_summarise(pooled_errors),
        }
    )
    headings = {
        "count error": "group_count_error",
        "mean error": "group_mean_error",
        "groups lost": "groups_lost",
    }
    figures = {
        figure: rows[-1][heading]
        for heading, figure in headings.items()
        if rows[-1][heading] is not None
    }
    return AnalysisResult("group-by", figures, tuple(rows))


def _group_labels(pair: ColumnPair) -> dict[Side, Labels]:
    """Return the group of each record of both tables, numbered from 0; -1 where missing."""
    if not pair.is_number:
        return {side: np.asarray(pair.values_of(side), np.int64) for side in SIDES}
    present_values: Any = pair.original[~pair.is_missing("original")]
    distinct = np.unique(present_values)
    groups = {}
    if len(distinct) <= MAX_VALUES:
        edges = (distinct[1:] + distinct[:-1]) / 2  # masked values go to the nearest one
    else:
        edges = np.unique(np.quantile(present_values, FIFTHS))
    for side in SIDES:
        codes = np.searchsorted(edges, np.asarray(pair.values_of(side), np.float64), side="left")
        codes[pair.is_missing(side)] = -1
        groups[side] = codes
    return groups


def _query_errors(
    setting: AnalysisSetting,
    labels_by_column: dict[str, dict[Side, Labels]],
    grouping_columns: tuple[str, ...],
    value_column: str | None,
) -> tuple[Values, Values, Values]:
    """Return the errors of counts and means, and whether each group is lost."""
    combined_labels: dict[Side, Labels] = {}
    sizes = [
        max(int(labels_by_column[name][side].max(initial=-1)) for side in SIDES) + 1
        for name in grouping_columns
    ]
    for side in SIDES:
        codes = np.zeros(setting.size(side), np.int64)
        is_missing = np.zeros(len(codes), bool)
        for name, size in zip(grouping_columns, sizes, strict=True):
            codes = codes * size + labels_by_column[name][side]
            is_missing |= labels_by_column[name][side] < 0
        combined_labels[side] = np.where(is_missing, -1, codes)
    n_groups = int(np.prod(sizes))
    counts, means, records = {}, {}, {}
    for side in SIDES:
        weights = setting.weights_of(side)
        is_grouped = combined_labels[side] >= 0
        labels = combined_labels[side][is_grouped]
        records[side] = np.bincount(labels, minlength=n_groups)
        counts[side] = np.bincount(labels, weights[is_grouped], n_groups)
        if value_column is not None:
            means[side] = _group_means(
                setting.pairs[value_column], side, combined_labels[side], weights, n_groups
            )
    is_large = records["original"] >= setting.min_group
    count_errors = (
        np.abs(counts["masked"] - counts["original"])[is_large] / counts["original"][is_large]
    )
    is_lost = (records["masked"] == 0)[is_large].astype(np.float64)
    if value_column is None:
        return count_errors, np.empty(0), is_lost
    is_present = ~setting.pairs[value_column].is_missing("original")
    column: Any = setting.pairs[value_column].original[is_present]
    std = (
        weighted_deviation(column, setting.weights_of("original")[is_present])
        if is_present.any()
        else 0.0
    )
    differences = np.abs(means["masked"] - means["original"])[is_large]
    differences = differences[~np.isnan(differences)]
    return count_errors, differences / std if std > 0 else np.empty(0), is_lost


def _group_means(
    pair: ColumnPair, side: Side, labels: Labels, weights: Values, n_groups: int
) -> Values:
    """Return the mean of each group; NaN for a group without values."""
    is_counted = (labels >= 0) & ~pair.is_missing(side)
    values: Any = pair.values_of(side)[is_counted]
    group_weights = np.bincount(labels[is_counted], weights[is_counted], n_groups)
    sums = np.bincount(labels[is_counted], weights[is_counted] * values, n_groups)
    return np.asarray(
        np.divide(sums, group_weights, out=np.full(n_groups, np.nan), where=group_weights > 0)
    )


def _summarise(errors: list[Values]) -> dict[str, Any]:
    count_errors, mean_errors, is_lost = errors
    return {
        "groups": len(count_errors),
        "count error": float(count_errors.mean()),
        "mean error": float(mean_errors.mean()) if len(mean_errors) else None,
        "groups lost": float(is_lost.mean()),
    }
