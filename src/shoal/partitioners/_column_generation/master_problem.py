"""The restricted master problem: the linear and the integer programme over groups, by HiGHS.

    minimise  sum over groups of SSE * weight
    such that the weights of the groups of each record add up to 1  (its dual: record dual)
              every subset-row cut holds                            (triple dual, cluster dual)
              all weights add up to at most ``max_groups``, if given (group dual)

The weights are nonnegative, or 0 and 1 in the integer programme. Duals of inequalities are stored
as nonnegative numbers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.partitioners._base import Indices, Values
from shoal.partitioners._budget import OnProgress
from shoal.partitioners._column_generation.columns import Columns, cluster_limits
from shoal.partitioners._integer_programme import (
    require_integers,
    set_start,
    silent_solver,
    solve,
)

# A solver that is cancelled ends when its current step ends. Presolving is a long step if there are
# many columns: with 51,507 groups the solver ended 142 seconds late. Heuristics that solve further
# integer programmes are long steps too: with 5,950 groups the solver ended 22 seconds late; without
# them, with up to 13,057 groups, never more than 0.3 seconds late.
LONG_HEURISTICS = ("rins", "rens", "root_reduced_cost")
MAX_PRESOLVED_COLUMNS = 20_000
# Heuristics may overrun by this many CPU seconds. They are left out if so many are not left.
MIN_SECONDS_LEFT = 25.0


class Duals(NamedTuple):
    """Dual values of records, of ``triples``, of the number of groups, and of ``clusters``.

    Clusters are padded with -1; ``divisors`` has the divisor of each.
    """

    record_dual: Values
    triples: Indices = np.empty((0, 3), np.int64)
    triple_dual: Values = np.empty(0)
    group_dual: float = 0.0
    clusters: Indices = np.empty((0, 1), np.int64)
    cluster_dual: Values = np.empty(0)
    divisors: Indices = np.empty(0, np.int64)


class MasterRelaxation(NamedTuple):
    """The solution of the linear programme: weights of the groups, cost and dual values."""

    weights: Values
    cost: float
    duals: Duals


class MasterSolution(NamedTuple):
    """The best solution of the integer programme, and a lower bound of all its solutions.

    ``selected`` are the selected columns, or None if the solver found no solution.
    ``interruption`` is the exception that ended the solver early, if one did; the caller raises it
    when it has stored the solution.
    """

    selected: Indices | None
    bound: float
    interruption: BaseException | None

    def raise_interruption(self) -> None:
        """Raise the exception that ended the solver early, if one did."""
        if self.interruption is not None:
            raise self.interruption


class MasterProblem:
    """The programme over all columns; columns are added, and each solution is warm-started.

    Rows are the records, then the number of groups if ``max_groups`` is given, then the cuts of
    triples and clusters in the order in which they were added. Only records in the mask
    ``is_leading`` must be covered, or all if it is None; others are covered at most once.
    """

    def __init__(
        self, columns: Columns, max_groups: int | None, is_leading: NDArray[np.bool_] | None = None
    ):
        self.columns, self.max_groups = columns, max_groups
        self.highs = silent_solver()
        n, no_entries = len(columns.X), np.empty((0, 2), np.int64)
        lower = np.ones(n) if is_leading is None else is_leading.astype(np.float64)
        self._add_rows(lower, np.ones(n), no_entries)
        if max_groups is not None:
            self._add_rows(np.array([-np.inf]), np.array([float(max_groups)]), no_entries)
        self.n_columns, self.n_rows = 0, n + (max_groups is not None)
        self.triple_rows = self.cluster_rows = np.empty(0, np.int64)

    def _add_rows(self, lower: Values, upper: Values, entries: Indices) -> None:
        """Add rows to the solver; ``entries`` are pairs (row, column).

        A coefficient is the number of equal pairs.
        """
        entries, counts = np.unique(entries, axis=0, return_counts=True)
        start = np.searchsorted(entries[:, 0], np.arange(len(lower)))
        self.highs.addRows(
            len(lower),
            lower,
            upper,
            len(entries),
            start.astype(np.int32),
            entries[:, 1].astype(np.int32),
            counts.astype(np.float64),
        )

    def add_new_columns_and_cuts(self) -> None:
        """Add the new columns, triples and clusters to the solver."""
        if self.n_columns < len(self.columns):
            self._add_new_columns()
        columns = self.columns
        new_triples = columns.triples[len(self.triple_rows) :]
        rows = self._add_cuts(np.ones(len(new_triples)), columns.groups_with_triples(new_triples))
        self.triple_rows = np.append(self.triple_rows, rows)
        n_known = len(self.cluster_rows)
        clusters = columns.clusters[n_known:], columns.divisors[n_known:]
        rows = self._add_cuts(cluster_limits(*clusters), columns.groups_with_clusters(*clusters))
        self.cluster_rows = np.append(self.cluster_rows, rows)

    def _add_new_columns(self) -> None:
        """Add the new columns, with their coefficients in all rows so far."""
        columns, n = self.columns, len(self.columns.X)
        new_members = columns.members[self.n_columns :]
        n_new = len(new_members)
        group, member = np.nonzero(new_members >= 0)
        pairs = [np.column_stack([new_members[group, member], group])]  # (row, new column)
        if self.max_groups is not None:
            pairs.append(np.column_stack([np.full(n_new, n), np.arange(n_new)]))
        triple, group = columns.groups_with_triples(self._known_triples, self.n_columns).T
        pairs.append(np.column_stack([self.triple_rows[triple], group - self.n_columns]))
        cluster, group = columns.groups_with_clusters(*self._known_clusters, self.n_columns).T
        pairs.append(np.column_stack([self.cluster_rows[cluster], group - self.n_columns]))
        # A coefficient is the number of equal pairs.
        entries, counts = np.unique(np.concatenate(pairs)[:, ::-1], axis=0, return_counts=True)
        self.highs.addCols(
            n_new,
            columns.costs[self.n_columns :],
            np.zeros(n_new),
            np.full(n_new, np.inf),
            len(entries),
            np.searchsorted(entries[:, 0], np.arange(n_new)).astype(np.int32),
            entries[:, 1].astype(np.int32),
            counts.astype(np.float64),
        )
        self.n_columns = len(columns)

    @property
    def _known_triples(self) -> Indices:
        return self.columns.triples[: len(self.triple_rows)]

    @property
    def _known_clusters(self) -> tuple[Indices, Indices]:
        n_known = len(self.cluster_rows)
        return self.columns.clusters[:n_known], self.columns.divisors[:n_known]

    def _add_cuts(self, limits: Values, entries: Indices) -> Indices:
        """Add inequalities with the right-hand sides ``limits``; return their rows.

        ``entries`` are pairs (inequality, column).
        """
        if len(limits):
            self._add_rows(np.full(len(limits), -np.inf), limits, entries)
        rows = self.n_rows + np.arange(len(limits))
        self.n_rows += len(limits)
        return rows

    def solve_linear(self, seconds: float, on_progress: OnProgress) -> MasterRelaxation | None:
        """Solve the linear programme; return None if there was not enough time."""
        from highspy import HighsModelStatus

        self.add_new_columns_and_cuts()
        solve(self.highs, seconds, on_progress)
        if self.highs.getModelStatus() != HighsModelStatus.kOptimal:
            self.highs.clearSolver()  # the last basis may be singular with new rows
            solve(self.highs, seconds, on_progress)
        if self.highs.getModelStatus() != HighsModelStatus.kOptimal:
            return None
        solution = self.highs.getSolution()
        dual = np.array(solution.row_dual)
        n = len(self.columns.X)
        group_dual = max(0.0, -float(dual[n])) if self.max_groups is not None else 0.0
        triple_dual, cluster_dual = (
            np.maximum(0.0, -dual[rows]) for rows in (self.triple_rows, self.cluster_rows)
        )
        clusters, divisors = self._known_clusters
        duals = Duals(
            record_dual=dual[:n],
            triples=self._known_triples,
            triple_dual=triple_dual,
            group_dual=group_dual,
            clusters=clusters,
            cluster_dual=cluster_dual,
            divisors=divisors,
        )
        cost = float(self.highs.getInfo().objective_function_value)
        return MasterRelaxation(np.array(solution.col_value), cost, duals)

    def solve_integer(
        self, start: Indices, seconds: float, seconds_left: float, on_progress: OnProgress
    ) -> MasterSolution:
        """Solve the integer programme, within limited CPU time, from a feasible solution.

        If ``on_progress`` raises an exception, the best solution so far is returned with it.

        Parameters
        ----------
        start : ndarray
            The columns of the feasible solution.
        seconds, seconds_left : float
            CPU seconds allowed, and CPU seconds that are left of the budget. Heuristics that may
            overrun are left out if the rest of the budget could not absorb the delay.
        on_progress : callable
            Called regularly; it may raise.

        Returns
        -------
        MasterSolution
            The best solution, and a lower bound of the cost of all solutions.
        """
        self.add_new_columns_and_cuts()
        highs, n_columns = self.highs, self.n_columns
        interruption = None
        require_integers(highs, n_columns)
        if n_columns > MAX_PRESOLVED_COLUMNS:
            highs.setOptionValue("presolve", "off")
        if n_columns > MAX_PRESOLVED_COLUMNS or seconds_left - seconds < MIN_SECONDS_LEFT:
            for heuristic in LONG_HEURISTICS:
                highs.setOptionValue(f"mip_heuristic_run_{heuristic}", False)
        start_values = np.zeros(n_columns)
        start_values[start] = 1.0
        set_start(highs, start_values)
        try:
            solve(highs, seconds, on_progress)
        except BaseException as error:
            interruption = error
        solution = highs.getSolution()
        selected = (
            np.flatnonzero(np.array(solution.col_value) > 0.5) if solution.value_valid else None
        )
        return MasterSolution(selected, float(highs.getInfo().mip_dual_bound), interruption)
