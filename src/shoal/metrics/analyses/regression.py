"""Regression models of both tables, with the overlap of confidence intervals."""

from typing import Any

import numpy as np

from shoal import _progress as progress
from shoal._text import count
from shoal.metrics.analyses._column_pairs import SIDES, Side
from shoal.metrics.analyses._formula import Designs, build_designs
from shoal.metrics.analyses._regression_fit import RegressionFit, fit_regression
from shoal.metrics.analyses._setting import AnalysisSetting
from shoal.metrics.analyses.result import AnalysisResult

INTERCEPT = "Intercept"


def regression(setting: AnalysisSetting) -> AnalysisResult | str:
    r"""Fit models to both tables and compare the coefficients [KKORS06]_.

    The model is a linear regression, or a logistic regression if the response has two values. A
    coefficient has the 95 % confidence intervals :math:`(L_o, U_o)` in the original and
    :math:`(L_m, U_m)` in the masked table. With their intersection :math:`(L_i, U_i)`, the overlap
    is

    .. math:: \frac{1}{2} \left( \frac{U_i - L_i}{U_o - L_o} + \frac{U_i - L_i}{U_m - L_m} \right),

    and 0 if they do not intersect, or if the coefficient cannot be estimated from the masked table.
    The intercept is left out, since few readers draw conclusions from it. Standard errors are
    robust if there are survey weights.

    Parameters
    ----------
    setting : AnalysisSetting
        Tables and options of the analysis.

    Returns
    -------
    AnalysisResult or str
        One row for each coefficient. Overlaps are between 0 and 1. 1 means that the intervals are
        equal, so that readers come to the same conclusions; 0 means that they have no value in
        common. A string is the reason why the analysis cannot be made.

    References
    ----------
    .. [KKORS06] Karr, A. F., Kohnen, C. N., Oganian, A., Reiter, J. P. and Sanil, A. P. (2006). A
       framework for evaluating the utility of data altered to protect confidentiality. The American
       Statistician 60(3), 224-232.
    """
    if not setting.formulas:
        return "Needs a formula, such as wage ~ education + experience."
    rows: list[dict[str, Any]] = []
    remarks = []
    for i, formula in enumerate(setting.formulas, 1):
        outcome = _compare_model(setting, formula)
        if isinstance(outcome, str):
            remarks.append(f"Model {i} ({formula}): {outcome}")
        else:
            coefficients, description = outcome
            rows += [{"model": str(i), **row} for row in coefficients]
            remarks.append(f"Model {i} ({formula}): {description}")
        progress.report("regression", i, len(setting.formulas))
    if not rows:
        return " ".join(remarks)
    compared = [row for row in rows if row["coefficient"] != INTERCEPT] or rows
    overlaps = [row["overlap"] for row in compared]
    figures = {
        "ci_overlap": min(overlaps),
        "ci_overlap_mean": float(np.mean(overlaps)),
        "conclusions_changed": float(np.mean([row["changed"] for row in compared])),
    }
    shifts = [row["shift"] for row in compared if row["shift"] is not None]
    if shifts:
        figures["coefficient_shift"] = max(shifts)
    hidden_keys = ("shift",) if len(setting.formulas) > 1 else ("model", "shift")
    return AnalysisResult("regression", figures, tuple(rows), tuple(remarks), hidden_keys)


def interval_overlap(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Return the share of each interval that their intersection covers, averaged over both.

    Examples
    --------
    >>> interval_overlap((0, 4), (2, 4)), interval_overlap((0, 1), (2, 3))
    (0.75, 0.0)
    """
    common = min(first[1], second[1]) - max(first[0], second[0])
    if common < 0:
        return 0.0
    shares = [common / (high - low) if high > low else 1.0 for low, high in (first, second)]
    return sum(shares) / 2


def _compare_model(
    setting: AnalysisSetting, formula: str
) -> tuple[list[dict[str, Any]], str] | str:
    """Return a row for each coefficient of a model and its description, or why there are none."""
    designs = build_designs(setting, formula)
    if isinstance(designs, str):
        return designs
    fits: dict[Side, RegressionFit] = {}
    for side in SIDES:
        design = designs.by_side[side]
        weights = None if setting.weights is None else setting.weights_of(side)[design.rows]
        fitted = fit_regression(design.y, design.X, weights, is_binary=designs.is_binary)
        if isinstance(fitted, str):
            return f"{side} table: {fitted}"
        fits[side] = fitted
    rows, n_hidden = _coefficient_rows(designs, fits, setting.options.min_group)
    if not rows:
        return "no coefficient can be estimated."
    sizes = [f"{len(designs.by_side[side].y):,}" for side in SIDES]
    description = (
        f"{'logistic' if designs.is_binary else 'linear'} regression, {sizes[0]} records before"
    )
    description += f" and {sizes[1]} after."
    if n_hidden:
        description += (
            f" {count(n_hidden, 'coefficient')} of categories with fewer than"
            f" {setting.options.min_group} records not shown."
        )
    return rows, description


def _coefficient_rows(
    designs: Designs, fits: dict[Side, RegressionFit], min_group: int
) -> tuple[list[dict[str, Any]], int]:
    """Return a row for each coefficient of the original, and how many coefficients are hidden."""
    n_nonzero = (designs.by_side["original"].X != 0).sum(axis=0)
    rows: list[dict[str, Any]] = []
    n_hidden = 0
    for i, term in enumerate(designs.terms):
        if np.isnan(fits["original"].coefficients[i]):
            continue
        if n_nonzero[i] < min_group:
            n_hidden += 1
            continue
        rows.append({"coefficient": term, **_compare_coefficient(fits, i)})
    return rows, n_hidden


def _compare_coefficient(fits: dict[Side, RegressionFit], i: int) -> dict[str, Any]:
    """Return coefficient i in both tables, and how they differ."""
    original, masked = (float(fits[side].coefficients[i]) for side in SIDES)
    intervals = [(float(fits[side].low[i]), float(fits[side].high[i])) for side in SIDES]
    standard_error = float(fits["original"].standard_errors[i])
    is_lost = np.isnan(masked)
    has_shift = not is_lost and standard_error
    return {
        "original": original,
        "original interval": list(intervals[0]),
        "masked": None if is_lost else masked,
        "masked interval": None if is_lost else list(intervals[1]),
        "overlap": 0.0 if is_lost else interval_overlap(*intervals),
        "shift": abs(masked - original) / standard_error if has_shift else None,
        "changed": bool(is_lost or _sign(*intervals[0]) != _sign(*intervals[1])),
    }


def _sign(low: float, high: float) -> int:
    """Return the sign of the values in an interval, or 0 if it contains 0."""
    return int(low > 0) - int(high < 0)
