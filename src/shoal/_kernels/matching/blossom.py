"""Blossoms: odd cycles of vertices, or of smaller blossoms, that act as one vertex.

One vertex of a blossom, its base, is matched outside the blossom or not at all; any vertex can be
made the base by alternating the matching along the cycle [E65b]_. Vertices are numbered from 0,
blossoms from the number of vertices on; both are called nodes. A node that no other contains is
outermost.

References
----------
.. [E65b] Edmonds, J. (1965). Paths, trees, and flowers. Canadian Journal of Mathematics 17,
   449-467.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE

FREE, OUTER, INNER = 0, 1, 2  # label of a node with respect to the tree
N_IN_TREE, NEXT_VERTEX, N_UNUSED, N_STACKED = range(4)  # indices of the counts of a matching


class Graph(NamedTuple):
    """Edges between vertices; the edges of vertex v are ``edges[start[v] : start[v + 1]]``."""

    ends: np.ndarray  # (n_edges, 2)
    weight: np.ndarray  # (n_edges,)
    start: np.ndarray  # (n_vertices + 1,)
    edges: np.ndarray  # (2 * n_edges,)


NODE = np.dtype(
    [
        ("matched_edge", np.int64),  # the matched edge of a vertex, or -1
        ("top", np.int64),  # the outermost node that contains a vertex
        ("parent", np.int64),  # the blossom in whose cycle a node lies, or -1
        ("successor", np.int64),  # its successor in that cycle
        ("predecessor", np.int64),  # its predecessor
        ("cycle_edge", np.int64),  # the edge to the successor
        ("first", np.int64),  # the first node of a blossom's cycle
        ("base", np.int64),  # the vertex matched outside, which is in ``first``
        ("dual", np.int64),  # the dual value, at least 0 for blossoms
        ("dual_time", np.int64),  # the time at which ``dual`` was stored
        ("label", np.int64),  # free, outer or inner
        ("tree_edge", np.int64),  # the edge by which it joined the tree, -1 for the root
        ("in_tree", np.int64),  # whether a vertex belongs to the tree
    ],
    align=True,
)


class Matching(NamedTuple):
    """Matched edges, nested blossoms, dual values and the alternating tree.

    The vertices of the tree are ``tree_vertices[: counts[N_IN_TREE]]``, ``counts[NEXT_VERTEX]`` is
    the next vertex to start from, and ``unused_numbers[: counts[N_UNUSED]]`` are numbers that no
    blossom has. ``clock[0]`` is the time, by which the duals in the tree have changed so far.
    The first ``counts[N_STACKED]`` rows of ``stack`` are nodes that wait, each with one of its
    vertices or NONE. ``vertices`` and ``cycle`` are scratch space.
    """

    node: np.ndarray  # (2 * n_vertices,), of dtype `NODE`
    clock: np.ndarray  # (1,)
    counts: np.ndarray  # (4,)
    tree_vertices: np.ndarray  # (n_vertices,)
    unused_numbers: np.ndarray  # (n_vertices,)
    stack: np.ndarray  # (8 * n_vertices, 2)
    vertices: np.ndarray  # (n_vertices,)
    cycle: np.ndarray  # (2 * n_vertices,)


def open_matching(size: int) -> Matching:
    """Return a matching of ``size`` vertices without an edge."""
    node = np.zeros(2 * size, NODE)
    node["top"] = node["base"] = np.arange(2 * size)
    node["matched_edge"] = node["parent"] = node["tree_edge"] = NONE
    return Matching(
        node=node,
        clock=np.zeros(1, np.int64),
        counts=np.array([0, 0, size, 0]),
        tree_vertices=np.empty(size, np.int64),
        unused_numbers=np.arange(2 * size - 1, size - 1, -1),
        stack=np.empty((8 * size, 2), np.int64),
        vertices=np.empty(size, np.int64),
        cycle=np.empty(2 * size, np.int64),
    )


@compiled
def is_blossom(matching, node):
    """Return whether a node is a blossom, not a single vertex."""
    return node >= matching.vertices.shape[0]


@compiled
def push_node(matching, node, vertex):
    """Put a node on the stack, with one of its vertices or NONE."""
    height = matching.counts[N_STACKED]
    matching.stack[height, 0], matching.stack[height, 1] = node, vertex
    matching.counts[N_STACKED] += 1


@compiled
def pop_node(matching):
    """Remove the last node from the stack; return it and its vertex."""
    matching.counts[N_STACKED] -= 1
    height = matching.counts[N_STACKED]
    return matching.stack[height, 0], matching.stack[height, 1]


@compiled
def list_cycle(matching, blossom):
    """Write the nodes of a cycle into ``matching.cycle``, in order; return their number."""
    count = 0
    child = matching.node[blossom].first
    while count == 0 or child != matching.node[blossom].first:
        matching.cycle[count] = child
        count += 1
        child = matching.node[child].successor
    return count


@compiled
def list_vertices(matching, node):
    """Write the vertices of a node into ``matching.vertices``; return their number."""
    count = 0
    push_node(matching, node, NONE)
    while matching.counts[N_STACKED] > 0:
        inner, _ = pop_node(matching)
        if not is_blossom(matching, inner):
            matching.vertices[count] = inner
            count += 1
            continue
        for i in range(list_cycle(matching, inner)):
            push_node(matching, matching.cycle[i], NONE)
    return count


@compiled
def set_top(matching, node):
    """Make ``node`` the outermost one of all its vertices."""
    for i in range(list_vertices(matching, node)):
        matching.node[matching.vertices[i]].top = node


@compiled
def child_with(matching, blossom, vertex):
    """Return the node of the blossom's cycle that contains ``vertex``, or -1."""
    node = vertex
    while node >= 0 and matching.node[node].parent != blossom:
        node = matching.node[node].parent
    return node


