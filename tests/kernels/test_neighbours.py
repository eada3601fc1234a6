"""Neighbours: the tree against sorting all distances, before and after records leave."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.boxes import LEAF, grow, leave, shift
from shoal.kernels.neighbours import find_nearest, neighbours
from tables import tables
from twins.mdav import nearest
from twins.neighbours import neighbours as slow


@st.composite
def tables_and_m(draw):
    X = draw(tables(least=2, most=3 * LEAF))
    return X, draw(st.integers(1, min(len(X) - 1, 9)))


@given(case=tables_and_m())
def test_ties_go_to_the_lowest_record(case):
    X, m = case
    assert np.array_equal(neighbours(X, m), slow(X, m))


@pytest.mark.parametrize("n", [2, LEAF, LEAF + 1, 5 * LEAF + 3, 300])
def test_the_tree_agrees_with_sorting_all_distances(n):
    X = np.random.default_rng(n).normal(size=(n, 5)) * [1, 10, 0.1, 1e6, 1]
    m = min(n - 1, 7)
    assert np.array_equal(neighbours(X, m), slow(X, m))


@given(X=tables(least=4, most=3 * LEAF), data=st.data())
def test_who_has_left_is_not_found(X, data):
    gone = data.draw(st.lists(st.integers(0, len(X) - 1), unique=True))
    left = [i for i in range(len(X)) if i not in gone]
    tree = grow(X)
    for record in gone:
        leave(tree, record)
    found, distances = np.empty(5, np.int64), np.empty(5)
    for record in range(len(X)):
        count = find_nearest(tree, X[record], record, found, distances)
        others = [i for i in left if i != record]
        assert list(found[:count]) == nearest(X, others, X[record], 5)


@given(X=tables(least=4, most=3 * LEAF), data=st.data())
def test_who_has_moved_is_found_at_the_new_place(X, data):
    tree, moved = grow(X), X.copy()
    for record in data.draw(st.lists(st.integers(0, len(X) - 1))):
        moved[record] = data.draw(st.integers(-9, 9))
        shift(tree, record, moved[record])
    found, distances = np.empty(5, np.int64), np.empty(5)
    for record in range(len(X)):
        count = find_nearest(tree, moved[record], record, found, distances)
        others = [i for i in range(len(X)) if i != record]
        assert list(found[:count]) == nearest(moved, others, moved[record], 5)


def test_equal_records_are_found_without_looking_at_all_of_them():
    X = np.zeros((20_000, 2))
    assert np.array_equal(neighbours(X, 3)[[0, 1, 9999]], [[1, 2, 3], [0, 2, 3], [0, 1, 2]])


def test_no_neighbour_is_asked_for():
    assert neighbours(np.zeros((3, 2)), 0).shape == (3, 0)
