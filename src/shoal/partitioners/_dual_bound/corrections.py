"""Corrections: how far duals must fall so that no group costs less than the sum of its duals.

`shoal._kernels.pricing.search_radius` says from which of its rows a violated group is found. All rows are
searched; then the greatest dual of each group that was found is lowered until the group is no
longer violated, and the rows that found one are searched again. Where a group is still violated
after some passes, the dual of the row that found it is lowered.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.pricing.cheapest_groups import open_cheapest_groups
from shoal._kernels.pricing.correction import (
    CorrectionEffort,
    PricedTable,
    correct_rows,
    lower_greatest_duals,
)
from shoal._kernels.pricing.relaxation import net_duals
from shoal._kernels.pricing.row_boxes import box_levels
from shoal.partitioners._base import Indices, Values
from shoal.partitioners._dual_bound.long_table import LongTable, rounding_share

PASSES = 8  # over rows that found violated groups, at most
CLOSE = 1e-5  # of the duals: corrections that no further pass is worth
# Outliers can have very many candidates, which take memory. Fewer in the last searches, of the
# largest duals, lower the bound.
EFFORT = CorrectionEffort(
    spread_steps=2_000_000,
    floor_steps=200_000,
    max_candidates=20_000,
    margin=0.0,  # depends on the table
    space=262_144,
)
HARD_EFFORT = EFFORT._replace(floor_steps=5_000_000, max_candidates=100_000)
HARD_SHARE = 0.0005  # of all rows, that are searched with the greater effort
KEPT = 2  # violated groups that are kept per row
STRIDE, HARD_STRIDE = 1_024, 4  # rows between two checks of the time

Members = NDArray[np.int32]
Check = Callable[[int, int], None]


class Corrections:
    """Duals that are lowered until they are feasible.

    ``correction`` (at most 0) is what must be added to the dual of each row. ``is_open`` tells
    which rows have not been searched yet; ``is_incomplete`` tells at which rows the effort did not
    suffice, so that their corrections may be larger than needed.
    """

    def __init__(self, long: LongTable, duals: Values):
        self.long, self.duals = long, duals.copy()
        X, n = long.X, len(duals)
        self.net = net_duals(X, long.near, long.k, duals)
        boxes = box_levels(X, self.net, duals)
        # Duals and net duals change in place.
        self.table = PricedTable(X, long.near, long.k, self.duals, self.net, boxes)
        # No violated group is found from a row whose dual is its share, so a row that was not
        # searched falls to that, and no row must fall below it.
        self.is_open, self.correction = np.ones(n, np.bool_), np.zeros(n)
        self.is_incomplete = np.zeros(n, np.bool_)

    @property
    def feasible(self) -> Values:
        """Feasible duals: corrected ones, or at most the shares where rows were not searched."""
        corrected = self.duals + self.correction
        return np.where(self.is_open, np.minimum(self.duals, self.long.share), corrected)

    def run(self, threads: int, check_interrupt: Check) -> Members:
        """Lower duals until all are feasible; return the groups that were violated.

        After some rows, ``check_interrupt`` is called with their number and that of all rows of the
        pass; it may raise.
        """
        n, violated = len(self.duals), []
        rows = np.arange(n)
        for number in range(PASSES):
            groups, costs = self._search(rows, STRIDE, EFFORT, threads, check_interrupt)
            violated.append(groups)
            rows = rows[self.correction[rows] < 0]
            remaining = -self.correction[rows[~self.is_incomplete[rows]]].sum()
            if remaining <= CLOSE * self.duals.sum() or number == PASSES - 1:
                break
            self._lower(groups, costs)
        # Few rows, mostly outliers, need long searches; their corrections are the largest.
        hard = rows[self.is_incomplete[rows]]
        hard = hard[np.argsort(self.correction[hard], kind="stable")]
        hard = hard[: int(np.ceil(HARD_SHARE * n))]
        more = self._search(hard, HARD_STRIDE, HARD_EFFORT, threads, check_interrupt)
        return np.concatenate([*violated, more[0]])

    def _lower(self, groups: Members, costs: Values) -> None:
        """Lower the greatest dual of each group as far as the group is violated."""
        order = np.argsort(costs, kind="stable")
        before = self.duals.copy()
        lower_greatest_duals(self.long.X, groups[order], self.duals)
        self.net -= before - self.duals

    def _search(
        self,
        rows: Indices,
        stride: int,
        effort: CorrectionEffort,
        threads: int,
        check_interrupt: Check,
    ) -> tuple[Members, Values]:
        """Find the corrections of some rows; return violated groups and their reduced costs."""
        parts = [rows[i : i + stride] for i in range(0, len(rows), stride)]
        groups, costs, done = [np.empty((0, self.long.k), np.int32)], [np.empty(0)], 0
        with ThreadPoolExecutor(threads) as pool:
            tasks = deque(pool.submit(self._correct, part, effort) for part in parts)
            try:
                for part in parts:
                    correction, violated, reduced, incomplete = tasks.popleft().result()
                    self.correction[part], self.is_incomplete[part] = correction, incomplete
                    self.is_open[part] = False
                    groups.append(violated)
                    costs.append(reduced)
                    done += len(part)
                    check_interrupt(done, len(rows))
            finally:
                for task in tasks:
                    task.cancel()
        return np.concatenate(groups), np.concatenate(costs)

    def _correct(
        self, rows: Indices, effort: CorrectionEffort
    ) -> tuple[Values, Members, Values, NDArray[np.bool_]]:
        """Search from some rows for violated groups.

        Return the corrections of the rows, the groups and their reduced costs. The last result
        tells at which rows the effort did not suffice.
        """
        cheapest = open_cheapest_groups(len(rows), KEPT, self.long.k)
        effort = effort._replace(margin=rounding_share(self.long))
        correct_rows(self.table, rows, effort, cheapest)
        stored, incomplete = cheapest.is_stored, cheapest.bounds < cheapest.costs.min(axis=1)
        # No dual has to fall below its share.
        lowest_correction = np.minimum(self.duals[rows], self.long.share[rows]) - self.duals[rows]
        correction = np.maximum(cheapest.bounds, lowest_correction)
        groups = cheapest.groups[stored].astype(np.int32)
        return correction, groups, cheapest.costs[stored], incomplete
