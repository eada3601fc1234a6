"""Random group-by queries: counts and means of groups."""

from itertools import combinations, product
from typing import Any

import numpy as np

from shoal.metrics._base import Labels, Values
from shoal.metrics.analyses._features import MAX_CATEGORIES
from shoal.metrics.analyses._study import Study
from shoal.metrics.analyses._tables import SIDES, ColumnPair, Side
from shoal.metrics.analyses._weighted import weighted_deviation
from shoal.metrics.analyses.result import AnalysisResult

MAX_VALUES = 20  # a number with more distinct values is divided into fifths
FIFTHS = (0.2, 0.4, 0.6, 0.8)
QUERIES = 100


def group_by(study: Study) -> AnalysisResult | str:
    r"""Compare counts and means of groups, for random groupings by one or two columns.

    Groups are the categories of a column, or the combinations of two; a number with many values is
    divided at the fifths of the original. Only groups of enough original records are compared. The
    error of a count is :math:`|n_\mathrm{masked} - n_\mathrm{original}| / n_\mathrm{original}`,
    that of a mean the absolute difference divided by the standard deviation of the original column.
    With survey weights, records count with their weights.

    Parameters
    ----------
    study : Study
        Tables and options of the analysis.

    Returns
    -------
    AnalysisResult or str
        One row for each number of grouping columns, with the mean errors over all groups, and the
        share of the groups without a masked record.
    """
    keys = {
        pair.name: _groups(pair) for pair in study.selected if pair.n_categories <= MAX_CATEGORIES
    }
    values: list[str | None] = [pair.name for pair in study.numbers]
    values = values or [None]
    rng = study.rng("group by")
    rows, all_errors = [], []
    for width in (1, 2):
        queries = [
            (by, value)
            for by, value in product(combinations(keys, width), values)
            if value not in by
        ]
        chosen = rng.permutation(len(queries))[: min(QUERIES, study.n_queries)]
        results = [_query(study, keys, *queries[i]) for i in np.sort(chosen).tolist()]
        errors = [np.concatenate(parts) for parts in zip(*results, strict=True)]
        if errors and len(errors[0]):
            rows.append({"columns": str(width), "queries": len(results), **_summary(errors)})
            all_errors.append((len(results), errors))
    if not rows:
        return f"Needs a column with groups of at least {study.min_group} records."
    joined = [np.concatenate(parts) for parts in zip(*(e for _, e in all_errors), strict=True)]
    rows.append({"columns": "all", "queries": sum(n for n, _ in all_errors), **_summary(joined)})
    names = {
        "count error": "group_count_error",
        "mean error": "group_mean_error",
        "groups lost": "groups_lost",
    }
    figures = {new: rows[-1][old] for old, new in names.items() if rows[-1][old] is not None}
    return AnalysisResult("group-by", figures, tuple(rows))


def _groups(pair: ColumnPair) -> dict[Side, Labels]:
    """Return the group of each record of both tables, numbered from 0; -1 where missing."""
    if not pair.is_number:
        return {side: np.asarray(pair.side(side), np.int64) for side in SIDES}
    known: Any = pair.original[~pair.missing("original")]
    distinct = np.unique(known)
    groups = {}
    if len(distinct) <= MAX_VALUES:
        edges = (distinct[1:] + distinct[:-1]) / 2  # masked values go to the nearest one
    else:
        edges = np.unique(np.quantile(known, FIFTHS))
    for side in SIDES:
        codes = np.searchsorted(edges, np.asarray(pair.side(side), np.float64), side="left")
        codes[pair.missing(side)] = -1
        groups[side] = codes
    return groups


def _query(
    study: Study, keys: dict[str, dict[Side, Labels]], by: tuple[str, ...], value: str | None
) -> tuple[Values, Values, Values]:
    """Return the errors of counts and means, and whether each group is lost."""
    combined: dict[Side, Labels] = {}
    sizes = [max(int(keys[name][side].max(initial=-1)) for side in SIDES) + 1 for name in by]
    for side in SIDES:
        code = np.zeros(study.size(side), np.int64)
        missing = np.zeros(len(code), bool)
        for name, size in zip(by, sizes, strict=True):
            code = code * size + keys[name][side]
            missing |= keys[name][side] < 0
        combined[side] = np.where(missing, -1, code)
    n_groups = int(np.prod(sizes))
    counts, means, records = {}, {}, {}
    for side in SIDES:
        weights = study.weights_of(side)
        inside = combined[side] >= 0
        group = combined[side][inside]
        records[side] = np.bincount(group, minlength=n_groups)
        counts[side] = np.bincount(group, weights[inside], n_groups)
        if value is not None:
            means[side] = _means(study.pairs[value], side, combined[side], weights, n_groups)
    large = records["original"] >= study.min_group
    count_errors = np.abs(counts["masked"] - counts["original"])[large] / counts["original"][large]
    lost = (records["masked"] == 0)[large].astype(np.float64)
    if value is None:
        return count_errors, np.empty(0), lost
    known = ~study.pairs[value].missing("original")
    column: Any = study.pairs[value].original[known]
    spread = weighted_deviation(column, study.weights_of("original")[known]) if known.any() else 0.0
    gaps = np.abs(means["masked"] - means["original"])[large]
    gaps = gaps[~np.isnan(gaps)]
    return count_errors, gaps / spread if spread > 0 else np.empty(0), lost


def _means(pair: ColumnPair, side: Side, group: Labels, weights: Values, n_groups: int) -> Values:
    """Return the mean of each group; NaN for a group without values."""
    inside = (group >= 0) & ~pair.missing(side)
    values: Any = pair.side(side)[inside]
    total = np.bincount(group[inside], weights[inside], n_groups)
    sums = np.bincount(group[inside], weights[inside] * values, n_groups)
    return np.asarray(np.divide(sums, total, out=np.full(n_groups, np.nan), where=total > 0))


def _summary(errors: list[Values]) -> dict[str, Any]:
    counts, means, lost = errors
    return {
        "groups": len(counts),
        "count error": float(counts.mean()),
        "mean error": float(means.mean()) if len(means) else None,
        "groups lost": float(lost.mean()),
    }
