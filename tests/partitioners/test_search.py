"""The search: optima of small tables, figures, and that every run can be repeated."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raising import raises
from shoal import _progress as progress
from shoal.errors import ParameterError
from shoal.partitioners import MDAV
from shoal.partitioners._base import centroids_and_sse
from shoal.partitioners._local_search import annealing, set_partitioning
from shoal.partitioners._local_search.refine import centre_and_scale, prepare_grouping, refine
from shoal.partitioners._local_search.search import N_ANNEALINGS, _Run, search
from shoal.partitioners._local_search.set_partitioning import select_groups_by_region
from tables import long_tables, loss
from twins.optimal import optimal_sse
from twins.refine import total


def sse_of(X, labels):
    return centroids_and_sse(X, labels)[1]


def table(n=300, p=3):
    return np.random.default_rng(4).normal(size=(n, p))


@settings(max_examples=30)
@given(X=long_tables(most=120), k=st.integers(1, 8), seed=st.integers(0, 99))
def test_never_worse_and_never_below_k(X, k, seed):
    k = min(k, len(X))
    start = MDAV(k=k).fit_predict(X)
    result = search(X, start, k, seed=seed, rounds=30)
    assert np.bincount(result.labels).min() >= k
    units = centre_and_scale(X)
    assert sse_of(units, result.labels) <= sse_of(units, start) * (1 + 1e-12)


def test_small_tables_reach_their_optimum():
    missed = 0
    for case in range(60):
        rng = np.random.default_rng(case)
        n, p, k = int(rng.integers(4, 12)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
        X = rng.normal(size=(n, p)) if case % 2 else rng.integers(0, 4, (n, p)).astype(float)
        if n < k:
            continue
        result = search(X, MDAV(k=k).fit_predict(X), k, seed=case, rounds=100)
        best, sse = optimal_sse(X, k), total(X, result.labels)
        assert sse >= best - 1e-9
        missed += sse > best + 1e-9
    assert missed <= 1


@pytest.mark.parametrize(
    ("name", "k", "rounds", "most"),
    [("tarragona", 3, 6000, 14.52), ("census", 4, 6000, 6.17), ("eia", 4, 8000, 0.4850)],
)
def test_reference_tables_lose_little(reference, name, k, rounds, most):
    X = reference(name)
    result = search(X, MDAV(k=k).fit_predict(X), k, seed=0, rounds=rounds)
    assert loss(X, result.labels) <= most


@pytest.mark.parametrize("k", [3, 7])
def test_a_search_beats_what_it_starts_from(k):
    X = table()
    start = refine(X, MDAV(k=k).fit_predict(X), k)
    assert loss(X, search(X, start, k, seed=0, rounds=2000).labels) < loss(X, start)


def test_seed_and_rounds_repeat_a_search():
    X = table()
    start = MDAV(k=3).fit_predict(X)
    first = search(X, start, 3, seed=5, rounds=900)
    again = search(X, start, 3, seed=5, rounds=900)
    other = search(X, start, 3, seed=6, rounds=900)
    assert np.array_equal(first.labels, again.labels)
    assert not np.array_equal(first.labels, other.labels)
    assert first.rounds == 900
    assert first.rounds_made == (900,) * N_ANNEALINGS


def test_a_timed_search_records_the_rounds_that_repeat_it():
    X = table()
    start = MDAV(k=3).fit_predict(X)
    timed = search(X, start, 3, seed=5, seconds=0.5)
    again = search(X, start, 3, seed=5, rounds=timed.rounds, rounds_made=timed.rounds_made)
    assert timed.rounds > 0
    assert np.array_equal(timed.labels, again.labels)


def test_the_number_of_cores_does_not_matter(monkeypatch):
    X = table()
    start = MDAV(k=3).fit_predict(X)
    side_by_side = search(X, start, 3, seed=5, rounds=700)
    threads = annealing.ThreadPoolExecutor
    monkeypatch.setattr(annealing, "ThreadPoolExecutor", lambda count: threads(1))
    assert np.array_equal(search(X, start, 3, seed=5, rounds=700).labels, side_by_side.labels)


def test_an_interrupt_keeps_the_best_so_far_and_can_be_repeated():
    X = table()
    start = MDAV(k=3).fit_predict(X)
    reports = 0

    def listener(stage, done, total):
        nonlocal reports
        reports += stage.startswith("searching")
        if reports == 2:
            raise KeyboardInterrupt

    with progress.reporting_to(listener):
        result = search(X, start, 3, seed=5, rounds=10**6)
    assert min(result.rounds_made) > 0
    assert max(result.rounds_made) < result.rounds == 10**6
    assert loss(X, result.labels) < loss(X, refine(X, start, 3))
    again = search(X, start, 3, seed=5, rounds=result.rounds, rounds_made=result.rounds_made)
    assert np.array_equal(result.labels, again.labels)


def test_an_early_interrupt_keeps_what_was_refined_until_then():
    X = table()
    start = MDAV(k=3).fit_predict(X)

    def listener(stage, done, total):
        if stage.startswith("dissolving"):
            raise KeyboardInterrupt

    with progress.reporting_to(listener):
        result = search(X, start, 3, seed=5, rounds=100)
    assert result.rounds_made == (0,) * N_ANNEALINGS
    assert loss(X, result.labels) < loss(X, start)


def test_progress_shows_the_loss_so_far():
    X = 100 * table()
    losses = []

    def listener(stage, done, total):
        if stage.startswith("searching, loss "):
            losses.append(float(stage.removeprefix("searching, loss ").removesuffix("%")))

    with progress.reporting_to(listener):
        result = search(X, MDAV(k=3).fit_predict(X), 3, seed=5, rounds=3000)
    assert losses
    assert losses == sorted(losses, reverse=True)
    assert loss(X, result.labels) <= losses[-1] + 0.0006


def test_a_run_far_over_its_budget_ends_before_its_rounds(monkeypatch):
    X = table()
    start = MDAV(k=3).fit_predict(X)
    monkeypatch.setattr(
        "shoal.partitioners._local_search.search.ANNEALING_SHARE", 1000.0
    )  # far too many are planned
    result = search(X, start, 3, seed=5, seconds=0.1)
    assert max(result.rounds_made) < result.rounds
    again = search(X, start, 3, seed=5, rounds=result.rounds, rounds_made=result.rounds_made)
    assert np.array_equal(result.labels, again.labels)


@pytest.mark.parametrize("options", [{}, {"rounds": 5, "seconds": 1.0}])
def test_rounds_or_a_budget_are_required(options):
    with raises(ParameterError, "rounds-or-seconds"):
        search(table(20), np.zeros(20, np.int64), 3, seed=0, **options)


def pool_of(labels, places=5):
    """Return groups as rows of a pool."""
    pool = np.full((labels.max() + 1, places), -1)
    for group, row in enumerate(pool):
        row[: (labels == group).sum()] = np.flatnonzero(labels == group)
    return pool


def test_the_choice_finds_the_best_partition_of_a_pool():
    X = np.random.default_rng(3).normal(size=(24, 2))
    plain = MDAV(k=3).fit_predict(X)
    good = refine(X, plain, 3)
    assert total(X, select_groups_by_region(X, pool_of(good), plain, 1)) == pytest.approx(
        total(X, good)
    )


def table_with_mixed_neighbours(seed=0):
    """Return a long table along a line, good groups, and these with neighbours mixed."""
    X = np.sort(np.random.default_rng(seed).uniform(size=(600, 1)), axis=0)
    good = np.arange(600) // 3
    mixed = good.copy()
    for group in range(0, 198, 2):
        mixed[3 * group + 2], mixed[3 * group + 3] = group + 1, group
    return X, good, mixed


def test_the_choice_goes_through_a_long_table_by_regions(monkeypatch):
    monkeypatch.setattr(set_partitioning, "REGION", 60)
    X, good, mixed = table_with_mixed_neighbours()
    assert np.array_equal(select_groups_by_region(X, pool_of(good), mixed, 10**6), good)
    partly_good = select_groups_by_region(X, pool_of(good), mixed, 3)
    assert total(X, good) < total(X, partly_good) < total(X, mixed)
    assert np.array_equal(select_groups_by_region(X, pool_of(good), mixed, 0), mixed)


def test_a_region_with_too_many_groups_shrinks(monkeypatch):
    monkeypatch.setattr(set_partitioning, "MAX_GROUPS", 12)
    monkeypatch.setattr(set_partitioning, "OVERLAP", 60)
    X, good, mixed = table_with_mixed_neighbours()
    n_candidates = []
    solve = set_partitioning._solve
    monkeypatch.setattr(
        set_partitioning,
        "_solve",
        lambda costs, memberships: n_candidates.append(len(costs)) or solve(costs, memberships),
    )
    assert np.array_equal(select_groups_by_region(X, pool_of(good), mixed, 10**6), good)
    assert max(n_candidates) <= 2 * 12 + 2


@pytest.mark.parametrize("failed", [[], [0, 1]])
def test_a_choice_that_failed_changes_nothing(monkeypatch, failed):
    X, good, mixed = table_with_mixed_neighbours()
    monkeypatch.setattr(set_partitioning, "_solve", lambda *_: np.array(failed, np.int64))
    assert np.array_equal(select_groups_by_region(X, pool_of(good), mixed, 5), mixed)


def test_a_worse_choice_changes_nothing(monkeypatch):
    X, good, mixed = table_with_mixed_neighbours()
    monkeypatch.setattr(set_partitioning, "REGION", 1000)
    monkeypatch.setattr(set_partitioning, "_solve", lambda *_: np.arange(200))  # the pool
    assert np.array_equal(select_groups_by_region(X, pool_of(mixed), good, 1), good)
    assert np.array_equal(select_groups_by_region(X, pool_of(good), mixed, 1), good)


def test_progress_is_that_of_the_budget_alone():
    X = np.random.default_rng(0).normal(size=(60, 2))
    reports = []
    with progress.reporting_to(lambda *report: reports.append(report)):
        search(X, MDAV(k=3).fit(X).labels_, 3, seed=0, seconds=0.2)
    totals = {total for stage, _, total in reports if stage.startswith("searching")}
    assert totals == {200}  # milliseconds; not those of the tiny table that is searched first


@pytest.mark.parametrize(("spent", "is_over"), [(1000, False), (1400, False), (1600, True)])
def test_a_search_ends_when_half_of_its_budget_is_spent_once_more(spent, is_over, monkeypatch):
    X = table(60)
    run = _Run(X, 3, seconds=1000.0)
    run.start(prepare_grouping(X, MDAV(k=3).fit_predict(X), 3, 8)[0], seed=0)
    monkeypatch.setattr(
        sys.modules[_Run.__module__].time, "process_time", lambda: run.start_time + spent
    )
    assert run._is_overdue() is is_over
