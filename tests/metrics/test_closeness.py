"""t-closeness: the example of its paper, the slow twin, the ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal.errors import InputError
from shoal.metrics import t_closeness
from shoal.metrics.class_tallies import tally
from shoal.metrics.equivalence_classes import classes
from shoal.metrics.risk.closeness import _ordered_distance
from tables import tables
from twins.classes import closeness


@given(released=tables(columns=2, values=3), data=st.data())
def test_closeness_agrees_with_exact_fractions(released, data):
    n = len(released)
    codes = data.draw(tables(least=n, most=n, columns=2, values=6))
    for ordered in (True, False):
        actual = t_closeness(released, codes, [ordered] * codes.shape[1])
        expected = [float(closeness(released, column, ordered)) for column in codes.T]
        assert actual == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 7, 60])
def test_closeness_agrees_with_exact_fractions_without_ties(k):
    values = np.random.default_rng(k).normal(size=(60, 1))
    released = (np.arange(60) // k)[:, np.newaxis]
    for ordered in (True, False):
        expected = float(closeness(released, values[:, 0], ordered))
        assert t_closeness(released, values, [ordered]) == pytest.approx([expected])


def test_the_example_of_the_paper():
    """Salaries of 3 to 11 thousand: {3, 4, 5} is far from all, {6, 8, 11} is near."""
    salary = np.array([[3], [4], [5], [6], [11], [8], [7], [9], [10]])
    released = np.repeat([[1], [2], [3]], 3, axis=0)
    distances = _ordered_distance(tally(classes(released), salary[:, 0]))
    assert np.round(distances[:2], 3).tolist() == [0.375, 0.167]
    assert t_closeness(released, salary, [True]) == pytest.approx([0.375])


def test_classes_that_mirror_the_table_are_close():
    released = np.array([[1], [2], [1], [2]])
    values = np.array([[5, 0], [5, 0], [9, 1], [9, 1]])
    assert t_closeness(released, values, [True, False]).tolist() == [0, 0]


def test_classes_at_the_two_ends_are_as_far_as_they_can_be():
    # Half of the records have each value: a class of one value differs by 1/2 either way.
    released, values = np.array([[1], [1], [2], [2]]), np.array([[0], [0], [1], [1]])
    assert t_closeness(released, values, [True]).tolist() == [0.5]
    assert t_closeness(released, values, [False]).tolist() == [0.5]
    # One record in a hundred is distant from all others.
    lone, rare = np.arange(100)[:, np.newaxis] == 0, np.arange(100)[:, np.newaxis] == 0
    assert t_closeness(lone, rare, [True]) == pytest.approx([0.99])


def test_order_matters_only_where_there_is_one():
    # Classes of neighbours are more distant from the table than mixed ones; as categories, equally.
    released = np.array([[1], [1], [2], [2]])
    for values, ordered in [([0, 1, 2, 3], 1 / 3), ([0, 2, 1, 3], 1 / 6)]:
        codes = np.array(values)[:, np.newaxis]
        assert t_closeness(released, codes, [True]) == pytest.approx([ordered])
        assert t_closeness(released, codes, [False]) == pytest.approx([0.5])


def test_one_class_or_one_value_has_distance_zero():
    values = np.arange(5.0)[:, np.newaxis]
    assert t_closeness(np.zeros((5, 1)), values, [True]) == pytest.approx([0])
    assert t_closeness(np.zeros((5, 1)), values, [False]) == pytest.approx([0])
    assert t_closeness(values, np.zeros((5, 1)), [True]).tolist() == [0]
    assert t_closeness(values, np.zeros((5, 1)), [False]).tolist() == [0]


def test_every_column_must_say_whether_it_has_an_order():
    with raises(InputError, "parameter-not-accepted", parameter="ordered"):
        t_closeness(np.zeros((3, 1)), np.zeros((3, 2)), [True])
