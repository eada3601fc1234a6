"""A minimum-weight matching that covers every required vertex, with its dual values.

Vertices from ``required`` on may stay unmatched; their duals are at most 0, and 0 if
they are unmatched. Edmonds' algorithm: from each unmatched required vertex an
alternating tree of tight edges is grown. The duals of its nodes, increasing for outer
and decreasing for inner ones, change from one event to the next until an augmenting
path is reached. Weights are even integers, so all duals and times are integers and
every step is exact.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.matching.alternating_tree import augment, expand, shrink
from shoal._kernels.matching.blossom import (
    FREE,
    INNER,
    N_MEMBERS,
    NEXT_VERTEX,
    OUTER,
    is_blossom,
    list_cycle,
    list_vertices,
    rematch_inside,
)
from shoal._kernels.structures.heap import pop, push

TIGHT, RELEASE, EMPTY = 0, 1, 2  # events: an edge is tight, a dual is 0, a blossom's dual is 0
N_KINDS = 3  # an item of the heap is N_KINDS * subject + event; a subject is an edge or a node
DIRECTION = (0, 1, -1)  # of the duals of free, outer and inner nodes


@compiled
def dual(matching, vertex):
    """Return the current dual of a vertex."""
    return matching.node[vertex].value + DIRECTION[
        matching.node[matching.node[vertex].top].label
    ] * (matching.clock[0] - matching.node[vertex].since)


@compiled
def write_duals(matching, node):
    """Store the current duals of an outermost node and its vertices, before its label changes."""
    direction = DIRECTION[matching.node[node].label]
    if is_blossom(matching, node):
        matching.node[node].value += 2 * direction * (matching.clock[0] - matching.node[node].since)
        matching.node[node].since = matching.clock[0]
    for i in range(list_vertices(matching, node)):
        vertex = matching.vertices[i]
        matching.node[vertex].value += direction * (matching.clock[0] - matching.node[vertex].since)
        matching.node[vertex].since = matching.clock[0]


@compiled
def push_events(graph, matching, heap, vertex, required):
    """Add the events of the edges of an outer vertex to the heap."""
    own_dual = dual(matching, vertex)
    node = matching.node[vertex].top
    if vertex >= required:
        push(heap, matching.clock[0] - own_dual, N_KINDS * vertex + RELEASE)
    for place in range(graph.start[vertex], graph.start[vertex + 1]):
        edge = graph.edges[place]
        other = graph.ends[edge, 0] + graph.ends[edge, 1] - vertex
        other_node = matching.node[other].top
        if other_node == node or matching.node[other_node].label == INNER:
            continue
        slack = graph.weight[edge] - own_dual - dual(matching, other)
        if matching.node[other_node].label == OUTER:
            slack //= 2
        push(heap, matching.clock[0] + slack, N_KINDS * edge + TIGHT)


@compiled
def push_expansion(matching, heap, node):
    """Add the time at which the dual of an inner blossom becomes 0 to the heap."""
    if matching.node[node].label == INNER and is_blossom(matching, node):
        # The dual of a blossom changes twice as fast as time passes.
        end = matching.node[node].since + matching.node[node].value // 2
        push(heap, end, N_KINDS * node + EMPTY)


@compiled
def join_tree(matching, node, entry):
    """Add a free outermost node to the tree, without a label yet."""
    write_duals(matching, node)
    matching.node[node].entry = entry
    for i in range(list_vertices(matching, node)):
        vertex = matching.vertices[i]
        if matching.node[vertex].counted == 0:
            matching.node[vertex].counted = 1
            matching.members[matching.counts[N_MEMBERS]] = vertex
            matching.counts[N_MEMBERS] += 1


@compiled
def join_inner(matching, heap, node, entry):
    """Add a node to the tree as an inner node."""
    join_tree(matching, node, entry)
    matching.node[node].label = INNER
    push_expansion(matching, heap, node)


@compiled
def join_outer(graph, matching, heap, node, entry, required):
    """Add a node to the tree as an outer node."""
    join_tree(matching, node, entry)
    matching.node[node].label = OUTER
    for i in range(list_vertices(matching, node)):
        push_events(graph, matching, heap, matching.vertices[i], required)


@compiled
def clear_tree(matching, heap):
    """Store all duals and clear the tree."""
    for i in range(matching.counts[N_MEMBERS]):
        node = matching.node[matching.members[i]].top
        if matching.node[node].label != FREE:
            write_duals(matching, node)
            matching.node[node].label = FREE
        matching.node[matching.members[i]].counted = 0
    matching.counts[N_MEMBERS] = 0
    matching.clock[0] = 0
    heap.size[0] = 0


@compiled
def shrink_at(graph, matching, heap, edge, required):
    """Shrink the cycle that ``edge`` closes to a blossom; its inner nodes become outer."""
    blossom = shrink(graph, matching, edge)
    matching.node[blossom].value, matching.node[blossom].since = 0, matching.clock[0]
    children = matching.cycle[: list_cycle(matching, blossom)].copy()
    for child in children:
        write_duals(matching, child)
    for child in children:
        if matching.node[child].label == INNER:  # its former label
            for i in range(list_vertices(matching, child)):
                push_events(graph, matching, heap, matching.vertices[i], required)


@compiled
def expand_at(graph, matching, heap, blossom, required):
    """Expand an inner blossom and compute all events again, since some vertices become free."""
    write_duals(matching, blossom)
    for i in range(list_cycle(matching, blossom)):
        matching.node[matching.cycle[i]].since = matching.clock[0]
    expand(graph, matching, blossom)
    heap.size[0] = 0
    for i in range(matching.counts[N_MEMBERS]):
        vertex = matching.members[i]
        node = matching.node[vertex].top
        if matching.node[node].label == OUTER:
            push_events(graph, matching, heap, vertex, required)
        elif matching.node[node].base == vertex:
            push_expansion(matching, heap, node)


@compiled
def use_edge(graph, matching, heap, edge, required):
    """Use an edge if it is tight: grow, shrink or augment; return whether the search is over."""
    a, b = graph.ends[edge, 0], graph.ends[edge, 1]
    if matching.node[matching.node[a].top].label != OUTER:
        a, b = b, a
    near, far = matching.node[a].top, matching.node[b].top
    if (
        near == far
        or matching.node[far].label == INNER
        or graph.weight[edge] != dual(matching, a) + dual(matching, b)
    ):
        return False  # an event from before the tree changed
    if matching.node[far].label == OUTER:
        shrink_at(graph, matching, heap, edge, required)
        return False
    partner = matching.node[matching.node[far].base].mate
    if partner < 0:
        augment(graph, matching, a)
        rematch_inside(graph, matching, far, b)
        matching.node[a].mate = matching.node[b].mate = edge
        return True
    join_inner(matching, heap, far, edge)
    c, d = matching.node[graph.ends[partner, 0]].top, matching.node[graph.ends[partner, 1]].top
    join_outer(graph, matching, heap, d if c == far else c, partner, required)
    return False


@compiled
def match_vertex(graph, matching, heap, root, required):
    """Match ``root``; return the number of events, -1 if no matching covers it."""
    join_outer(graph, matching, heap, matching.node[root].top, matching.node[root].mate, required)
    events = 0
    while heap.size[0] > 0:
        matching.clock[0], item = pop(heap)
        events += 1
        subject, kind = item // N_KINDS, item % N_KINDS
        if kind == TIGHT:
            if use_edge(graph, matching, heap, subject, required):
                break
        elif kind == RELEASE:
            augment(graph, matching, subject)
            matching.node[subject].mate = -1
            break
        elif matching.node[subject].parent < 0 and matching.node[subject].label == INNER:
            expand_at(graph, matching, heap, subject, required)
    else:
        return -1
    clear_tree(matching, heap)
    return events


@compiled
def match_required(graph, matching, heap, required, work):
    """Cover vertices until about ``work`` events are processed; return whether any remain."""
    while matching.counts[NEXT_VERTEX] < required and work > 0:
        vertex = matching.counts[NEXT_VERTEX]
        if matching.node[vertex].mate < 0:
            events = match_vertex(graph, matching, heap, vertex, required)
            if events < 0:
                raise ValueError("no matching covers all required vertices")
            work -= events
        matching.counts[NEXT_VERTEX] += 1
    return matching.counts[NEXT_VERTEX] < required
