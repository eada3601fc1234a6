"""Means, spreads and covariances of hand-made tables."""

import numpy as np
import pytest

from raising import raises
from shoal.errors import InputError
from shoal.metrics import covariance_change, mean_change, std_ratio, variance_change

# Means 3 and 20, variances 5 and 100; covariance (3*10 + 1*10 + 1*10 + 3*10) / 4 = 20.
TABLE = np.array([[0.0, 10.0], [2.0, 10.0], [4.0, 30.0], [6.0, 30.0]])
# Variances 4 and 100, covariance 20, the same means.
MEANS = np.array([[1.0, 10.0], [1.0, 10.0], [5.0, 30.0], [5.0, 30.0]])


def test_group_means_keep_the_mean_and_lose_spread():
    assert std_ratio(TABLE, MEANS) == pytest.approx([(4 / 5) ** 0.5, 1])
    assert mean_change(TABLE, MEANS) == pytest.approx([0, 0])
    assert variance_change(TABLE, MEANS) == pytest.approx([1 / 5, 0])
    assert covariance_change(TABLE, MEANS) == pytest.approx(0)


def test_an_unchanged_table_has_no_change_of_moments():
    assert std_ratio(TABLE, TABLE).tolist() == [1, 1]
    assert mean_change(TABLE, TABLE).tolist() == [0, 0]
    assert variance_change(TABLE, TABLE).tolist() == [0, 0]
    assert covariance_change(TABLE, TABLE) == 0


def test_everything_became_one_value():
    masked = np.full((4, 2), 3.0)
    assert std_ratio(TABLE, masked) == pytest.approx([0, 0])
    assert mean_change(TABLE, masked) == pytest.approx([0, 1.7])  # from 20 to 3, in tens
    assert variance_change(TABLE, masked) == pytest.approx([1, 1])
    # The covariance was 20, in units of sqrt(5) * 10.
    assert covariance_change(TABLE, masked) == pytest.approx(20 / (5**0.5 * 10))


def test_a_wider_column_has_a_greater_standard_deviation():
    masked = TABLE * [3, 1]
    assert std_ratio(TABLE, masked) == pytest.approx([3, 1])
    assert variance_change(TABLE, masked) == pytest.approx([8, 0])
    assert mean_change(TABLE, masked) == pytest.approx([6 / 5**0.5, 0])


def test_one_column_has_no_covariance_to_lose():
    assert covariance_change(TABLE[:, :1], MEANS[:, :1]) == 0


@pytest.mark.parametrize("measured", [std_ratio, mean_change, variance_change, covariance_change])
def test_a_constant_column_is_kept_or_refused(measured):
    flat = np.column_stack([TABLE[:, 0], np.full(4, 0.1)])
    kept = np.column_stack([MEANS[:, 0], np.full(4, 0.1)])
    neutral = {std_ratio: 1, mean_change: 0, variance_change: 0}
    if measured is covariance_change:
        assert measured(flat, kept) == 0
    else:
        assert measured(flat, kept)[1] == neutral[measured]
    with raises(InputError, "no-unit", position=2):
        measured(flat, kept + [0, 0.1])
