"""Linear and integer programmes, solved by HiGHS: all runs of the solver start here."""

import time
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.partitioners._base import Indices, Values
from shoal.partitioners._budget import OnProgress

if TYPE_CHECKING:
    from highspy import Highs

CHECK_EVERY = 0.1  # seconds between two checks of the clock and of Ctrl-C
INTEGRALITY_TOLERANCE = 1e-6  # distance from 0 or 1 up to which a value counts as 0 or 1
FIXING_SHARE = 0.2  # share of the fractional columns that are fixed at a time


def solve(highs: "Highs", seconds: float, on_progress: OnProgress) -> None:
    """Run HiGHS for at most ``seconds`` of CPU time, calling ``on_progress`` regularly.

    The solver runs in its own thread; any exception that ``on_progress`` raises cancels it. HiGHS
    itself measures wall-clock time, so a busy machine would end it earlier; the CPU time of the
    process is checked here instead.
    """
    highs.HandleUserInterrupt = True
    start_time = time.process_time()
    worker = Thread(target=highs.run, daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(CHECK_EVERY)
            on_progress()
            if worker.is_alive() and time.process_time() - start_time >= seconds:
                highs.cancelSolve()  # type: ignore[no-untyped-call]
                worker.join()
    except BaseException:
        highs.cancelSolve()  # type: ignore[no-untyped-call]
        worker.join()
        raise


def silent_solver() -> "Highs":
    """Return a silent HiGHS solver with one thread."""
    from highspy import Highs

    highs = Highs()  # type: ignore[no-untyped-call]
    highs.silent()
    highs.setOptionValue("threads", 1)
    for kind in ("primal", "dual", "mip"):
        highs.setOptionValue(f"{kind}_feasibility_tolerance", 1e-9)
    return highs


def require_integers(highs: "Highs", n_columns: int) -> None:
    """Turn a linear programme into an integer programme that is solved without a tolerance."""
    from highspy import HighsVarType

    for option in ("mip_rel_gap", "mip_abs_gap"):
        highs.setOptionValue(option, 0.0)
    kinds = np.full(n_columns, HighsVarType.kInteger)
    highs.changeColsIntegrality(n_columns, np.arange(n_columns, dtype=np.int32), kinds)


def set_start(highs: "Highs", values: Values) -> None:
    """Let the solver start from a feasible solution."""
    from highspy import HighsSolution

    solution = HighsSolution()
    solution.col_value = values.tolist()
    highs.setSolution(solution)


class Rows(NamedTuple):
    """Rows of a programme: ``low <= A x <= high``, with the entries of A in any order."""

    low: Values
    high: Values
    row: Indices
    column: Indices
    value: Values


class Relaxation(NamedTuple):
    """The optimum of a linear programme, the values of its columns and their reduced costs."""

    cost: float
    values: Values
    reduced_costs: Values


class IntegerSolution(NamedTuple):
    """The best solution of an integer programme, or None, and a lower bound of all solutions."""

    values: Values | None
    bound: float


class IntegerProgramme:
    """Minimise ``costs @ x`` for whole numbers ``0 <= x <= upper`` that satisfy ``rows``.

    Parameters
    ----------
    costs, upper : ndarray of shape (n_columns,)
        The cost and the maximum value of each column.
    rows : Rows
        The linear inequalities.
    """

    def __init__(self, costs: Values, upper: Values, rows: Rows):
        self.n_columns = len(costs)
        self.highs = silent_solver()
        lower, starts = np.zeros(self.n_columns), np.zeros(self.n_columns, np.int32)
        no_rows, no_entries = np.empty(0, np.int32), np.empty(0)
        self.highs.addCols(self.n_columns, costs, lower, upper, 0, starts, no_rows, no_entries)
        order = np.lexsort((rows.column, rows.row))
        self.highs.addRows(
            len(rows.low),
            rows.low,
            rows.high,
            len(order),
            np.searchsorted(rows.row[order], np.arange(len(rows.low))).astype(np.int32),
            rows.column[order].astype(np.int32),
            rows.value[order],
        )

    def relax(self, on_progress: OnProgress) -> Relaxation | None:
        """Solve the linear programme; return None if that fails."""
        from highspy import HighsModelStatus

        solve(self.highs, np.inf, on_progress)
        if self.highs.getModelStatus() != HighsModelStatus.kOptimal:
            return None
        cost = float(self.highs.getInfo().objective_function_value)
        solution = self.highs.getSolution()
        return Relaxation(cost, np.array(solution.col_value), np.array(solution.col_dual))

    def set_bounds(self, columns: Indices, lower: float, upper: float) -> None:
        """Set the minimum and the maximum value of ``columns``."""
        number = len(columns)
        self.highs.changeColsBounds(
            number, columns.astype(np.int32), np.full(number, lower), np.full(number, upper)
        )

    def dive(
        self, columns: Indices, relaxation: Relaxation, on_progress: OnProgress
    ) -> Values | None:
        """Return values in which ``columns`` are 0 or 1, by a diving heuristic.

        It fixes more and more of these columns and solves the linear programme again each time.
        The columns with the largest values are fixed to 1. If that leaves no solution, fewer are
        fixed; if even one cannot be 1, it is fixed to 0.

        Parameters
        ----------
        columns : ndarray
            The columns to fix, whose values are between 0 and 1.
        relaxation : Relaxation
            The optimum of the linear programme.
        on_progress : callable
            Called regularly; it may raise.

        Returns
        -------
        ndarray of shape (n_columns,) or None
            The values of all columns, or None if the heuristic found none.
        """
        free_columns, values, max_fixed = columns, relaxation.values, len(columns)
        while True:
            free_values = values[free_columns]
            is_fractional = (free_values > INTEGRALITY_TOLERANCE) & (
                free_values < 1 - INTEGRALITY_TOLERANCE
            )
            fractional_columns = free_columns[is_fractional]
            if not len(fractional_columns):
                return values
            order = fractional_columns[np.argsort(-values[fractional_columns], kind="stable")]
            max_fixed = max(1, min(max_fixed, int(np.ceil(FIXING_SHARE * len(order)))))
            is_one = free_values >= 1 - INTEGRALITY_TOLERANCE
            fixed_columns = np.concatenate([free_columns[is_one], order[:max_fixed]])
            self.set_bounds(fixed_columns, 1.0, 1.0)
            solution = self.relax(on_progress)
            if solution is not None:
                values, max_fixed = solution.values, len(columns)
                free_columns = np.setdiff1d(free_columns, fixed_columns)
                continue
            self.set_bounds(fixed_columns, 0.0, 1.0)
            if max_fixed == 1:
                self.set_bounds(order[:1], 0.0, 0.0)
                solution = self.relax(on_progress)
                if solution is None:
                    return None
                values, free_columns = solution.values, np.setdiff1d(free_columns, order[:1])
            max_fixed //= 4

    def solve(self, start: Values, max_nodes: int, on_progress: OnProgress) -> IntegerSolution:
        """Solve the integer programme from a feasible solution, within ``max_nodes`` nodes."""
        highs = self.highs
        require_integers(highs, self.n_columns)
        highs.setOptionValue("mip_max_nodes", max_nodes)
        set_start(highs, start)
        solve(highs, np.inf, on_progress)
        solution = highs.getSolution()
        values = np.rint(solution.col_value) if solution.value_valid else None
        return IntegerSolution(values, float(highs.getInfo().mip_dual_bound))
