"""Losses of columns that have several axes, as categorical columns do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.geometry.encode import simplex_points
from shoal.metrics import MEASURES, accepts_axes, compute, il1s, information_loss, linkage
from shoal.metrics._scaling import column_distances, scale_by_original
from tables import tables

codes = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20)


@given(pairs=codes)
def test_the_loss_of_a_category_is_its_share_of_changes(pairs):
    before, after = np.array(pairs).T
    loss = information_loss(
        simplex_points(4)[before], simplex_points(4)[after], columns=np.zeros(3, int)
    )
    share = np.bincount(before) / len(before)
    varied = 1 - (share**2).sum()  # chance that two records drawn at random differ
    slow = 100 * (before != after).mean() / (varied / 2) if varied > 1e-9 else 0
    assert loss == pytest.approx(slow)


@given(X=tables(least=2), seed=st.integers(0, 99))
def test_columns_of_one_axis_give_the_same_measures(X, seed):
    masked = np.random.default_rng(seed).permutation(X)
    alone = np.arange(X.shape[1])
    # Linkage standardises each table separately; a gap needs a bound.
    others = {"linkage", "linkage_top2", "certified_gap"}
    for name in {name for name in MEASURES if accepts_axes(name)} - others:
        given = {"original": X, "masked": masked}
        plain = compute(name, given)
        assert compute(name, {**given, "columns": alone}) == pytest.approx(plain, abs=1e-9)


def test_the_axes_of_a_column_share_a_scale_and_rotating_them_changes_nothing():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(2, 30, 3))
    columns = np.array([0, 1, 1])
    rotation = np.eye(3)
    rotation[1:, 1:] = [[0.6, 0.8], [-0.8, 0.6]]
    for name in ("information_loss", "euclidean_loss", "il1s", "distortion_x", "linkage"):
        actual = MEASURES[name](X, Y, columns)
        assert MEASURES[name](X @ rotation, Y @ rotation, columns) == pytest.approx(actual)
        assert MEASURES[name](X * [1, 7, 7], Y * [1, 7, 7], columns) == pytest.approx(actual)
    first, second, third = [before.var() for _, before, _ in scale_by_original(X, Y, columns)]
    assert [first, second + third] == pytest.approx([1, 1])


def test_a_constant_column_of_several_axes_is_left_out():
    X = np.column_stack([np.arange(4.0), simplex_points(3)[[1, 1, 1, 1]]])
    Y = np.column_stack([np.full(4, 1.5), simplex_points(3)[[1, 2, 2, 1]]])
    columns = np.array([0, 1, 1])
    assert len(list(column_distances(X, Y, columns))) == 1
    assert information_loss(X, Y, columns) == pytest.approx(100)
    assert il1s(X, Y, columns) == pytest.approx(il1s(X[:, :1], Y[:, :1]))


@given(pairs=codes, guesses=st.integers(1, 2))
def test_categories_are_linked_on_the_scale_of_the_original(pairs, guesses):
    before, after = np.array(pairs).T
    X, Y = simplex_points(4)[before], simplex_points(4)[after]
    name = "linkage" if guesses == 1 else "linkage_top2"
    actual = MEASURES[name](X, Y, np.zeros(3, int))
    chances = []
    for own, seen in zip(before, after, strict=True):
        nearer, level = (before == seen).sum() * (own != seen), (before == own).sum()
        if own != seen:
            level = (before != seen).sum()
        chances.append(min(1, max(0, (guesses - nearer) / level)))
    if len(set(before)) > 1:
        assert actual == pytest.approx(np.mean(chances))


def test_a_table_without_spread_is_linked_only_by_chance():
    X = simplex_points(3)[[1, 1, 1, 1]]
    assert linkage(X, X, np.zeros(2, int)) == pytest.approx(1 / 4)
