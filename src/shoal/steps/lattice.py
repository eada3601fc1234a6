"""Optimal full-domain recoding: a search of the lattice of generalisation levels.

A node of the lattice gives every column a level of its hierarchy. Classes only merge on the way up,
so if the classes of a node are too small, those of all nodes below it are too. A node loses at
least what its columns lose on their own, whatever its classes are. Nodes are visited in the order
of that bound, and the search ends when no bound is below the best loss.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal import _progress as progress
from shoal.steps.distinct_rows import combine

Codes = NDArray[np.int64]
Cells = NDArray[np.float64]
Mask = NDArray[np.bool_]
Node = tuple[int, ...]


class Levels(NamedTuple):
    """The levels of one column's hierarchy; values and their ancestors are codes from 0 on.

    ``ancestors[level]`` gives the ancestor of each value: the value itself at level 0, and one
    ancestor of all at the last level. ``losses[level]`` gives the loss of a cell by its value; it
    does not fall from one level to the next. A suppressed cell loses as much as at the last level.
    """

    ancestors: Sequence[Codes]
    losses: Sequence[Cells]


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
        The mean loss of a cell, suppressed ones included.
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


class Lattice:
    """The distinct records of a table, and the levels to which its columns may be recoded.

    Parameters
    ----------
    codes : ndarray of shape (n_records, n_columns)
        The values, as codes.
    levels : sequence of Levels
        The levels of each column.
    k : int
        Least number of records, or of units, in a class.
    max_suppressed : int
        Greatest number of records that may be suppressed. They form a class of their own, which
        holds k as well.
    units : ndarray of shape (n_records,), optional
        The unit of each record, where k counts units.
    """

    def __init__(
        self,
        codes: Codes,
        levels: Sequence[Levels],
        k: int,
        max_suppressed: int = 0,
        units: Codes | None = None,
    ):
        self.levels, self.k, self.max_suppressed = levels, k, max_suppressed
        table = codes if units is None else np.column_stack([codes, units])
        keys, self._row_of_record = combine(table.T, table.max(axis=0) + 1)
        first = np.zeros(keys, np.int64)
        first[self._row_of_record[::-1]] = np.arange(len(table))[::-1]
        self._rows = np.ascontiguousarray(codes[first].T)
        self._units = None if units is None else np.unique(units[first], return_inverse=True)[1]
        self._weights = np.bincount(self._row_of_record, minlength=keys).astype(np.float64)
        self._mean_losses = [
            [self._mean(cells[row]) for cells in one.losses]
            for one, row in zip(levels, self._rows, strict=True)
        ]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        number = 1
        for one in self.levels:
            number *= len(one.ancestors)
        return number

    def bound(self, node: Node) -> float:
        """Return the loss of a node without suppressed records."""
        losses = [of[level] for of, level in zip(self._mean_losses, node, strict=True)]
        return sum(losses) / len(losses)

    def suppressed(self, node: Node) -> tuple[int, Mask]:
        """Return the number of records in classes below k, and the rows to suppress.

        If these hold fewer than k, the smallest classes are suppressed with them.
        """
        ancestors = [
            one.ancestors[level][row]
            for one, level, row in zip(self.levels, node, self._rows, strict=True)
        ]
        sizes = [int(column.max()) + 1 for column in ancestors]
        number, labels = combine(ancestors, sizes)
        records = np.bincount(labels, self._weights, number)
        held = records if self._units is None else self._units_in(labels, number)
        below = held < self.k
        needed = int(records[below].sum())
        if 0 < needed <= self.max_suppressed:
            for smallest in np.argsort(held, kind="stable"):
                if self._held_by(below[labels]) >= self.k:
                    break
                below[smallest] = True
        return needed, below[labels]

    def loss(self, node: Node, suppressed: Mask) -> float:
        """Return the mean loss of a cell, with the rows that are suppressed."""
        kept = np.zeros(int(suppressed.sum()))
        for one, level, row in zip(self.levels, node, self._rows, strict=True):
            kept += (one.losses[-1] - one.losses[level])[row[suppressed]]
        further = (kept * self._weights[suppressed]).sum()
        return self.bound(node) + float(further / (len(self.levels) * self._weights.sum()))

    def records(self, rows: Mask) -> Mask:
        """Return the records of some rows."""
        return rows[self._row_of_record]

    def n_records(self, rows: Mask) -> int:
        """Return the number of records of some rows."""
        return int(self._weights[rows].sum())

    def nodes_by_bound(self) -> Iterator[tuple[float, Node]]:
        """Yield every node once, in the order of its bound."""
        bottom = (0,) * len(self.levels)
        heap = [(self.bound(bottom), bottom, 0)]
        while heap:
            bound, node, last = heapq.heappop(heap)
            yield bound, node
            for column in range(last, len(node)):  # a node is reached by one path only
                if node[column] + 1 < len(self.levels[column].ancestors):
                    above = (*node[:column], node[column] + 1, *node[column + 1 :])
                    heapq.heappush(heap, (self.bound(above), above, column))

    def _mean(self, cells: Cells) -> float:
        return float((cells * self._weights).sum() / self._weights.sum())

    def _units_in(self, labels: Codes, number: int) -> Codes:
        pairs = np.unique(labels * (int(self._units.max()) + 1) + self._units)  # type: ignore[union-attr]
        return np.bincount(pairs // (int(self._units.max()) + 1), minlength=number)  # type: ignore[union-attr]

    def _held_by(self, rows: Mask) -> int:
        if self._units is None:
            return self.n_records(rows)
        return len(np.unique(self._units[rows]))


def search(lattice: Lattice, max_evaluated: int | None = None) -> Optimum | None:
    """Return the node with the least loss; None if even the top node has classes below k.

    Parameters
    ----------
    lattice : Lattice
        The lattice.
    max_evaluated : int, optional
        Number of nodes to evaluate at most. Then the best node so far is returned, with a bound.

    Returns
    -------
    Optimum or None
        The best node.
    """
    top = tuple(len(one.ancestors) - 1 for one in lattice.levels)
    search = _Search(lattice)
    if not search.attains(top):
        return None
    for bound, node in lattice.nodes_by_bound():
        exhausted = max_evaluated is not None and search.evaluated >= max_evaluated
        if bound >= search.best.loss or exhausted:
            return search.optimum(min(bound, search.best.loss))
        if not search.fails(node) and not search.attains(node):
            search.climb(node, top)
    return search.optimum(search.best.loss)


class _Best(NamedTuple):
    """The best node so far."""

    loss: float
    node: Node
    rows: Mask


class _Search:
    """The state of a search: the best node, and the highest nodes that fail."""

    def __init__(self, lattice: Lattice):
        self.lattice, self.evaluated = lattice, 0
        self.best = _Best(np.inf, (), np.empty(0, bool))
        self._failed = np.empty((0, len(lattice.levels)), np.int64)

    def fails(self, node: Node) -> bool:
        """Return whether a node is at or below one that fails."""
        return bool((self._failed >= node).all(axis=1).any())

    def attains(self, node: Node) -> bool:
        """Evaluate a node; return whether few enough of its records are in classes below k."""
        self.evaluated += 1
        progress.report("generalising", self.evaluated, 0)
        needed, rows = self.lattice.suppressed(node)
        if needed > self.lattice.max_suppressed:
            below = (self._failed <= node).all(axis=1)
            self._failed = np.vstack([self._failed[~below], node])
            return False
        # Where classes had to be suppressed with others, nodes below may still be released.
        if self.lattice.n_records(rows) <= self.lattice.max_suppressed:
            found = _Best(self.lattice.loss(node, rows), node, rows)
            self.best = min(self.best, found, key=lambda one: one[:2])
        return True

    def climb(self, node: Node, top: Node) -> None:
        """Look for the lowest node that attains k on a path from a node that fails to the top.

        The path takes the step of the least loss each time. Half of it is ruled out at a time,
        because all nodes below one that fails do.
        """
        path = [node]
        while path[-1] != top:
            path.append(min(self._above(path[-1], top), key=self.lattice.bound))
        low, high = 1, len(path) - 2
        while low <= high:
            middle = (low + high) // 2
            if not self.fails(path[middle]) and self.attains(path[middle]):
                high = middle - 1
            else:
                low = middle + 1

    def optimum(self, bound: float) -> Optimum:
        """Return the best node with a bound."""
        loss, node, rows = self.best
        records = self.lattice.records(rows)
        return Optimum(node, records, loss, bound, self.evaluated, self.lattice.n_nodes)

    @staticmethod
    def _above(node: Node, top: Node) -> list[Node]:
        return [
            (*node[:at], node[at] + 1, *node[at + 1 :])
            for at in range(len(node))
            if node[at] < top[at]
        ]
