"""Survey estimates before and after: totals, means, quantiles, Gini coefficients and tables."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from shoal.frame.describe import are_years
from shoal.metrics._base import Values
from shoal.metrics.analyses._study import Study
from shoal.metrics.analyses._tables import SIDES, ColumnPair, Side
from shoal.metrics.analyses._weighted import (
    gini,
    weighted_deviation,
    weighted_mean,
    weighted_quantiles,
)
from shoal.metrics.analyses.result import AnalysisResult

SHARES = {"10 % quantile": 0.1, "25 % quantile": 0.25, "median": 0.5, "75 % quantile": 0.75,
          "90 % quantile": 0.9}  # fmt: skip
ROUNDING = 1e-12  # estimates that differ by a smaller share are equal up to rounding
ERRORS = {
    "total": "total_error",
    "mean": "mean_error",
    "median": "median_error",
    "gini": "gini_error",
    "shares": "table_error",
}


def estimates(study: Study) -> AnalysisResult | str:
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
    study : Study
        Tables and options of the analysis.

    Returns
    -------
    AnalysisResult or str
        One row for each column and estimate. Errors are 0 if nothing changed; the figures are the
        greatest over the columns. ``quantile_error`` is the greatest over all five quantiles.
    """
    rows = []
    for pair in study.selected:
        ways = [True, False] if study.weights is not None else [False]
        for weighted in ways:
            rows += [{"column": pair.name, **row} for row in _rows(study, pair, weighted)]
    if not rows:
        return "Needs a column with values in both tables."
    figures: dict[str, float] = {}
    for row in rows:
        if row["weighted"] != (study.weights is not None) or row["error"] is None:
            continue
        quantile = row["estimate"] in SHARES
        names = [ERRORS[row["estimate"]]] if row["estimate"] in ERRORS else []
        for name in [*names, *(["quantile_error"] if quantile else [])]:
            figures[name] = max(figures.get(name, 0.0), row["error"])
    numbers = [pair for pair in study.selected if pair.kind == "number"]
    years = tuple(
        pair.name for pair in numbers if are_years(pair.original[~np.isnan(pair.original)])
    )
    has_dates = any(pair.kind == "date" for pair in study.selected)
    remarks = ("Of dates only the errors are shown.",) if has_dates else ()
    hidden = ("weighted",) if study.weights is None else ()
    return AnalysisResult("estimates", figures, tuple(rows), remarks, hidden, years)


def _rows(study: Study, pair: ColumnPair, weighted: bool) -> Iterator[dict[str, Any]]:
    values, weights = {}, {}
    for side in SIDES:
        known = ~pair.missing(side)
        if not known.any():
            return
        values[side] = pair.side(side)[known]
        weights[side] = (study.weights_of(side) if weighted else np.ones(len(known)))[known]
    if not pair.is_number:
        error = shares_error(pair, values, weights)
        yield _row("shares", weighted, None, None, error)
        return
    spread = weighted_deviation(values["original"], weights["original"])
    estimates = {
        side: _estimates(pair, values[side], weights[side], study.min_group) for side in SIDES
    }
    for name in estimates["original"]:
        if name not in estimates["masked"]:
            continue
        first, second = (estimates[side][name] for side in SIDES)
        scale = {"total": abs(first), "gini": 1.0}.get(name, spread)
        gap = _error(first, second, scale)
        if pair.kind == "date":  # days since the earliest date mean nothing to a reader
            yield _row(name, weighted, None, None, gap)
        else:
            yield _row(name, weighted, first, second, gap)


def _error(before: float, after: float, scale: float) -> float | None:
    """Return the difference relative to a scale; None if it is not 0 but the scale is."""
    gap = abs(after - before)
    if gap <= ROUNDING * max(abs(before), abs(after)):
        return 0.0
    return gap / scale if scale > 0 else None


def _estimates(pair: ColumnPair, values: Values, weights: Values, least: int) -> dict[str, float]:
    """Return the estimates of one table; dates have no total and no Gini coefficient.

    A quantile has at least ``least`` records on each side: the quantiles of a few records are
    values of theirs.
    """
    result = {"mean": weighted_mean(values, weights)}
    shares = {
        name: share
        for name, share in SHARES.items()
        if min(share, 1 - share) * len(values) >= least
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
    before, after = (
        np.bincount(values[side], weights[side], pair.n_categories) / weights[side].sum()
        for side in SIDES
    )
    return float(np.abs(before - after).sum() / 2)


def _row(
    name: str, weighted: bool, before: float | None, after: float | None, error: float | None
) -> dict[str, Any]:
    return {
        "estimate": name,
        "weighted": weighted,
        "original": before,
        "masked": after,
        "error": error,
    }
