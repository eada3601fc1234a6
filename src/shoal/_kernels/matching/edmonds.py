"""A minimum-weight matching that covers every required vertex, with its dual values.

Vertices from ``required`` on may stay unmatched; their duals are at most 0, and 0 if
they are unmatched. Edmonds' algorithm: from each unmatched required vertex an
alternating tree of tight edges is grown. The duals of its nodes, increasing for outer
and decreasing for inner ones, change from one event to the next until an augmenting
path is reached. Weights are even integers, so all duals and times are integers and
every step is exact.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.matching.alternating_tree import expand, shrink, turn_over
from shoal._kernels.matching.blossom import FREE, INNER, OUTER, ring_of, turn, vertices_of
from shoal._kernels.structures.heap import pop, push

TIGHT, RELEASE, EMPTY = 0, 1, 2  # events: an edge is tight, a dual is 0, a blossom's dual is 0
DIRECTION = (0, 1, -1)  # of the duals of free, outer and inner nodes


@compiled
def dual(m, vertex):
    """Return the current dual of a vertex."""
    return m.node[vertex].value + DIRECTION[m.node[m.node[vertex].top].label] * (
        m.clock[0] - m.node[vertex].since
    )


@compiled
def write_duals(m, node):
    """Store the current duals of an outermost node and its vertices, before its label changes."""
    direction = DIRECTION[m.node[node].label]
    if node >= m.inside.shape[0]:
        m.node[node].value += 2 * direction * (m.clock[0] - m.node[node].since)
        m.node[node].since = m.clock[0]
    for i in range(vertices_of(m, node)):
        vertex = m.inside[i]
        m.node[vertex].value += direction * (m.clock[0] - m.node[vertex].since)
        m.node[vertex].since = m.clock[0]


@compiled
def push_events(graph, m, heap, vertex, required):
    """Add the events of the edges of an outer vertex to the heap."""
    mine = dual(m, vertex)
    node = m.node[vertex].top
    if vertex >= required:
        push(heap, m.clock[0] - mine, 3 * vertex + RELEASE)
    for place in range(graph.start[vertex], graph.start[vertex + 1]):
        edge = graph.edges[place]
        other = graph.ends[edge, 0] + graph.ends[edge, 1] - vertex
        far = m.node[other].top
        if far == node or m.node[far].label == INNER:
            continue
        slack = graph.weight[edge] - mine - dual(m, other)
        if m.node[far].label == OUTER:
            slack //= 2
        push(heap, m.clock[0] + slack, 3 * edge + TIGHT)


@compiled
def push_emptying(m, heap, node):
    """Add the time at which the dual of an inner blossom becomes 0 to the heap."""
    if m.node[node].label == INNER and node >= m.inside.shape[0]:
        push(heap, m.node[node].since + m.node[node].value // 2, 3 * node + EMPTY)


@compiled
def join_tree(m, node, entry):
    """Add a free outermost node to the tree, without a label yet."""
    write_duals(m, node)
    m.node[node].entry = entry
    for i in range(vertices_of(m, node)):
        vertex = m.inside[i]
        if m.node[vertex].counted == 0:
            m.node[vertex].counted = 1
            m.members[m.counts[0]] = vertex
            m.counts[0] += 1


@compiled
def join_inner(m, heap, node, entry):
    """Add a node to the tree as an inner node."""
    join_tree(m, node, entry)
    m.node[node].label = INNER
    push_emptying(m, heap, node)


@compiled
def join_outer(graph, m, heap, node, entry, required):
    """Add a node to the tree as an outer node."""
    join_tree(m, node, entry)
    m.node[node].label = OUTER
    for i in range(vertices_of(m, node)):
        push_events(graph, m, heap, m.inside[i], required)


@compiled
def leave_tree(m, heap):
    """Store all duals and clear the tree."""
    for i in range(m.counts[0]):
        node = m.node[m.members[i]].top
        if m.node[node].label != FREE:
            write_duals(m, node)
            m.node[node].label = FREE
        m.node[m.members[i]].counted = 0
    m.counts[0] = 0
    m.clock[0] = 0
    heap.size[0] = 0


@compiled
def shrink_at(graph, m, heap, edge, required):
    """Shrink the cycle that ``edge`` closes to a blossom; its inner nodes become outer."""
    blossom = shrink(graph, m, edge)
    m.node[blossom].value, m.node[blossom].since = 0, m.clock[0]
    children = m.ring[: ring_of(m, blossom)].copy()
    for child in children:
        write_duals(m, child)
    for child in children:
        if m.node[child].label == INNER:  # its former label
            for i in range(vertices_of(m, child)):
                push_events(graph, m, heap, m.inside[i], required)


@compiled
def expand_at(graph, m, heap, blossom, required):
    """Expand an inner blossom and compute all events again, since some vertices become free."""
    write_duals(m, blossom)
    for i in range(ring_of(m, blossom)):
        m.node[m.ring[i]].since = m.clock[0]
    expand(graph, m, blossom)
    heap.size[0] = 0
    for i in range(m.counts[0]):
        vertex = m.members[i]
        node = m.node[vertex].top
        if m.node[node].label == OUTER:
            push_events(graph, m, heap, vertex, required)
        elif m.node[node].base == vertex:
            push_emptying(m, heap, node)


@compiled
def reach(graph, m, heap, edge, required):
    """Use an edge if it is tight: grow, shrink or augment; return whether the search is over."""
    a, b = graph.ends[edge, 0], graph.ends[edge, 1]
    if m.node[m.node[a].top].label != OUTER:
        a, b = b, a
    near, far = m.node[a].top, m.node[b].top
    if near == far or m.node[far].label == INNER or graph.weight[edge] != dual(m, a) + dual(m, b):
        return False  # an event from before the tree changed
    if m.node[far].label == OUTER:
        shrink_at(graph, m, heap, edge, required)
        return False
    partner = m.node[m.node[far].base].mate
    if partner < 0:
        turn_over(graph, m, a)
        turn(graph, m, far, b)
        m.node[a].mate = m.node[b].mate = edge
        return True
    join_inner(m, heap, far, edge)
    c, d = m.node[graph.ends[partner, 0]].top, m.node[graph.ends[partner, 1]].top
    join_outer(graph, m, heap, d if c == far else c, partner, required)
    return False


@compiled
def cover(graph, m, heap, root, required):
    """Match ``root``; return the number of events, -1 if no matching covers it."""
    join_outer(graph, m, heap, m.node[root].top, m.node[root].mate, required)
    events = 0
    while heap.size[0] > 0:
        m.clock[0], item = pop(heap)
        events += 1
        where, kind = item // 3, item % 3
        if kind == TIGHT:
            if reach(graph, m, heap, where, required):
                break
        elif kind == RELEASE:
            turn_over(graph, m, where)
            m.node[where].mate = -1
            break
        elif m.node[where].parent < 0 and m.node[where].label == INNER:
            expand_at(graph, m, heap, where, required)
    else:
        return -1
    leave_tree(m, heap)
    return events


@compiled
def advance(graph, m, heap, required, work):
    """Cover vertices until about ``work`` events are processed; return whether any remain."""
    while m.counts[1] < required and work > 0:
        vertex = m.counts[1]
        if m.node[vertex].mate < 0:
            events = cover(graph, m, heap, vertex, required)
            if events < 0:
                raise ValueError("no matching covers all required vertices")
            work -= events
        m.counts[1] += 1
    return m.counts[1] < required
