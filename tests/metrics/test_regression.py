"""Regressions before and after: published fits, overlap, formulas."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import InputError, ParameterError
from shoal.metrics.analyses._regression_fit import fit_regression, independent_terms
from shoal.metrics.analyses.regression import interval_overlap

# Longley's data with the certified values of the NIST Statistical Reference Datasets.
LONGLEY = """
60323 83.0 234289 2356 1590 107608 1947
61122 88.5 259426 2325 1456 108632 1948
60171 88.2 258054 3682 1616 109773 1949
61187 89.5 284599 3351 1650 110929 1950
63221 96.2 328975 2099 3099 112075 1951
63639 98.1 346999 1932 3594 113270 1952
64989 99.0 365385 1870 3547 115094 1953
63761 100.0 363112 3578 3350 116219 1954
66019 101.2 397469 2904 3048 117388 1955
67857 104.6 419180 2822 2857 118734 1956
68169 108.4 442769 2936 2798 120445 1957
66513 110.8 444546 4681 2637 121950 1958
68655 112.6 482704 3813 2552 123366 1959
69564 114.2 502601 3931 2514 125368 1960
69331 115.7 518173 4806 2572 127852 1961
70551 116.9 554894 4007 2827 130081 1962
"""
CERTIFIED = {
    "coefficients": [
        -3482258.63459582, 15.0618722713733, -0.358191792925910e-01, -2.02022980381683,
        -1.03322686717359, -0.511041056535807e-01, 1829.15146461355,
    ],
    "errors": [
        890420.383607373, 84.9149257747669, 0.334910077722432e-01, 0.488399681651699,
        0.214274163161675, 0.226073200069370, 455.478499142212,
    ],
}  # fmt: skip
# Grades of Spector and Mazzeo (1980), with the logit fit that Greene's Econometric Analysis prints.
GPA = [
    2.66, 2.89, 3.28, 2.92, 4.0, 2.86, 2.76, 2.87, 3.03, 3.92, 2.63, 3.32, 3.57, 3.26, 3.53, 2.74,
    2.75, 2.83, 3.12, 3.16, 2.06, 3.62, 2.89, 3.51, 3.54, 2.83, 3.39, 2.67, 3.65, 4.0, 3.1, 2.39,
]  # fmt: skip
TUCE = [
    20, 22, 24, 12, 21, 17, 17, 21, 25, 29, 20, 23, 23, 25, 26, 19, 25, 19, 23, 25, 22, 28, 14, 26,
    24, 27, 17, 24, 21, 23, 21, 19,
]  # fmt: skip
GRADE = [0] * 4 + [1] + [0] * 4 + [1] + [0] * 3 + [1] + [0] * 5
GRADE += [1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1]
SPECTOR = pd.DataFrame({"gpa": GPA, "tuce": TUCE, "psi": [0] * 18 + [1] * 14, "grade": GRADE})


def with_constant(X):
    return np.column_stack([np.ones(len(X)), X])


def rows_of(result):
    return {row["coefficient"]: row for row in result["regression"].rows}


def compare(before, after, formula, **options):
    return shoal.utility(before, after, formula=formula, measures=["regression"], **options)


def test_least_squares_attains_the_certified_values_of_longley():
    table = np.loadtxt(StringIO(LONGLEY))
    fitted = fit_regression(table[:, 0], with_constant(table[:, 1:]), None, is_binary=False)
    assert fitted.coefficients == pytest.approx(CERTIFIED["coefficients"], rel=1e-7)
    assert fitted.standard_errors == pytest.approx(CERTIFIED["errors"], rel=1e-7)
    t = 2.2621571628  # quantile of Student's distribution with 9 degrees of freedom
    assert (fitted.high - fitted.low) / (2 * fitted.standard_errors) == pytest.approx(np.full(7, t))


def test_logistic_regression_attains_the_published_fit():
    X = with_constant(SPECTOR[["gpa", "tuce", "psi"]].to_numpy(float))
    fitted = fit_regression(np.array(GRADE, float), X, None, is_binary=True)
    assert fitted.coefficients == pytest.approx([-13.0213, 2.8261, 0.0952, 2.3787], abs=5e-5)
    assert fitted.standard_errors == pytest.approx([4.9313, 1.2629, 0.1416, 1.0646], abs=5e-5)
    assert fitted.low[1] == pytest.approx(0.350794, abs=1e-6)


def test_weighted_fits_have_robust_standard_errors():
    """Against WLS (HC1) and GLM (HC0, whose factor n / (n - p) is 1) of statsmodels 0.15."""
    weights = np.arange(1, 33) % 4 + 1.0
    X = with_constant(SPECTOR[["gpa", "psi"]].to_numpy(float))
    linear = fit_regression(SPECTOR["tuce"].to_numpy(float), X, weights, is_binary=False)
    assert linear.coefficients == pytest.approx([10.15198552, 3.78821473, -0.45738551])
    assert linear.standard_errors == pytest.approx([4.82123287, 1.55495993, 1.56532581])
    X = with_constant(SPECTOR[["gpa", "tuce", "psi"]].to_numpy(float))
    logit = fit_regression(np.array(GRADE, float), X, weights, is_binary=True)
    assert logit.coefficients == pytest.approx([-17.82483722, 3.78233481, 0.15811236, 2.56795596])
    expected = np.array([5.11641434, 1.42810578, 0.13833798, 1.20010346]) * np.sqrt(32 / 28)
    assert logit.standard_errors == pytest.approx(expected)


def test_separable_classes_are_no_fit():
    X = with_constant(np.arange(10.0)[:, np.newaxis])
    assert isinstance(
        fit_regression((np.arange(10) > 4).astype(float), X, None, is_binary=True), str
    )


def test_collinear_terms_are_left_out():
    year = 1990 + np.arange(30.0) % 11
    X = np.column_stack([np.ones(30), year, year**2, 2 * year - 5, np.zeros(30)])
    assert independent_terms(X).tolist() == [0, 1, 2]
    fitted = fit_regression(year + np.sin(np.arange(30)), X, None, is_binary=False)
    assert np.isnan(fitted.coefficients).tolist() == [False, False, False, True, True]


def test_overlap_is_the_mean_of_both_shares():
    # The intersection (2, 4) is half of (0, 4) and a third of (2, 8).
    assert interval_overlap((0, 4), (2, 8)) == pytest.approx((1 / 2 + 1 / 3) / 2)


@given(st.lists(st.integers(-5, 5), min_size=4, max_size=4, unique=True))
def test_overlap_is_symmetric_and_between_0_and_1(ends):
    first, second = tuple(sorted(ends[:2])), tuple(sorted(ends[2:]))
    overlap = interval_overlap(first, second)
    assert overlap == interval_overlap(second, first)
    assert 0 <= overlap < 1
    assert (overlap > 0) == (max(first[0], second[0]) < min(first[1], second[1]))


def test_unchanged_table_has_overlap_one():
    result = compare(SPECTOR, SPECTOR, ["grade ~ gpa + tuce", "tuce ~ gpa"])
    assert result.figures() == {
        "ci_overlap": 1.0,
        "ci_overlap_mean": 1.0,
        "coefficient_shift": 0.0,
        "conclusions_changed": 0.0,
    }
    remarks = result["regression"].remarks
    assert "logistic" in remarks[0]
    assert "linear" in remarks[1]


def test_a_response_of_two_numbers_may_be_linear_on_request():
    result = compare(SPECTOR, SPECTOR, "I(grade) ~ gpa")
    assert "linear" in result["regression"].remarks[0]


def test_reversed_slope_changes_the_conclusion():
    before = pd.DataFrame({"x": np.arange(40.0), "y": np.arange(40.0) + np.sin(np.arange(40))})
    result = compare(before, before.assign(y=-before["y"]), "y ~ x")
    assert rows_of(result)["x"]["overlap"] == 0
    assert rows_of(result)["x"]["changed"]
    assert result.figures()["ci_overlap"] == 0


def test_lost_category_counts_as_no_overlap():
    rng = np.random.default_rng(0)
    before = pd.DataFrame({"job": ["a", "b", "c"] * 20, "wage": rng.normal(size=60)})
    after = before.assign(job=before["job"].replace("b", "a"))
    rows = rows_of(compare(before, after, "wage ~ job"))
    assert rows["job[T.b]"]["overlap"] == 0
    assert rows["job[T.b]"]["masked"] is None
    assert rows["job[T.c]"]["overlap"] > 0.5


def test_reference_category_is_in_both_tables():
    """If the first category in alphabetical order is gone, the others remain comparable."""
    rng = np.random.default_rng(0)
    before = pd.DataFrame({"job": ["a", "b", "c"] * 20, "wage": rng.normal(size=60)})
    after = before.assign(job=before["job"].replace("a", "z"))
    rows = rows_of(compare(before, after, "wage ~ job"))
    assert "job[T.c]" in rows
    assert "job[T.b]" not in rows
    assert rows["job[T.c]"]["overlap"] == pytest.approx(1, abs=0.05)
    assert "job[T.z]" not in rows  # there is nothing to compare it with


def test_coefficients_of_rare_categories_are_not_shown():
    before = pd.DataFrame({"job": ["a", "b"] * 20 + ["rare"] * 3, "wage": np.arange(43.0) % 7})
    result = compare(before, before, "wage ~ job", min_group=4)
    assert not any("rare" in str(row) for row in result["regression"].rows)
    assert "rare" not in repr(result)
    assert "rare" not in str(result.to_dict())
    shown = compare(before, before, "wage ~ job", min_group=3)
    assert "job[T.rare]" in rows_of(shown)


def test_missing_values_and_logarithms_of_zero_are_left_out():
    before = pd.DataFrame({"x": [np.nan, 0.0, *range(1, 20)], "y": np.arange(21.0) % 5})
    result = compare(before, before, "y ~ log(x)")
    assert "19 records before" in result["regression"].remarks[0]


@pytest.mark.parametrize(
    "formula",
    ["y ~ open('x')", "y ~ {x.__class__}", "y ~ np.log(x)", "y", "~ x", "y + x ~ x", "y ~ (", ""],
)
def test_formulas_cannot_run_code(formula):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 4.0]})
    with pytest.raises(ParameterError) as caught:
        compare(frame, frame, formula)
    assert caught.value.code == "formula-not-accepted"


def test_unknown_columns_of_a_formula_are_named():
    with pytest.raises(InputError) as caught:
        compare(SPECTOR, SPECTOR, "grade ~ nobody")
    assert caught.value.column == "nobody"


@pytest.mark.parametrize("name", ["test score", "test.score", "Test", "log"])
def test_names_of_columns_may_be_quoted(name):
    frame = SPECTOR.rename(columns={"tuce": name})
    rows = rows_of(compare(frame, frame, f"gpa ~ `{name}` + exp(`{name}` / 100)"))
    assert rows.keys() == {"Intercept", name, f"exp(`{name}` / 100)"}
