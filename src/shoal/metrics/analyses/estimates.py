"""Survey estimates of both tables: totals, means, quantiles, Gini coefficients, shares."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from shoal.frame.description.summaries import are_years
from shoal.metrics._array_types import Values
from shoal.metrics.analyses._column_pairs import SIDES, ColumnPair, Side
from shoal.metrics.analyses._setting import AnalysisSetting
from shoal.metrics.analyses._weighted_statistics import (
    gini,
    weighted_deviation,
    weighted_mean,
    weighted_quantiles,
)
from shoal.metrics.analyses.result import AnalysisResult

QUANTILES = {"10 % quantile": 0.1, "25 % quantile": 0.25, "median": 0.5, "75 % quantile": 0.75,
          "90 % quantile": 0.9}  # fmt: skip
ROUNDING_TOLERANCE = 1e-12  # estimates that differ by a smaller share are equal up to rounding
FIGURE_OF_ESTIMATE = {
    "total": "total_error",
    "mean": "mean_error",
    "median": "median_error",
    "gini": "gini_error",
    "shares": "table_error",
}


def estimates(setting: AnalysisSetting) -> AnalysisResult | str:
    r"""Compare totals, means, quantiles, Gini coefficients and shares of categories.

    Missing values are left out, as in most programs. If there are survey weights, each estimate is
    computed with and without them, and the figures use the weighted estimates. An estimate
    :math:`\hat\theta` has the error

    .. math:: |\hat\theta_\mathrm{masked} - \hat\theta_\mathrm{original}| / s,

    where :math:`s` is the absolute original total for a total, the standard deviation of the
    original column for means and quantiles, and 1 for Gini coefficients. The error of a table of
    categories is half the sum of the absolute differences of their shares. A quantile is computed
    only if there are enough records on both sides of it.

    Parameters
    ----------
    setting : AnalysisSetting
        Tables and options of the analysis.

    Returns
    -------
    AnalysisResult or str
        One row for each column and estimate. Errors are at least 0, and 0 if nothing changed. Each
        figure is the largest error of all columns; ``quantile_error`` is also the largest of all
        quantiles. A string is the reason why the analysis cannot be made.
    """
    has_weights = setting.weights is not None
    rows = [
        {"column": pair.name, **row}
        for pair in setting.selected_pairs
        for is_weighted in ([True, False] if has_weights else [False])
        for row in _estimate_rows(setting, pair, is_weighted)
    ]
    if not rows:
        return "Needs a column with values in both tables."
    figures: dict[str, float] = {}
    for row in rows:
        if row["weighted"] == has_weights and row["error"] is not None:
            for name in _figure_names(row["estimate"]):
                figures[name] = max(figures.get(name, 0.0), row["error"])
    numbers = [pair for pair in setting.selected_pairs if pair.kind == "number"]
    year_columns = tuple(
        pair.name for pair in numbers if are_years(pair.original[~np.isnan(pair.original)])
    )
    has_dates = any(pair.kind == "date" for pair in setting.selected_pairs)
    remarks = ("For dates, only the errors are shown.",) if has_dates else ()
    hidden_keys = () if has_weights else ("weighted",)
    return AnalysisResult("estimates", figures, tuple(rows), remarks, hidden_keys, year_columns)


def _figure_names(estimate: str) -> list[str]:
    """Return the names of the figures to which the error of an estimate contributes."""
    names = [FIGURE_OF_ESTIMATE[estimate]] if estimate in FIGURE_OF_ESTIMATE else []
    return [*names, "quantile_error"] if estimate in QUANTILES else names


def _estimate_rows(
    setting: AnalysisSetting, pair: ColumnPair, is_weighted: bool
) -> Iterator[dict[str, Any]]:
    """Yield a row for each estimate of a column, if it has values in both tables."""
    values, weights = {}, {}
    for side in SIDES:
        is_present = ~pair.is_missing(side)
        if not is_present.any():
            return
        values[side] = pair.values_of(side)[is_present]
        weights[side] = (setting.weights_of(side) if is_weighted else np.ones(len(is_present)))[
            is_present
        ]
    if not pair.is_quantitative:
        yield _row("shares", is_weighted, None, None, shares_error(pair, values, weights))
        return
    std = weighted_deviation(values["original"], weights["original"])
    estimates = {
        side: _estimates(pair, values[side], weights[side], setting.options.min_group)
        for side in SIDES
    }
    for name in estimates["original"]:
        if name not in estimates["masked"]:
            continue
        original, masked = (estimates[side][name] for side in SIDES)
        scale = {"total": abs(original), "gini": 1.0}.get(name, std)
        error = _scaled_error(original, masked, scale)
        if pair.kind == "date":  # days since the earliest date mean nothing to a reader
            yield _row(name, is_weighted, None, None, error)
        else:
            yield _row(name, is_weighted, original, masked, error)


def _scaled_error(original: float, masked: float, scale: float) -> float | None:
    """Return the difference divided by a scale, or None if only the scale is 0."""
    difference = abs(masked - original)
    if difference <= ROUNDING_TOLERANCE * max(abs(original), abs(masked)):
        return 0.0
    return difference / scale if scale > 0 else None


def _estimates(
    pair: ColumnPair, values: Values, weights: Values, min_records: int
) -> dict[str, float]:
    """Return the estimates of one table; dates have no total and no Gini coefficient.

    Quantiles have at least ``min_records`` records on each side, since quantiles of few records are
    values of single records.
    """
    result = {"mean": weighted_mean(values, weights)}
    shares = {
        name: share
        for name, share in QUANTILES.items()
        if min(share, 1 - share) * len(values) >= min_records
    }
    quantiles = weighted_quantiles(values, weights, list(shares.values())).tolist()
    result |= dict(zip(shares, quantiles, strict=True))
    if pair.kind == "number":
        result = {"total": float((values * weights).sum()), **result}
        if (values >= 0).all():
            result["gini"] = gini(values, weights)
    return result


def shares_error(pair: ColumnPair, values: dict[Side, Any], weights: dict[Side, Values]) -> float:
    """Return the total variation distance between the shares of the categories in both tables."""
    original_shares, masked_shares = (
        np.bincount(values[side], weights[side], pair.n_categories) / weights[side].sum()
        for side in SIDES
    )
    return float(np.abs(original_shares - masked_shares).sum() / 2)


def _row(
    estimate: str,
    is_weighted: bool,
    original: float | None,
    masked: float | None,
    error: float | None,
) -> dict[str, Any]:
    return {
        "estimate": estimate,
        "weighted": is_weighted,
        "original": original,
        "masked": masked,
        "error": error,
    }
