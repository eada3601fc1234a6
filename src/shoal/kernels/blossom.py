"""Blossoms: odd rings of vertices, or of smaller blossoms, that act as one vertex.

A matching leaves one vertex of a blossom, its base, to be matched outside; any
vertex can be made the base by turning the matching around the rings. Vertices
are numbered from 0, blossoms from the number of vertices on, and both are called
nodes where it does not matter which.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels._compile import compiled

FREE, OUTER, INNER = 0, 1, 2  # where a node stands to the tree that is grown


class Graph(NamedTuple):
    """Edges between vertices; those of vertex v are ``edges[start[v] : start[v + 1]]``."""

    ends: np.ndarray
    weight: np.ndarray
    start: np.ndarray
    edges: np.ndarray


class Matching(NamedTuple):
    """Matched edges, nested blossoms, dual values and the tree under growth.

    ``mate[v]`` is the matched edge of a vertex, -1 if it has none; ``top[v]`` the
    outermost node that holds it. A ring runs from ``first[b]``, which holds
    ``base[b]``, along ``following`` over the edges ``link``, and back along
    ``preceding``. ``value`` is the dual of each node: free for vertices, at least 0
    for blossoms. A node of the tree was reached by its edge ``entry``; the vertices
    of the tree are ``members[: counts[0]]``, ``counts[1]`` is the next vertex to
    start from, and ``spare[: counts[2]]`` are unused numbers of blossoms. ``stack``
    and ``inside`` are scratch.
    """

    mate: np.ndarray
    top: np.ndarray
    parent: np.ndarray
    first: np.ndarray
    base: np.ndarray
    following: np.ndarray
    preceding: np.ndarray
    link: np.ndarray
    value: np.ndarray
    label: np.ndarray
    entry: np.ndarray
    members: np.ndarray
    counted: np.ndarray
    counts: np.ndarray
    spare: np.ndarray
    stack: np.ndarray
    inside: np.ndarray


def open_matching(size: int) -> Matching:
    """Return a matching of ``size`` vertices without an edge."""
    nodes = 2 * size
    return Matching(
        mate=np.full(size, -1),
        top=np.arange(size),
        parent=np.full(nodes, -1),
        first=np.full(nodes, -1),
        base=np.arange(nodes),
        following=np.full(nodes, -1),
        preceding=np.full(nodes, -1),
        link=np.full(nodes, -1),
        value=np.zeros(nodes, np.int64),
        label=np.full(nodes, FREE),
        entry=np.full(nodes, -1),
        members=np.empty(size, np.int64),
        counted=np.zeros(size, np.bool_),
        counts=np.array([0, 0, size]),
        spare=np.arange(nodes - 1, size - 1, -1),
        stack=np.empty((4 * nodes, 2), np.int64),
        inside=np.empty(size, np.int64),
    )


@compiled
def vertices_of(m, node):
    """Write the vertices of a node into ``m.inside``; return their number."""
    m.stack[0, 0] = node
    waiting, count = 1, 0
    while waiting > 0:
        waiting -= 1
        here = m.stack[waiting, 0]
        if here < m.top.shape[0]:
            m.inside[count] = here
            count += 1
            continue
        child = m.first[here]
        while True:
            m.stack[waiting, 0] = child
            waiting += 1
            child = m.following[child]
            if child == m.first[here]:
                break
    return count


@compiled
def raise_top(m, node):
    """Make ``node`` the outermost one of all its vertices."""
    for i in range(vertices_of(m, node)):
        m.top[m.inside[i]] = node


@compiled
def child_with(m, blossom, vertex):
    """Return the node of the blossom's ring that holds ``vertex``, -1 if none does."""
    node = vertex
    while node >= 0 and m.parent[node] != blossom:
        node = m.parent[node]
    return node


@compiled
def match_neighbours(graph, m, blossom, one, two, edge, waiting):
    """Match two nodes of a ring over ``edge``; each is to be turned to its end of it."""
    a, b = graph.ends[edge, 0], graph.ends[edge, 1]
    if child_with(m, blossom, a) != one:
        a, b = b, a
    m.mate[a] = m.mate[b] = edge
    m.stack[waiting, 0], m.stack[waiting, 1] = one, a
    m.stack[waiting + 1, 0], m.stack[waiting + 1, 1] = two, b
    return waiting + 2


