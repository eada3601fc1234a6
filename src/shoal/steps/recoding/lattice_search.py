"""Optimal full-domain recoding: a search of the lattice of generalisation levels.

Nodes are visited in the order of a bound on their loss, and the search ends when no bound is below
the best loss. If a node fails because its classes are too small, all nodes below it fail too, so
they are not evaluated. The same is true of l-diversity and t-closeness if merging classes cannot
break them.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal import _progress as progress
from shoal.steps.recoding.lattice import Lattice, Mask, Node

# In a search with a limit on evaluated nodes, the maximum number of visits as a multiple of the
# limit: most visited nodes are pruned, which takes little time.
VISITS_PER_NODE = 100


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best node that a search found.

    Parameters
    ----------
    node : tuple of int
        The level of each column.
    is_suppressed : ndarray of shape (n_records,)
        Whether each record is suppressed.
    loss : float
        The loss, including suppressed records.
    bound : float
        Lower bound on the loss of all nodes. It equals ``loss`` unless the search was cut short.
    n_evaluated : int
        Number of nodes whose classes were counted.
    n_nodes : int
        Number of nodes of the lattice.
    """

    node: Node
    is_suppressed: Mask
    loss: float
    bound: float
    n_evaluated: int
    n_nodes: int


def search(lattice: Lattice, max_nodes: int | None = None) -> Optimum | None:
    """Return the node with the least loss, or None if no node can be released.

    Parameters
    ----------
    lattice : Lattice
        The lattice.
    max_nodes : int, optional
        Number of nodes to evaluate, after which the best node so far is returned, with a bound.

    Returns
    -------
    Optimum or None
        The best node, which has the least loss of all unless the search reached ``max_nodes``.
    """
    return _Search(lattice, max_nodes).run()


class _BestNode(NamedTuple):
    """The best node so far, with its suppressed rows."""

    loss: float
    node: Node
    is_suppressed: Mask


class _Search:
    """The state of a search: the best node, all evaluated nodes, and the highest that fail."""

    def __init__(self, lattice: Lattice, max_nodes: int | None):
        self.lattice = lattice
        self.max_nodes = max_nodes
        self.best = _BestNode(np.inf, (), np.empty(0, bool))
        self._is_within_limit: dict[Node, bool] = {}
        self._bounds: dict[Node, float] = {}
        self._highest_failed = np.empty((0, len(lattice.levels)), np.int64)

    def run(self) -> Optimum | None:
        """Return the best node, or None."""
        top = self.lattice.top
        if not self.try_node(top) and self.lattice.fails_if_top_fails:
            return None
        bottom = (0,) * len(top)
        heap = [(self.lattice.bound(bottom), bottom, 0)]
        n_visited = 0
        while heap:
            bound, node, first_column = heapq.heappop(heap)
            n_visited += 1
            if bound >= self.best.loss or (self._is_limit_reached(n_visited) and self.best.node):
                return self._optimum(min(bound, self.best.loss))
            if not self.is_pruned(node) and not self.try_node(node):
                self.climb(node, top)
            for column in range(first_column, len(node)):  # a node is reached by one path only
                if node[column] < top[column]:
                    above = (*node[:column], node[column] + 1, *node[column + 1 :])
                    heapq.heappush(heap, (self._bound(above, bound), above, column))
        return self._optimum(self.best.loss) if self.best.node else None

    def is_pruned(self, node: Node) -> bool:
        """Return whether a node is at or below one that fails with all nodes below it."""
        return bool((self._highest_failed >= node).all(axis=1).any())

    def try_node(self, node: Node) -> bool:
        """Evaluate a node; return whether few enough of its records are in failing classes."""
        if node in self._is_within_limit:
            return self._is_within_limit[node]
        progress.report("generalising", len(self._is_within_limit) + 1, 0)
        lattice = self.lattice
        evaluation = lattice.evaluate(node)
        self._bounds[node] = lattice.bound_above(evaluation)
        if evaluation.n_failing_below > lattice.max_suppressed:
            is_below = (self._highest_failed <= node).all(axis=1)
            self._highest_failed = np.vstack([self._highest_failed[~is_below], node])
        self._is_within_limit[node] = evaluation.n_failing <= lattice.max_suppressed
        # If further classes must be suppressed with the failing ones, there may be too many records
        # to suppress at this node, although nodes below it can be released.
        is_releasable = lattice.n_records(evaluation.is_suppressed) <= lattice.max_suppressed
        if self._is_within_limit[node] and evaluation.suppressed_class_holds and is_releasable:
            candidate = _BestNode(evaluation.loss, node, evaluation.is_suppressed)
            self.best = min(self.best, candidate, key=lambda best: best[:2])
        return self._is_within_limit[node]

    def climb(self, node: Node, top: Node) -> None:
        """Bisect a path from a failing node to the top for the lowest node that can be released.

        Each step of the path raises the loss least. Bisection is a heuristic, because the nodes
        below a failing node usually fail too, but not always.
        """
        previous_best = self.best.node
        path = [node]
        while path[-1] != top:
            path.append(min(_neighbours(path[-1], 1, top), key=self.lattice.cell_loss))
        low, high = 1, len(path) - 2
        while low <= high:
            middle = (low + high) // 2
            if not self.is_pruned(path[middle]) and self.try_node(path[middle]):
                high = middle - 1
            else:
                low = middle + 1
        if self.max_nodes is not None and self.best.node != previous_best:
            self.descend(top)

    def descend(self, top: Node) -> None:
        """Lower the best node by one level of a single column, as long as this lowers the loss."""
        node: Node = ()
        while node != self.best.node and not self._is_limit_reached(0):
            node = self.best.node
            for lower in sorted(_neighbours(node, -1, top), key=self.lattice.cell_loss):
                if not self.is_pruned(lower) and self.try_node(lower) and self.best.node == lower:
                    break

    def _bound(self, node: Node, inherited_bound: float) -> float:
        """Return a bound on the loss of a node: its own bound, or the largest of nodes below it."""
        top = self.lattice.top
        bounds_below = (self._bounds.get(below, 0.0) for below in _neighbours(node, -1, top))
        return max(inherited_bound, self.lattice.bound(node), *bounds_below)

    def _is_limit_reached(self, n_visited: int) -> bool:
        limit = self.max_nodes
        return limit is not None and (
            len(self._is_within_limit) >= limit or n_visited >= VISITS_PER_NODE * limit
        )

    def _optimum(self, bound: float) -> Optimum:
        loss, node, is_suppressed = self.best
        return Optimum(
            node=node,
            is_suppressed=self.lattice.record_mask(is_suppressed),
            loss=loss,
            bound=bound,
            n_evaluated=len(self._is_within_limit),
            n_nodes=self.lattice.n_nodes,
        )


def _neighbours(node: Node, step: int, top: Node) -> Iterator[Node]:
    """Yield the nodes in which one column is a level higher (step 1) or lower (step -1)."""
    for i, level in enumerate(node):
        if 0 <= level + step <= top[i]:
            yield (*node[:i], level + step, *node[i + 1 :])
