"""Prediction: models trained on masked records and tested on original records."""

import warnings
from typing import Any

import numpy as np

from shoal import _progress as progress
from shoal.frame.roles import name_columns
from shoal.metrics._array_types import Labels, Matrix, Values
from shoal.metrics._ranks import mean_ranks
from shoal.metrics.analyses._column_pairs import SIDES, ColumnPair
from shoal.metrics.analyses._features import MAX_CATEGORIES, build_features, usable_features
from shoal.metrics.analyses._setting import AnalysisSetting
from shoal.metrics.analyses.result import AnalysisResult

FOLDS = 5
MODELS = ("linear", "forest")
TREES = 20  # trees of a random forest
MIN_RECORDS = 20  # records with a value that a target needs in each table
MAX_CATEGORY_SHARE = 0.2  # maximum number of categories of a target, as a share of its records


def prediction(setting: AnalysisSetting) -> AnalysisResult | str:
    """Compare models trained on original and on masked records, both tested on original records.

    The records are divided into five parts at random. Each part is predicted by models that were
    trained on the other four: one on their original values, one on their masked values. The target
    is numeric (regression) or categorical (classification); all other columns are features.

    Parameters
    ----------
    setting : AnalysisSetting
        Tables and options of the analysis.

    Returns
    -------
    AnalysisResult or str
        One row for each target and model. The score of a regression is the share of the variance
        that it explains (at most 1; 0 for predicting the mean). The score of a classification is
        the area under the ROC curve, averaged over the classes (at most 1; 0.5 for guessing). The
        loss is the score after training on original records minus the score after training on
        masked records; 0 means that masking did no harm. A string is the reason why the analysis
        cannot be made.
    """
    if not setting.targets:
        return "Needs a target: the column to predict."
    sample_setting = setting.sample("prediction")
    remarks = []
    if sample_setting is not setting:
        remarks.append(f"On a sample of {setting.options.max_records:,} records.")
    if not setting.aligned:
        remarks.append(
            "Models are also trained on masked records of the test part, because rows do not match."
        )
    rows: list[dict[str, Any]] = []
    for i, target in enumerate(setting.targets):
        pairs, too_many_categories = usable_features(
            [pair for pair in sample_setting.selected_pairs if pair.name != target]
        )
        if too_many_categories:
            remarks.append(f"{name_columns(too_many_categories)} left out: too many categories.")
        reason = _reason_unsuitable(sample_setting.pairs[target], pairs)
        if reason:
            remarks.append(f"Target {target!r}: {reason}")
        else:
            with warnings.catch_warnings():  # of linear models that stop before they converge
                warnings.simplefilter("ignore")
                rows += _score_models(sample_setting, sample_setting.pairs[target], pairs)
        progress.report("prediction", i + 1, len(setting.targets))
    if not rows:
        return " ".join(remarks)
    figures = {"prediction_loss": max(row["loss"] for row in rows)}
    for model in MODELS:
        losses = [row["loss"] for row in rows if row["model"] == model]
        figures[f"prediction_loss_{model}"] = max(losses)
    return AnalysisResult("prediction", figures, tuple(rows), tuple(dict.fromkeys(remarks)))


def _reason_unsuitable(target: ColumnPair, pairs: list[ColumnPair]) -> str:
    """Return why a column cannot be predicted, or an empty string."""
    present_values = target.original[~target.is_missing("original")]
    if not pairs:
        return "there is no other column to predict it from."
    if len(present_values) < MIN_RECORDS or (~target.is_missing("masked")).sum() < MIN_RECORDS:
        return f"fewer than {MIN_RECORDS} records have a value."
    if not (present_values != present_values[0]).any():
        return "it has a single value."
    if not target.is_quantitative:
        masked = target.masked[~target.is_missing("masked")]
        category_share = max(
            len(np.unique(values)) / len(values) for values in (present_values, masked)
        )
        if len(np.unique(present_values)) > MAX_CATEGORIES or category_share > MAX_CATEGORY_SHARE:
            return "it has too many categories."
    return ""


