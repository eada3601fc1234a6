"""The assignment of leftovers, which many methods share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels.leftovers import (
    assign_leftovers,
    group_centroids,
    join_nearest_centroid,
    nearest_group,
)
from tables import tables
from twins.leftovers import join_nearest_centroid as slow_join
from twins.mdav import labels_of


@st.composite
def half_grouped(draw):
    """Draw a table and groups for some of its records, the first of them in group 0."""
    X = draw(tables(least=2, columns=2))
    labels = draw(st.lists(st.integers(-1, 4), min_size=len(X) - 1, max_size=len(X) - 1))
    used = sorted({label for label in labels if label >= 0} | {0})
    return X, np.array([0] + [used.index(label) if label >= 0 else -1 for label in labels])


@given(case=half_grouped())
def test_leftovers_join_the_nearest_frozen_centroid(case):
    X, labels = case
    groups = [list(np.flatnonzero(labels == g)) for g in range(labels.max() + 1)]
    slow_join(X, groups, list(np.flatnonzero(labels < 0)))
    join_nearest_centroid(X, labels)
    assert np.array_equal(labels, labels_of(groups, len(X)))


def test_a_leftover_between_two_groups_joins_the_first():
    X = np.array([[4.0], [4.0], [0.0], [0.0], [2.0]])
    labels = np.array([0, 0, 1, 1, -1])
    join_nearest_centroid(X, labels)
    assert list(labels) == [0, 0, 1, 1, 0]


@pytest.mark.parametrize(("k", "expected"), [(2, [0, 0, 1, 1]), (3, [0, 0, 0, 0])])
def test_k_leftovers_are_a_group_and_fewer_join(k, expected):
    labels = np.array([0, 0, -1, -1])
    assign_leftovers(np.arange(4.0)[:, None], labels, k)
    assert list(labels) == expected


def test_no_record_joins_an_empty_group():
    X = np.array([[5.0], [5.0], [0.0]])
    centroids, sizes = group_centroids(X, np.array([1, 1, -1]), 3)
    assert list(sizes) == [0, 2, 0]
    assert nearest_group(centroids, sizes, X[2]) == 1
