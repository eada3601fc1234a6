"""The lattice of generalisation levels of a table.

A node of the lattice is a combination of levels, one for each column. From a node to a higher one,
classes can only merge. The loss of a node is at least the mean loss of its columns without
suppression; measured as discernibility, it is at least the share of pairs in the same class.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.steps.distinct_rows import combine

Codes = NDArray[np.int64]
Cells = NDArray[np.float64]
Mask = NDArray[np.bool_]
Node = tuple[int, ...]


class Levels(NamedTuple):
    """The levels of one column's hierarchy; values and their ancestors are codes from 0.

    ``ancestors[level]`` gives the ancestor of each value: the value itself at level 0, and one
    ancestor of all at the last level. ``losses[level]`` gives the loss of a cell by its value; it
    does not fall from one level to the next. A suppressed cell loses as much as at the last level.
    """

    ancestors: Sequence[Codes]
    losses: Sequence[Cells]


class ClassConstraint(Protocol):
    """A constraint on the confidential values of every class."""

    @property
    def holds_for_unions(self) -> bool:
        """Whether classes that meet it meet it when they are merged."""

    @property
    def holds_with_any(self) -> bool:
        """Whether a class that meets it meets it when it is merged with any other."""

    def met_by_classes(self, labels: Codes) -> Mask:
        """Return which classes meet it, given the class of each record."""

    def is_met_by(self, records: Codes) -> bool:
        """Return whether a class of these records meets it."""


class Evaluation(NamedTuple):
    """What the classes of a node are.

    Parameters
    ----------
    failing : int
        Number of records in classes that are too small or do not meet the constraint.
    failing_below : int
        Number of these that would fail at every node below too.
    suppressed : ndarray of shape (n_rows,)
        The rows to suppress.
    suppressed_class_holds : bool
        Whether the suppressed rows form a class that holds k and meets the constraint.
    pairs : float
        Sum of the squared class sizes, where nothing is suppressed.
    loss : float
        The loss of the node.
    """

    failing: int
    failing_below: int
    suppressed: Mask
    suppressed_class_holds: bool
    pairs: float
    loss: float


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
        Greatest number of records that may be suppressed. They form a separate class, which
        holds k and meets the constraint as well.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if k counts units.
    constraint : ClassConstraint, optional
        Constraint on the confidential values of every class.
    counts : ndarray of shape (n_records,), optional
        Number of records that each of ``codes`` stands for; 1 by default.
    discernibility : bool
        Whether the loss of a node is its discernibility instead of the mean loss of a cell: each
        record counts the records of its class, and all records if it is suppressed; the sum is
        divided by the square of the number of records [BA05]_.

    References
    ----------
    .. [BA05] Bayardo, R. J. and Agrawal, R. (2005). Data privacy through optimal
       k-anonymization. International Conference on Data Engineering 2005, 217-228.
    """

    def __init__(
        self,
        codes: Codes,
        levels: Sequence[Levels],
        k: int,
        max_suppressed: int = 0,
        units: Codes | None = None,
        constraint: ClassConstraint | None = None,
        counts: Codes | None = None,
        *,
        discernibility: bool = False,
    ):
        self.levels, self.k, self.max_suppressed = levels, k, max_suppressed
        self.constraint, self.discernibility = constraint, discernibility
        table = codes if units is None else np.column_stack([codes, units])
        keys, self._row_of_record = combine(table.T, table.max(axis=0) + 1)
        first = np.zeros(keys, np.int64)
        first[self._row_of_record[::-1]] = np.arange(len(table))[::-1]
        self._rows = np.ascontiguousarray(codes[first].T)
        self._units = None if units is None else np.unique(units[first], return_inverse=True)[1]
        self._weights = np.bincount(self._row_of_record, counts, keys).astype(np.float64)
        self._mean_losses = [
            [self._mean(cells[row]) for cells in column.losses]
            for column, row in zip(levels, self._rows, strict=True)
        ]

    @property
    def top(self) -> Node:
        """The node at which all values of every column are one."""
        return tuple(len(column.ancestors) - 1 for column in self.levels)

    @property
    def n_counted(self) -> int:
        """Number of records, or of units, of the table."""
        return self._count(np.ones(len(self._weights), bool))

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        number = 1
        for column in self.levels:
            number *= len(column.ancestors)
        return number

    def cell_loss(self, node: Node) -> float:
        """Return the mean loss of a cell of a node without suppressed records."""
        losses = [
            column_losses[level]
            for column_losses, level in zip(self._mean_losses, node, strict=True)
        ]
        return sum(losses) / len(losses)

    def bound(self, node: Node) -> float:
        """Return a loss that no node above this one falls below, without counting classes."""
        return 0.0 if self.discernibility else self.cell_loss(node)

    def bound_above(self, evaluation: Evaluation) -> float:
        """Return a loss that no node above an evaluated one falls below."""
        n = float(self._weights.sum())
        return evaluation.pairs / n**2 if self.discernibility else 0.0

    def evaluate(self, node: Node) -> Evaluation:
        """Count the classes of a node, and choose the rows to suppress.

        Rows of failing classes are suppressed. If these hold fewer than k, the class that adds the
        least loss is suppressed with them: every class that does not fail holds k. If they do not
        meet the constraint, the smallest classes are added, each time twice as many and one more.
        """
        ancestors = [
            levels.ancestors[level][row]
            for levels, level, row in zip(self.levels, node, self._rows, strict=True)
        ]
        sizes = [int(column.max()) + 1 for column in ancestors]
        number, labels = combine(ancestors, sizes)
        records = np.bincount(labels, self._weights, number).astype(np.float64)
        class_sizes = records if self._units is None else self._units_in(labels, number)
        small = class_sizes < self.k
        fails = small
        if self.constraint is not None:
            fails = small | ~self.constraint.met_by_classes(labels[self._row_of_record])
        failing, pairs = int(records[fails].sum()), float((records**2).sum())
        failing_below = failing if self._prunes_by_constraint else int(records[small].sum())
        is_suppressed, suppressed_class_holds = fails.copy(), True
        if 0 < failing <= self.max_suppressed:
            is_suppressed, suppressed_class_holds = self._complete_suppressed_class(
                node, fails, class_sizes.astype(np.int64), records, labels
            )
        rows = is_suppressed[labels]
        loss = self._loss(node, rows, float((records[~is_suppressed] ** 2).sum()))
        return Evaluation(failing, failing_below, rows, suppressed_class_holds, pairs, loss)

    def records(self, rows: Mask) -> Mask:
        """Return the records of some rows."""
        return rows[self._row_of_record]

    def n_records(self, rows: Mask) -> int:
        """Return the number of records of some rows."""
        return int(self._weights[rows].sum())

    @property
    def is_top_best(self) -> bool:
        """Whether no node meets the constraint where the top does not."""
        return self.constraint is None or self.constraint.holds_for_unions

    @property
    def _prunes_by_constraint(self) -> bool:
        """Whether a class that fails the constraint fails at every node below too.

        Without suppression, all classes of a node must meet it. With suppression, a class that
        meets it could be merged with one that does not.
        """
        if self.constraint is None:
            return True
        if self.max_suppressed == 0:
            return self.constraint.holds_for_unions
        return self.constraint.holds_with_any

    def _complete_suppressed_class(
        self, node: Node, fails: Mask, class_sizes: Codes, records: Cells, labels: Codes
    ) -> tuple[Mask, bool]:
        """Return which classes to suppress, and whether these hold k and meet the constraint.

        These are the classes that fail, and those that complete them as `evaluate` describes.
        """
        is_suppressed = fails.copy()
        if self._count(is_suppressed[labels]) < self.k:
            allowance = self.max_suppressed - records[fails].sum()
            fitting = np.flatnonzero(~fails & (records <= allowance))
            if not len(fitting):
                return is_suppressed, False
            extra_loss = np.round(self._further_losses(node, records, labels)[fitting], 9)
            is_suppressed[fitting[np.lexsort((class_sizes[fitting], extra_loss))[0]]] = True
        if self.constraint is None:
            return is_suppressed, True
        others = [i for i in np.argsort(class_sizes, kind="stable") if not is_suppressed[i]]
        added = 0
        while not (met := self._meets(is_suppressed[labels])) and added < len(others):
            if records[is_suppressed].sum() > self.max_suppressed:
                break
            added = min(2 * added + 1, len(others))
            is_suppressed[others[:added]] = True
        return is_suppressed, met

    def _meets(self, rows: Mask) -> bool:
        return self.constraint is None or self.constraint.is_met_by(
            np.flatnonzero(self.records(rows))
        )

    def _further_losses(self, node: Node, records: Cells, labels: Codes) -> Cells:
        """Return what each class loses in addition if it is suppressed, in some unit."""
        if self.discernibility:
            return np.asarray(records * (self._weights.sum() - records))
        extra_losses = np.zeros(len(labels))
        for levels, level, row in zip(self.levels, node, self._rows, strict=True):
            extra_losses += (levels.losses[-1] - levels.losses[level])[row]
        return np.bincount(labels, extra_losses * self._weights, len(records)).astype(np.float64)

    def _loss(self, node: Node, suppressed: Mask, kept_pairs: float) -> float:
        """Return the loss of a node, given the suppressed rows and the pairs of all others."""
        n = float(self._weights.sum())
        if self.discernibility:
            return (kept_pairs + n * self.n_records(suppressed)) / n**2
        extra_losses = np.zeros(int(suppressed.sum()))
        for levels, level, row in zip(self.levels, node, self._rows, strict=True):
            extra_losses += (levels.losses[-1] - levels.losses[level])[row[suppressed]]
        extra_loss = (extra_losses * self._weights[suppressed]).sum()
        return self.cell_loss(node) + float(extra_loss / (len(self.levels) * n))

    def _mean(self, cells: Cells) -> float:
        return float((cells * self._weights).sum() / self._weights.sum())

    def _units_in(self, labels: Codes, number: int) -> Codes:
        pairs = np.unique(labels * (int(self._units.max()) + 1) + self._units)  # type: ignore[union-attr]
        return np.bincount(pairs // (int(self._units.max()) + 1), minlength=number)  # type: ignore[union-attr]

    def _count(self, rows: Mask) -> int:
        if self._units is None:
            return self.n_records(rows)
        return len(np.unique(self._units[rows]))
