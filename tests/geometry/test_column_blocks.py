"""Blocks of correlated columns, and the variant that predicts the confidential columns."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from shoal.geometry import correlated_blocks, predicted_confidential


def columns(*which):
    base = np.random.default_rng(0).normal(size=(200, 3))
    noise = np.random.default_rng(1).normal(size=(200, len(which)))
    return base[:, which] + 0.1 * noise


def test_correlated_columns_share_a_block():
    X = columns(0, 1, 2, 0, 1, 2)
    assert correlated_blocks(X, 2) == [[0, 3], [1, 4], [2, 5]]
    assert correlated_blocks(columns(0, 1, 0, 1, 0, 1), 3) == [[0, 2, 4], [1, 3, 5]]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
def test_every_column_is_in_one_block(size):
    X = np.random.default_rng(2).normal(size=(30, 7))
    X[:, 3] = 5.0  # a constant column has the correlation 0 with all others
    blocks = correlated_blocks(X, size)
    assert sorted(column for block in blocks for column in block) == list(range(7))
    assert [len(block) for block in blocks].count(size) >= 7 // size
    assert max(map(len, blocks)) == size
    assert correlated_blocks(-3 * X, size) == blocks


def test_predictions_keep_the_shape_and_depend_only_on_the_quasi_identifiers():
    X = np.array([[0.0], [0.0], [1.0], [2.0]])
    Y = np.array([[0.0, 1], [2.0, 1], [4.0, 2], [7.0, 3]])
    predicted = predicted_confidential(X, Y, LinearRegression())
    assert predicted.shape == Y.shape
    assert np.array_equal(predicted[0], predicted[1])
    assert predicted_confidential(X, Y[:, :1], KNeighborsRegressor(1)).shape == (4, 1)
