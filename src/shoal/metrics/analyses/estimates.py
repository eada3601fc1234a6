"""Survey estimates of both tables: totals, means, quantiles, Gini coefficients, shares."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from shoal.frame.description.summaries import are_years
from shoal.metrics._types import Values
from shoal.metrics.analyses._setting import AnalysisSetting
from shoal.metrics.analyses._tables import SIDES, ColumnPair, Side
from shoal.metrics.analyses._weighted import (
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

    Missing values are left out, as most programs do. With survey weights, each estimate is
    computed with and without them; the figures are those with weights. Estimates
    :math:`\hat\theta` have the error

    .. math:: |\hat\theta_\mathrm{masked} - \hat\theta_\mathrm{original}| / s,

    where :math:`s` is the absolute value of the original for a total, the standard deviation of
    the original column for means and quantiles, and 1 for Gini coefficients. The error of a table
    of categories is half of the sum of the absolute differences of the shares. Only quantiles with
    enough records on both sides are computed.

    Parameters
    ----------
    setting : AnalysisSetting
        Tables and options of the analysis.

    Returns
    -------
    AnalysisResult or str
        One row for each column and estimate. Errors are 0 if nothing changed; the figures are the
        greatest over the columns. ``quantile_error`` is the greatest over all five quantiles.
    """
    rows = []
    for pair in setting.selected_pairs:
        weightings = [True, False] if setting.weights is not None else [False]
        for is_weighted in weightings:
            rows += [
                {"column": pair.name, **row} for row in _estimate_rows(setting, pair, is_weighted)
            ]
    if not rows:
        return "Needs a column with values in both tables."
    figures: dict[str, float] = {}
    for row in rows:
        if row["weighted"] != (setting.weights is not None) or row["error"] is None:
            continue
        is_quantile = row["estimate"] in QUANTILES
        figure_names = (
            [FIGURE_OF_ESTIMATE[row["estimate"]]] if row["estimate"] in FIGURE_OF_ESTIMATE else []
        )
        for name in [*figure_names, *(["quantile_error"] if is_quantile else [])]:
            figures[name] = max(figures.get(name, 0.0), row["error"])
    numbers = [pair for pair in setting.selected_pairs if pair.kind == "number"]
    year_columns = tuple(
        pair.name for pair in numbers if are_years(pair.original[~np.isnan(pair.original)])
    )
    has_dates = any(pair.kind == "date" for pair in setting.selected_pairs)
    remarks = ("Of dates only the errors are shown.",) if has_dates else ()
    hidden_keys = ("weighted",) if setting.weights is None else ()
    return AnalysisResult("estimates", figures, tuple(rows), remarks, hidden_keys, year_columns)


def _estimate_rows(
    setting: AnalysisSetting, pair: ColumnPair, is_weighted: bool
) -> Iterator[dict[str, Any]]:
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
        error = shares_error(pair, values, weights)
        yield _row("shares", is_weighted, None, None, error)
        return
    std = weighted_deviation(values["original"], weights["original"])
    estimates = {
        side: _estimates(pair, values[side], weights[side], setting.options.min_group)
        for side in SIDES
    }
    for name in estimates["original"]:
        if name not in estimates["masked"]:
            continue
        original_estimate, masked_estimate = (estimates[side][name] for side in SIDES)
        scale = {"total": abs(original_estimate), "gini": 1.0}.get(name, std)
        relative_error = _relative_error(original_estimate, masked_estimate, scale)
        if pair.kind == "date":  # days since the earliest date mean nothing to a reader
            yield _row(name, is_weighted, None, None, relative_error)
        else:
            yield _row(name, is_weighted, original_estimate, masked_estimate, relative_error)


def _relative_error(original: float, masked: float, scale: float) -> float | None:
    """Return the difference relative to a scale; None if it is not 0 but the scale is."""
    difference = abs(masked - original)
    if difference <= ROUNDING_TOLERANCE * max(abs(original), abs(masked)):
        return 0.0
    return difference / scale if scale > 0 else None


def _estimates(
    pair: ColumnPair, values: Values, weights: Values, min_records: int
) -> dict[str, float]:
    """Return the estimates of one table; dates have no total and no Gini coefficient.

    A quantile has at least ``min_records`` records on each side: the quantiles of a few records are
    values of theirs.
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
    """Return the total variation distance between the shares of categories of both tables."""
    original_shares, masked_shares = (
        np.bincount(values[side], weights[side], pair.n_categories) / weights[side].sum()
        for side in SIDES
    )
    return float(np.abs(original_shares - masked_shares).sum() / 2)


def _row(
    name: str, is_weighted: bool, original: float | None, masked: float | None, error: float | None
) -> dict[str, Any]:
    return {
        "estimate": name,
        "weighted": is_weighted,
        "original": original,
        "masked": masked,
        "error": error,
    }
