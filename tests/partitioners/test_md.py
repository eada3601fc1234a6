"""MD: published figures, the slow twin, and the search for the farthest pair by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels.farthest_pair import farthest_pair, open_pair_bounds
from shoal._kernels.spatial.pool import assign, open_pool, position_of
from shoal.partitioners import MD
from shoal.partitioners._base import in_order
from tables import loss, tables, tables_and_k
from twins.md import farthest_pair as slow_pair
from twins.md import md

PUBLISHED = {3: 15.60, 4: 19.27, 5: 22.67}


@pytest.mark.parametrize(("k", "published"), PUBLISHED.items())
def test_tarragona_loses_what_the_literature_says(reference, k, published):
    Z = reference("tarragona")
    assert round(loss(Z, MD(k=k).fit_predict(Z)), 2) == published


@given(case=tables_and_k(), grow=st.sampled_from(["centroid", "extreme"]))
def test_the_kernel_agrees_with_the_slow_version(case, grow):
    X, k = case
    assert np.array_equal(MD(k=k, grow=grow).fit_predict(X), in_order(md(X, k, grow)))


@pytest.mark.parametrize("n", [50, 51, 52, 53, 54, 55])
@pytest.mark.parametrize("k", [3, 4])
def test_the_kernel_agrees_with_the_slow_version_without_ties(n, k):
    X = np.random.default_rng(n).normal(size=(n, 5)) * [1, 10, 0.1, 1e6, 1]
    for grow in ("centroid", "extreme"):
        assert np.array_equal(MD(k=k, grow=grow).fit_predict(X), in_order(md(X, k, grow)))


def pairs_while_records_leave(X, removed_in_turn, work):
    """Yield the farthest pair, fast and slow, each time one more record has left."""
    X = np.ascontiguousarray(X)
    pool, pairs = open_pool(X), open_pair_bounds(X)
    remaining = list(range(len(X)))
    for record in removed_in_turn[: len(X) - 2]:
        first = -1
        while first < 0:
            first, second, _ = farthest_pair(pool, pairs, X, work)
        yield (first, second), slow_pair(X, remaining)
        assign(pool, position_of(pool, record), 0)
        remaining.remove(record)


@given(X=tables(least=2), order=st.randoms(use_true_random=False), work=st.sampled_from([1, 10**9]))
def test_the_farthest_pair_is_found_after_any_removals(X, order, work):
    removed_in_turn = list(range(len(X)))
    order.shuffle(removed_in_turn)
    for actual, expected in pairs_while_records_leave(X, removed_in_turn, work):
        assert actual == expected


ANGLES = 2 * np.pi * np.arange(24) / 24
HARD = {
    "a ring about the mean": np.column_stack([np.cos(ANGLES), np.sin(ANGLES)]),
    "two values, unequally often": np.repeat([0.0, 1.0, 0.0], [3, 20, 5])[:, None],
    "far from zero": 1e8 + np.random.default_rng(0).normal(size=(25, 3)),
    "squares that vanish": 1.1e-162 * np.random.default_rng(88).normal(size=(20, 2)),
    "partners alike and tied": np.array([[9.0, 0], [-1, 1], [-1, -1], [-1, 1], [-1, -1], [-1, 1]]),
    "one far record": np.vstack([np.random.default_rng(1).normal(size=(25, 3)), [[1e9, 0, 0]]]),
    "each record four times": np.tile(np.random.default_rng(2).normal(size=(7, 2)), (4, 1)),
}


@pytest.mark.parametrize("X", HARD.values(), ids=HARD)
def test_the_farthest_pair_is_found_on_hard_tables(X):
    for seed in range(10):
        removed_in_turn = list(np.random.default_rng(seed).permutation(len(X)))
        for actual, expected in pairs_while_records_leave(X, removed_in_turn, 10**9):
            assert actual == expected