@compiled
def is_matched_forward(matching, blossom, child):
    """Return whether ``child`` is matched to its successor: then its index in the cycle is odd."""
    is_forward = False
    while child != matching.node[blossom].first:
        child = matching.node[child].predecessor
        is_forward = not is_forward
    return is_forward


@compiled
def match_nodes(graph, matching, blossom, edge, first, second):
    """Match two nodes of a cycle by ``edge``; stack them to change the matching inside."""
    end, other_end = graph.ends[edge, 0], graph.ends[edge, 1]
    if child_with(matching, blossom, end) != first:
        end, other_end = other_end, end
    matching.node[end].matched_edge = matching.node[other_end].matched_edge = edge
    push_node(matching, first, end)
    push_node(matching, second, other_end)


@compiled
def rematch_inside(graph, matching, node, vertex):
    """Make ``vertex`` the base of ``node``, and match the other vertices inside.

    The stack holds nodes whose matching inside is still to be changed, each with its new base.
    """
    push_node(matching, node, vertex)
    while matching.counts[N_STACKED] > 0:
        blossom, base = pop_node(matching)
        if not is_blossom(matching, blossom):
            continue
        child = child_with(matching, blossom, base)
        push_node(matching, child, base)
        rematch_path(graph, matching, blossom, child)
        matching.node[blossom].first = child
        matching.node[blossom].base = base


@compiled
def rematch_path(graph, matching, blossom, child):
    """Match the nodes of a cycle between ``child`` and the first one in pairs, along the even path.

    They are put on the stack.
    """
    is_forward = is_matched_forward(matching, blossom, child)
    node = child
    while node != matching.node[blossom].first:
        if is_forward:
            first = matching.node[node].successor
            second = matching.node[first].successor
            edge = matching.node[first].cycle_edge
        else:
            first = matching.node[node].predecessor
            second = matching.node[first].predecessor
            edge = matching.node[second].cycle_edge
        match_nodes(graph, matching, blossom, edge, first, second)
        node = second
