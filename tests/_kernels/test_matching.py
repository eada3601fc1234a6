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
    required = draw(st.integers(1, n - n % 2))
    weights = st.integers(0, draw(st.sampled_from([1, 3, 50])))
    path = [(i, i + 1) for i in range(n - 1)]
    others = [pair for pair in combinations(range(n), 2) if draw(st.booleans())]
    edges = sorted({*path, *others})
    return n, required, {edge: 2 * draw(weights) for edge in edges}


def solve(n, required, edges):
    ends = np.array(list(edges), np.int64)
    order = np.argsort(ends, axis=None, kind="stable")
    start = np.searchsorted(ends.ravel()[order], np.arange(n + 1))
    graph = Graph(ends, np.array(list(edges.values())), start, order // 2)
    matching = open_matching(n)
    heap = open_heap(2 * len(edges) + 2 * n)
    while match_required(graph, matching, heap, required, 1):
        pass
    return graph, matching


def least_weight(n, required, edges):
    @cache
    def least(left):
        if not left:
            return 0
        first, rest = left[0], left[1:]
        actual = [least(rest)] if first >= required else [np.inf]
        for other in rest:
            if (first, other) in edges:
                others = tuple(v for v in rest if v != other)
                actual.append(edges[first, other] + least(others))
        return min(actual)

    return least(tuple(range(n)))


@given(case=graphs())
@settings(max_examples=300)
def test_no_matching_of_the_required_vertices_is_lighter(case):
    n, required, edges = case
    graph, matching = solve(n, required, edges)
    mate = matching.node["matched_edge"][:n]
    assert (mate[:required] >= 0).all()
    used = set(mate[mate >= 0].tolist())
    assert sorted(graph.ends[list(used)].ravel()) == np.flatnonzero(mate >= 0).tolist()
    assert graph.weight[list(used)].sum() == least_weight(n, required, edges)


@given(case=graphs())
@settings(max_examples=300)
def test_the_dual_values_prove_the_weight_exactly(case):
    n, required, edges = case
    graph, matching = solve(n, required, edges)
    value, parent = matching.node["dual"], matching.node["parent"]
    mate = matching.node["matched_edge"][:n]
    around = []
    for vertex in range(n):
        around.append(set())
        node = parent[vertex]
        while node >= 0:
            around[vertex].add(node)
            node = parent[node]
    assert (value[required:n] <= 0).all()
    assert (value[required:n][mate[required:] < 0] == 0).all()
    blossoms = set().union(*around)
    assert all(value[blossom] >= 0 for blossom in blossoms)
    for (a, b), weight in edges.items():
        assert value[a] + value[b] - sum(value[c] for c in around[a] & around[b]) <= weight
    sizes = {blossom: sum(blossom in nodes for nodes in around) for blossom in blossoms}
    bound = value[:n].sum() - sum(value[c] * (sizes[c] - 1) // 2 for c in blossoms)
    assert bound == graph.weight[np.unique(mate[mate >= 0])].sum()


@given(keys=st.lists(st.integers(0, 5), max_size=50))
def test_a_heap_returns_the_least_item_first(keys):
    heap = open_heap(50)
    for item, key in enumerate(keys):
        push(heap, key, item)
    assert [pop(heap) for _ in keys] == sorted((key, item) for item, key in enumerate(keys))