def _score_models(
    setting: AnalysisSetting, target: ColumnPair, pairs: list[ColumnPair]
) -> list[dict[str, Any]]:
    """Return a row for each model, with its score after training on either table."""
    is_present = ~target.is_missing("original")
    classes = np.unique(target.original[is_present])
    predicted = _predict_in_folds(setting, target, pairs, classes)
    truth = target.original[is_present]
    rows = []
    for model in MODELS:
        scores = {
            side: explained_share(truth, predicted[side, model][is_present, 0])
            if target.is_quantitative
            else mean_auc(truth, predicted[side, model][is_present], classes)
            for side in SIDES
        }
        rows.append(
            {
                "target": target.name,
                "model": model,
                "score": "explained variance" if target.is_quantitative else "area under ROC",
                "original": scores["original"],
                "masked": scores["masked"],
                "loss": scores["original"] - scores["masked"],
            }
        )
    return rows


def _predict_in_folds(
    setting: AnalysisSetting, target: ColumnPair, pairs: list[ColumnPair], classes: Labels
) -> dict[tuple[str, str], Matrix]:
    """Return predictions of all original records, by the table used for training and the model.

    Each record is predicted by models that were trained without its fold.
    """
    original_features, masked_features, _ = build_features(pairs)
    rng = setting.rng(f"prediction, {target.name}")
    is_present, is_present_masked = (~target.is_missing(side) for side in SIDES)
    fold_of_record = rng.permutation(len(original_features)) % FOLDS
    predicted: dict[tuple[str, str], Matrix] = {}
    for fold in range(FOLDS):
        is_test = is_present & (fold_of_record == fold)
        X_test = original_features[is_test]
        is_training = fold_of_record != fold
        is_masked_training = is_training if setting.aligned else np.full(len(masked_features), True)
        training = {
            "original": (original_features, target.original, is_present & is_training),
            "masked": (masked_features, target.masked, is_present_masked & is_masked_training),
        }
        for side, (X, y, rows) in training.items():
            for model in MODELS:
                fold_predictions = _predict(
                    model, target.is_quantitative, X[rows], y[rows], X_test, classes
                )
                shape = (len(original_features), fold_predictions.shape[1])
                predictions = predicted.setdefault((side, model), np.zeros(shape))
                predictions[is_test] = fold_predictions
    return predicted


def _predict(
    model: str, is_quantitative: bool, X: Matrix, y: Any, X_test: Matrix, classes: Labels
) -> Matrix:
    """Return predicted numbers, or the probability of each class, of the test records."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LogisticRegression, Ridge

    forest = {"n_estimators": TREES, "min_samples_leaf": 5, "random_state": 0, "n_jobs": 1}
    if is_quantitative:
        regressor = Ridge(alpha=1e-6) if model == "linear" else RandomForestRegressor(**forest)
        return np.asarray(regressor.fit(X, y).predict(X_test))[:, np.newaxis]
    class_probabilities = np.zeros((len(X_test), len(classes)))
    training_classes = np.unique(y)
    if len(training_classes) == 1:
        class_probabilities[:, classes == training_classes[0]] = 1.0
        return class_probabilities
    classifier = (
        LogisticRegression(max_iter=200, tol=1e-3)
        if model == "linear"
        else RandomForestClassifier(**forest)
    )
    probabilities = classifier.fit(X, y).predict_proba(X_test)
    for i, value in enumerate(classifier.classes_):
        class_probabilities[:, classes == value] = probabilities[:, [i]]
    return class_probabilities


def explained_share(truth: Values, predicted: Values) -> float:
    """Return the share of the variance that predictions explain, negative if the mean is better.

    Examples
    --------
    >>> explained_share(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0]))
    0.5
    """
    return float(1 - ((truth - predicted) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())


def mean_auc(truth: Labels, probabilities: Matrix, classes: Labels) -> float:
    """Return the mean over the classes of the area under the ROC curve, each against all others.

    Examples
    --------
    >>> chances = np.array([[0.9, 0.1], [0.4, 0.6], [0.6, 0.4], [0.2, 0.8]])
    >>> mean_auc(np.array([0, 0, 1, 1]), chances, np.array([0, 1]))
    0.75
    """
    areas = []
    for i, value in enumerate(classes):
        is_in_class = truth == value
        ranks = mean_ranks(probabilities[:, i])
        n_inside, n_outside = int(is_in_class.sum()), int((~is_in_class).sum())
        areas.append(
            (ranks[is_in_class].sum() - n_inside * (n_inside + 1) / 2) / (n_inside * n_outside)
        )
    return float(np.mean(areas))
