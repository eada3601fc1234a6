"""The search for cheap groups, against all groups."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal._kernels.column_generation.candidate_list import NeighbourTable
from shoal._kernels.column_generation.candidate_set import MAX_PAIRED, candidate_set
from shoal._kernels.column_generation.group_search import (
    SearchLimits,
    list_all_groups,
    search_anchor,
)
from shoal.partitioners._column_generation.larger_groups import triple_multiplicity
from shoal.partitioners._column_generation.master_problem import Duals
from shoal.partitioners._column_generation.pricing import Pricing
from twins.pricing import groups_of_size, reduced_cost

MANY, KEPT = 1_000_000, 3
UNLIMITED = SearchLimits(0.0, MANY, MANY)


def below(cutoff, max_steps=MANY):
    """Return limits under which all groups below ``cutoff`` are listed, if the steps suffice."""
    return SearchLimits(float(cutoff), MANY, max_steps)


def drawn(seed, n=9, k=3):
    """Return a table, tied or not, with duals near the optimum, triples and clusters."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)) + (seed % 2) * rng.normal(size=(n, 2))
    record_dual = rng.uniform(0, 2 + seed % 5, n)
    triples = np.array([rng.choice(n, 3, replace=False) for _ in range(seed % 7)], np.int64)
    triples = np.sort(triples.reshape(-1, 3), axis=1)
    clusters = np.full((seed % 4, 2 * k - 1), -1)
    for cluster in clusters:
        n_inside = rng.integers(k, 2 * k)
        cluster[:n_inside] = np.sort(rng.choice(n, n_inside, replace=False))
    cluster_dual, divisors = rng.uniform(0, 2, len(clusters)), rng.integers(2, k + 2, len(clusters))
    triple_dual, group_dual = rng.uniform(0, 1, len(triples)), float(seed % 3) / 4
    return X, Duals(record_dual, triples, triple_dual, group_dual, clusters, cluster_dual, divisors)


def cost_of(X, group, duals):
    """Return the reduced cost of a group."""
    return reduced_cost(
        X, group, duals.record_dual, duals.triples.tolist(), duals.triple_dual, duals.group_dual,
        duals.clusters.tolist(), duals.cluster_dual, duals.divisors.tolist(),
    )  # fmt: skip


def searched(X, duals, k, size, near):
    table = Pricing(X, k).table
    shortened = NeighbourTable(
        X, table.near[:, :near].copy(), table.squares[:, :near].copy(), table.square_sums
    )
    pricing = Pricing(X, k)
    order = np.argsort(-duals.record_dual, kind="stable")
    return shortened, pricing.ranked_duals(duals, order, size)


@given(
    seed=st.integers(0, 10**6),
    k=st.integers(2, 4),
    more=st.integers(0, 2),
    near=st.sampled_from([3, 5, 8]),
)
@settings(max_examples=60)
def test_the_cheapest_group_of_each_record_is_found(seed, k, more, near):
    X, duals = drawn(seed, k=k)
    size = min(k + more, 2 * k - 1)
    table, ranked_duals = searched(X, duals, k, size, near)
    for first in range(len(X)):
        groups = groups_of_size(X, size, ranked_duals.rank, first)
        least = min(
            (cost_of(X, group, duals) for group in groups),
            default=0.0,
        )
        actual, costs = np.empty((KEPT, size), np.int64), np.empty(KEPT)
        bound, count = search_anchor(table, ranked_duals, first, UNLIMITED, actual, costs)
        assert bound == pytest.approx(min(0.0, least), abs=1e-9)
        for group, cost in zip(actual[:count].tolist(), costs[:count], strict=True):
            assert cost == pytest.approx(cost_of(X, group, duals), abs=1e-9)


@given(seed=st.integers(0, 10**6), most=st.integers(3, 8), work=st.integers(0, 40))
@settings(max_examples=20)
def test_a_search_that_ends_early_returns_a_lower_bound(seed, most, work):
    X, duals = drawn(seed)
    table, ranked_duals = searched(X, duals, 3, 4, 5)
    for first in range(len(X)):
        least = min(
            (cost_of(X, group, duals) for group in groups_of_size(X, 4, ranked_duals.rank, first)),
            default=0.0,
        )
        actual, costs = np.empty((KEPT, 4), np.int64), np.empty(KEPT)
        limits = SearchLimits(0.0, most, work)
        bound, _ = search_anchor(table, ranked_duals, first, limits, actual, costs)
        assert bound <= min(0.0, least) + 1e-9


