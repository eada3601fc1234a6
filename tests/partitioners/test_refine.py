"""Refined groups: never worse, never below k, a local optimum. Figures: test_quality_page."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import _progress as progress
from shoal._kernels.spatial.neighbours import neighbours
from shoal.partitioners import MDAV
from shoal.partitioners._base import centroids_and_sse
from shoal.partitioners._local_search.refine import MIN_NEAREST, CutShort, centre_and_scale, refine
from tables import long_tables, loss, tables_and_k
from twins.optimal import optimal_sse
from twins.refine import best_move, total


def sse_of(X, labels):
    return centroids_and_sse(X, labels)[1]


def any_groups(n, k, rng):
    """Return groups of at least k, of any size, without regard to the data."""
    sizes = rng.integers(0, max(n // k, 1), n)
    sizes[: n // k * k] = np.arange(n // k * k) % (n // k)
    return rng.permutation(sizes)


@settings(max_examples=60)
@given(X=long_tables(most=150), k=st.integers(1, 9), seed=st.integers(0, 99), mdav=st.booleans())
def test_never_worse_and_never_below_k(X, k, seed, mdav):
    k = min(k, len(X))
    start = MDAV(k=k).fit_predict(X) if mdav else any_groups(len(X), k, np.random.default_rng(seed))
    before = start.copy()
    refined = refine(X, start, k)
    assert np.array_equal(start, before)
    assert np.bincount(refined).min() >= k
    units = centre_and_scale(X)
    assert sse_of(units, refined) <= sse_of(units, start) * (1 + 1e-12)


@settings(max_examples=40)
@given(case=tables_and_k(most=24, greatest=4), seed=st.integers(0, 99))
def test_no_move_towards_near_groups_is_left(case, seed):
    X, k = case
    if k == 1 or len(X) < 2 * k:
        return
    refined = refine(X, any_groups(len(X), k, np.random.default_rng(seed)), k)
    near = neighbours(X, min(len(X) - 1, max(MIN_NEAREST, k + k // 2)))
    assert best_move(X, near, refined, k) >= total(X, refined) - 1e-9


@settings(max_examples=40)
@given(case=tables_and_k(most=11, greatest=4))
def test_no_groups_beat_the_optimum(case):
    X, k = case
    refined = refine(X, MDAV(k=k).fit_predict(X), k)
    assert total(X, refined) >= optimal_sse(X, k) - 1e-9


def drawn(kind, n, p):
    """Return z-scores of a kind that no parameter was tuned on."""
    rng = np.random.default_rng(5)
    X = {
        "gaussian": lambda: rng.normal(size=(n, p)),
        "clustered": lambda: (
            4 * rng.normal(size=(30, p))[rng.integers(0, 30, n)] + rng.normal(size=(n, p))
        ),
        "heavy-tailed": lambda: np.exp(rng.normal(size=(n, 2)) @ rng.normal(size=(2, p))),
    }[kind]()
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("kind", ["gaussian", "clustered", "heavy-tailed"])
@pytest.mark.parametrize(("k", "saved"), [(3, 0.1), (7, 0.04)])
def test_other_kinds_of_tables_lose_much_less_than_with_mdav(kind, k, saved):
    X = drawn(kind, 900, 6)
    start = MDAV(k=k).fit_predict(X)
    assert loss(X, refine(X, start, k)) < (1 - saved) * loss(X, start)


def test_the_numbers_of_the_groups_do_not_matter():
    X = np.random.default_rng(0).normal(size=(200, 3))
    start = MDAV(k=4).fit_predict(X)
    renumbered = np.random.default_rng(1).permutation(50)[start]
    assert np.array_equal(refine(X, start, 4), refine(X, renumbered, 4))


@pytest.mark.parametrize("power", [-530, 0, 480])
def test_units_do_not_matter(power):
    X = np.random.default_rng(0).normal(size=(200, 3))
    start = MDAV(k=4).fit_predict(X)
    assert np.array_equal(refine(X, start, 4), refine(np.ldexp(X, power), start, 4))


def test_one_group_of_all_is_split():
    X = np.random.default_rng(0).normal(size=(300, 2))
    sizes = np.bincount(refine(X, np.zeros(300, np.int64), 3))
    assert 3 <= sizes.min() <= sizes.max() <= 5


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 1), (5, 5), (9, 5), (10, 5), (2, 2)])
def test_tables_with_few_groups_are_refined(n, k):
    X = np.random.default_rng(n).normal(size=(n, 2))
    refined = refine(X, np.zeros(n, np.int64), k)
    assert len(np.unique(refined)) == n // k


@pytest.mark.parametrize("k", [2, 5])
def test_equal_records_keep_their_groups(k):
    X = np.ones((60, 2))
    start = MDAV(k=k).fit_predict(X)
    assert np.array_equal(refine(X, start, k), start)


def test_a_group_larger_than_the_list_of_near_records_is_refined():
    X = np.random.default_rng(0).normal(size=(500, 2))
    start = any_groups(500, 100, np.random.default_rng(1))
    refined = refine(X, start, 100)
    assert np.bincount(refined).min() >= 100
    assert total(X, refined) < total(X, start)


@pytest.mark.parametrize("after", [1, 2, 3, 5])
def test_an_interrupt_keeps_the_best_so_far(after):
    X = np.random.default_rng(0).normal(size=(3000, 3))
    start = any_groups(3000, 3, np.random.default_rng(1))
    reports = 0

    def listener(stage, done, total):
        nonlocal reports
        reports += 1
        if reports == after:
            raise KeyboardInterrupt

    with progress.reporting_to(listener), pytest.raises(CutShort) as end:
        refine(X, start, 3)
    actual = end.value.labels
    assert reports == after
    assert np.bincount(actual).min() >= 3
    assert loss(X, actual) < 0.9 * loss(X, start)
