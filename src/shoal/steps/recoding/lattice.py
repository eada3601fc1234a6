"""The lattice of generalisation levels of a table.

A node of the lattice is a combination of levels, one for each column. From a node to a higher one,
classes can only merge. The loss of a node is at least the mean loss of its cells without
suppression; a loss measured as discernibility is at least the share of pairs in the same class.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.steps._distinct_records import label_distinct_rows

Codes = NDArray[np.int64]
Values = NDArray[np.float64]
Mask = NDArray[np.bool_]
Node = tuple[int, ...]


class Levels(NamedTuple):
    """The levels of one column's hierarchy; values and their ancestors are codes from 0.

    ``ancestors[level]`` gives the ancestor of each value: the value itself at level 0, and a common
    ancestor of all values at the last level. ``losses[level]`` gives the loss of a cell by its
    value; it does not decrease from one level to the next. A suppressed cell loses as much as a
    cell at the last level.
    """

    ancestors: Sequence[Codes]
    losses: Sequence[Values]


class ClassConstraint(Protocol):
    """A constraint on the confidential values of every class."""

    @property
    def holds_for_unions(self) -> bool:
        """Whether a union of classes that all meet the constraint meets it too."""

    @property
    def holds_for_any_union(self) -> bool:
        """Whether the union with any other class meets the constraint, if one of the two does."""

    def met_by_classes(self, labels: Codes) -> Mask:
        """Return which classes meet the constraint, given the class of each record."""

    def is_met_by(self, members: Codes) -> bool:
        """Return whether a class of the given records meets the constraint."""


class Evaluation(NamedTuple):
    """The classes of a node, counted, and the loss of the node.

    Parameters
    ----------
    n_failing : int
        Number of records in classes that are too small or do not meet the constraint.
    n_failing_below : int
        Number of records in classes that would fail at every node below too.
    is_suppressed : ndarray of shape (n_rows,)
        Whether to suppress each row.
    suppressed_class_holds : bool
        Whether the suppressed rows form a class that holds k and meets the constraint.
    n_pairs : float
        Sum of the squared class sizes if nothing is suppressed.
    loss : float
        The loss of the node.
    """

    n_failing: int
    n_failing_below: int
    is_suppressed: Mask
    suppressed_class_holds: bool
    n_pairs: float
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
        Minimum number of records, or of units, in a class.
    max_suppressed : int
        Maximum number of records that may be suppressed. They form a separate class, which
        must hold k and meet the constraint as well.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if k counts units.
    constraint : ClassConstraint, optional
        Constraint on the confidential values of every class.
    counts : ndarray of shape (n_records,), optional
        Number of records that each row of ``codes`` stands for; 1 by default.
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
        self.levels = levels
        self.k = k
        self.max_suppressed = max_suppressed
        self.constraint = constraint
        self.discernibility = discernibility
        table = codes if units is None else np.column_stack([codes, units])
        n_rows, self._row_of_record = label_distinct_rows(table.T, table.max(axis=0) + 1)
        first_records = np.zeros(n_rows, np.int64)
        first_records[self._row_of_record[::-1]] = np.arange(len(table))[::-1]
        self._codes = np.ascontiguousarray(codes[first_records].T)
        self._units = (
            None if units is None else np.unique(units[first_records], return_inverse=True)[1]
        )
        self._weights = np.bincount(self._row_of_record, counts, n_rows).astype(np.float64)
        self._mean_losses = [
            [self._weighted_mean(losses[codes_of_column]) for losses in column.losses]
            for column, codes_of_column in zip(levels, self._codes, strict=True)
        ]

    @property
    def top(self) -> Node:
        """The highest node, at which every column has a single value."""
        return tuple(len(column.ancestors) - 1 for column in self.levels)

    @property
    def n_counted(self) -> int:
        """Number of records of the table, or of units if k counts units."""
        return self._class_size(np.ones(len(self._weights), bool))

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        n_nodes = 1
        for column in self.levels:
            n_nodes *= len(column.ancestors)
        return n_nodes

    def cell_loss(self, node: Node) -> float:
        """Return the mean loss of the cells of a node without suppressed records."""
        losses = [
            column_losses[level]
            for column_losses, level in zip(self._mean_losses, node, strict=True)
        ]
        return sum(losses) / len(losses)

    def bound(self, node: Node) -> float:
        """Return a lower bound on the loss of a node and all above it, without counting classes."""
        return 0.0 if self.discernibility else self.cell_loss(node)

    def bound_above(self, evaluation: Evaluation) -> float:
        """Return a lower bound on the loss of an evaluated node and all above it."""
        n = float(self._weights.sum())
        return evaluation.n_pairs / n**2 if self.discernibility else 0.0

    def evaluate(self, node: Node) -> Evaluation:
        """Count the classes of a node, and choose the rows to suppress.

        The rows of failing classes are suppressed. If they hold fewer than k, the class that adds
        the least loss is suppressed with them, which suffices because it holds k itself. If the
        suppressed rows do not meet the constraint together, the smallest classes are added, 1, 3,
        7, ... of them, until they do.
        """
        ancestors = [
            levels.ancestors[level][codes_of_column]
            for levels, level, codes_of_column in zip(self.levels, node, self._codes, strict=True)
        ]
        n_codes = [int(column.max()) + 1 for column in ancestors]
        n_classes, labels = label_distinct_rows(ancestors, n_codes)
        record_counts = np.bincount(labels, self._weights, n_classes).astype(np.float64)
        class_sizes = record_counts if self._units is None else self._count_units(labels, n_classes)
        is_small = is_failing = class_sizes < self.k
        if self.constraint is not None:
            is_failing = is_small | ~self.constraint.met_by_classes(labels[self._row_of_record])
        n_failing = int(record_counts[is_failing].sum())
        n_failing_below = (
            n_failing if self._prunes_by_constraint else int(record_counts[is_small].sum())
        )
        n_pairs = float((record_counts**2).sum())
        is_suppressed_class = is_failing.copy()
        suppressed_class_holds = True
        if 0 < n_failing <= self.max_suppressed:
            is_suppressed_class, suppressed_class_holds = self._complete_suppressed_class(
                node, is_failing, class_sizes.astype(np.int64), record_counts, labels
            )
        is_suppressed_row = is_suppressed_class[labels]
        loss = self._node_loss(
            node, is_suppressed_row, float((record_counts[~is_suppressed_class] ** 2).sum())
        )
        return Evaluation(
            n_failing, n_failing_below, is_suppressed_row, suppressed_class_holds, n_pairs, loss
        )

    def record_mask(self, is_selected: Mask) -> Mask:
        """Return the mask of the records of the selected rows."""
        return is_selected[self._row_of_record]

    def n_records(self, is_selected: Mask) -> int:
        """Return the number of records of the selected rows."""
        return int(self._weights[is_selected].sum())

    @property
    def fails_if_top_fails(self) -> bool:
        """Whether no node meets the constraint if the top node does not."""
        return self.constraint is None or self.constraint.holds_for_unions

    @property
    def _prunes_by_constraint(self) -> bool:
        """Whether a class that fails the constraint fails at every node below too.

        Without suppression, all classes of a node must meet the constraint, so their unions do if
        the constraint holds for unions. With suppression, a class of a lower node that meets the
        constraint could be merged with a suppressed class that does not.
        """
        if self.constraint is None:
            return True
        if self.max_suppressed == 0:
            return self.constraint.holds_for_unions
        return self.constraint.holds_for_any_union

    def _complete_suppressed_class(
        self, node: Node, is_failing: Mask, class_sizes: Codes, record_counts: Values, labels: Codes
    ) -> tuple[Mask, bool]:
        """Return which classes to suppress, and whether together they hold k and the constraint.

        Besides the failing classes, further classes are suppressed as `evaluate` describes.
        """
        is_suppressed = is_failing.copy()
        if self._class_size(is_suppressed[labels]) < self.k:
            allowance = self.max_suppressed - record_counts[is_failing].sum()
            candidates = np.flatnonzero(~is_failing & (record_counts <= allowance))
            if not len(candidates):
                return is_suppressed, False
            extra_losses = np.round(
                self._suppression_losses(node, record_counts, labels)[candidates], 9
            )
            is_suppressed[candidates[np.lexsort((class_sizes[candidates], extra_losses))[0]]] = True
        if self.constraint is None:
            return is_suppressed, True
        others = [i for i in np.argsort(class_sizes, kind="stable") if not is_suppressed[i]]
        n_added = 0
        while not (is_met := self._is_constraint_met(is_suppressed[labels])) and n_added < len(
            others
        ):
            if record_counts[is_suppressed].sum() > self.max_suppressed:
                break
            n_added = min(2 * n_added + 1, len(others))
            is_suppressed[others[:n_added]] = True
        return is_suppressed, is_met

    def _is_constraint_met(self, is_selected: Mask) -> bool:
        return self.constraint is None or self.constraint.is_met_by(
            np.flatnonzero(self.record_mask(is_selected))
        )

    def _suppression_losses(self, node: Node, record_counts: Values, labels: Codes) -> Values:
        """Return the additional loss of each class if it is suppressed, up to a common factor."""
        if self.discernibility:
            return np.asarray(record_counts * (self._weights.sum() - record_counts))
        losses = np.zeros(len(labels))
        for levels, level, codes_of_column in zip(self.levels, node, self._codes, strict=True):
            losses += (levels.losses[-1] - levels.losses[level])[codes_of_column]
        return np.bincount(labels, losses * self._weights, len(record_counts)).astype(np.float64)

    def _node_loss(self, node: Node, is_suppressed: Mask, n_released_pairs: float) -> float:
        """Return the loss of a node, given its suppressed rows and the pairs of all others."""
        n = float(self._weights.sum())
        if self.discernibility:
            return (n_released_pairs + n * self.n_records(is_suppressed)) / n**2
        extra_losses = np.zeros(int(is_suppressed.sum()))
        for levels, level, codes_of_column in zip(self.levels, node, self._codes, strict=True):
            extra_losses += (levels.losses[-1] - levels.losses[level])[
                codes_of_column[is_suppressed]
            ]
        extra_loss = (extra_losses * self._weights[is_suppressed]).sum()
        return self.cell_loss(node) + float(extra_loss / (len(self.levels) * n))

    def _weighted_mean(self, losses: Values) -> float:
        return float((losses * self._weights).sum() / self._weights.sum())

    def _count_units(self, labels: Codes, n_classes: int) -> Codes:
        pairs = np.unique(labels * (int(self._units.max()) + 1) + self._units)  # type: ignore[union-attr]
        return np.bincount(pairs // (int(self._units.max()) + 1), minlength=n_classes)  # type: ignore[union-attr]

    def _class_size(self, is_selected: Mask) -> int:
        if self._units is None:
            return self.n_records(is_selected)
        return len(np.unique(self._units[is_selected]))
