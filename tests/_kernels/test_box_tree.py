"""The tree of boxes finds the nearest records, also after records were removed or moved."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels.spatial.box_tree import (
    LEAF,
    build_tree,
    find_nearest,
    move_point,
    remove_point,
)
from tables import tables
from twins.mdav import nearest


@given(X=tables(least=4, most=3 * LEAF), data=st.data())
def test_removed_records_are_not_returned(X, data):
    removed = data.draw(st.lists(st.integers(0, len(X) - 1), unique=True))
    remaining = [i for i in range(len(X)) if i not in removed]
    tree = build_tree(X)
    for record in removed:
        remove_point(tree, record)
    actual, distances = np.empty(5, np.int64), np.empty(5)
    for record in range(len(X)):
        count = find_nearest(tree, X[record], record, actual, distances)
        others = [i for i in remaining if i != record]
        assert list(actual[:count]) == nearest(X, others, X[record], 5)


@given(X=tables(least=4, most=3 * LEAF), data=st.data())
def test_moved_records_are_found_at_their_new_position(X, data):
    tree, moved_X = build_tree(X), X.copy()
    for record in data.draw(st.lists(st.integers(0, len(X) - 1))):
        moved_X[record] = data.draw(st.integers(-9, 9))
        move_point(tree, record, moved_X[record])
    actual, distances = np.empty(5, np.int64), np.empty(5)
    for record in range(len(X)):
        count = find_nearest(tree, moved_X[record], record, actual, distances)
        others = [i for i in range(len(X)) if i != record]
        assert list(actual[:count]) == nearest(moved_X, others, moved_X[record], 5)


def test_equal_records_are_found_without_measuring_all_of_them():
    tree = build_tree(np.zeros((200_000, 2)))
    actual, distances = np.empty(3, np.int64), np.empty(3)
    for record, others in [(0, [1, 2, 3]), (1, [0, 2, 3]), (9999, [0, 1, 2])]:
        find_nearest(tree, np.zeros(2), record, actual, distances)
        assert list(actual) == others
