"""Neighbours: the tree against sorting all distances, before and after records leave."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.neighbours import (
    LEAF,
    count_closer,
    find_nearest,
    grow,
    leave,
    neighbours,
    rank_own,
)
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


def test_equal_records_are_found_without_looking_at_all_of_them():
    X = np.zeros((20_000, 2))
    assert np.array_equal(neighbours(X, 3)[[0, 1, 9999]], [[1, 2, 3], [0, 2, 3], [0, 1, 2]])


def test_no_neighbour_is_asked_for():
    assert neighbours(np.zeros((3, 2)), 0).shape == (3, 0)


@given(X=tables(least=2, most=3 * LEAF), data=st.data())
def test_who_is_closer_is_counted_by_weight(X, data):
    n = len(X)
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    point = np.array(data.draw(st.lists(st.integers(-1, 4), min_size=X.shape[1], max_size=3)))[
        : X.shape[1]
    ].astype(float)
    own = data.draw(st.integers(0, n - 1))
    distances = ((X - point) ** 2).sum(axis=1)
    closer = int(weights[distances < distances[own]].sum())
    level = int(weights[distances == distances[own]].sum())
    tree = grow(X)
    all_ = int(weights.sum()) + 1
    assert count_closer(tree, weights, point, distances[own], distances[own], all_) == (
        closer,
        level,
    )
    stopped = count_closer(tree, weights, point, distances[own], distances[own], 2)
    assert stopped == (closer, level) if closer < 2 else stopped[0] >= 2


def test_own_records_are_ranked_from_start_to_stop():
    X = np.array([[0.0], [1.0], [3.0], [6.0]])
    points, own = np.array([[0.0], [2.0], [2.0]]), np.array([0, 1, 3])
    closer, level = np.full(3, -1), np.full(3, -1)
    rank_own(grow(X), np.ones(4, np.int64), points, own, 0.0, 9, 1, 3, closer, level)
    assert closer.tolist() == [-1, 0, 3]
    assert level.tolist() == [-1, 2, 1]  # 1 and 3 are as near to 2 as each other
