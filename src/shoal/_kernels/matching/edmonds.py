"""A minimum-weight matching that covers every required vertex, with its dual values.

Vertices from ``n_required`` on may stay unmatched; their duals are at most 0, and 0 if they are
unmatched. By Edmonds' algorithm [E65]_, an alternating tree of tight edges is grown from each
unmatched required vertex; an edge is tight if its weight is the sum of the duals of its ends. The
duals of its nodes, increasing for outer and decreasing for inner ones, change from one event to the
next until an augmenting path is reached. Weights are even integers, so all duals and times are
integers and every step is exact.

References
----------
.. [E65] Edmonds, J. (1965). Maximum matching and a polyhedron with 0,1-vertices. Journal of
   Research of the National Bureau of Standards 69B, 125-130.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.matching.alternating_tree import augment, expand, shrink
from shoal._kernels.matching.blossom import (
    FREE,
    INNER,
    N_IN_TREE,
    NEXT_VERTEX,
    OUTER,
    is_blossom,
    list_cycle,
    list_vertices,
    rematch_inside,
)
from shoal._kernels.structures.heap import pop, push

# Events: an edge becomes tight, or the dual of a vertex or of a blossom becomes 0. An item of the
# heap is N_EVENTS * subject + event, where the subject is an edge or a node.
EDGE_TIGHT, VERTEX_DUAL_ZERO, BLOSSOM_DUAL_ZERO = 0, 1, 2
N_EVENTS = 3
DIRECTION = (0, 1, -1)  # in which the duals of free, outer and inner nodes change


@compiled
def current_dual(matching, vertex):
    """Return the current dual of a vertex."""
    top = matching.node[vertex].top
    elapsed = matching.clock[0] - matching.node[vertex].dual_time
    return matching.node[vertex].dual + DIRECTION[matching.node[top].label] * elapsed


@compiled
def store_duals(matching, node):
    """Store the current duals of an outermost node and its vertices, before its label changes."""
    direction = DIRECTION[matching.node[node].label]
    if is_blossom(matching, node):
        matching.node[node].dual += (
            2 * direction * (matching.clock[0] - matching.node[node].dual_time)
        )
        matching.node[node].dual_time = matching.clock[0]
    for i in range(list_vertices(matching, node)):
        vertex = matching.vertices[i]
        matching.node[vertex].dual += direction * (
            matching.clock[0] - matching.node[vertex].dual_time
        )
        matching.node[vertex].dual_time = matching.clock[0]


@compiled
def push_events(graph, matching, heap, vertex, n_required):
    """Add the events of the edges of an outer vertex to the heap."""
    own_dual = current_dual(matching, vertex)
    node = matching.node[vertex].top
    if vertex >= n_required:
        push(heap, matching.clock[0] - own_dual, N_EVENTS * vertex + VERTEX_DUAL_ZERO)
    for position in range(graph.start[vertex], graph.start[vertex + 1]):
        edge = graph.edges[position]
        other = graph.ends[edge, 0] + graph.ends[edge, 1] - vertex
        other_node = matching.node[other].top
        if other_node == node or matching.node[other_node].label == INNER:
            continue
        slack = graph.weight[edge] - own_dual - current_dual(matching, other)
        if matching.node[other_node].label == OUTER:
            slack //= 2
        push(heap, matching.clock[0] + slack, N_EVENTS * edge + EDGE_TIGHT)


@compiled
def push_expansion(matching, heap, node):
    """Add to the heap the time at which the dual of an inner blossom becomes 0."""
    if matching.node[node].label == INNER and is_blossom(matching, node):
        # The dual of a blossom changes twice as fast as time passes.
        time = matching.node[node].dual_time + matching.node[node].dual // 2
        push(heap, time, N_EVENTS * node + BLOSSOM_DUAL_ZERO)


@compiled
def add_to_tree(matching, node, tree_edge):
    """Add a free outermost node to the tree, without a label yet."""
    store_duals(matching, node)
    matching.node[node].tree_edge = tree_edge
    for i in range(list_vertices(matching, node)):
        vertex = matching.vertices[i]
        if matching.node[vertex].in_tree == 0:
            matching.node[vertex].in_tree = 1
            matching.tree_vertices[matching.counts[N_IN_TREE]] = vertex
            matching.counts[N_IN_TREE] += 1


@compiled
def add_inner_node(matching, heap, node, tree_edge):
    """Add a node to the tree as an inner node."""
    add_to_tree(matching, node, tree_edge)
    matching.node[node].label = INNER
    push_expansion(matching, heap, node)


@compiled
def add_outer_node(graph, matching, heap, node, tree_edge, n_required):
    """Add a node to the tree as an outer node."""
    add_to_tree(matching, node, tree_edge)
    matching.node[node].label = OUTER
    for i in range(list_vertices(matching, node)):
        push_events(graph, matching, heap, matching.vertices[i], n_required)


@compiled
def clear_tree(matching, heap):
    """Store all duals and clear the tree."""
    for i in range(matching.counts[N_IN_TREE]):
        vertex = matching.tree_vertices[i]
        node = matching.node[vertex].top
        if matching.node[node].label != FREE:
            store_duals(matching, node)
            matching.node[node].label = FREE
        matching.node[vertex].in_tree = 0
    matching.counts[N_IN_TREE] = 0
    matching.clock[0] = 0
    heap.size[0] = 0


@compiled
def shrink_and_push(graph, matching, heap, edge, n_required):
    """Shrink the cycle that ``edge`` closes; push the events of its inner nodes, now outer."""
    blossom = shrink(graph, matching, edge)
    matching.node[blossom].dual, matching.node[blossom].dual_time = 0, matching.clock[0]
    children = matching.cycle[: list_cycle(matching, blossom)].copy()
    for child in children:
        store_duals(matching, child)
    for child in children:
        if matching.node[child].label == INNER:  # its former label
            for i in range(list_vertices(matching, child)):
                push_events(graph, matching, heap, matching.vertices[i], n_required)


@compiled
def expand_and_push(graph, matching, heap, blossom, n_required):
    """Expand an inner blossom; push all events again, since vertices may become free."""
    store_duals(matching, blossom)
    for i in range(list_cycle(matching, blossom)):
        matching.node[matching.cycle[i]].dual_time = matching.clock[0]
    expand(graph, matching, blossom)
    heap.size[0] = 0
    for i in range(matching.counts[N_IN_TREE]):
        vertex = matching.tree_vertices[i]
        node = matching.node[vertex].top
        if matching.node[node].label == OUTER:
            push_events(graph, matching, heap, vertex, n_required)
        elif matching.node[node].base == vertex:
            push_expansion(matching, heap, node)


@compiled
def use_tight_edge(graph, matching, heap, edge, n_required):
    """Grow the tree, shrink or augment by an edge, if tight; return whether the root is matched."""
    outer_end, other_end = graph.ends[edge, 0], graph.ends[edge, 1]
    outer_node, other_node = matching.node[outer_end].top, matching.node[other_end].top
    if matching.node[outer_node].label != OUTER:
        outer_end, other_end, outer_node, other_node = other_end, outer_end, other_node, outer_node
    if (
        outer_node == other_node
        or matching.node[other_node].label == INNER
        or graph.weight[edge]
        != current_dual(matching, outer_end) + current_dual(matching, other_end)
    ):
        return False  # an event from before the tree changed
    if matching.node[other_node].label == OUTER:
        shrink_and_push(graph, matching, heap, edge, n_required)
        return False
    other_base = matching.node[other_node].base
    matched_edge = matching.node[other_base].matched_edge
    if matched_edge < 0:
        augment(graph, matching, outer_end)
        rematch_inside(graph, matching, other_node, other_end)
        matching.node[outer_end].matched_edge = matching.node[other_end].matched_edge = edge
        return True
    add_inner_node(matching, heap, other_node, edge)
    partner = matching.node[graph.ends[matched_edge, 0]].top
    if partner == other_node:
        partner = matching.node[graph.ends[matched_edge, 1]].top
    add_outer_node(graph, matching, heap, partner, matched_edge, n_required)
    return False


@compiled
def match_vertex(graph, matching, heap, root, n_required):
    """Match ``root``; return the number of events, or -1 if no matching covers it."""
    add_outer_node(
        graph, matching, heap, matching.node[root].top, matching.node[root].matched_edge, n_required
    )
    n_events = 0
    while heap.size[0] > 0:
        matching.clock[0], item = pop(heap)
        n_events += 1
        subject, event = item // N_EVENTS, item % N_EVENTS
        if event == EDGE_TIGHT:
            if use_tight_edge(graph, matching, heap, subject, n_required):
                break
        elif event == VERTEX_DUAL_ZERO:
            augment(graph, matching, subject)
            matching.node[subject].matched_edge = NONE
            break
        elif matching.node[subject].parent < 0 and matching.node[subject].label == INNER:
            expand_and_push(graph, matching, heap, subject, n_required)
    else:
        return -1
    clear_tree(matching, heap)
    return n_events


@compiled
def match_required(graph, matching, heap, n_required, work):
    """Cover vertices until about ``work`` events are processed; return whether any remain."""
    while matching.counts[NEXT_VERTEX] < n_required and work > 0:
        vertex = matching.counts[NEXT_VERTEX]
        if matching.node[vertex].matched_edge < 0:
            n_events = match_vertex(graph, matching, heap, vertex, n_required)
            if n_events < 0:
                raise ValueError("no matching covers all required vertices")
            work -= n_events
        matching.counts[NEXT_VERTEX] += 1
    return matching.counts[NEXT_VERTEX] < n_required
