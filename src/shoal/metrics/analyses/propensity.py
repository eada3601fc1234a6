"""Propensity score: whether a model can distinguish masked from original records."""

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from shoal import _progress as progress
from shoal.frame.roles import name_columns
from shoal.metrics._array_types import Matrix, Values
from shoal.metrics.analyses._features import build_features, independent_columns, usable_features
from shoal.metrics.analyses._setting import AnalysisSetting
from shoal.metrics.analyses.result import AnalysisResult

INVERSE_PENALTY = 1e4  # a negligible penalty, but coefficients of separable tables stay finite
MIN_LEAF_SHARE = 0.01  # minimum number of records in a leaf of the tree, as a share of all
MIN_LEAF = 10  # minimum number of records in a leaf of the tree

Model = Callable[[Matrix, Matrix, int], tuple[Values, Values]]


def propensity(setting: AnalysisSetting) -> AnalysisResult | str:
    r"""Compare the mean squared error of a propensity score with that of new samples [SRNDS18]_.

    A model predicts whether a record is original or masked. With :math:`N` records in both tables
    together, a share :math:`c` of masked records and predicted probabilities :math:`p_i`,

    .. math:: \mathrm{pMSE} = \frac{1}{N} \sum_{i=1}^{N} (p_i - c)^2.

    The null distribution is the distribution of pMSE if bootstrap samples of the original replace
    the masked table. The ratio is pMSE divided by the mean of the null distribution. The score is
    the difference between pMSE and this mean, in standard deviations of the null distribution.

    Parameters
    ----------
    setting : AnalysisSetting
        Tables and options of the analysis.

    Returns
    -------
    AnalysisResult or str
        One row for each model: a logistic regression with squares and products of numbers, and a
        classification tree. pMSE is 0 if the model cannot distinguish the tables, and
        :math:`c (1 - c)` if it always can. A ratio near or below 1 means that the masked table is
        as good as another sample of the same population; above 10, analyses are likely to differ.
        A string is the reason why the analysis cannot be made.

    References
    ----------
    .. [SRNDS18] Snoke, J., Raab, G. M., Nowok, B., Dibben, C. and Slavkovic, A. (2018). General and
       specific utility measures for synthetic data. Journal of the Royal Statistical Society A
       181(3), 663-688.
    """
    sample_setting = setting.sample("propensity")
    pairs, too_many_categories = usable_features(sample_setting.selected_pairs)
    if not pairs:
        return "Needs a column that can be compared between the tables."
    remarks = []
    if too_many_categories:
        remarks.append(f"{name_columns(too_many_categories)} left out: too many categories.")
    if sample_setting is not setting:
        remarks.append(f"On a sample of {setting.options.max_records:,} records.")
    rows = []
    models: dict[str, tuple[bool, Model]] = {
        "logistic": (True, logistic_probabilities),
        "tree": (False, tree_probabilities),
    }
    for i, (name, (second_order, model)) in enumerate(models.items()):
        original, masked, _ = build_features(pairs, second_order=second_order)
        with warnings.catch_warnings():  # models of very different tables may not converge
            warnings.simplefilter("ignore")
            row = compare_with_null(original, masked, model, sample_setting, name)
        rows.append({"model": name, **row})
        progress.report("propensity score", i + 1, len(models))
    figures = {f"pmse_{row['model']}": row["pmse"] for row in rows}
    for row in rows:
        if row["ratio"] is not None:
            figures[f"pmse_ratio_{row['model']}"] = row["ratio"]
    ratios = [row["ratio"] for row in rows if row["ratio"] is not None]
    if ratios:
        figures["pmse_ratio"] = max(ratios)
    return AnalysisResult("propensity", figures, tuple(rows), tuple(remarks))


def compare_with_null(
    original: Matrix, masked: Matrix, model: Model, setting: AnalysisSetting, name: str
) -> dict[str, Any]:
    """Return a model's pMSE, ratio and score, and the moments of its null distribution."""
    observed = pmse(*model(original, masked, 0))
    rng = setting.rng(f"propensity, {name}")
    resamples = [
        rng.integers(len(original), size=len(masked)) for _ in range(setting.options.n_resamples)
    ]

    def resampled_pmse(resample: int) -> float:
        return pmse(*model(original, original[resamples[resample]], resample))

    with ThreadPoolExecutor(setting.options.n_jobs) as pool:
        null_distribution = np.array(list(pool.map(resampled_pmse, range(len(resamples)))))
    mean = float(null_distribution.mean())
    std = float(null_distribution.std(ddof=1)) if len(null_distribution) > 1 else 0.0
    return {
        "pmse": observed,
        "null_mean": mean,
        "null_sd": std,
        "ratio": observed / mean if mean > 0 else (0.0 if observed == 0 else None),
        "score": (observed - mean) / std if std > 0 else None,
    }


def pmse(original: Values, masked: Values) -> float:
    """Return the mean squared error of propensity scores of original and masked records.

    Examples
    --------
    >>> pmse(np.array([0.5, 0.5]), np.array([0.5, 0.5])), pmse(np.zeros(2), np.ones(2))
    (0.0, 0.25)
    """
    scores = np.concatenate([original, masked])
    return float(((scores - len(masked) / len(scores)) ** 2).mean())


def logistic_probabilities(original: Matrix, masked: Matrix, seed: int) -> tuple[Values, Values]:
    """Return the probability that each record is a masked record, by logistic regression."""
    del seed
    from sklearn.linear_model import LogisticRegression

    X = independent_columns(np.vstack([original, masked]))
    model = LogisticRegression(C=INVERSE_PENALTY, solver="newton-cholesky", max_iter=50)
    return _fitted_probabilities(model, X, len(original))


def tree_probabilities(original: Matrix, masked: Matrix, seed: int) -> tuple[Values, Values]:
    """Return the probability that each record is a masked record, by a classification tree."""
    from sklearn.tree import DecisionTreeClassifier

    X = np.vstack([original, masked])
    min_leaf = max(MIN_LEAF, int(MIN_LEAF_SHARE * len(X)))
    return _fitted_probabilities(
        DecisionTreeClassifier(min_samples_leaf=min_leaf, random_state=seed), X, len(original)
    )


def _fitted_probabilities(model: Any, X: Matrix, n_original: int) -> tuple[Values, Values]:
    if not X.shape[1]:  # nothing varies, so all records have the same probability
        probabilities = np.full(len(X), 1 - n_original / len(X))
        return probabilities[:n_original], probabilities[n_original:]
    is_masked = np.arange(len(X)) >= n_original
    probabilities = model.fit(X, is_masked).predict_proba(X)[:, 1]
    return probabilities[:n_original], probabilities[n_original:]
