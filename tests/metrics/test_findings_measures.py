"""Statistics of the findings of a verdict, against slow twins in pandas."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from shoal.metrics.findings.derived_columns import category_fit, linear_fit, neighbour_r2
from shoal.metrics.findings.dominance import dominated_groups
from shoal.metrics.findings.row_order import order_correlation, unit_contiguity
from shoal.metrics.findings.uniqueness import count_unique_units, unique_share

FEW = st.integers(0, 4)
VALUES = st.sampled_from([0.0, 0.5, -3.0, 10.0, 1e-3, 1e9, np.nan])


def labels_of(n):
    return arrays(np.int64, n, elements=FEW).map(lambda x: np.unique(x, return_inverse=True)[1])


@given(st.integers(1, 20).flatmap(lambda n: st.tuples(labels_of(n), labels_of(n))))
def test_unique_units_agree_with_pandas(drawn):
    labels, units = drawn
    frame = pd.DataFrame({"class": labels, "unit": units})
    alone = frame.groupby("class")["unit"].transform("nunique") == 1
    assert count_unique_units(labels, units) == frame.loc[alone, "unit"].nunique()
    assert unique_share(labels, units) == frame.loc[alone, "unit"].nunique() / len(set(units))
    assert unique_share(labels) == (frame.groupby("class")["unit"].transform("size") == 1).mean()


def dominated_twin(values, labels, share, p):
    number, known = 0, values[~np.isnan(values)]
    both = len(known) and known.min() < 0 < known.max()
    for _, group in pd.Series(values).abs().groupby(labels):
        sizes = sorted(group.dropna(), reverse=True)
        if len(sizes) < 2 or sizes[0] == 0 or (both and sizes[0] <= known.std()):
            continue
        rule = p is not None and sum(sizes) - sizes[0] - sizes[1] < p / 100 * sizes[0]
        number += sizes[0] > share * sum(sizes) or rule
    return number


@given(
    st.integers(1, 15).flatmap(
        lambda n: st.tuples(arrays(np.float64, n, elements=VALUES), labels_of(n))
    ),
    st.sampled_from([0.5, 0.75, 0.8, 0.95]),
    st.sampled_from([None, 5.0, 30.0]),
)
def test_dominated_groups_agree_with_pandas(drawn, share, p):
    values, labels = drawn
    counts = dominated_groups(np.column_stack([values, values * 1e290]), labels, share, p)
    assert counts.tolist() == [dominated_twin(values, labels, share, p)] * 2


def test_values_around_zero_are_no_dominance_and_outliers_are():
    values = np.random.default_rng(0).normal(size=300)
    labels = np.argsort(np.argsort(values)) // 5
    assert dominated_groups(values[:, None], labels, 0.8).tolist() == [0]
    values[values.argmax()] = 1e4
    assert dominated_groups(values[:, None], labels, 0.8).tolist() == [1]


def test_a_group_at_the_limit_is_not_dominated():
    labels = np.zeros(2, np.int64)
    assert dominated_groups(np.array([[8.0], [2.0]]), labels, 0.8).tolist() == [0]
    assert dominated_groups(np.array([[-8.1], [-1.9]]), labels, 0.8).tolist() == [1]


@given(arrays(np.float64, st.integers(2, 20), elements=VALUES))
def test_order_correlation_agrees_with_pandas(values):
    known = pd.Series(values).dropna()
    with warnings.catch_warnings():  # pandas 2 divides by the deviation of equal values
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = known.rank().corr(pd.Series(np.arange(len(known)), known.index, dtype=float))
    correlation = order_correlation(values)
    assert correlation == pytest.approx(0.0 if np.isnan(expected) else expected, abs=1e-12)


def test_contiguous_units_are_found_despite_a_moved_record():
    units = np.repeat(np.arange(200), 3)
    assert unit_contiguity(units) == 1
    moved = np.append(np.delete(units, 1), units[1])
    assert 0.98 < unit_contiguity(moved) < 1
    shuffled = np.random.default_rng(0).permutation(units)
    assert abs(unit_contiguity(shuffled)) < 0.05
    assert unit_contiguity(np.arange(5)) == 0
    assert unit_contiguity(np.zeros(5, np.int64)) == 0


def test_few_large_units_in_random_order_are_not_contiguous():
    units = np.random.default_rng(1).integers(0, 2, 1000)
    assert abs(unit_contiguity(units)) < 0.1
    assert unit_contiguity(np.sort(units)) == 1


@pytest.fixture
def X():
    return np.random.default_rng(2).normal(size=(400, 6))


def test_a_linear_combination_is_found_with_its_columns(X):
    fit = linear_fit(3 * X[:, 4] - X[:, 1] + 7, X, 0.99)
    assert sorted(fit.columns) == [1, 4]
    assert fit.r2 == 1
    noisy = linear_fit(X[:, 0] + 0.05 * X[:, 5], X[:, :5], 0.99)
    assert noisy.columns == [0]
    assert 0.99 < noisy.r2 < 1
    assert linear_fit(X[:, 0] + 0.5 * X[:, 5], X[:, :5], 0.99) is None
    assert linear_fit(X.sum(axis=1), X, 0.99, max_columns=4) is None


def test_the_r2_of_a_fit_is_the_adjusted_one(X):
    y = X[:, 0] + 0.3 * X[:, 5]
    fit = linear_fit(y, X[:, :1], -np.inf, max_columns=1)
    error = y - np.poly1d(np.polyfit(X[:, 0], y, 1))(X[:, 0])
    assert fit.r2 == pytest.approx(1 - error.var() / y.var() * 399 / 398)


@given(arrays(np.float64, st.tuples(st.integers(3, 12), st.integers(1, 4)),
              elements=st.sampled_from([0.0, 1.0, 2.0, 1e200])))  # fmt: skip
def test_constant_and_repeated_columns_are_allowed(X):
    fit = linear_fit(X[:, 0], X, 0.9)
    if fit is not None:
        assert 0.9 <= fit.r2 <= 1
    assert neighbour_r2(X[:, 0], X[:, -1]) <= 1


def test_any_smooth_function_of_a_column_is_detected(X):
    u = X[:, 0]
    assert neighbour_r2(u**2, u) > 0.99
    assert neighbour_r2(np.exp(u), u) > 0.98
    assert neighbour_r2(X[:, 1], u) < 0.1
    code = np.random.default_rng(3).integers(0, 7, 400)
    table = np.random.default_rng(4).normal(size=7)
    assert neighbour_r2(table[code], code.astype(float), ordered=False) == 1
    assert neighbour_r2(X[:, 1], np.arange(400.0), ordered=False) < 0


def category_twin(y, u):
    right = 0
    for at in range(len(y)):
        others = pd.Series(np.delete(y, at)[np.delete(u, at) == u[at]]).value_counts()
        own = others.get(y[at], 0)
        right += own > max([count for value, count in others.items() if value != y[at]], default=0)
    guessed = len(y) - pd.Series(y).value_counts().max()
    return 0.0 if guessed < 5 else 1 - (len(y) - right) / guessed


@given(st.integers(1, 25).flatmap(lambda n: st.tuples(labels_of(n), labels_of(n))))
def test_category_fit_agrees_with_the_slow_version(drawn):
    y, u = drawn
    assert category_fit(y, u) == pytest.approx(category_twin(y, u))


def test_a_key_does_not_count_as_a_rule():
    y = np.random.default_rng(5).integers(0, 3, 200)
    assert category_fit(y, np.arange(200)) <= 0
