"""Candidates that remain after several releases, against sets of persons."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.metrics.findings.intersection import has_same_rows, nearest_class, remaining_candidates

releases = st.lists(
    st.tuples(st.integers(-1, 2), st.integers(-1, 2), st.integers(0, 4)), min_size=1, max_size=14
)


@given(table=releases)
def test_candidates_are_those_in_the_same_class_of_every_release(table):
    labels = np.array([row[:2] for row in table])
    persons = np.array([row[2] for row in table])
    everybody = set(range(len(table)))
    for at, (first, second, _) in enumerate(table):
        left = {other for other in everybody if table[other][0] == first}
        left &= {other for other in everybody if table[other][1] == second}
        assert remaining_candidates(labels)[at] == len(left)
        assert remaining_candidates(labels, persons)[at] == len({table[other][2] for other in left})


@pytest.mark.parametrize("of", [np.mean, np.median])
def test_rows_agree_where_values_are_those_of_their_class(of):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(60, 2)), rng.permutation(np.repeat(np.arange(15), 4))
    masked = np.empty_like(X)
    for group in range(15):
        masked[labels == group] = of(X[labels == group], axis=0)
    assert has_same_rows(X, masked, labels)
    assert has_same_rows(X, np.round(masked, 9), labels)
    order = rng.permutation(60)
    assert not has_same_rows(X, masked[order], labels[order])
    assert has_same_rows(X[order], masked[order], labels[order])
    assert not has_same_rows(X[:59], masked, labels)
    assert not has_same_rows(X[:, :0], masked[:, :0], labels)


def test_missing_values_take_no_part_in_the_comparison_of_rows():
    X = np.array([[1.0], [np.nan], [7.0], [9.0]])
    assert has_same_rows(X, np.array([[1.0], [1.0], [8.0], [8.0]]), np.array([0, 0, 1, 1]))
    assert has_same_rows(X, np.array([[np.nan], [np.nan], [8.0], [8.0]]), np.array([0, 0, 1, 1]))


@given(
    points=st.lists(st.integers(0, 20), min_size=1, max_size=10),
    values=st.lists(st.integers(0, 20), min_size=1, max_size=8, unique=True),
)
def test_the_nearest_class_is_the_nearest(points, values):
    labels = np.repeat(np.arange(len(values)), 2)[::-1]
    masked = np.array(values, float)[labels][:, None]
    actual = nearest_class(np.array(points, float)[:, None], masked, labels)
    for point, at in zip(points, actual, strict=True):
        assert abs(values[at] - point) == min(abs(value - point) for value in values)
