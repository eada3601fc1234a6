"""Corrections: how far duals must fall so that no group costs less than the sum of its duals.

Rows are ordered by decreasing dual, and a group belongs to its first row in that order. A row is
charged the lowest reduced cost of its groups, if that is negative. First a relaxation gives a valid
correction of every row; then exact searches raise the corrections, some rows at a time.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.pricing.correction import correct_rows
from shoal._kernels.pricing.relaxation import net_duals, relax_rows
from shoal._kernels.pricing.row_boxes import BOXES_PER_GROUP, ROWS_PER_BOX, make_boxes
from shoal.partitioners._base import Labels, Matrix
from shoal.partitioners._dual_bound.long_table import LongTable

MOST = 1_000_000  # rows that may join a row
STEPS = 500_000  # of the search at a row
HARD_STEPS, HARD_SHARE = 20_000_000, 0.002  # of further searches, at a share of all rows
KEPT = 2  # violated groups that are kept per row
STRIDE, HARD_STRIDE = 1_000, 4  # rows between two checks of the time

Members = NDArray[np.int32]
Check = Callable[[int], None]


class Corrections:
    """Valid corrections of the duals of all rows: ``duals + correction`` is feasible."""

    def __init__(self, long: LongTable, duals: Matrix):
        self.long, self.duals = long, duals
        X, near, k, n = long.X, long.near, long.k, len(duals)
        self.net = net_duals(X, near, k, duals)
        order = np.argsort(-duals, kind="stable")
        self.ceiling = np.empty(n)
        self.ceiling[order[:-1]] = np.maximum.accumulate(self.net[order[:0:-1]])[::-1]
        self.ceiling[order[-1]] = -np.inf
        self.inner = make_boxes(X, self.net, duals, ROWS_PER_BOX)
        self.outer = make_boxes(X, self.net, duals, ROWS_PER_BOX * BOXES_PER_GROUP)
        self.correction = np.empty(n)
        relax_rows(X, near, k, duals, self.net, self.ceiling, self.correction)

    @property
    def sum(self) -> float:
        """The sum of all duals and corrections so far."""
        return float(self.duals.sum() + self.correction.sum())

    def run(self, threads: int, check_interrupt: Check) -> Members:
        """Raise all corrections by exact searches; return violated groups.

        After some rows, ``check_interrupt`` is called with their number and may raise.
        """
        n, self.limited = len(self.duals), np.zeros(len(self.duals), np.bool_)
        groups = self._search(np.arange(n), STRIDE, STEPS, threads, check_interrupt)
        # Few rows, mostly outliers, need long searches; their corrections are the largest.
        hard = np.flatnonzero(self.limited)
        hard = hard[np.argsort(self.correction[hard], kind="stable")]
        hard = hard[: int(np.ceil(HARD_SHARE * n))]
        more = self._search(hard, HARD_STRIDE, HARD_STEPS, threads, lambda _: check_interrupt(n))
        return np.concatenate([groups, more])

    def _search(
        self, rows: Labels, stride: int, steps: int, threads: int, check_interrupt: Check
    ) -> Members:
        """Raise the corrections of some rows; return violated groups."""
        parts = [rows[i : i + stride] for i in range(0, len(rows), stride)]
        groups, done = [np.empty((0, self.long.k), np.int32)], 0
        with ThreadPoolExecutor(threads) as pool:
            tasks = deque(pool.submit(self._correct, part, steps) for part in parts)
            try:
                for part in parts:
                    correction, violated, self.limited[part] = tasks.popleft().result()
                    self.correction[part] = np.maximum(self.correction[part], correction)
                    groups.append(violated)
                    done += len(part)
                    check_interrupt(done)
            finally:
                for task in tasks:
                    task.cancel()
        return np.concatenate(groups)

    def _correct(self, rows: Labels, steps: int) -> tuple[Matrix, Members, NDArray[np.bool_]]:
        """Return corrections of rows, violated groups, and whether the steps did not suffice."""
        k, n = self.long.k, len(rows)
        correction, counts = np.empty(n), np.empty(n, np.int64)
        groups, costs = np.empty((n, KEPT, k), np.int64), np.zeros((n, KEPT))
        correct_rows(
            self.long.X, self.long.near, k, self.duals, self.net, self.ceiling, self.inner,
            self.outer, rows, MOST, steps, correction, groups, costs, counts,
        )  # fmt: skip
        held = groups[np.arange(KEPT) < counts[:, None]].astype(np.int32)
        return correction, held, correction < costs.min(axis=1)
