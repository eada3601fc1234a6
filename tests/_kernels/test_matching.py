"""Matching: all matchings tried, and the dual values checked, on graphs with many odd cycles."""

from functools import cache
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal._kernels.matching.blossom import Graph, open_matching
from shoal._kernels.matching.edmonds import match_required
from shoal._kernels.structures.heap import open_heap, pop, push


@st.composite
def graphs(draw):
    """Draw a graph whose required vertices can all be matched, and their number."""
    n = draw(st.integers(2, 9))
    n_required = draw(st.integers(1, n - n % 2))
    weights = st.integers(0, draw(st.sampled_from([1, 3, 50])))
    path = [(i, i + 1) for i in range(n - 1)]
    others = [pair for pair in combinations(range(n), 2) if draw(st.booleans())]
    edges = sorted({*path, *others})
    return n, n_required, {edge: 2 * draw(weights) for edge in edges}


def solve(n, n_required, edges):
    ends = np.array(list(edges), np.int64)
    order = np.argsort(ends, axis=None, kind="stable")
    start = np.searchsorted(ends.ravel()[order], np.arange(n + 1))
    graph = Graph(ends, np.array(list(edges.values())), start, order // 2)
    matching = open_matching(n)
    heap = open_heap(2 * len(edges) + 2 * n)
    while match_required(graph, matching, heap, n_required, 1):
        pass
    return graph, matching


def least_weight(n, n_required, edges):
    @cache
    def least(remaining):
        if not remaining:
            return 0
        first, others = remaining[0], remaining[1:]
        weights = [least(others)] if first >= n_required else [np.inf]
        for mate in others:
            if (first, mate) in edges:
                unmatched = tuple(v for v in others if v != mate)
                weights.append(edges[first, mate] + least(unmatched))
        return min(weights)

    return least(tuple(range(n)))


@given(case=graphs())
@settings(max_examples=300)
def test_no_matching_of_the_required_vertices_is_lighter(case):
    n, n_required, edges = case
    graph, matching = solve(n, n_required, edges)
    mate = matching.node["matched_edge"][:n]
    assert (mate[:n_required] >= 0).all()
    used = set(mate[mate >= 0].tolist())
    assert sorted(graph.ends[list(used)].ravel()) == np.flatnonzero(mate >= 0).tolist()
    assert graph.weight[list(used)].sum() == least_weight(n, n_required, edges)


@given(case=graphs())
@settings(max_examples=300)
def test_the_dual_values_prove_the_weight_exactly(case):
    n, n_required, edges = case
    graph, matching = solve(n, n_required, edges)
    value, parent = matching.node["dual"], matching.node["parent"]
    mate = matching.node["matched_edge"][:n]
    enclosing = []
    for vertex in range(n):
        enclosing.append(set())
        node = parent[vertex]
        while node >= 0:
            enclosing[vertex].add(node)
            node = parent[node]
    assert (value[n_required:n] <= 0).all()
    assert (value[n_required:n][mate[n_required:] < 0] == 0).all()
    blossoms = set().union(*enclosing)
    assert all(value[blossom] >= 0 for blossom in blossoms)
    for (a, b), weight in edges.items():
        assert value[a] + value[b] - sum(value[c] for c in enclosing[a] & enclosing[b]) <= weight
    sizes = {blossom: sum(blossom in nodes for nodes in enclosing) for blossom in blossoms}
    bound = value[:n].sum() - sum(value[c] * (sizes[c] - 1) // 2 for c in blossoms)
    assert bound == graph.weight[np.unique(mate[mate >= 0])].sum()


@given(keys=st.lists(st.integers(0, 5), max_size=50))
def test_a_heap_returns_the_least_item_first(keys):
    heap = open_heap(50)
    for item, key in enumerate(keys):
        push(heap, key, item)
    assert [pop(heap) for _ in keys] == sorted((key, item) for item, key in enumerate(keys))