@given(seed=st.integers(0, 10**6), gap=st.floats(0, 3), size=st.integers(3, 5))
@settings(max_examples=40)
def test_all_groups_below_a_gap_are_listed_once(seed, gap, size):
    X, duals = drawn(seed)
    table, ranked_duals = searched(X, duals, 3, size, 5)
    for first in range(len(X)):
        expected = {
            tuple(sorted(group)): cost
            for group in groups_of_size(X, size, ranked_duals.rank, first)
            if (cost := cost_of(X, group, duals)) < gap + 1e-9
        }
        groups = np.empty((1000, size), np.int64)
        count = list_all_groups(table, ranked_duals, first, below(gap), groups)
        listed = [tuple(sorted(group)) for group in groups[:count].tolist()]
        assert len(set(listed)) == count
        assert {*listed} <= {*expected}
        assert {group for group, cost in expected.items() if cost < gap - 1e-9} <= {*listed}


def test_too_many_groups_are_reported():
    X, duals = drawn(5)
    table, ranked_duals = searched(X, duals, 3, 3, 8)
    first = int(np.argmin(ranked_duals.rank))
    groups = np.empty((5, 3), np.int64)
    assert list_all_groups(table, ranked_duals, first, below(1e9), groups) == -1


def test_a_list_that_takes_too_many_steps_is_reported():
    X, duals = drawn(5)
    table, ranked_duals = searched(X, duals, 3, 3, 8)
    first, rows = int(np.argmin(ranked_duals.rank)), np.empty((10_000, 3), np.int64)
    assert list_all_groups(table, ranked_duals, first, below(1e9), rows) > 10
    assert list_all_groups(table, ranked_duals, first, below(1e9, 10), rows) == -1


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_subsets_of_k_contain_a_triple_dual_as_often_as_stated(k):
    for size in range(k + 1, 2 * k):
        subsets = list(combinations(range(size), k))
        paying = sum(len({0, 1, 2} & {*subset}) > 1 for subset in subsets)
        assert triple_multiplicity(size, k) == pytest.approx(paying / comb(size - 1, k - 1))


def many_candidates(seed, n=MAX_PAIRED + 30):
    """Return records and duals at which all but record 0 may join record 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    record_dual = rng.uniform(0.2, 0.5, n)
    record_dual[:2] = 30, 20
    triples = np.array([rng.choice(12, 3, replace=False) for _ in range(15)], np.int64)
    triples = np.unique(np.sort(np.vstack([triples, triples * 9]), axis=1), axis=0)
    return X, Duals(record_dual, triples, rng.uniform(0, 1, len(triples)), 0.25)


@pytest.mark.parametrize("seed", range(2))
def test_the_cheap_groups_of_many_candidates_include_triple_duals(seed):
    X, duals = many_candidates(seed)
    table, ranked_duals = searched(X, duals, 3, 3, len(X) - 1)
    assert candidate_set(table, ranked_duals, 1, 0.0, MANY).pair_cost.size == 0
    expected = {
        tuple(sorted(group)): reduced_cost(
            X, group, duals.record_dual, duals.triples.tolist(), duals.triple_dual, 0.25
        )
        for group in groups_of_size(X, 3, ranked_duals.rank, 1)
    }
    actual, costs = np.empty((KEPT, 3), np.int64), np.empty(KEPT)
    bound, count = search_anchor(table, ranked_duals, 1, UNLIMITED, actual, costs)
    assert bound == pytest.approx(min(expected.values()))
    for group, cost in zip(actual[:count].tolist(), costs[:count], strict=True):
        assert cost == pytest.approx(expected[tuple(sorted(group))], abs=1e-9)
    gap = float(np.quantile(list(expected.values()), 0.3))
    actual = np.empty((len(expected), 3), np.int64)
    count = list_all_groups(table, ranked_duals, 1, below(gap), actual)
    listed = [tuple(sorted(group)) for group in actual[:count].tolist()]
    assert len({*listed}) == count
    assert {*listed} == {group for group, cost in expected.items() if cost < gap}