@compiled
def turn(graph, m, node, vertex):
    """Make ``vertex`` the base of the node that holds it, and match the others inside."""
    m.stack[0, 0], m.stack[0, 1] = node, vertex
    waiting = 1
    while waiting > 0:
        waiting -= 1
        blossom, base = m.stack[waiting, 0], m.stack[waiting, 1]
        if blossom < m.top.shape[0]:
            continue
        child = child_with(m, blossom, base)
        m.stack[waiting, 0], m.stack[waiting, 1] = child, base
        waiting += 1
        forward = is_matched_forward(m, blossom, child)
        here = child
        while here != m.first[blossom]:
            if forward:
                one = m.following[here]
                two = m.following[one]
                waiting = match_neighbours(graph, m, blossom, one, two, m.link[one], waiting)
            else:
                one = m.preceding[here]
                two = m.preceding[one]
                waiting = match_neighbours(graph, m, blossom, one, two, m.link[two], waiting)
            here = two
        m.first[blossom] = child
        m.base[blossom] = base


@compiled
def is_matched_forward(m, blossom, child):
    """Say whether ``child`` is matched to the next in the ring: it stands at an odd place."""
    steps = 0
    here = m.first[blossom]
    while here != child:
        here = m.following[here]
        steps += 1
    return steps % 2 == 1


@compiled
def chain(m, one, two, edge):
    """Let ``two`` follow ``one`` in a ring, over ``edge``."""
    m.following[one] = two
    m.preceding[two] = one
    m.link[one] = edge


@compiled
def above(graph, m, node):
    """Return the node of the tree from which ``node`` was reached."""
    edge = m.entry[node]
    a, b = m.top[graph.ends[edge, 0]], m.top[graph.ends[edge, 1]]
    return b if a == node else a


@compiled
def shrink(graph, m, edge, crossing):
    """Make a blossom of the ring that ``edge`` closes; ``crossing`` is where its sides meet."""
    blossom = m.spare[m.counts[2] - 1]
    m.counts[2] -= 1
    a, b = graph.ends[edge, 0], graph.ends[edge, 1]
    chain(m, m.top[a], m.top[b], edge)
    node = m.top[a]
    while node != crossing:
        up = above(graph, m, node)
        chain(m, up, node, m.entry[node])
        node = up
    node = m.top[b]
    while node != crossing:
        up = above(graph, m, node)
        chain(m, node, up, m.entry[node])
        node = up
    m.first[blossom] = crossing
    m.base[blossom] = m.base[crossing]
    m.value[blossom] = 0
    m.parent[blossom] = -1
    m.label[blossom] = OUTER
    m.entry[blossom] = m.entry[crossing]
    node = crossing
    while m.parent[node] != blossom:
        m.parent[node] = blossom
        node = m.following[node]
    raise_top(m, blossom)


@compiled
def open_up(m, blossom):
    """Take a blossom apart: the nodes of its ring become outermost and leave the tree."""
    child = m.first[blossom]
    while m.parent[child] == blossom:
        m.parent[child] = -1
        m.label[child] = FREE
        raise_top(m, child)
        child = m.following[child]
    m.spare[m.counts[2]] = blossom
    m.counts[2] += 1


@compiled
def expand(graph, m, blossom):
    """Take an inner blossom apart; the even side of its ring takes its place in the tree."""
    edge = m.entry[blossom]
    a, b = graph.ends[edge, 0], graph.ends[edge, 1]
    child = child_with(m, blossom, a)
    if child < 0:
        child = child_with(m, blossom, b)
    forward = is_matched_forward(m, blossom, child)
    last = m.first[blossom]
    open_up(m, blossom)
    label = INNER
    while True:
        m.label[child] = label
        m.entry[child] = edge
        if child == last:
            return
        edge = m.link[child] if forward else m.link[m.preceding[child]]
        child = m.following[child] if forward else m.preceding[child]
        label = OUTER if label == INNER else INNER
