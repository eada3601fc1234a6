"""Random group-by queries: counts and means of groups."""

from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from shoal.metrics._array_types import Labels, Mask, Values
from shoal.metrics.analyses._column_pairs import SIDES, ColumnPair, Side
from shoal.metrics.analyses._features import MAX_CATEGORIES
from shoal.metrics.analyses._setting import AnalysisSetting
from shoal.metrics.analyses._weighted_statistics import weighted_deviation
from shoal.metrics.analyses.result import AnalysisResult

MAX_VALUES = 20  # a numeric column with more distinct values is divided into fifths
FIFTHS = (0.2, 0.4, 0.6, 0.8)
MAX_QUERIES = 100  # queries for each number of grouping columns
FIGURE_OF_HEADING = {
    "count error": "group_count_error",
    "mean error": "group_mean_error",
    "groups lost": "groups_lost",
}


class QueryErrors(NamedTuple):
    """Errors of the groups of one query.

    ``count_errors`` are the relative errors of the counts of the groups, ``mean_errors`` are the
    errors of their means in standard deviations, and ``is_lost`` is 1 for a group without a masked
    record.
    """

    count_errors: Values
    mean_errors: Values
    is_lost: Values


def group_by(setting: AnalysisSetting) -> AnalysisResult | str:
    r"""Compare counts and means of groups, for random groupings by one or two columns.

    Groups are the categories of a column, or the combinations of the categories of two columns. A
    numeric column with many values is divided into fifths of the original. Only groups of enough
    original records are compared. The error of a count is
    :math:`|n_\mathrm{masked} - n_\mathrm{original}| / n_\mathrm{original}`. The error of a mean is
    the absolute difference divided by the standard deviation of the original column. With survey
    weights, records count with their weights.

    Parameters
    ----------
    setting : AnalysisSetting
        Tables and options of the analysis.

    Returns
    -------
    AnalysisResult or str
        One row for each number of grouping columns, with the mean errors over all groups and the
        share of the groups without a masked record. All figures are at least 0, and 0 if nothing
        changed. A string is the reason why the analysis cannot be made.
    """
    labels_by_column = {
        pair.name: _group_labels(pair)
        for pair in setting.selected_pairs
        if pair.n_categories <= MAX_CATEGORIES
    }
    rng = setting.rng("group by")
    rows: list[dict[str, Any]] = []
    all_errors: list[QueryErrors] = []
    n_queries = 0
    for n_columns in (1, 2):
        query_errors = [
            _query_errors(setting, labels_by_column, *query)
            for query in _random_queries(setting, list(labels_by_column), n_columns, rng)
        ]
        if any(len(errors.count_errors) for errors in query_errors):
            rows.append(_row(str(n_columns), len(query_errors), query_errors))
            all_errors += query_errors
            n_queries += len(query_errors)
    if not rows:
        return f"Needs a column with groups of at least {setting.options.min_group} records."
    rows.append(_row("all", n_queries, all_errors))
    figures = {
        figure: rows[-1][heading]
        for heading, figure in FIGURE_OF_HEADING.items()
        if rows[-1][heading] is not None
    }
    return AnalysisResult("group-by", figures, tuple(rows))


def _random_queries(
    setting: AnalysisSetting, names: list[str], n_columns: int, rng: np.random.Generator
) -> list[tuple[tuple[str, ...], str | None]]:
    """Return random queries: grouping columns, and the column whose means are compared, if any."""
    value_columns: list[str | None] = [pair.name for pair in setting.numeric_pairs]
    queries = [
        (by, value)
        for by, value in product(combinations(names, n_columns), value_columns or [None])
        if value not in by
    ]
    chosen = rng.permutation(len(queries))[: min(MAX_QUERIES, setting.options.n_queries)]
    return [queries[i] for i in np.sort(chosen).tolist()]


