"""Distortions: the published trade-off, and tables calculated by hand."""

import numpy as np
import pytest

from conftest import reference_matrix
from raising import raises
from shoal.errors import InputError
from shoal.geometry import with_confidential, zscore
from shoal.metrics import average_diversity, distortion_x, distortion_y, information_loss
from shoal.partitioners import MDAV
from shoal.steps.microaggregation.aggregates import group_mean

# First six columns X, last seven Y; dependence 0, .1, ..., 1.
PUBLISHED = {
    ("census", 10): (
        [.0999, .1117, .1248, .1392, .1504, .1638, .1769, .1942, .2185, .2578, .3581],
        [.3706, .2474, .1796, .1524, .1365, .1226, .1125, .0999, .0914, .0826, .0734],
    ),
    ("tarragona", 5): (
        [.1584, .1610, .1679, .1892, .1924, .2011, .2407, .2861, .3342, .3501, .3766],
        [.3667, .3395, .3115, .2690, .2536, .2439, .2398, .2367, .2190, .2011, .1985],
    ),
}  # fmt: skip


def release(table, k, dependence):
    """Return original and masked quasi-identifiers, and the confidential columns."""
    V = reference_matrix(table)
    X, Y = V[:, :6], V[:, 6:]
    labels = MDAV(k=k).fit_predict(with_confidential(zscore(X), zscore(Y), dependence))
    return X, np.column_stack([group_mean(column, labels) for column in X.T]), Y


@pytest.mark.parametrize("step", range(11))
@pytest.mark.parametrize("case", PUBLISHED, ids=str)
def test_the_trade_off_is_the_published_one(case, step):
    X, masked, Y = release(*case, step / 10)
    distortions = PUBLISHED[case]
    assert round(distortion_x(X, masked), 4) == distortions[0][step]
    assert round(distortion_y(masked, Y), 4) == distortions[1][step]


@pytest.mark.parametrize(("dependence", "published"), [(0, 6.963), (1, 5.704)])
def test_the_average_diversity_is_the_published_one(dependence, published):
    _, masked, Y = release("census", 10, dependence)
    assert round(average_diversity(masked, Y), 3) == published


def test_distortion_x_is_a_hundredth_of_the_information_loss():
    X, masked, _ = release("tarragona", 5, 0)
    assert distortion_x(X, masked) == information_loss(X, masked) / 100


def test_classes_that_reveal_nothing_and_everything():
    Y = np.array([[0.0, 3.0], [2.0, 5.0], [0.0, 3.0], [2.0, 5.0]])
    assert distortion_y(np.array([[1], [1], [2], [2]]), Y) == pytest.approx(1)
    assert distortion_y(np.array([[1], [2], [1], [2]]), Y) == 0
    assert distortion_y(np.array([[1], [1], [1], [1]]), Y) == pytest.approx(1)
    assert distortion_y(np.array([[1], [2], [3], [4]]), Y) == 0


def test_each_confidential_column_weighs_the_same():
    # The first column has variance 5 and loses 1, the second loses nothing: (1/5 + 0) / 2.
    Y = np.array([[0.0, 10.0], [2.0, 10.0], [4.0, 900.0], [6.0, 900.0]])
    assert distortion_y(np.array([[1], [1], [2], [2]]), Y) == pytest.approx(0.1)


def test_a_constant_confidential_column_reveals_nothing():
    flat = np.full((4, 1), 0.1)
    released = np.array([[1], [1], [2], [2]])
    assert distortion_y(released, flat) == 0
    Y = np.array([[0.0], [2.0], [4.0], [6.0]])
    assert distortion_y(released, np.hstack([Y, flat])) == pytest.approx(0.2)


def test_distortion_y_of_categories_is_the_share_that_is_not_the_most_frequent_of_its_class():
    released = np.array([[1], [1], [1], [2], [2], [2]])
    party = np.array([list("aabcca")]).T
    assert distortion_y(released, categories=party) == pytest.approx(2 / 6)
    assert distortion_y(np.ones((6, 1)), categories=party) == pytest.approx(3 / 6)
    assert distortion_y(np.arange(6)[:, None], categories=party) == 0


def test_columns_of_both_kinds_count_the_same():
    released = np.array([[1], [1], [2], [2]])
    Y, party = np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([["a"], ["a"], ["b"], ["a"]])
    apart = distortion_y(released, Y), distortion_y(released, categories=party)
    assert distortion_y(released, Y, party) == pytest.approx(sum(apart) / 2)
    both = np.hstack([Y, Y, np.full((4, 1), 3.0)])  # a constant column is left out
    assert distortion_y(released, both, party) == pytest.approx((2 * apart[0] + apart[1]) / 3)


def test_without_a_confidential_column_there_is_no_distortion_y():
    with raises(InputError, "confidential-needed"):
        distortion_y(np.array([[1], [2]]))
