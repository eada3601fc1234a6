"""Losses: hand-made tables, the literature's figures."""

import numpy as np
import pytest

from conftest import reference_matrix
from shoal.geometry import zscore
from shoal.metrics import euclidean_loss, il1s, information_loss
from shoal.partitioners import MDAV
from shoal.steps.microaggregation.aggregates import group_mean

PUBLISHED = {
    ("tarragona", 3): 34.32, ("tarragona", 4): 38.66,
    ("tarragona", 5): 41.20, ("tarragona", 10): 49.64,
    ("eia", 3): 4.56, ("eia", 4): 5.60, ("eia", 5): 8.13, ("eia", 10): 12.87,
    ("census", 3): 22.97, ("census", 5): 29.22,
}  # fmt: skip


@pytest.mark.parametrize(("case", "published"), PUBLISHED.items(), ids=str)
def test_the_euclidean_loss_of_mdav_is_the_published_one(case, published):
    table, k = case
    X = reference_matrix(table)
    labels = MDAV(k=k).fit_predict(zscore(X))
    masked = np.column_stack([group_mean(column, labels) for column in X.T])
    assert round(euclidean_loss(X, masked), 2) == published


@pytest.fixture
def table():
    return np.array([[0.0, 10.0], [2.0, 10.0], [4.0, 30.0], [6.0, 30.0]])


def test_nothing_changed_is_no_loss_and_the_mean_of_all_is_everything(table):
    mean = np.tile(table.mean(axis=0), (4, 1))
    assert information_loss(table, table) == 0
    assert euclidean_loss(table, table) == 0
    assert information_loss(table, mean) == pytest.approx(100)
    assert euclidean_loss(table, mean) == pytest.approx(100)


def test_losses_of_a_hand_made_mask(table):
    masked = np.array([[1.0, 10.0], [1.0, 10.0], [5.0, 30.0], [5.0, 30.0]])
    # The first column has variance 5: each record moves by 1 / sqrt(5); the second does not move.
    assert information_loss(table, masked) == pytest.approx(100 * 4 * (1 / 5) / 8)
    distances = 4 * 5**-0.5
    to_mean = 2 * (9 / 5 + 1) ** 0.5 + 2 * (1 / 5 + 1) ** 0.5
    assert euclidean_loss(table, masked) == pytest.approx(100 * distances / to_mean)


def test_rescaling_columns_changes_no_loss(table):
    masked = np.tile(table.mean(axis=0), (4, 1)) * [1, 0.9]
    for unit in (1e-200, 1e200):
        assert information_loss(table * unit, masked * unit) == pytest.approx(
            information_loss(table, masked)
        )


def test_constant_columns_have_nothing_to_lose():
    flat = np.full((4, 1), 0.1)
    assert information_loss(flat, flat) == 0
    assert euclidean_loss(flat, flat) == 0
    assert il1s(flat, flat) == 0


def test_absolute_differences_of_a_hand_made_mask(table):
    masked = np.array([[1.0, 10.0], [1.0, 10.0], [5.0, 30.0], [5.0, 30.0]])
    # Half of the values move by 1 / sqrt(5) standard deviations, in units of sqrt(2).
    assert il1s(table, masked) == pytest.approx(0.5 / 5**0.5 / 2**0.5)
    assert il1s(table, table) == 0
    ends = np.array([[0.0], [1.0]])
    assert il1s(ends, ends[::-1]) == pytest.approx(2**0.5)
