"""Columns on the scale of the original, and sums that are rounded only once."""

from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.metrics._scaling import correctly_rounded_sum, order_free_zscores, scale_by_original
from tables import KINDS

numbers = st.floats(-1, 1) | st.integers(-4, 4).map(float) | st.floats(-1e-300, 1e-300)


@given(st.lists(numbers, min_size=1, max_size=60))
def test_sums_are_rounded_once(values):
    assert correctly_rounded_sum(np.array(values)) == fsum(values)


@pytest.mark.parametrize("n", [1000, 100_000])
def test_long_sums_are_rounded_once(n):
    values = np.random.default_rng(n).standard_cauchy(n) ** 3
    values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    assert correctly_rounded_sum(values) == fsum(values.tolist())
    assert correctly_rounded_sum(values[::-1]) == correctly_rounded_sum(values)


def test_long_sums_of_values_of_one_size_are_rounded_once():
    values = np.random.default_rng(3).uniform(0.5, 1, 50_000)
    assert correctly_rounded_sum(values) == fsum(values.tolist())


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"constant"}))
def test_the_original_has_mean_zero_and_deviation_one_on_its_scale(kind):
    X = KINDS[kind](np.random.default_rng(1), (50, 3))
    values = list(scale_by_original(X, X))
    assert [j for j, _, _ in values] == [0, 1, 2]
    for _, before, after in values:
        assert np.array_equal(before, after)
        assert before.mean() == pytest.approx(0, abs=1e-6)
        assert before.std() == pytest.approx(1)


def test_a_column_without_spread_has_no_scale():
    X = np.column_stack([np.full(4, 0.1), np.arange(4.0)])
    assert [j for j, _, _ in scale_by_original(X, X)] == [1]
    assert not order_free_zscores(X)[:, 0].any()
