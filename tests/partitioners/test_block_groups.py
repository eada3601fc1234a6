"""Groups of the blocks of a long table: each is stored once, and found from each of its rows."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.partitioners._dual_bound.block_ascent import Block, add_groups
from shoal.partitioners._dual_bound.certificate import certify
from shoal.partitioners._dual_bound.executor import ThreadExecutor
from shoal.partitioners._dual_bound.group_pool import GroupPool, group_keys
from twins.optimal import sse


@given(seed=st.integers(0, 10**6), k=st.integers(2, 4), n_border_groups=st.integers(0, 6))
@settings(max_examples=15)
def test_a_pool_contains_each_group_once_with_its_cost(seed, k, n_border_groups):
    rng = np.random.default_rng(seed)
    X, dual = rng.normal(size=(7, 2)), rng.uniform(size=7)
    groups = np.array([rng.permutation(7)[:k] for _ in range(12)])
    pool = GroupPool(X, groups[:9], n_border_groups)
    assert {frozenset(g) for g in pool.members[: pool.n_border_groups].tolist()} == {
        frozenset(g) for g in groups[:n_border_groups].tolist()
    }
    n_before = len(pool)
    assert pool.add(groups) == len(pool) - n_before
    members = [frozenset(g) for g in pool.members.tolist()]
    assert len(members) == len(set(members))
    assert set(members) == {frozenset(g) for g in groups.tolist()}
    np.testing.assert_allclose(pool.costs, [sse(X, [tuple(g)]) for g in members])
    dual_sums = [sum(dual[list(g)]) for g in members]
    np.testing.assert_allclose(pool.dual_excess(dual), np.array(dual_sums) - pool.costs)
    start, items = pool.incidence(5)
    for row in range(5):
        actual = items[start[row] : start[row + 1]].tolist()
        assert actual == [i for i, group in enumerate(members) if row in group]


def test_keys_distinguish_groups():
    groups = np.array(list(combinations(range(0, 60, 2), 3)), np.int32)
    assert len(np.unique(group_keys(groups))) == len(groups)
    np.testing.assert_array_equal(group_keys(groups), group_keys(groups[:, ::-1]))


def test_a_block_finds_its_groups_that_reach_into_another():
    rng = np.random.default_rng(1)
    edges = np.array([0, 5, 10, 11, 20])
    groups = np.array([rng.permutation(20)[:3] for _ in range(40)], np.int32)
    block = Block(edges, 1, groups)
    for other in (0, 2, 3):
        rows = range(edges[other], edges[other + 1])
        expected = [g for g in groups.tolist() if any(row in rows for row in g)]
        assert block.border_groups(other).tolist() == expected
    block.set_groups(groups[:2])
    expected = [g for g in groups[:2].tolist() if min(g) < 5]
    assert block.border_groups(0).tolist() == expected


def test_a_group_is_added_to_the_block_of_its_first_row():
    edges = np.array([0, 5, 9])
    blocks = [
        Block(edges, number, np.array([[5 * number, 5 * number + 1]], np.int32))
        for number in range(2)
    ]
    add_groups(blocks, np.array([[4, 8], [8, 4]], np.int32))
    assert blocks[0].groups.tolist() == [[4, 8], [0, 1]]
    assert blocks[1].groups.tolist() == [[8, 4], [5, 6]]


def test_seams_between_blocks_cost_little(monkeypatch):
    X = np.random.default_rng(3).normal(size=(240, 3))
    whole = certify(X, 3, executor=ThreadExecutor(1)).bound
    monkeypatch.setattr("shoal.partitioners._dual_bound.certificate.BLOCK", 60)
    by_blocks = certify(X, 3, executor=ThreadExecutor(1)).bound
    assert whole * 0.99 < by_blocks == pytest.approx(whole, rel=0.01)
