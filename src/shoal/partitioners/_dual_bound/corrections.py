"""Corrections: how far duals must fall so that no group costs less than the sum of its duals.

`shoal._kernels.pricing.reach` says from which of its rows a violated group is found. All rows are
searched; then the greatest dual of each group that was found is lowered until the group is no
longer violated, and the rows that found one are searched again. What is still violated after some
passes is charged to the row that found it.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.pricing.correction import Effort, correct_rows, lower_greatest
from shoal._kernels.pricing.relaxation import net_duals
from shoal._kernels.pricing.row_boxes import BOXES_PER_GROUP, ROWS_PER_BOX, make_boxes
from shoal.partitioners._base import Labels, Matrix
from shoal.partitioners._dual_bound.long_table import LongTable, rounding_share

PASSES = 8  # over rows that found violated groups, at most
CLOSE = 1e-5  # of the duals: charges that no further pass is worth
# Steps of the searches at a row, by spread and by floors, and the most candidates: fewer save
# memory, but a few outliers with very many candidates have the largest duals.
STEPS = 2_000_000, 200_000, 1_000_000
HARD_STEPS, HARD_SHARE = (2_000_000, 5_000_000, 1_000_000), 0.0005  # and at which share of all rows
SPACE = 262_144  # rows that lists of candidates can hold
KEPT = 2  # violated groups that are kept per row
STRIDE, HARD_STRIDE = 1_024, 4  # rows between two checks of the time

Members = NDArray[np.int32]
Check = Callable[[int], None]
Steps = tuple[int, int, int]


class Corrections:
    """Duals that are lowered until they are feasible.

    ``charge`` is what each row must still pay if the work ends now: `feasible` duals are those
    with all charges paid.
    """

    def __init__(self, long: LongTable, duals: Matrix):
        self.long, self.duals = long, duals.copy()
        X, n = long.X, len(duals)
        self.net = net_duals(X, long.near, long.k, duals)
        self.inner = make_boxes(X, self.net, duals, ROWS_PER_BOX)
        self.outer = make_boxes(X, self.net, duals, ROWS_PER_BOX * BOXES_PER_GROUP)
        # No violated group is found from a row whose dual is its share, so a row that was not
        # searched falls to that, and no row must fall below it.
        self.is_open, self.charge = np.ones(n, np.bool_), np.zeros(n)

    @property
    def feasible(self) -> Matrix:
        """Feasible duals."""
        paid = self.duals + self.charge
        return np.where(self.is_open, np.minimum(self.duals, self.long.share), paid)

    def run(self, threads: int, check_interrupt: Check) -> Members:
        """Lower duals until all are feasible; return the groups that were violated.

        After some rows, ``check_interrupt`` is called with their number and may raise.
        """
        n, self.limited = len(self.duals), np.zeros(len(self.duals), np.bool_)
        rows, violated = np.arange(n), []
        for number in range(PASSES):
            check = check_interrupt if number == 0 else lambda _: check_interrupt(n)
            groups, costs = self._search(rows, STRIDE, STEPS, threads, check)
            violated.append(groups)
            rows = rows[self.charge[rows] < 0]
            left = -self.charge[rows[~self.limited[rows]]].sum()
            if left <= CLOSE * self.duals.sum() or number == PASSES - 1:
                break
            self._lower(groups, costs)
        # Few rows, mostly outliers, need long searches; their charges are the largest.
        hard = rows[self.limited[rows]]
        hard = hard[np.argsort(self.charge[hard], kind="stable")]
        hard = hard[: int(np.ceil(HARD_SHARE * n))]
        more = self._search(hard, HARD_STRIDE, HARD_STEPS, threads, lambda _: check_interrupt(n))
        return np.concatenate([*violated, more[0]])

    def _lower(self, groups: Members, costs: Matrix) -> None:
        """Lower the greatest dual of each group as far as the group is violated."""
        order = np.argsort(costs, kind="stable")
        before = self.duals.copy()
        lower_greatest(self.long.X, groups[order], self.duals)
        self.net -= before - self.duals

    def _search(
        self, rows: Labels, stride: int, steps: Steps, threads: int, check_interrupt: Check
    ) -> tuple[Members, Matrix]:
        """Find the charges of some rows; return violated groups and their reduced costs."""
        parts = [rows[i : i + stride] for i in range(0, len(rows), stride)]
        groups, costs, done = [np.empty((0, self.long.k), np.int32)], [np.empty(0)], 0
        with ThreadPoolExecutor(threads) as pool:
            tasks = deque(pool.submit(self._correct, part, steps) for part in parts)
            try:
                for part in parts:
                    charge, violated, reduced, limited = tasks.popleft().result()
                    self.charge[part], self.limited[part] = charge, limited
                    self.is_open[part] = False
                    groups.append(violated)
                    costs.append(reduced)
                    done += len(part)
                    check_interrupt(done)
            finally:
                for task in tasks:
                    task.cancel()
        return np.concatenate(groups), np.concatenate(costs)

    def _correct(
        self, rows: Labels, steps: Steps
    ) -> tuple[Matrix, Members, Matrix, NDArray[np.bool_]]:
        """Return charges, violated groups, their costs, and whether the steps did not suffice."""
        k, n = self.long.k, len(rows)
        charge, counts = np.empty(n), np.empty(n, np.int64)
        groups, costs = np.empty((n, KEPT, k), np.int64), np.zeros((n, KEPT))
        effort = Effort(*steps, rounding_share(self.long), SPACE)
        correct_rows(
            self.long.X, self.long.near, k, self.duals, self.net, self.inner, self.outer, rows,
            effort, charge, groups, costs, counts,
        )  # fmt: skip
        held = np.arange(KEPT) < counts[:, None]
        limited = charge < costs.min(axis=1)
        most = np.minimum(self.duals[rows], self.long.share[rows]) - self.duals[rows]
        return np.maximum(charge, most), groups[held].astype(np.int32), costs[held], limited
