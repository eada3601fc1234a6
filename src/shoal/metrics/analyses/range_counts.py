"""Range counts: the number of records in random ranges of one or more columns."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.metrics._array_types import Labels, Mask, Values
from shoal.metrics.analyses._column_pairs import SIDES, ColumnPair, Side
from shoal.metrics.analyses._setting import AnalysisSetting
from shoal.metrics.analyses.result import AnalysisResult

NUMBERS_OF_COLUMNS = (1, 2, 3)  # numbers of columns in a query
TARGET_SHARE = 0.1  # share of the records that a query covers if its columns are independent
MIN_SHARE = 0.005  # errors of counts below this share of the records are relative to the share


@dataclass(frozen=True, eq=False)
class Condition:
    """A range of numbers, from ``low`` to ``high`` inclusive, or a set of accepted categories."""

    pair: ColumnPair
    low: float = 0.0
    high: float = 0.0
    is_accepted: Mask | None = None

    def is_met(self, side: Side) -> Mask:
        """Return which records of a table meet the condition; missing values never do."""
        values: Any = self.pair.values_of(side)
        if self.is_accepted is not None:
            return np.asarray(np.append(self.is_accepted, False)[values])
        return np.asarray((values >= self.low) & (values <= self.high))


def range_counts(setting: AnalysisSetting) -> AnalysisResult | str:
    r"""Count the records in random ranges of one to three columns in both tables.

    A range is a random run of the sorted original values, or a random set of categories. The ranges
    of a query are chosen so that together they cover a tenth of the records if the columns are
    independent. The relative error of a count is

    .. math:: |c_\mathrm{masked} - c_\mathrm{original}| / \max(c_\mathrm{original}, b),

    where :math:`b` is 0.5 % of the records, and at least the size of the smallest group that may be
    shown. With survey weights, records count with their weights.

    Parameters
    ----------
    setting : AnalysisSetting
        Tables and options of the analysis.

    Returns
    -------
    AnalysisResult or str
        One row for each number of columns, with the mean, the median and the 95 % quantile of the
        errors. They are at least 0, and 0 if no count changed. A string is the reason why the
        analysis cannot be made.
    """
    pairs = [pair for pair in setting.selected_pairs if (~pair.is_missing("original")).any()]
    if not pairs:
        return "Needs a column with values that can be compared between the tables."
    rng = setting.rng("range counts")
    numbers_of_columns = [number for number in NUMBERS_OF_COLUMNS if number <= len(pairs)]
    queries = [
        _random_query(pairs, n_columns, rng)
        for n_columns in numbers_of_columns
        for _ in range(max(1, setting.options.n_queries // len(numbers_of_columns)))
    ]
    weights = {side: setting.weights_of(side) for side in SIDES}

    def counts_of_query(query: list[Condition]) -> list[float]:
        return [_count_records(query, side, weights[side]) for side in SIDES]

    with ThreadPoolExecutor(setting.options.n_jobs) as pool:
        record_counts = np.array(list(pool.map(counts_of_query, queries)))
    total = weights["original"].sum()
    mean_weight = total / setting.size("original")
    min_denominator = max(MIN_SHARE * total, setting.options.min_group * mean_weight)
    errors = np.abs(record_counts[:, 1] - record_counts[:, 0]) / np.maximum(
        record_counts[:, 0], min_denominator
    )
    query_sizes = np.array([len(query) for query in queries])
    rows = [
        {"columns": str(n_columns), **_summarise(errors[query_sizes == n_columns])}
        for n_columns in numbers_of_columns
    ]
    rows.append({"columns": "all", **_summarise(errors)})
    figures = {
        "range_count_error": rows[-1]["mean"],
        "range_count_error_95": rows[-1]["95 % quantile"],
    }
    return AnalysisResult("range-counts", figures, tuple(rows))


def _random_query(
    pairs: list[ColumnPair], n_columns: int, rng: np.random.Generator
) -> list[Condition]:
    """Return conditions on random columns that cover the target share of the records together."""
    columns = rng.choice(len(pairs), n_columns, replace=False).tolist()
    share = TARGET_SHARE ** (1 / n_columns)
    return [_random_condition(pairs[column], share, rng) for column in columns]


def _random_condition(pair: ColumnPair, share: float, rng: np.random.Generator) -> Condition:
    """Return a condition on a column that covers a share of its original values."""
    present_values: Any = pair.original[~pair.is_missing("original")]
    if pair.is_quantitative:
        ordered = np.sort(present_values)
        n_covered = max(1, round(share * len(ordered)))
        start = int(rng.integers(len(ordered) - n_covered + 1))
        return Condition(pair, float(ordered[start]), float(ordered[start + n_covered - 1]))
    return Condition(
        pair, is_accepted=_random_categories(present_values, pair.n_categories, share, rng)
    )


def _random_categories(
    codes: Labels, n_categories: int, share: float, rng: np.random.Generator
) -> Mask:
    """Return a random set of categories that covers at least a share of the records."""
    sizes = np.bincount(codes, minlength=n_categories)
    order = rng.permutation(np.flatnonzero(sizes))
    covered_share = np.cumsum(sizes[order]) / len(codes)
    is_accepted = np.zeros(n_categories, bool)
    is_accepted[order[: int(np.searchsorted(covered_share, share)) + 1]] = True
    return is_accepted


def _count_records(query: list[Condition], side: Side, weights: Values) -> float:
    """Return the number, or the weight, of the records of a table that meet all conditions."""
    is_inside = query[0].is_met(side)
    for condition in query[1:]:
        is_inside &= condition.is_met(side)
    return float(weights[is_inside].sum())


def _summarise(errors: Values) -> dict[str, Any]:
    return {
        "queries": len(errors),
        "mean": float(errors.mean()),
        "median": float(np.median(errors)),
        "95 % quantile": float(np.quantile(errors, 0.95)),
    }
