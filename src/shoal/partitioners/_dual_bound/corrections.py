"""Corrections: how far duals must fall so that no group costs less than the sum of its duals.

A violated group is anchored at one or more of its rows, as explained in
`shoal._kernels.dual_bound.search_radius`. All rows are searched for the groups anchored there; then
the greatest dual of each group that was found is lowered until the group is no longer violated, and
the rows at which one was found are searched again. If a group is still violated after
`MAX_PASSES`, the dual of its anchor is lowered.
"""

from collections.abc import Callable
from contextlib import closing

import numpy as np

from shoal._kernels.dual_bound.correction import CorrectionEffort, lower_greatest_duals
from shoal._kernels.dual_bound.net_duals import net_duals
from shoal._kernels.dual_bound.row_boxes import box_levels
from shoal.partitioners._base import Indices, Values
from shoal.partitioners._dual_bound.executor import Executor
from shoal.partitioners._dual_bound.group_pool import Members
from shoal.partitioners._dual_bound.long_table import LongTable
from shoal.partitioners._dual_bound.row_corrections import CorrectionSearch

MAX_PASSES = 8  # passes over rows at which violated groups were found
CLOSE_SHARE = 1e-5  # share of the duals: smaller corrections are not worth a further pass
# Outliers can have very many candidates, which take memory. Fewer in the last searches, of the
# largest duals, lower the bound.
EFFORT = CorrectionEffort(
    spread_steps=2_000_000,
    floor_steps=200_000,
    max_candidates=20_000,
    margin=0.0,  # depends on the table
    list_capacity=262_144,
)
HARD_EFFORT = EFFORT._replace(floor_steps=5_000_000, max_candidates=100_000)
HARD_SHARE = 0.0005  # share of all rows that are searched with the greater effort
STRIDE, HARD_STRIDE = 1_024, 4  # rows between two checks of the time

OnRows = Callable[[int, int], None]


class Corrections:
    """Duals that are lowered until they are feasible.

    ``correction`` (at most 0) is what must be added to the dual of each row. ``is_unsearched``
    marks the rows that have not been searched yet; ``is_incomplete`` marks those at which the
    effort did not suffice, so that their corrections may be larger than needed.
    """

    def __init__(self, table: LongTable, duals: Values):
        self.table, self.duals = table, duals.copy()
        X, n = table.X, len(duals)
        self.net_dual = net_duals(X, table.near, table.k, duals)
        self.boxes = box_levels(X)
        # No violated group is anchored at a row whose dual is at most its neighbour dual, so the
        # dual of a row that was not searched falls to it, and no dual has to fall below it.
        self.is_unsearched, self.correction = np.ones(n, np.bool_), np.zeros(n)
        self.is_incomplete = np.zeros(n, np.bool_)

    @property
    def feasible(self) -> Values:
        """Feasible duals: corrected ones, or at most neighbour duals of rows not searched."""
        corrected_duals = self.duals + self.correction
        return np.where(
            self.is_unsearched, np.minimum(self.duals, self.table.neighbour_dual), corrected_duals
        )

    def run(self, executor: Executor, on_progress: OnRows) -> Members:
        """Lower duals until all are feasible; return the groups that were violated.

        ``on_progress`` is called with the number of rows searched and of all rows of the pass; it
        may raise.
        """
        n, violated = len(self.duals), []
        rows = np.arange(n)
        for pass_number in range(MAX_PASSES):
            groups, costs = self._search(rows, STRIDE, EFFORT, executor, on_progress)
            violated.append(groups)
            rows = rows[self.correction[rows] < 0]
            remaining = -self.correction[rows[~self.is_incomplete[rows]]].sum()
            if remaining <= CLOSE_SHARE * self.duals.sum() or pass_number == MAX_PASSES - 1:
                break
            self._lower(groups, costs)
        # Few rows, mostly outliers, need long searches; their corrections are the largest.
        hard_rows = rows[self.is_incomplete[rows]]
        hard_rows = hard_rows[np.argsort(self.correction[hard_rows], kind="stable")]
        hard_rows = hard_rows[: int(np.ceil(HARD_SHARE * n))]
        hard_groups, _ = self._search(hard_rows, HARD_STRIDE, HARD_EFFORT, executor, on_progress)
        return np.concatenate([*violated, hard_groups])

    def _lower(self, groups: Members, costs: Values) -> None:
        """Lower the greatest dual of each group as far as the group is violated."""
        order = np.argsort(costs, kind="stable")
        previous_duals = self.duals.copy()
        lower_greatest_duals(self.table.X, groups[order], self.duals)
        self.net_dual -= previous_duals - self.duals

    def _search(
        self,
        rows: Indices,
        stride: int,
        effort: CorrectionEffort,
        executor: Executor,
        on_progress: OnRows,
    ) -> tuple[Members, Values]:
        """Find the corrections of ``rows``; return violated groups and their reduced costs."""
        chunks = [rows[i : i + stride] for i in range(0, len(rows), stride)]
        # Results are kept in the order of the chunks, not of their completion.
        groups = [np.empty((0, self.table.k), np.int32)] * (len(chunks) + 1)
        reduced_costs = [np.empty(0)] * (len(chunks) + 1)
        n_done = 0

        def report() -> None:
            on_progress(n_done, len(rows))

        search = CorrectionSearch(self.duals, self.net_dual, self.boxes, effort)
        with closing(executor.correct_chunks(search, chunks, report)) as results:
            for number, result in results:
                chunk = chunks[number]
                self.correction[chunk] = result.correction
                self.is_incomplete[chunk] = result.is_incomplete
                self.is_unsearched[chunk] = False
                groups[number], reduced_costs[number] = result.groups, result.reduced_costs
                n_done += len(chunk)
                report()
        return np.concatenate(groups), np.concatenate(reduced_costs)
