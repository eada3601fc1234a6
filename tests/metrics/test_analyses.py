"""Analyses before and after: propensity scores, predictions, random queries and estimates."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import InputError, ParameterError
from shoal.metrics.analyses import ANALYSES, FIGURES, Utility
from shoal.metrics.analyses._column_pairs import ColumnPair
from shoal.metrics.analyses._features import build_features, independent_columns
from shoal.metrics.analyses._weighted_statistics import gini, weighted_quantiles
from shoal.metrics.analyses.prediction import mean_auc
from shoal.metrics.analyses.propensity import (
    compare_with_null,
    logistic_probabilities,
    pmse,
    tree_probabilities,
)
from twins.analyses import gini_by_pairs, quantile_by_copies

values_and_weights = st.lists(
    st.tuples(st.integers(0, 4), st.integers(1, 3)), min_size=1, max_size=9
)


def people(n=200, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    school = rng.choice(["none", "some", "much"], n)
    wage = 10 + age / 10 + 3 * (school == "much") + rng.normal(size=n)
    ill = rng.random(n) < 1 / (1 + np.exp(-(age - 50) / 5))
    return pd.DataFrame({"age": age, "school": school, "wage": wage, "ill": ill})


class Setting:
    """What `compare_with_null` needs of a setting."""

    def __init__(self, n_resamples):
        self.options = SimpleNamespace(n_resamples=n_resamples, n_jobs=2)

    def rng(self, purpose):
        return np.random.default_rng(len(purpose))


@pytest.mark.parametrize("n_masked", [400, 200])
def test_bootstrap_null_has_the_known_mean_and_spread(n_masked):
    """Snoke et al. (2018): (k - 1)(1 - c)^2 c / N for a logistic model with k coefficients."""
    X = np.random.default_rng(1).normal(size=(400, 5))
    score = compare_with_null(X, X[:n_masked], logistic_probabilities, Setting(100), "logistic")
    n, share = 400 + n_masked, n_masked / (400 + n_masked)
    expected = 5 * (1 - share) ** 2 * share / n
    assert score["null_mean"] == pytest.approx(expected, rel=0.15)
    assert score["null_sd"] == pytest.approx(expected * np.sqrt(2 / 5), rel=0.3)
    assert n_masked < 400 or score["pmse"] == pytest.approx(0, abs=1e-12)


def test_pmse_is_the_mean_squared_difference_from_the_share_of_masked_records():
    scores = [0.2, 0.6, 0.1, 0.3]
    expected = sum((score - 1 / 4) ** 2 for score in scores) / 4
    assert pmse(np.array(scores[:3]), np.array(scores[3:])) == pytest.approx(expected)


def test_propensity_score_sees_what_changed():
    X = np.random.default_rng(1).normal(size=(400, 3))
    for model in (logistic_probabilities, tree_probabilities):
        same = compare_with_null(X, X[::-1], model, Setting(5), "same")
        shifted = compare_with_null(X, X + [2, 0, 0], model, Setting(5), "shifted")
        apart = compare_with_null(X, X + 100, model, Setting(5), "apart")
        assert same["ratio"] < 0.7
        assert shifted["ratio"] > 5
        assert apart["pmse"] == pytest.approx(0.25, abs=1e-3)


def test_logistic_model_sees_a_loss_of_spread():
    """Group means keep the mean of a column but not its variance."""
    values = np.random.default_rng(0).normal(size=500)
    pair = ColumnPair("x", "number", values, values / 2)
    plain, squared = (build_features([pair], second_order=order)[:2] for order in (False, True))
    assert compare_with_null(*plain, logistic_probabilities, Setting(20), "x")["ratio"] < 3
    assert compare_with_null(*squared, logistic_probabilities, Setting(20), "x")["ratio"] > 20


def test_features_of_missing_values_and_categories():
    number = ColumnPair("x", "number", np.array([1.0, 3.0, np.nan]), np.array([2.0, np.nan, 5.0]))
    kind = ColumnPair("c", "category", np.array([0, 1, -1]), np.array([2, 1, 1]), ("a", "b", "c"))
    before, after, names = build_features([number, kind])
    assert names == ["x", "x", "c", "c", "c"]
    assert before[:, 0].tolist() == [-1, 1, 0]
    assert after[:, 0].tolist() == [0, 0, 3]
    assert before[:, 1].tolist() == [0, 0, 1]
    assert np.vstack([before, after])[:, 2:].tolist() == [
        [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 0],
    ]  # fmt: skip


@given(st.lists(st.lists(st.integers(0, 2), min_size=5, max_size=5), min_size=1, max_size=4))
def test_independent_features_have_full_rank(columns):
    X = np.array(columns, float).T
    kept = independent_columns(X)
    rank = np.linalg.matrix_rank(np.column_stack([np.ones(5), X]))
    assert kept.shape[1] == rank - 1
    assert np.linalg.matrix_rank(np.column_stack([np.ones(5), kept])) == rank


@given(values_and_weights)
def test_quantiles_and_gini_agree_with_the_slow_versions(rows):
    values, weights = np.array(rows, float).T
    shares = [0.1, 0.25, 0.5, 0.75, 0.9]
    expected = [quantile_by_copies(values, weights, share) for share in shares]
    assert weighted_quantiles(values, weights, shares).tolist() == expected
    assert gini(values, weights) == pytest.approx(gini_by_pairs(values, weights))


def test_area_under_the_curve_is_the_chance_of_the_right_order():
    rng = np.random.default_rng(0)
    truth, chances = rng.integers(2, size=40), rng.integers(5, size=40) / 4
    pairs = [(a > b) + (a == b) / 2 for a in chances[truth == 1] for b in chances[truth == 0]]
    both = np.column_stack([1 - chances, chances])
    assert mean_auc(truth, both, np.array([0, 1])) == pytest.approx(np.mean(pairs))


def test_prediction_loses_what_masking_destroys():
    before = people()
    after = before.assign(age=before["age"].mean(), school="none")
    kept = shoal.utility(
        before, before, target=["wage", "ill"], measures=["prediction"], random_state=0
    )
    assert kept.figures()["prediction_loss"] == 0
    rows = {(row["target"], row["model"]): row for row in kept["prediction"].rows}
    assert rows["wage", "linear"]["original"] > 0.6
    assert rows["ill", "linear"]["original"] > 0.8
    lost = shoal.utility(before, after, target="wage", columns=["age", "school"],
                         measures=["prediction"], random_state=0)  # fmt: skip
    for row in lost["prediction"].rows:
        assert row["loss"] > 0.4
        assert row["masked"] < 0.1


def test_range_counts_by_hand():
    before = pd.DataFrame({"x": np.arange(100.0)})
    moved = shoal.utility(before, before + 1000, measures=["range-counts"], random_state=0)
    assert moved.figures()["range_count_error"] == 1  # all counts are 0 afterwards
    doubled = pd.concat([before, before])
    twice = shoal.utility(before, doubled, measures=["range-counts"], random_state=0)
    assert twice.figures()["range_count_error"] == 1  # all counts are twice as large
    same = shoal.utility(before, before, measures=["range-counts"], random_state=0)
    assert same.figures()["range_count_error_95"] == 0


def test_group_by_by_hand():
    before = pd.DataFrame({"g": ["a"] * 10 + ["b"] * 10, "x": [0.0] * 10 + [2.0] * 10})
    after = before.assign(g=["a"] * 20)
    result = shoal.utility(before, after, measures=["group-by"], random_state=0)
    by_g = next(row for row in result["group-by"].rows if row["columns"] == "1")
    # Grouped by g: a has 20 instead of 10 records (error 1), and the mean 1 instead of 0 (the
    # standard deviation is 1); b has none. Grouped by x there is no number left to average.
    assert by_g["groups"] == 2
    assert by_g["count error"] == 1
    assert by_g["mean error"] == 1
    assert by_g["groups lost"] == 0.5


def test_small_groups_are_not_compared():
    before = pd.DataFrame({"g": ["a"] * 10 + ["b"] * 4, "x": np.arange(14.0)})
    result = shoal.utility(before, before, measures=["group-by"], min_group=5, random_state=0)
    assert result["group-by"].rows[0]["groups"] == 1


def test_estimates_by_hand():
    before = pd.DataFrame({"x": [1.0, 2.0, 3.0, 6.0], "c": list("aabb"), "w": [1, 1, 1, 3]})
    after = before.assign(x=[1.5, 1.5, 4.5, 4.5], c=list("aaab"))
    result = shoal.utility(before, after, weight="w", min_group=2, measures=["estimates"])
    rows = {(r["column"], r["estimate"], r["weighted"]): r for r in result["estimates"].rows}
    total = rows["x", "total", True]
    assert (total["original"], total["masked"]) == (24, 21)
    assert total["error"] == pytest.approx(3 / 24)
    assert rows["x", "total", False]["error"] == 0
    assert rows["x", "median", True]["original"] == 4.5  # half of the weights at 3 and at 6
    assert rows["c", "shares", True]["error"] == pytest.approx(1 / 6)
    assert rows["c", "shares", False]["error"] == pytest.approx(1 / 4)
    assert ("w", "total", True) not in rows
    deviation = np.sqrt((9 + 4 + 1 + 3 * 4) / 6)
    assert result.figures()["mean_error"] == pytest.approx(0.5 / deviation)


def test_error_of_a_table_is_half_of_all_differences():
    before = pd.DataFrame({"c": list("aabbccdd")})
    after = pd.DataFrame({"c": list("aaaabbbb")})
    figures = shoal.utility(before, after, measures=["estimates"]).figures()
    assert figures["table_error"] == pytest.approx(0.5)


def test_weights_of_a_constant_change_nothing():
    before, after = people(), people(seed=1)
    with_weights = [frame.assign(w=2.5) for frame in (before, after)]
    plain = shoal.utility(before, after, measures=["estimates"]).figures()
    weighted = shoal.utility(*with_weights, weight="w", measures=["estimates"]).figures()
    plain["total_error"] = weighted["total_error"] = 0
    assert weighted == pytest.approx(plain)


def test_the_seed_repeats_all_figures():
    before, after = people(60), people(60, seed=1)
    options = {"target": "wage", "formula": "wage ~ age", "n_resamples": 3, "n_queries": 20}
    first, again, other = (
        shoal.utility(before, after, random_state=seed, n_jobs=jobs, **options)
        for seed, jobs in ((1, 1), (1, 2), (2, 1))
    )
    assert first.figures() == again.figures()
    assert first.figures() != other.figures()
    assert set(first) == set(ANALYSES)
    assert set(first.figures()) == set(FIGURES)
    json.dumps(first.to_dict(), allow_nan=False)


def test_every_figure_is_documented():
    assert all(f"``{name}``" in Utility.__doc__ for name in FIGURES)


def test_limits_on_figures():
    before, after = people(60), people(60, seed=1)
    result = shoal.utility(before, after, measures=["estimates", "regression"], by="school")
    limits = shoal.Limits(
        {"max_total_error": 0.9, "max_total_error_worst_group": 1e-6, "min_ci_overlap": 0.5}
    )
    first, second, third = limits.check(result)
    assert first.passed
    assert not second.passed
    assert second.value == max(value for _, value in result.groups.ordered("total_error"))
    assert third.reason == result.not_run["regression"]


def test_tables_of_any_kind_give_the_same_figures():
    before, after = people(60), people(60, seed=1)
    options = {"measures": ["estimates", "range-counts", "group-by"], "random_state": 0}
    expected = shoal.utility(before, after, **options).figures()
    figures = shoal.utility(pl.from_pandas(before), pl.from_pandas(after), **options).figures()
    assert figures == expected


def test_hard_tables_are_analysed():
    """Missing values, constants, recoded columns, dates, names, and columns of one table only."""
    n = 40
    before = pd.DataFrame(
        {
            "age": [None, *range(20, 19 + n)],
            "constant": 1.0,
            "gone": range(n),
            "empty": [None] * n,
            "code": list("ab") * (n // 2),
            "day": pd.date_range("2020-01-01", periods=n),
            "name": [f"person {at}" for at in range(n)],
        }
    )
    after = before.drop(columns="gone").assign(age=[*range(20, 20 + n)], code="*", new=0)
    after["constant"] = "one"
    result = shoal.utility(before, after, target=["age", "code"], n_resamples=2, random_state=0)
    assert "'constant'" in " ".join(result.remarks)
    assert "'code'" in " ".join(result.remarks)
    assert result["estimates"].figures["table_error"] == 1
    json.dumps(result.to_dict(), allow_nan=False)
    assert "person 1" not in repr(result)


def test_years_and_dates_are_not_shown_as_plain_numbers():
    n = 41
    days = pd.date_range("2020-01-01", periods=n)
    before = pd.DataFrame(
        {"born": range(1950, 1950 + n), "pay": range(1950, 6050, 100), "day": days}
    )
    result = shoal.utility(before, before.assign(day=days[::-1]), measures=["estimates"])
    text = str(result["estimates"])
    rows = {(row["column"], row["estimate"]): row for row in result["estimates"].rows}
    assert rows["born", "median"]["original"] == 1970
    assert "1970" in text
    assert "1,970" not in text
    assert "3,950" in text
    assert rows["day", "median"]["original"] is None
    assert rows["day", "median"]["error"] is not None
    assert len(result["estimates"].remarks) == 1


def test_tables_of_different_length_are_compared():
    before, after = people(80), people(50, seed=3)
    result = shoal.utility(
        before, after, target="wage", formula="wage ~ age", by="school", n_resamples=2,
        random_state=0,
    )  # fmt: skip
    assert set(result) == set(ANALYSES)
    assert len(result.groups.split.groups) == 3


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"measures": ["pmse"]}, "unknown-measure"),
        ({"n_resamples": 1}, "parameter-not-accepted"),
        ({"min_group": 1}, "parameter-not-accepted"),
        ({"columns": ["nobody"]}, "no-such-column"),
        ({"target": "nobody"}, "no-such-column"),
        ({"weight": "school"}, "text-among-numbers"),
        ({"by": "nobody"}, "no-such-column"),
    ],
)
def test_wrong_options_are_refused(options, code):
    with pytest.raises((ParameterError, InputError)) as caught:
        shoal.utility(people(30), people(30), **{"measures": ["estimates"], **options})
    assert caught.value.code == code


def test_long_tables_are_sampled():
    before, after = people(300), people(300, seed=1)
    options = {"n_resamples": 2, "measures": ["propensity"], "random_state": 0}
    sampled = shoal.utility(before, after, max_records=100, **options)
    assert "100 records" in sampled["propensity"].remarks[0]
    assert not shoal.utility(before, after, **options)["propensity"].remarks
