"""Columns in comparable units."""

import numpy as np
import pytest

from shoal.geometry import is_constant, with_confidential, zscore


@pytest.mark.parametrize("unit", [1.0, 1e-200, 1e-308, 1e200, 1e300])
def test_zscores_do_not_depend_on_the_unit(unit):
    X = np.random.default_rng(0).normal(size=(50, 2))
    Z = zscore(X * unit)
    assert Z.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
    assert Z.std(axis=0) == pytest.approx([1, 1])
    assert pytest.approx(zscore(X), abs=1e-6) == Z


def test_zscores_use_the_population_standard_deviation():
    assert zscore(np.array([[0.0], [0.0], [3.0]])).ravel() == pytest.approx(
        [-(0.5**0.5)] * 2 + [2**0.5]
    )


def test_a_constant_column_becomes_zeros():
    X = np.column_stack([np.full(7, 0.1), np.arange(7.0)])
    assert is_constant(X).tolist() == [True, False]
    assert zscore(X)[:, 0].tolist() == [0.0] * 7


def test_the_weight_of_the_confidential_columns():
    X, Y = np.ones((3, 6)), np.ones((3, 7))
    assert with_confidential(X, Y, 0.0) is X
    assert with_confidential(X, Y, 1.0) is Y
    extended = with_confidential(X, Y, 0.2)
    assert extended[0].tolist() == pytest.approx([1.0] * 6 + [(0.25 * 6 / 7) ** 0.5] * 7)
