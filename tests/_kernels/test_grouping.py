"""Groups that change record by record: undone trials, sums of squares, annealing and its pool."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels.local_search.annealing import anneal, open_best_and_pool, pool_sse
from shoal._kernels.local_search.descent import choose_join, update_joins
from shoal._kernels.local_search.dissolve_and_gather import descend_around, dissolve, gather
from shoal._kernels.local_search.grouping import (
    N_EMPTY,
    N_QUEUED,
    N_SAVED,
    VERSION,
    accept_trial,
    sse_change,
    undo_trial,
)
from shoal._kernels.local_search.passes import DISSOLVE, GATHER, open_grouping, run_pass
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


# By the kernel that Python calls: each pass by itself would be compiled for the tests alone.
def dissolve_pass(s, k, groups, tried):
    return run_pass(s, k, DISSOLVE, groups, tried, 0)


def gather_pass(s, k, centres, tried):
    return run_pass(s, k, GATHER, centres, tried, 0)


def photograph(s):
    """Return all that a trial may change, for groups that hold records."""
    held = np.flatnonzero(s.sizes)
    return (
        s.labels.tolist(), s.position.tolist(), held.tolist(), s.sse[held].tolist(),
        [s.members[g, : s.sizes[g]].tolist() for g in held],
        [s.squares[g, : s.sizes[g]].tolist() for g in held],
        s.centroids[held].tolist(), s.version[held].tolist(),
    )  # fmt: skip


def check(s, k):
    """Compare what is kept with what the labels say."""
    sizes = np.bincount(s.labels, minlength=len(s.sizes))
    assert np.array_equal(sizes, s.sizes)
    assert sizes[sizes > 0].min() >= k
    assert sizes.max() <= 2 * k - 1
    assert s.sse.sum() == pytest.approx(total(s.X, s.labels), rel=1e-12, abs=1e-12)
    assert set(np.flatnonzero(s.sizes == 0)) <= set(s.empty_groups[: s.counts[N_EMPTY]])
    assert s.counts[N_SAVED] == s.counts[N_QUEUED] == 0
    assert not s.is_queued.any()
    assert not s.is_saved.any()


@given(case=groupings(), data=st.data())
def test_undoing_a_trial_restores_the_groups(case, data):
    s, k = case
    before = photograph(s)
    if data.draw(st.booleans()):
        fine = dissolve(s, k, data.draw(st.integers(0, len(s.labels) // k - 1)))
    else:
        fine = gather(s, k, data.draw(st.integers(0, len(s.labels) - 1)))
    if fine:
        descend_around(s, k, 0.0)
    undo_trial(s)
    assert photograph(s) == before
    check(s, k)


@given(case=groupings(), data=st.data())
def test_a_trial_returns_the_increase_of_the_sse(case, data):
    s, k = case
    before = total(s.X, s.labels)
    if gather(s, k, data.draw(st.integers(0, len(s.labels) - 1))):
        descend_around(s, k, 0.0)
        assert sse_change(s) == pytest.approx(total(s.X, s.labels) - before, abs=1e-9)
        accept_trial(s)
        check(s, k)


@given(case=groupings())
def test_a_pass_returns_the_decrease_of_the_sse(case):
    s, k = case
    before = total(s.X, s.labels)
    fall = dissolve_pass(s, k, np.arange(len(s.sizes)), np.full(len(s.sizes), -1))
    assert before - fall == pytest.approx(total(s.X, s.labels), abs=1e-9)
    check(s, k)


@pytest.mark.parametrize(("seed", "n", "k"), [(17, 47, 4), (92, 33, 3), (284, 23, 3)])
def test_a_failed_trial_leaves_no_record_queued(seed, n, k):
    # Groups that are far apart: dissolved ones join into a group that is split again.
    X = np.random.default_rng(seed).standard_cauchy((n, 2)) ** 3
    s = open_grouping(X, neighbours(X, 8), MDAV(k=k).fit_predict(X), k)
    for centre in range(n):
        gather_pass(s, k, np.array([centre]), np.full(n, -1))
        check(s, k)


def test_a_record_among_its_own_group_can_join_another_one_later():
    X = np.repeat([[0.0], [1.0]], 9, axis=0)
    s = open_grouping(X, neighbours(X, 4), np.repeat([0, 1], 9), 9)
    update_joins(s, 0)
    assert s.joins.groups[0].tolist() == [-1, -1]
    s.labels[s.near[0]] = 1
    assert s.least_join_cost[0, s.position[0]] == 0  # so that the costs are computed again
    assert choose_join(s, 0, -1) == 0
    assert s.joins.groups[0, 0] == 1
    assert s.joins.costs[0, 0] == pytest.approx(9 / 10)


@given(case=groupings(), seed=st.integers(0, 99), temperature=st.sampled_from([0.0, 0.3, 5.0]))
def test_the_best_groups_of_an_annealing_have_the_stated_sse(case, seed, temperature):
    s, k = case
    best_and_pool = open_best_and_pool(s.labels, float(s.sse.sum()), k, 50)
    anneal(s, k, best_and_pool, np.array([seed], np.uint64), np.full(60, temperature))
    check(s, k)
    assert best_and_pool.sse[0] == pytest.approx(total(s.X, s.labels), abs=1e-9)
    assert best_and_pool.sse[1] == pytest.approx(total(s.X, best_and_pool.best), abs=1e-9)
    assert np.bincount(best_and_pool.best)[np.unique(best_and_pool.best)].min() >= k
    known = [
        frozenset(group[group >= 0]) for group in best_and_pool.pool[: best_and_pool.counts[1]]
    ]
    assert len(set(known)) == len(known)
    assert all(k <= len(group) < 2 * k for group in known)


def test_a_full_pool_is_emptied():
    X = np.random.default_rng(0).normal(size=(60, 2))
    near = neighbours(X, 8)
    s = open_grouping(X, near, np.arange(60) // 3, 3)
    best_and_pool = open_best_and_pool(s.labels, float(s.sse.sum()), 3, 7)
    lengths = set()
    for seed in range(40):
        anneal(s, 3, best_and_pool, np.array([seed], np.uint64), np.full(5, 0.3))
        known = best_and_pool.pool[: best_and_pool.counts[1]]
        lengths.add(len(known))
        groups = {frozenset(group[group >= 0]) for group in known}
        assert len(groups) == len(known)
        assert all(3 <= len(group) < 6 for group in groups)
    assert max(lengths) == 7
    assert len(lengths) > 2


def test_groups_of_nearly_accepted_trials_are_in_the_pool():
    X = np.random.default_rng(0).normal(size=(60, 2))
    s = open_grouping(X, neighbours(X, 8), np.arange(60) // 3, 3)
    for _ in range(10):  # until hardly anything stays
        best_and_pool = open_best_and_pool(s.labels, float(s.sse.sum()), 3, 500)
        anneal(s, 3, best_and_pool, np.array([1], np.uint64), np.full(300, 1e-9))
    own = {frozenset(np.flatnonzero(s.labels == g)) for g in np.unique(s.labels)}
    known = {
        frozenset(group[group >= 0]) for group in best_and_pool.pool[: best_and_pool.counts[1]]
    }
    assert known - own


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
    s, k = case
    everyone, groups = np.arange(len(s.labels)), np.arange(len(s.sizes))
    gathered, dissolved = np.full(len(everyone), -1), np.full(len(groups), -1)
    fall = 1.0
    while fall > 0:
        fall = gather_pass(s, k, everyone, gathered) + dissolve_pass(s, k, groups, dissolved)
    trials = s.counts[VERSION]
    assert gather_pass(s, k, everyone, gathered) + dissolve_pass(s, k, groups, dissolved) == 0
    assert s.counts[VERSION] == trials  # a trial would have computed groups afresh
    assert (gathered >= 0).all()  # but each was tried once


def drawn_groups():
    X = np.random.default_rng(0).normal(size=(300, 3))
    return open_grouping(X, neighbours(X, 8), MDAV(k=3).fit_predict(X), 3)


def test_gathering_alone_lowers_the_sse():
    s = drawn_groups()
    assert gather_pass(s, 3, np.arange(300), np.full(300, -1)) > 0.01 * s.sse.sum()


def test_what_changed_nearby_is_tried_again():
    s = drawn_groups()
    groups, tried = np.arange(len(s.sizes)), np.full(len(s.sizes), -1)
    first = dissolve_pass(s, 3, groups, tried)
    second = dissolve_pass(s, 3, groups, tried)
    assert first > second > 0
    while dissolve_pass(s, 3, groups, tried) > 0:
        pass
    # What one pass after another leaves undone, with hardly a trial, all trials do not find either.
    assert dissolve_pass(s, 3, groups, np.full(len(groups), -1)) < 0.001 * s.sse.sum()
