"""The attack on individual ranking."""

import numpy as np
import pytest
from hypothesis import given

from shoal.metrics import neighbour_intervals
from shoal.partitioners import MDAV, Sorted
from tables import tables_and_k


def means(X, labels):
    return np.array([X[labels == label].mean(axis=0) for label in labels])


@given(case=tables_and_k(columns=1))
def test_a_value_of_a_ranked_column_lies_between_the_neighbouring_means(case):
    X, k = case
    intervals = neighbour_intervals(X, means(X, Sorted(k=k, by=0).fit_predict(X)))
    assert ((intervals.low <= X + 1e-12) & (intervals.high >= X - 1e-12)).all()


def test_groups_of_several_columns_are_not_bounded():
    X = np.random.default_rng(0).normal(size=(60, 3))
    intervals = neighbour_intervals(X, means(X, MDAV(k=3).fit_predict(X)))
    assert intervals.holds.mean() < 0.5


def test_widths_are_in_standard_deviations_and_open_at_the_ends():
    X = np.array([0.0, 2, 4, 6, 8, 10])[:, None]
    intervals = neighbour_intervals(X, np.array([1.0, 1, 5, 5, 9, 9])[:, None])
    assert intervals.width[2, 0] == pytest.approx(8 / X.std())
    assert np.isinf(intervals.width[[0, 5], 0]).all()
