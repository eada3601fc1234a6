"""A lower bound of the SSE of all partitions of a long table, and the duals that prove it."""

import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from math import fsum

import numpy as np

from shoal import _progress as progress
from shoal.geometry import squared_errors, total_sums_of_squares
from shoal.partitioners._base import Labels, Matrix, Values, sse
from shoal.partitioners._budget import Budget, OutOfTime
from shoal.partitioners._dual_bound.block_ascent import (
    Block,
    add_groups,
    block_task,
    groups_of_partition,
    make_blocks,
)
from shoal.partitioners._dual_bound.corrections import Corrections
from shoal.partitioners._dual_bound.executor import Executor, ThreadExecutor
from shoal.partitioners._dual_bound.group_pool import Members
from shoal.partitioners._dual_bound.long_table import LongTable, long_table, rounding_share
from shoal.partitioners._dual_bound.pair_duals import max_used_neighbours, pair_duals

BLOCK = 4_096  # rows whose duals are raised together
# Blocks whose duals are raised in parallel do not use each other's new duals, which does no harm if
# they are few and far apart. Their number does not depend on the number of threads, so neither do
# results.
MAX_PARALLEL = 4  # blocks whose duals are raised at the same time
MIN_SPACING = 12  # minimum distance of such blocks, counted in blocks
COST_FACTOR = 1.3  # about the cost of a record, as a multiple of the mean neighbour dual
# Where the ascent starts: without a partition, this times the first corrected duals; with one, this
# times the squared errors of the records.
START_FACTOR = 1.03
ERROR_FACTOR = 0.93
LIFT_FACTOR = 1.06  # the first corrections start from this times the duals of the quick bound
Passes = tuple[tuple[float, int], ...]
# The passes of each round: a temperature, and how often groups are priced at most in each block.
ROUNDS: tuple[Passes, ...] = (
    ((0.1, 6), (0.1, 2), (0.05, 2), (0.03, 2), (0.02, 2), (0.01, 2)),
    ((0.01, 2), (0.007, 2), (0.005, 2), (0.003, 2)),
    ((0.002, 2), (0.001, 2)),
)
RESERVE = 1.5  # time reserved for the last corrections, as a multiple of the time of the first


@dataclass(frozen=True, eq=False)
class Certificate:
    """Duals that prove a lower bound of the SSE of all partitions into groups of at least k.

    No ``k`` records have an SSE below the sum of their duals; then no larger group has either,
    and no partition has an SSE below the sum of all duals.

    Parameters
    ----------
    duals : ndarray of shape (n_records,)
        A value per record, in squared units of the table.
    k : int
        Minimum number of records in a group.
    bound : float
        The sum of the duals, minus the greatest possible rounding error.
    complete : bool
        Whether all rounds were completed, rather than ended by the budget or Ctrl-C.
    seconds : float
        CPU seconds spent, or the time of the given clock.
    """

    duals: Values
    k: int
    bound: float
    complete: bool
    seconds: float


def certify_quickly(X: Matrix, k: int) -> Certificate:
    """Return the lower bound that pairs of near records prove, with its duals.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units.
    k : int
        Minimum number of records in a group: at least 2, and at most the number of records.

    Returns
    -------
    Certificate
        The bound and the duals that prove it; ``complete`` is True.
    """
    time_budget = Budget(np.inf, time.process_time)
    table = long_table(X, k, max_used_neighbours(k))
    return to_certificate(table, pair_duals(table), None, True, time_budget.seconds_spent)


def certify(
    X: Matrix,
    k: int,
    *,
    labels: Labels | None = None,
    budget: float | None = None,
    clock: Callable[[], float] = time.process_time,
    executor: Executor | None = None,
) -> Certificate:
    """Return a lower bound of the SSE of all partitions, and the duals that prove it.

    The duals of the quick bound are raised evenly and corrected across the whole table. Then duals
    are raised block by block and corrected, in three rounds; the best are kept. If the budget or
    Ctrl-C ends the work early, the result is the best bound so far, which is never below the quick
    bound. The result does not depend on the executor unless a budget ends the work.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units.
    k : int
        Minimum number of records in a group: at least 2, and at most half of the records.
    labels : ndarray of shape (n_records,), optional
        A partition to start from, which shortens the work.
    budget : float, optional
        Seconds to spend at most; no limit if None.
    clock : callable
        A function that returns the time in seconds; CPU seconds of all threads by default.
    executor : Executor, optional
        What executes the tasks; as many threads as there are cores if None.

    Returns
    -------
    Certificate
        The bound and the duals that prove it; ``complete`` is False if the work ended early.
    """
    time_budget = Budget(np.inf if budget is None else budget, clock)
    cost = sse(X, labels) if labels is not None else None
    search = _CertificateSearch(
        long_table(X, k), executor or ThreadExecutor(), time_budget, labels, cost
    )
    complete = False
    with suppress(OutOfTime, KeyboardInterrupt):
        if search.cost_unit > 0:
            search.run()
        complete = True
    return search.certificate(complete)


