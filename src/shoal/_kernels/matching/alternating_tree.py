"""The alternating tree: tight edges, every second one matched, from an unmatched root.

Its nodes are alternately outer and inner; the root is outer. An edge between two
outer nodes closes an odd cycle, which is shrunk to a blossom; an inner blossom
can be expanded again.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.matching.blossom import (
    FREE,
    INNER,
    OUTER,
    child_with,
    is_matched_forward,
    raise_top,
    ring_of,
    turn,
)


@compiled
def chain(m, one, two, edge):
    """Make ``two`` the successor of ``one`` in a cycle, by ``edge``."""
    m.node[one].following = two
    m.node[two].preceding = one
    m.node[one].link = edge


@compiled
def above(graph, m, node):
    """Return the parent of ``node`` in the tree."""
    edge = m.node[node].entry
    a, b = m.node[graph.ends[edge, 0]].top, m.node[graph.ends[edge, 1]].top
    return b if a == node else a


@compiled
def crossing(graph, m, one, two):
    """Return the lowest common ancestor of two outer nodes."""
    deeper = 0
    for node in (one, two):
        deeper = -deeper
        while m.node[node].entry >= 0:
            node = above(graph, m, node)
            deeper += 1
    while one != two:
        if deeper > 0:
            two = above(graph, m, two)
            deeper -= 1
        else:
            one = above(graph, m, one)
            deeper += 1
    return one


@compiled
def shrink(graph, m, edge):
    """Return a new outer blossom of the cycle that ``edge`` closes between two outer nodes."""
    m.counts[2] -= 1
    blossom = m.spare[m.counts[2]]
    one, two = m.node[graph.ends[edge, 0]].top, m.node[graph.ends[edge, 1]].top
    root = crossing(graph, m, one, two)
    chain(m, one, two, edge)
    while one != root:
        up = above(graph, m, one)
        chain(m, up, one, m.node[one].entry)
        one = up
    while two != root:
        up = above(graph, m, two)
        chain(m, two, up, m.node[two].entry)
        two = up
    m.node[blossom].first = root
    m.node[blossom].base = m.node[root].base
    m.node[blossom].parent = -1
    m.node[blossom].label = OUTER
    m.node[blossom].entry = m.node[root].entry
    for i in range(ring_of(m, blossom)):
        m.node[m.ring[i]].parent = blossom
    raise_top(m, blossom)
    return blossom


@compiled
def dissolve(m, blossom):
    """Expand a blossom: the nodes of its cycle become outermost and leave the tree."""
    children = m.ring[: ring_of(m, blossom)].copy()
    for child in children:
        m.node[child].parent = -1
        m.node[child].label = FREE
        raise_top(m, child)
    m.spare[m.counts[2]] = blossom
    m.counts[2] += 1


@compiled
def expand(graph, m, blossom):
    """Expand an inner blossom; the even path of its cycle replaces it in the tree."""
    edge = m.node[blossom].entry
    a, b = graph.ends[edge, 0], graph.ends[edge, 1]
    child = child_with(m, blossom, a)
    if child < 0:
        child = child_with(m, blossom, b)
    forward = is_matched_forward(m, blossom, child)
    last = m.node[blossom].first
    dissolve(m, blossom)
    label = INNER
    while True:
        m.node[child].label = label
        m.node[child].entry = edge
        if child == last:
            return
        edge = m.node[child].link if forward else m.node[m.node[child].preceding].link
        child = m.node[child].following if forward else m.node[child].preceding
        label = OUTER if label == INNER else INNER


@compiled
def turn_over(graph, m, vertex):
    """Augment along the path from the root to an outer ``vertex``."""
    while True:
        node = m.node[vertex].top
        turn(graph, m, node, vertex)
        if m.node[node].entry < 0:
            return
        inner = above(graph, m, node)
        edge = m.node[inner].entry
        a, b = graph.ends[edge, 0], graph.ends[edge, 1]
        if m.node[a].top != inner:
            a, b = b, a
        turn(graph, m, inner, a)
        m.node[a].mate = m.node[b].mate = edge
        vertex = b
