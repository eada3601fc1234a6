"""Optimal full-domain recoding: a search of the lattice of generalisation levels.

Nodes are visited in the order of a bound on their loss, and the search ends when no bound is below
the best loss. If the classes of a node are too small, those of all nodes below it are too, so these
are not evaluated; the same holds for l-diversity and t-closeness where merging classes cannot break
them.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal import _progress as progress
from shoal.steps.lattice import Lattice, Mask, Node

VISITS = 100  # nodes visited at most for each that may be evaluated, in a search that is cut short


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best node that a search found.

    Parameters
    ----------
    node : tuple of int
        The level of each column.
    suppressed : ndarray of shape (n_records,)
        Whether a record is suppressed.
    loss : float
        The loss, suppressed records included.
    bound : float
        No node has a lower loss. It equals ``loss`` unless the search was cut short.
    evaluated : int
        Number of nodes whose classes were counted.
    nodes : int
        Number of nodes of the lattice.
    """

    node: Node
    suppressed: Mask
    loss: float
    bound: float
    evaluated: int
    nodes: int


def search(lattice: Lattice, max_nodes: int | None = None) -> Optimum | None:
    """Return the node with the least loss; None if no node can be released.

    Parameters
    ----------
    lattice : Lattice
        The lattice.
    max_nodes : int, optional
        Number of nodes to evaluate, after which the best node so far is returned, with a bound.

    Returns
    -------
    Optimum or None
        The best node.
    """
    return _Search(lattice, max_nodes).run()


class _Best(NamedTuple):
    """The best node so far."""

    loss: float
    node: Node
    rows: Mask


class _Search:
    """The state of a search: the best node, the nodes seen, and the highest nodes that fail."""

    def __init__(self, lattice: Lattice, max_nodes: int | None):
        self.lattice, self.max_nodes = lattice, max_nodes
        self.best = _Best(np.inf, (), np.empty(0, bool))
        self._attains: dict[Node, bool] = {}
        self._bounds: dict[Node, float] = {}
        self._failed = np.empty((0, len(lattice.levels)), np.int64)

    def run(self) -> Optimum | None:
        """Return the best node, or None."""
        top = self.lattice.top
        if not self.attains(top) and self.lattice.is_top_best:
            return None
        bottom = (0,) * len(top)
        heap, visited = [(self.lattice.bound(bottom), bottom, 0)], 0
        while heap:
            bound, node, last = heapq.heappop(heap)
            visited += 1
            if bound >= self.best.loss or (self._is_spent(visited) and self.best.node):
                return self._optimum(min(bound, self.best.loss))
            if not self.fails(node) and not self.attains(node):
                self.climb(node, top)
            for column in range(last, len(node)):  # a node is reached by one path only
                if node[column] < top[column]:
                    above = (*node[:column], node[column] + 1, *node[column + 1 :])
                    heapq.heappush(heap, (self._bound(above, bound), above, column))
        return self._optimum(self.best.loss) if self.best.node else None

    def fails(self, node: Node) -> bool:
        """Return whether a node is at or below one that fails with all nodes below it."""
        return bool((self._failed >= node).all(axis=1).any())

    def attains(self, node: Node) -> bool:
        """Evaluate a node; return whether few enough of its records are in failing classes."""
        if node in self._attains:
            return self._attains[node]
        progress.report("generalising", len(self._attains) + 1, 0)
        lattice, evaluated = self.lattice, self.lattice.evaluate(node)
        self._bounds[node] = lattice.bound_above(evaluated)
        if evaluated.failing_below > lattice.max_suppressed:
            below = (self._failed <= node).all(axis=1)
            self._failed = np.vstack([self._failed[~below], node])
        self._attains[node] = evaluated.failing <= lattice.max_suppressed
        # Where classes had to be suppressed with others, nodes below may still be released.
        within_limit = lattice.n_records(evaluated.suppressed) <= lattice.max_suppressed
        if self._attains[node] and evaluated.suppressed_class_holds and within_limit:
            candidate = _Best(evaluated.loss, node, evaluated.suppressed)
            self.best = min(self.best, candidate, key=lambda optimum: optimum[:2])
        return self._attains[node]

    def climb(self, node: Node, top: Node) -> None:
        """Look for a low node that can be released on a path from a node that fails to the top.

        The path takes the step of the least loss each time. Half of it is ruled out at a time: if a
        node fails, those below it mostly do too.
        """
        before, path = self.best.node, [node]
        while path[-1] != top:
            path.append(min(_neighbours(path[-1], 1, top), key=self.lattice.cell_loss))
        low, high = 1, len(path) - 2
        while low <= high:
            middle = (low + high) // 2
            if not self.fails(path[middle]) and self.attains(path[middle]):
                high = middle - 1
            else:
                low = middle + 1
        if self.max_nodes is not None and self.best.node != before:
            self.descend(top)

    def descend(self, top: Node) -> None:
        """Lower single columns of the best node while that loses less."""
        node: Node = ()
        while node != self.best.node and not self._is_spent(0):
            node = self.best.node
            for lower in sorted(_neighbours(node, -1, top), key=self.lattice.cell_loss):
                if not self.fails(lower) and self.attains(lower) and self.best.node == lower:
                    break

    def _bound(self, node: Node, inherited: float) -> float:
        """Return a bound on the loss of a node, from all that is known of those below it."""
        top = self.lattice.top
        known = (self._bounds.get(below, 0.0) for below in _neighbours(node, -1, top))
        return max(inherited, self.lattice.bound(node), *known)

    def _is_spent(self, visited: int) -> bool:
        most = self.max_nodes
        return most is not None and (len(self._attains) >= most or visited >= VISITS * most)

    def _optimum(self, bound: float) -> Optimum:
        loss, node, rows = self.best
        records, evaluated = self.lattice.records(rows), len(self._attains)
        return Optimum(node, records, loss, bound, evaluated, self.lattice.n_nodes)


def _neighbours(node: Node, step: int, top: Node) -> Iterator[Node]:
    """Yield the nodes in which one column is a level higher (step 1) or lower (step -1)."""
    for i, level in enumerate(node):
        if 0 <= level + step <= top[i]:
            yield (*node[:i], level + step, *node[i + 1 :])