class _CertificateSearch:
    """The best feasible duals so far; at first the duals from pairs of near records.

    ``cost`` is the SSE of the partition that the ``labels`` describe.
    """

    def __init__(
        self,
        table: LongTable,
        executor: Executor,
        budget: Budget,
        labels: Labels | None,
        cost: float | None,
    ):
        self.table, self.executor, self.budget = table, executor, budget
        self.best_duals = pair_duals(table)
        self.best_sum = float(self.best_duals.sum())
        self.cost = None if cost is None else float(np.ldexp(cost, -2 * table.power))
        self.cost_unit = COST_FACTOR * float(table.neighbour_dual.mean())
        self.total_sse = float(total_sums_of_squares(table.X).sum())
        self.blocks: list[Block] = make_blocks(table, BLOCK)
        self.start_duals: Values | None = None
        if labels is not None:
            row_labels = labels[table.order]
            add_groups(self.blocks, groups_of_partition(row_labels, table.k))
            self.start_duals = ERROR_FACTOR * squared_errors(table.X, row_labels)

    def run(self) -> None:
        """Make all rounds; raise `OutOfTime` when the budget is used up.

        The ascent ends early if too little time would be left for corrections.
        """
        seconds_before = self.budget.seconds_spent
        self.executor.share_table(self.table)
        self._correct(LIFT_FACTOR * self.best_duals)
        correction_seconds = self.budget.seconds_spent - seconds_before
        deadline = self.budget.seconds - RESERVE * correction_seconds
        duals = START_FACTOR * self.best_duals if self.start_duals is None else self.start_duals
        for passes in ROUNDS:
            if self.budget.seconds_spent >= deadline:
                raise OutOfTime
            is_complete = self._ascend_passes(duals, passes, deadline)
            self._correct(duals)
            if not is_complete:
                raise OutOfTime

    def _ascend_passes(self, duals: Values, passes: Passes, deadline: float) -> bool:
        """Make the given passes; return whether they took less than ``deadline`` seconds."""
        with suppress(OutOfTime):
            for temperature, max_pricings in passes:
                self._ascend(duals, temperature, max_pricings, deadline)
            return True
        return False

    def _ascend(
        self, duals: Values, temperature: float, max_pricings: int, deadline: float
    ) -> None:
        """Raise the duals of all blocks once; raise `OutOfTime` after ``deadline`` seconds."""
        n_blocks, n_done = len(self.blocks), 0
        spacing = -(-n_blocks // max(1, min(MAX_PARALLEL, n_blocks // MIN_SPACING)))

        def report() -> None:
            stage = f"at temperature {temperature:g}"
            self._report_progress(deadline, stage, n_done, len(duals))

        for first in range(spacing):
            blocks = self.blocks[first::spacing]
            tasks = [
                block_task(
                    self.table, duals, block, self._border_groups(block),
                    temperature * self.cost_unit, max_pricings,
                )
                for block in blocks
            ]  # fmt: skip
            with closing(self.executor.ascend_blocks(tasks, report)) as results:
                for number, result in results:
                    block = blocks[number]
                    duals[block.start : block.stop] = result.dual
                    block.set_groups(result.groups)
                    n_done += len(block)
                    report()

    def _border_groups(self, block: Block) -> Members:
        """Return the groups of other blocks that contain a row of ``block``."""
        others = (other for other in self.blocks if other is not block)
        groups = [other.border_groups(block.number) for other in others]
        return np.concatenate([np.empty((0, self.table.k), np.int32), *groups])

    def _correct(self, duals: Values) -> None:
        """Correct ``duals``; keep them if they prove more than the best so far."""
        corrections = Corrections(self.table, duals)

        def report(n_done: int, n_total: int) -> None:
            self._report_progress(self.budget.seconds, "correcting", n_done, n_total)

        try:
            groups = corrections.run(self.executor, report)
        finally:
            feasible = corrections.feasible
            if feasible.sum() > self.best_sum:
                self.best_sum, self.best_duals = float(feasible.sum()), feasible
        add_groups(self.blocks, groups)

    def _report_progress(self, deadline: float, stage: str, n_done: int, n_total: int) -> None:
        """Report the bound so far; raise `OutOfTime` after ``deadline`` seconds."""
        status = f"bounding, loss at least {100 * self.best_sum / self.total_sse:.2f} %"
        if self.cost is not None and self.best_sum > 0:
            status += f", gap {100 * (self.cost / self.best_sum - 1):.2f} %"
        progress.report(f"{status}, {stage}", n_done, n_total)
        if self.budget.seconds_spent >= deadline:
            raise OutOfTime

    def certificate(self, complete: bool) -> Certificate:
        """Return the best duals so far."""
        return to_certificate(
            self.table, self.best_duals, self.cost, complete, self.budget.seconds_spent
        )


def to_certificate(
    table: LongTable, row_duals: Values, cost: float | None, complete: bool, seconds: float
) -> Certificate:
    """Return the duals of rows as a certificate, in the order and the units of the table."""
    duals, power = np.empty(len(row_duals)), 2 * table.power
    duals[table.order] = row_duals
    bound = max(0.0, fsum(duals) - rounding_error(table, duals, cost))
    return Certificate(
        np.ldexp(duals, power), table.k, float(np.ldexp(bound, power)), complete, seconds
    )


def rounding_error(table: LongTable, duals: Values, cost: float | None) -> float:
    """Return the greatest rounding error of the reduced costs of an optimal partition.

    Their terms are the duals and the squared distances of the groups, which add up to no more than
    the SSE of any partition, such as one into groups of consecutive rows.
    """
    n = len(table.X)
    if cost is None:
        labels = np.minimum(np.arange(n) // table.k, n // table.k - 1)
        cost = sse(table.X, labels)
    terms = fsum(np.abs(duals)) + cost
    return rounding_share(table) * terms
