"""Confidential values in classes: the slow twin, hand-made tables, the literature's categories."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import reference_matrix
from raising import raises
from shoal.errors import ParameterError
from shoal.metrics import average_diversity, homogeneous_classes, l_diversity, p_sensitivity
from shoal.metrics._scaling import order_free_zscores
from tables import tables
from twins import classes as slow


@st.composite
def released_and_codes(draw):
    """Draw two tables with the same records; few values, so classes of every size."""
    released = draw(tables(columns=2, values=3))
    codes = draw(tables(least=len(released), most=len(released), values=3))
    return released, codes


@given(case=released_and_codes(), c=st.sampled_from([0.5, 1.0, 2.0, 3.0]))
def test_diversity_agrees_with_counting_by_hand(case, c):
    released, codes = case
    diversity = l_diversity(released, codes, c=c)
    for at, column in enumerate(codes.T):
        assert diversity["distinct"][at] == slow.distinct(released, column)
        assert diversity["entropy"][at] == pytest.approx(slow.entropy(released, column))
        assert diversity["recursive"][at] == slow.recursive(released, column, c)
    assert p_sensitivity(released, codes) == min(diversity["distinct"])


@given(case=released_and_codes())
def test_homogeneous_classes_agree_with_counting_by_hand(case):
    released, codes = case
    for at, column in enumerate(codes.T):
        held = slow.classes(released, column)
        expected = sum(len(values) > 1 and len(set(values)) == 1 for values in held)
        assert homogeneous_classes(released, codes)[at] == expected


def test_diversity_of_a_hand_made_table():
    # Classes {a, a, b} and {a, b, c, c}: at least two values. The first has the entropy
    # log(3) - 2/3 log(2). As 2 < 3 * 1, l is 2 in the first class and 3 in the second.
    released = np.array([[1], [1], [1], [2], [2], [2], [2]])
    codes = np.array([[0], [0], [1], [0], [1], [2], [2]])
    diversity = l_diversity(released, codes)
    assert diversity["distinct"].tolist() == [2]
    assert diversity["entropy"] == pytest.approx([3 / 2 ** (2 / 3)])
    assert diversity["recursive"].tolist() == [2]
    assert l_diversity(released, codes, c=2.0)["recursive"].tolist() == [1]  # 2 < 2 * 1 fails
    assert p_sensitivity(released, codes) == 2
    assert homogeneous_classes(released, codes).tolist() == [0]


def test_the_column_and_the_class_with_the_fewest_values_count():
    released = np.array([[1], [1], [2], [2]])
    codes = np.array([[0, 5], [1, 5], [2, 6], [3, 7]])
    assert l_diversity(released, codes)["distinct"].tolist() == [2, 1]
    assert homogeneous_classes(released, codes).tolist() == [0, 1]
    assert p_sensitivity(released, codes) == 1


def test_unique_records_have_diversity_one():
    released, codes = np.arange(5)[:, np.newaxis], np.arange(5)[:, np.newaxis]
    diversity = l_diversity(released, codes)
    assert (diversity["distinct"], diversity["entropy"], diversity["recursive"]) == ([1], [1], [1])
    assert p_sensitivity(released, codes) == 1
    assert homogeneous_classes(released, codes).tolist() == [0]
    assert average_diversity(released, codes) == 1


def test_one_class_has_the_diversity_of_the_table():
    released, codes = np.zeros((6, 1)), np.arange(6.0)[:, np.newaxis]
    diversity = l_diversity(released, codes)
    assert diversity["distinct"].tolist() == [6]
    assert diversity["entropy"] == pytest.approx([6])
    assert average_diversity(released, codes) == 6


def test_one_confidential_value_is_known_for_all_records():
    released, codes = np.array([[1], [1], [2], [2]]), np.full((4, 1), 7)
    assert l_diversity(released, codes)["distinct"].tolist() == [1]
    assert homogeneous_classes(released, codes).tolist() == [2]
    assert average_diversity(released, codes) == 1


def test_p_sensitivity_takes_text():
    released = np.array([["n"], ["n"], ["s"], ["s"]])
    assert p_sensitivity(released, np.array([["ill"], ["well"], ["ill"], ["well"]])) == 2


@pytest.mark.parametrize(("table", "least", "most"), [("census", 93, 196), ("tarragona", 106, 149)])
def test_rounding_gives_the_published_numbers_of_categories(table, least, most):
    steps = np.rint(order_free_zscores(reference_matrix(table)[:, 6:]) / 0.02)
    categories = [len(np.unique(column)) for column in steps.T]
    assert (min(categories), max(categories)) == (least, most)


def test_values_that_are_nearer_than_the_width_may_count_as_one():
    # Standard deviation 1; 1 and 1.004 round to the same multiple of 0.02, not of 0.001.
    Y = np.array([[-1.002], [-1.002], [1.0], [1.004]])
    released = np.array([[1], [2], [3], [3]])
    assert average_diversity(released, Y) == 1
    assert average_diversity(released, Y, width=0.001) == pytest.approx(4 / 3)


@pytest.mark.parametrize("bad", [0, -1, np.nan])
def test_parameters_out_of_range_are_refused(bad):
    with raises(ParameterError, "parameter-not-accepted", parameter="c"):
        l_diversity(np.zeros((2, 1)), np.zeros((2, 1)), c=bad)
    with raises(ParameterError, "parameter-not-accepted", parameter="width"):
        average_diversity(np.zeros((2, 1)), np.zeros((2, 1)), width=bad)
