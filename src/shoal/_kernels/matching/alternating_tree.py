"""The alternating tree: tight edges, every second one matched, from an unmatched root.

Its nodes are alternately outer and inner; the root is outer. An edge between two outer nodes closes
an odd cycle, which is shrunk to a blossom; an inner blossom can be expanded again. All nodes of the
tree are outermost ones.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.matching.blossom import (
    FREE,
    INNER,
    N_UNUSED,
    OUTER,
    child_with,
    is_matched_forward,
    list_cycle,
    rematch_inside,
    set_top,
)


@compiled
def link_cycle(matching, node, successor, edge):
    """Make ``successor`` follow ``node`` in a cycle, joined by ``edge``."""
    matching.node[node].successor = successor
    matching.node[successor].predecessor = node
    matching.node[node].cycle_edge = edge


@compiled
def parent_of(graph, matching, node):
    """Return the parent of ``node`` in the tree."""
    edge = matching.node[node].tree_edge
    first, second = matching.node[graph.ends[edge, 0]].top, matching.node[graph.ends[edge, 1]].top
    return second if first == node else first


@compiled
def depth(graph, matching, node):
    """Return the number of edges between the root of the tree and ``node``."""
    n_edges = 0
    while matching.node[node].tree_edge >= 0:
        node = parent_of(graph, matching, node)
        n_edges += 1
    return n_edges


@compiled
def common_ancestor(graph, matching, first, second):
    """Return the lowest common ancestor of two outer nodes."""
    depth_difference = depth(graph, matching, second) - depth(graph, matching, first)
    while first != second:
        if depth_difference > 0:
            second = parent_of(graph, matching, second)
            depth_difference -= 1
        else:
            first = parent_of(graph, matching, first)
            depth_difference += 1
    return first


@compiled
def shrink(graph, matching, edge):
    """Return a new outer blossom of the cycle that ``edge`` closes between two outer nodes."""
    matching.counts[N_UNUSED] -= 1
    blossom = matching.unused_numbers[matching.counts[N_UNUSED]]
    first, second = matching.node[graph.ends[edge, 0]].top, matching.node[graph.ends[edge, 1]].top
    root = common_ancestor(graph, matching, first, second)
    link_cycle(matching, first, second, edge)
    while first != root:
        parent = parent_of(graph, matching, first)
        link_cycle(matching, parent, first, matching.node[first].tree_edge)
        first = parent
    while second != root:
        parent = parent_of(graph, matching, second)
        link_cycle(matching, second, parent, matching.node[second].tree_edge)
        second = parent
    matching.node[blossom].first = root
    matching.node[blossom].base = matching.node[root].base
    matching.node[blossom].parent = NONE
    matching.node[blossom].label = OUTER
    matching.node[blossom].tree_edge = matching.node[root].tree_edge
    for i in range(list_cycle(matching, blossom)):
        matching.node[matching.cycle[i]].parent = blossom
    set_top(matching, blossom)
    return blossom


@compiled
def detach_children(matching, blossom):
    """Expand a blossom: the nodes of its cycle become outermost and leave the tree."""
    children = matching.cycle[: list_cycle(matching, blossom)].copy()
    for child in children:
        matching.node[child].parent = NONE
        matching.node[child].label = FREE
        set_top(matching, child)
    matching.unused_numbers[matching.counts[N_UNUSED]] = blossom
    matching.counts[N_UNUSED] += 1


@compiled
def expand(graph, matching, blossom):
    """Expand an inner blossom; the even path of its cycle replaces it in the tree."""
    edge = matching.node[blossom].tree_edge
    end, other_end = graph.ends[edge, 0], graph.ends[edge, 1]
    child = child_with(matching, blossom, end)
    if child < 0:
        child = child_with(matching, blossom, other_end)
    is_forward = is_matched_forward(matching, blossom, child)
    last = matching.node[blossom].first
    detach_children(matching, blossom)
    label = INNER
    while True:
        matching.node[child].label = label
        matching.node[child].tree_edge = edge
        if child == last:
            return
        if is_forward:
            edge = matching.node[child].cycle_edge
            child = matching.node[child].successor
        else:
            child = matching.node[child].predecessor
            edge = matching.node[child].cycle_edge
        label = OUTER if label == INNER else INNER


@compiled
def augment(graph, matching, vertex):
    """Augment along the path from the root to an outer ``vertex``."""
    while True:
        node = matching.node[vertex].top
        rematch_inside(graph, matching, node, vertex)
        if matching.node[node].tree_edge < 0:
            return
        inner = parent_of(graph, matching, node)
        edge = matching.node[inner].tree_edge
        end, other_end = graph.ends[edge, 0], graph.ends[edge, 1]
        if matching.node[end].top != inner:
            end, other_end = other_end, end
        rematch_inside(graph, matching, inner, end)
        matching.node[end].matched_edge = matching.node[other_end].matched_edge = edge
        vertex = other_end
