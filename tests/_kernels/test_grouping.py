"""Groups that change record by record: undone trials, sums of squares, annealing and its pool."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels.local_search.annealing import anneal, open_best_and_pool, pool_sse
from shoal._kernels.local_search.descent import has_joins, update_joins
from shoal._kernels.local_search.dissolve_and_gather import descend_around, dissolve, gather
from shoal._kernels.local_search.grouping import (
    N_EMPTY,
    N_QUEUED,
    N_SAVED,
    VERSION,
    accept_trial,
    move,
    sse_change,
    undo_trial,
)
from shoal._kernels.local_search.passes import open_grouping, try_to_dissolve, try_to_gather
from shoal._kernels.local_search.random_numbers import draw_fraction, draw_index
from shoal._kernels.spatial.neighbours import neighbours
from shoal.partitioners.mdav import MDAV
from tables import tables
from twins.refine import total


@st.composite
def groupings(draw, least=12, most=40):
    X = draw(tables(least=least, most=most))
    k = draw(st.integers(2, 4))
    return open_grouping(X, neighbours(X, 8), MDAV(k=k).fit_predict(X), k), k


def state_of_groups(grouping):
    """Return all that a trial may change, of the groups that have records."""
    groups = np.flatnonzero(grouping.sizes)
    return (
        grouping.labels.tolist(),
        grouping.position.tolist(),
        groups.tolist(),
        grouping.sse[groups].tolist(),
        [grouping.members[g, : grouping.sizes[g]].tolist() for g in groups],
        [grouping.squares[g, : grouping.sizes[g]].tolist() for g in groups],
        grouping.centroids[groups].tolist(),
        grouping.version[groups].tolist(),
        [differences_and_squares(grouping, g).tolist() for g in groups],
    )


def differences_and_squares(grouping, group):
    """Return what is stored in single precision of the members of a group, one row each."""
    p, size = grouping.X.shape[1], grouping.sizes[group]
    rows = grouping.blocks[group].transpose(0, 2, 1).reshape(-1, p + 2)
    return rows[:size, : p + 1]


def stored_join_costs(grouping, group):
    """Return the costs of the cheapest joins of the members of a group, in single precision."""
    return grouping.blocks[group, :, -1].ravel()[: grouping.sizes[group]]


def check(grouping, k):
    """Compare the state with the one that follows from the labels."""
    sizes = np.bincount(grouping.labels, minlength=len(grouping.sizes))
    assert np.array_equal(sizes, grouping.sizes)
    assert sizes[sizes > 0].min() >= k
    assert sizes.max() <= 2 * k - 1
    assert grouping.sse.sum() == pytest.approx(
        total(grouping.X, grouping.labels), rel=1e-12, abs=1e-12
    )
    assert set(np.flatnonzero(grouping.sizes == 0)) <= set(
        grouping.empty_groups[: grouping.counts[N_EMPTY]]
    )
    for group in np.flatnonzero(sizes):
        members = grouping.members[group, : sizes[group]]
        differences = grouping.X[members] - grouping.X[members].mean(axis=0)
        stored = differences_and_squares(grouping, group)
        extent = np.abs(differences).max()
        assert stored[:, :-1] == pytest.approx(differences, abs=1e-6 * extent)
        assert stored[:, -1] == pytest.approx((differences**2).sum(axis=1), abs=1e-6 * extent**2)
        costs = np.where(
            grouping.joins.groups[members, 0] >= 0, grouping.joins.costs[members, 0], 0.0
        )
        assert (stored_join_costs(grouping, group) <= costs).all()
        assert stored_join_costs(grouping, group) == pytest.approx(costs, rel=1e-6)
    assert grouping.counts[N_SAVED] == grouping.counts[N_QUEUED] == 0
    assert not grouping.is_queued.any()
    assert not grouping.is_saved.any()


@given(case=groupings(), data=st.data())
def test_undoing_a_trial_restores_the_groups(case, data):
    grouping, k = case
    before = state_of_groups(grouping)
    if data.draw(st.booleans()):
        is_possible = dissolve(
            grouping, k, data.draw(st.integers(0, len(grouping.labels) // k - 1))
        )
    else:
        is_possible = gather(grouping, k, data.draw(st.integers(0, len(grouping.labels) - 1)))
    if is_possible:
        descend_around(grouping, k, 0.0)
    undo_trial(grouping)
    assert state_of_groups(grouping) == before
    check(grouping, k)


@given(case=groupings(), data=st.data())
def test_a_trial_returns_the_increase_of_the_sse(case, data):
    grouping, k = case
    before = total(grouping.X, grouping.labels)
    if gather(grouping, k, data.draw(st.integers(0, len(grouping.labels) - 1))):
        descend_around(grouping, k, 0.0)
        assert sse_change(grouping) == pytest.approx(
            total(grouping.X, grouping.labels) - before, abs=1e-9
        )
        accept_trial(grouping)
        check(grouping, k)


@given(case=groupings())
def test_a_pass_returns_the_decrease_of_the_sse(case):
    grouping, k = case
    before = total(grouping.X, grouping.labels)
    decrease = try_to_dissolve(
        grouping, k, np.arange(len(grouping.sizes)), np.full(len(grouping.sizes), -1)
    )
    assert before - decrease == pytest.approx(total(grouping.X, grouping.labels), abs=1e-9)
    check(grouping, k)


@pytest.mark.parametrize(("seed", "n", "k"), [(17, 47, 4), (92, 33, 3), (284, 23, 3)])
def test_a_failed_trial_leaves_no_record_queued(seed, n, k):
    # Groups that are far apart: dissolved ones join into a group that is split again.
    X = np.random.default_rng(seed).standard_cauchy((n, 2)) ** 3
    grouping = open_grouping(X, neighbours(X, 8), MDAV(k=k).fit_predict(X), k)
    for centre in range(n):
        try_to_gather(grouping, k, np.array([centre]), np.full(n, -1))
        check(grouping, k)


def test_a_record_among_its_own_group_can_join_another_one_later():
    X = np.repeat([[0.0], [1.0]], 9, axis=0)
    grouping = open_grouping(X, neighbours(X, 4), np.repeat([0, 1], 9), 9)
    update_joins(grouping, 0)
    assert grouping.joins.groups[0].tolist() == [-1, -1]
    # A least cost of 0 lets the costs be computed again, also after the record was moved.
    assert stored_join_costs(grouping, 0)[grouping.position[0]] == 0
    move(grouping, 0, 1)
    assert stored_join_costs(grouping, 1)[grouping.position[0]] == 0
    undo_trial(grouping)
    assert stored_join_costs(grouping, 0)[grouping.position[0]] == 0
    grouping.labels[grouping.near[0]] = 1
    assert not has_joins(grouping, 0)
    update_joins(grouping, 0)
    assert has_joins(grouping, 0)
    assert grouping.joins.groups[0, 0] == 1
    assert grouping.joins.costs[0, 0] == pytest.approx(9 / 10)


@given(case=groupings(), seed=st.integers(0, 99), temperature=st.sampled_from([0.0, 0.3, 5.0]))
def test_the_best_groups_of_an_annealing_have_the_stated_sse(case, seed, temperature):
    grouping, k = case
    best_and_pool = open_best_and_pool(grouping.labels, float(grouping.sse.sum()), k, 50)
    anneal(grouping, k, best_and_pool, np.array([seed], np.uint64), np.full(60, temperature))
    check(grouping, k)
    assert best_and_pool.sse[0] == pytest.approx(total(grouping.X, grouping.labels), abs=1e-9)
    assert best_and_pool.sse[1] == pytest.approx(total(grouping.X, best_and_pool.best), abs=1e-9)
    assert np.bincount(best_and_pool.best)[np.unique(best_and_pool.best)].min() >= k
    pooled = [
        frozenset(group[group >= 0]) for group in best_and_pool.pool[: best_and_pool.counts[1]]
    ]
    assert len(set(pooled)) == len(pooled)
    assert all(k <= len(group) < 2 * k for group in pooled)


def test_a_full_pool_is_emptied():
    X = np.random.default_rng(0).normal(size=(60, 2))
    near = neighbours(X, 8)
    grouping = open_grouping(X, near, np.arange(60) // 3, 3)
    best_and_pool = open_best_and_pool(grouping.labels, float(grouping.sse.sum()), 3, 7)
    lengths = set()
    for seed in range(40):
        anneal(grouping, 3, best_and_pool, np.array([seed], np.uint64), np.full(5, 0.3))
        pooled = best_and_pool.pool[: best_and_pool.counts[1]]
        lengths.add(len(pooled))
        groups = {frozenset(group[group >= 0]) for group in pooled}
        assert len(groups) == len(pooled)
        assert all(3 <= len(group) < 6 for group in groups)
    assert max(lengths) == 7
    assert len(lengths) > 2


def test_groups_of_nearly_accepted_trials_are_in_the_pool():
    X = np.random.default_rng(0).normal(size=(60, 2))
    grouping = open_grouping(X, neighbours(X, 8), np.arange(60) // 3, 3)
    for _ in range(10):  # until hardly anything stays
        best_and_pool = open_best_and_pool(grouping.labels, float(grouping.sse.sum()), 3, 500)
        anneal(grouping, 3, best_and_pool, np.array([1], np.uint64), np.full(300, 1e-9))
    current_groups = {
        frozenset(np.flatnonzero(grouping.labels == label)) for label in np.unique(grouping.labels)
    }
    pooled = {
        frozenset(group[group >= 0]) for group in best_and_pool.pool[: best_and_pool.counts[1]]
    }
    assert pooled - current_groups


def test_the_sse_of_a_pool_is_that_of_its_groups():
    X = np.random.default_rng(0).normal(size=(9, 2))
    pool = np.array([[0, 1, -1], [4, 8, 2]])
    expected = [((X[g] - X[g].mean(axis=0)) ** 2).sum() for g in ([0, 1], [4, 8, 2])]
    assert pool_sse(X, pool) == pytest.approx(expected)


def test_draws_fill_their_range_evenly():
    state = np.array([7], np.uint64)
    counts = np.bincount([draw_index(state, 5) for _ in range(5000)])
    assert len(counts) == 5
    assert counts.min() > 900
    fractions = np.array([draw_fraction(state) for _ in range(5000)])
    assert 0 <= fractions.min() < 0.01 < 0.99 < fractions.max() < 1
    assert abs(fractions.mean() - 0.5) < 0.02


@given(case=groupings())
def test_a_pass_tries_again_only_where_something_changed(case):
    grouping, k = case
    all_records, groups = np.arange(len(grouping.labels)), np.arange(len(grouping.sizes))
    gathered, dissolved = np.full(len(all_records), -1), np.full(len(groups), -1)
    decrease = 1.0
    while decrease > 0:
        decrease = try_to_gather(grouping, k, all_records, gathered) + try_to_dissolve(
            grouping, k, groups, dissolved
        )
    trials = grouping.counts[VERSION]
    assert (
        try_to_gather(grouping, k, all_records, gathered)
        + try_to_dissolve(grouping, k, groups, dissolved)
        == 0
    )
    assert grouping.counts[VERSION] == trials  # a trial would have computed groups again
    assert (gathered >= 0).all()  # but each was tried once


def drawn_groups():
    X = np.random.default_rng(0).normal(size=(300, 3))
    return open_grouping(X, neighbours(X, 8), MDAV(k=3).fit_predict(X), 3)


def test_gathering_alone_lowers_the_sse():
    grouping = drawn_groups()
    assert try_to_gather(grouping, 3, np.arange(300), np.full(300, -1)) > 0.01 * grouping.sse.sum()


def test_what_changed_nearby_is_tried_again():
    grouping = drawn_groups()
    groups, last_tried = np.arange(len(grouping.sizes)), np.full(len(grouping.sizes), -1)
    first = try_to_dissolve(grouping, 3, groups, last_tried)
    second = try_to_dissolve(grouping, 3, groups, last_tried)
    assert first > second > 0
    while try_to_dissolve(grouping, 3, groups, last_tried) > 0:
        pass
    # What one pass after another leaves undone, with hardly a trial, all trials do not find either.
    assert (
        try_to_dissolve(grouping, 3, groups, np.full(len(groups), -1)) < 0.001 * grouping.sse.sum()
    )
