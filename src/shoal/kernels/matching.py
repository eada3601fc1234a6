"""A minimum-weight matching that covers every required vertex, with its dual values.

Vertices from ``required`` on may stay without a partner; the dual of one that
does is 0, and never above. Edmonds' algorithm: from each required vertex
without a partner a tree of tight edges is grown, and the duals of its nodes are
moved until the tree reaches an end at which the matching can be turned over.
Weights are even whole numbers, so that every step is exact.
"""

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.blossom import FREE, INNER, OUTER, above, expand, shrink, turn, vertices_of

REACH, RELEASE, EXPAND, NOTHING = 0, 1, 2, 3  # what the next move of the duals makes possible
ENDLESS = np.int64(2) ** 62


@compiled
def join_tree(m, node, label, entry):
    """Give an outermost node its place in the tree."""
    m.label[node] = label
    m.entry[node] = entry
    for i in range(vertices_of(m, node)):
        vertex = m.inside[i]
        if not m.counted[vertex]:
            m.counted[vertex] = True
            m.members[m.counts[0]] = vertex
            m.counts[0] += 1


@compiled
def leave_tree(m):
    """Forget the tree."""
    for i in range(m.counts[0]):
        vertex = m.members[i]
        m.counted[vertex] = False
        m.label[m.top[vertex]] = FREE
    m.counts[0] = 0


@compiled
def next_event(graph, m, required):
    """Return the least move of the duals that makes something possible, what, and where."""
    least, kind, where = ENDLESS, NOTHING, -1
    for i in range(m.counts[0]):
        vertex = m.members[i]
        node = m.top[vertex]
        if m.label[node] == INNER and node >= m.top.shape[0] and m.value[node] // 2 < least:
            least, kind, where = m.value[node] // 2, EXPAND, node
        if m.label[node] != OUTER:
            continue
        if vertex >= required and -m.value[vertex] < least:
            least, kind, where = -m.value[vertex], RELEASE, vertex
        for place in range(graph.start[vertex], graph.start[vertex + 1]):
            edge = graph.edges[place]
            other = graph.ends[edge, 0] + graph.ends[edge, 1] - vertex
            far = m.top[other]
            if far == node or m.label[far] == INNER:
                continue
            move = graph.weight[edge] - m.value[vertex] - m.value[other]
            if m.label[far] == OUTER:
                move //= 2
            if move < least:
                least, kind, where = move, REACH, edge
        if least == 0:
            break
    return least, kind, where


@compiled
def move_duals(m, step):
    """Raise the duals of outer nodes and lower those of inner ones; tight edges stay tight."""
    for i in range(m.counts[0]):
        vertex = m.members[i]
        node = m.top[vertex]
        sign = 1 if m.label[node] == OUTER else -1 if m.label[node] == INNER else 0
        m.value[vertex] += sign * step
        if node >= m.top.shape[0] and vertex == m.base[node]:
            m.value[node] += 2 * sign * step


@compiled
def turn_over(graph, m, vertex):
    """Match the root of the tree by turning over the path from it to an outer ``vertex``."""
    while True:
        node = m.top[vertex]
        turn(graph, m, node, vertex)
        if m.entry[node] < 0:
            return
        inner = above(graph, m, node)
        edge = m.entry[inner]
        a, b = graph.ends[edge, 0], graph.ends[edge, 1]
        if m.top[a] != inner:
            a, b = b, a
        turn(graph, m, inner, a)
        m.mate[a] = m.mate[b] = edge
        vertex = b


@compiled
def crossing(graph, m, one, two):
    """Return the node where the ways from two outer nodes to the root meet."""
    depth = np.zeros(2, np.int64)
    for side, start in enumerate((one, two)):
        node = start
        while m.entry[node] >= 0:
            node = above(graph, m, node)
            depth[side] += 1
    while one != two:
        if depth[0] >= depth[1]:
            one = above(graph, m, one)
            depth[0] -= 1
        else:
            two = above(graph, m, two)
            depth[1] -= 1
    return one


@compiled
def reach(graph, m, edge):
    """Use a tight edge from an outer node: grow, shrink, or turn over; say whether it is over."""
    a, b = graph.ends[edge, 0], graph.ends[edge, 1]
    if m.label[m.top[a]] != OUTER:
        a, b = b, a
    far = m.top[b]
    if m.label[far] == OUTER:
        shrink(graph, m, edge, crossing(graph, m, m.top[a], far))
        return False
    partner = m.mate[m.base[far]]
    if partner < 0:
        turn_over(graph, m, a)
        turn(graph, m, far, b)
        m.mate[a] = m.mate[b] = edge
        return True
    join_tree(m, far, INNER, edge)
    c, d = m.top[graph.ends[partner, 0]], m.top[graph.ends[partner, 1]]
    join_tree(m, d if c == far else c, OUTER, partner)
    return False


@compiled
def cover(graph, m, root, required):
    """Match ``root``; return the work done, -1 if no matching covers it."""
    join_tree(m, m.top[root], OUTER, -1)
    work = 0
    over = False
    while not over:
        step, kind, where = next_event(graph, m, required)
        if kind == NOTHING:
            return -1
        work += m.counts[0]
        move_duals(m, step)
        if kind == EXPAND:
            expand(graph, m, where)
        elif kind == RELEASE:
            turn_over(graph, m, where)
            m.mate[where] = -1
            over = True
        else:
            over = reach(graph, m, where)
    leave_tree(m)
    return work


@compiled
def advance(graph, m, required, work):
    """Cover vertices until about ``work`` is done; say whether some are left."""
    while m.counts[1] < required and work > 0:
        vertex = m.counts[1]
        if m.mate[vertex] < 0:
            done = cover(graph, m, vertex, required)
            if done < 0:
                raise ValueError("no matching covers all required vertices")
            work -= done
        m.counts[1] += 1
    return m.counts[1] < required