def _group_labels(pair: ColumnPair) -> dict[Side, Labels]:
    """Return the group of each record of both tables, numbered from 0, or -1 if it is missing."""
    if not pair.is_quantitative:
        return {side: np.asarray(pair.values_of(side), np.int64) for side in SIDES}
    present_values: Any = pair.original[~pair.is_missing("original")]
    distinct = np.unique(present_values)
    groups = {}
    if len(distinct) <= MAX_VALUES:
        edges = (distinct[1:] + distinct[:-1]) / 2  # a masked value counts as the nearest original
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
) -> QueryErrors:
    """Return the errors of the groups that have enough original records."""
    labels, n_groups = _combined_labels([labels_by_column[name] for name in grouping_columns])
    counts, records = {}, {}
    for side in SIDES:
        is_grouped = labels[side] >= 0
        group_of_record = labels[side][is_grouped]
        records[side] = np.bincount(group_of_record, minlength=n_groups)
        counts[side] = np.bincount(group_of_record, setting.weights_of(side)[is_grouped], n_groups)
    is_large = records["original"] >= setting.options.min_group
    differences = np.abs(counts["masked"] - counts["original"])[is_large]
    mean_errors = np.empty(0)
    if value_column is not None:
        mean_errors = _mean_errors(setting, setting.pairs[value_column], labels, is_large)
    return QueryErrors(
        differences / counts["original"][is_large],
        mean_errors,
        (records["masked"] == 0)[is_large].astype(np.float64),
    )


def _combined_labels(labels: list[dict[Side, Labels]]) -> tuple[dict[Side, Labels], int]:
    """Return the combination of groups of each record, and the number of combinations.

    The combination is -1 if one of the groups of a record is missing.
    """
    sizes = [max(int(column[side].max(initial=-1)) for side in SIDES) + 1 for column in labels]
    combined: dict[Side, Labels] = {}
    for side in SIDES:
        codes = np.zeros(len(labels[0][side]), np.int64)
        is_missing = np.zeros(len(codes), bool)
        for column, size in zip(labels, sizes, strict=True):
            codes = codes * size + column[side]
            is_missing |= column[side] < 0
        combined[side] = np.where(is_missing, -1, codes)
    return combined, int(np.prod(sizes))


def _mean_errors(
    setting: AnalysisSetting,
    pair: ColumnPair,
    labels: dict[Side, Labels],
    is_large: Mask,
) -> Values:
    """Return the errors of the means of large groups, in standard deviations of the original."""
    is_present = ~pair.is_missing("original")
    if not is_present.any():
        return np.empty(0)
    original: Any = pair.original[is_present]
    std = weighted_deviation(original, setting.weights_of("original")[is_present])
    if not std > 0:
        return np.empty(0)
    means = {
        side: _group_means(pair, side, labels[side], setting.weights_of(side), len(is_large))
        for side in SIDES
    }
    differences = np.abs(means["masked"] - means["original"])[is_large]
    return np.asarray(differences[~np.isnan(differences)] / std)


def _group_means(
    pair: ColumnPair, side: Side, labels: Labels, weights: Values, n_groups: int
) -> Values:
    """Return the mean of each group, or NaN for a group without values."""
    is_counted = (labels >= 0) & ~pair.is_missing(side)
    values: Any = pair.values_of(side)[is_counted]
    group_weights = np.bincount(labels[is_counted], weights[is_counted], n_groups)
    sums = np.bincount(labels[is_counted], weights[is_counted] * values, n_groups)
    return np.asarray(
        np.divide(sums, group_weights, out=np.full(n_groups, np.nan), where=group_weights > 0)
    )


def _row(columns: str, n_queries: int, query_errors: list[QueryErrors]) -> dict[str, Any]:
    """Return a row with the mean errors of the given queries."""
    count_errors, mean_errors, is_lost = (
        np.concatenate(arrays) for arrays in zip(*query_errors, strict=True)
    )
    return {
        "columns": columns,
        "queries": n_queries,
        "groups": len(count_errors),
        "count error": float(count_errors.mean()),
        "mean error": float(mean_errors.mean()) if len(mean_errors) else None,
        "groups lost": float(is_lost.mean()),
    }
