"""The master problem: a linear programme over groups, and the choice of whole ones, in HiGHS."""

from collections.abc import Callable, Iterator
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.partitioners._base import Labels, Matrix
from shoal.partitioners._column_generation.columns import Columns

if TYPE_CHECKING:
    from highspy import Highs

CHECK_EVERY = 0.1  # seconds between two checks of the clock and of Ctrl-C


class Duals(NamedTuple):
    """Dual values of records, of triples and of the number of groups."""

    record_dual: Matrix
    triple_dual: Matrix
    group_dual: float


class Relaxation(NamedTuple):
    """The solved programme: the weights of the groups, their cost and the dual values."""

    weights: Matrix
    cost: float
    duals: Duals


class Choice(NamedTuple):
    """Whole groups: their columns, None if there are none yet, and a lower bound of all choices."""

    columns: Labels | None
    bound: float


def solve(highs: "Highs", seconds: float, check_interrupt: Callable[[], None]) -> None:
    """Run HiGHS for so many seconds at most, calling ``check_interrupt`` now and then.

    The solver works in a thread of its own; whatever ``check_interrupt`` raises ends it.
    """
    highs.setOptionValue("time_limit", highs.getRunTime() + max(seconds, 0.0))
    highs.HandleUserInterrupt = True
    worker = Thread(target=highs.run, daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(CHECK_EVERY)
            check_interrupt()
    except BaseException:
        highs.cancelSolve()  # type: ignore[no-untyped-call]
        worker.join()
        raise


def silent_solver() -> "Highs":
    """Return HiGHS without output, for one core."""
    from highspy import Highs

    highs = Highs()  # type: ignore[no-untyped-call]
    highs.silent()
    highs.setOptionValue("threads", 1)
    for kind in ("primal", "dual", "mip"):
        highs.setOptionValue(f"{kind}_feasibility_tolerance", 1e-9)
    return highs


def whole_groups(costs: Matrix, cover: Labels) -> "Highs":
    """Return a programme that covers every record once by whole groups of least cost.

    ``cover`` holds a row per member of a group: record and group, in order of groups.
    """
    from highspy import Highs, HighsVarType

    highs = Highs()  # type: ignore[no-untyped-call]
    highs.silent()
    records, groups, none = int(cover[:, 0].max()) + 1, len(costs), np.empty(0, np.int32)
    once = np.ones(records)
    highs.addRows(records, once, once, 0, np.zeros(records, np.int32), none, np.empty(0))
    highs.addCols(
        groups,
        costs,
        np.zeros(groups),
        np.ones(groups),
        len(cover),
        np.searchsorted(cover[:, 1], np.arange(groups)).astype(np.int32),
        cover[:, 0].astype(np.int32),
        np.ones(len(cover)),
    )
    kinds = np.full(groups, HighsVarType.kInteger)
    highs.changeColsIntegrality(groups, np.arange(groups, dtype=np.int32), kinds)
    return highs


class MasterProblem:
    """The programme over all columns; it grows with them, and each solution starts at the last.

    Rows are the records, then the number of groups where ``limit`` is given, then the
    triples. Only ``leading`` records have to be covered: all, where it is not given.
    """

    def __init__(
        self, columns: Columns, limit: int | None, leading: NDArray[np.bool_] | None = None
    ):
        self.columns, self.limit = columns, limit
        self.highs = silent_solver()
        n = len(columns.X)
        least = np.ones(n) if leading is None else leading.astype(np.float64)
        self._add_rows(least, np.ones(n), np.empty((0, 2), np.int64))
        if limit is not None:
            self._add_rows(
                np.array([-np.inf]), np.array([float(limit)]), np.empty((0, 2), np.int64)
            )
        self.head, self.width, self.depth = n + (limit is not None), 0, 0

    def _add_rows(self, low: Matrix, high: Matrix, entries: Labels) -> None:
        """Add rows with ones at ``entries``, (row, column) in the order of rows."""
        start = np.searchsorted(entries[:, 0], np.arange(len(low)))
        self.highs.addRows(
            len(low),
            low,
            high,
            len(entries),
            start.astype(np.int32),
            entries[:, 1].astype(np.int32),
            np.ones(len(entries)),
        )

    def grow(self) -> None:
        """Take in the columns and the triples that are new."""
        columns, n = self.columns, len(self.columns.X)
        new = columns.members[self.width :]
        if len(new):
            place, column = np.nonzero(new >= 0)
            pairs = [np.column_stack([new[place, column], place])]
            if self.limit is not None:
                pairs.append(np.column_stack([np.full(len(new), n), np.arange(len(new))]))
            held = columns.holding(columns.triples[: self.depth], self.width)
            pairs.append(held + np.array([self.head, -self.width]))
            entries = np.concatenate(pairs)
            entries = entries[np.argsort(entries[:, 1], kind="stable")]
            self.highs.addCols(
                len(new),
                columns.costs[self.width :],
                np.zeros(len(new)),
                np.full(len(new), np.inf),
                len(entries),
                np.searchsorted(entries[:, 1], np.arange(len(new))).astype(np.int32),
                entries[:, 0].astype(np.int32),
                np.ones(len(entries)),
            )
            self.width = len(columns)
        more = columns.triples[self.depth :]
        if len(more):
            held = columns.holding(more)
            held = held[np.argsort(held[:, 0], kind="stable")]
            self._add_rows(np.full(len(more), -np.inf), np.ones(len(more)), held)
            self.depth = len(columns.triples)

    def relax(self, seconds: float, check_interrupt: Callable[[], None]) -> Relaxation | None:
        """Solve with fractions of groups allowed; None if the seconds did not suffice."""
        from highspy import HighsModelStatus

        self.grow()
        solve(self.highs, seconds, check_interrupt)
        if self.highs.getModelStatus() != HighsModelStatus.kOptimal:
            return None
        solution = self.highs.getSolution()
        dual = np.array(solution.row_dual)
        n = len(self.columns.X)
        group_dual = max(0.0, -float(dual[n])) if self.limit is not None else 0.0
        duals = Duals(dual[:n], np.maximum(0.0, -dual[self.head :]), group_dual)
        cost = float(self.highs.getInfo().objective_function_value)
        return Relaxation(np.array(solution.col_value), cost, duals)

    def choose(
        self, start: int, seconds: float, check_interrupt: Callable[[], None]
    ) -> Iterator[Choice]:
        """Choose the partition of the least cost; the first ``start`` columns are one.

        The choice is yielded also where ``check_interrupt`` raised an exception; it is raised
        again when the next choice is asked for.
        """
        from highspy import HighsSolution, HighsVarType

        self.grow()
        highs, width = self.highs, self.width
        for option in ("mip_rel_gap", "mip_abs_gap"):
            highs.setOptionValue(option, 0.0)
        kinds = np.full(width, HighsVarType.kInteger)
        highs.changeColsIntegrality(width, np.arange(width, dtype=np.int32), kinds)
        known = HighsSolution()
        known.col_value = (np.arange(width) < start).astype(float).tolist()
        highs.setSolution(known)
        try:
            solve(highs, seconds, check_interrupt)
        finally:
            solution = highs.getSolution()
            chosen = (
                np.flatnonzero(np.array(solution.col_value) > 0.5) if solution.value_valid else None
            )
            yield Choice(chosen, float(highs.getInfo().mip_dual_bound))
