"""Choose cells of low weight to suppress, with a lower bound of the weight."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.steps.suppression.assignment import Assignment
from shoal.steps.suppression.bound import cheapest_patterns, is_below_k
from shoal.steps.suppression.exact import solve_exactly
from shoal.steps.suppression.greedy import assign_greedily
from shoal.steps.suppression.local_search import improve_assignment
from shoal.steps.suppression.problem import Codes, Mask, SuppressionProblem

Effort = Literal["auto", "refine", "prove"]
MissingMeans = Literal["own", "any"]

TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Suppression:
    """Cells to suppress, and how far they are from the least weight.

    Parameters
    ----------
    rows, record_counts : ndarray of shape (n_pieces,)
        The row of the given table that each piece belongs to, ascending, and its number of records.
    cells : ndarray of shape (n_pieces, n_columns)
        True where a cell is suppressed.
    weight : float
        The weight of the suppressed cells.
    bound : float
        Lower bound of the weight of any choice of cells.
    """

    rows: Codes
    record_counts: Codes
    cells: Mask
    weight: float
    bound: float

    @property
    def counts(self) -> Codes:
        """Number of suppressed cells of each column."""
        return np.asarray(self.record_counts @ self.cells, np.int64)

    @property
    def is_optimal(self) -> bool:
        """Whether no choice of cells has a lower weight."""
        return self.weight <= self.bound * (1 + TOLERANCE) + TOLERANCE


def minimise(
    problem: SuppressionProblem, missing_means: MissingMeans, effort: Effort
) -> Suppression:
    """Return cells of low weight to suppress, so that every record matches at least k.

    Parameters
    ----------
    problem : SuppressionProblem
        The problem.
    missing_means : str
        ``"own"``: suppressed cells match only each other, and every class holds at least k.
        ``"any"``: a suppressed cell matches every value, and the values that a record still shows
        occur in at least k records.
    effort : str
        ``"refine"`` for a greedy choice and a local search, ``"prove"`` for the least weight by
        integer programming, ``"auto"`` for that where the programme is small.

    Returns
    -------
    Suppression
        The cells.
    """
    cheapest = cheapest_patterns(problem)
    if missing_means == "any":
        # Records are independent: suppressing cells of one never breaks a match of another.
        assignment, bound = Assignment(problem, is_below_k(problem)), cheapest.wildcard_bound
        assignment.patterns = cheapest.patterns.copy()
    else:
        assignment, bound = assign_greedily(problem), cheapest.strict_bound
        if effort == "refine":
            assignment = improve_assignment(assignment)
        elif bound < assignment.total():
            is_proof = effort == "prove"
            assignment, bound, is_solved = solve_exactly(problem, assignment, bound, prove=is_proof)
            assignment = assignment if is_solved else improve_assignment(assignment)
    rows, record_counts, patterns = problem.split_entries(assignment.sorted_by_row())
    cells = problem.cells(rows, patterns)
    bound = _bound_without_free_cells(problem, bound)
    weight = float((record_counts @ cells) @ problem.importance)
    return Suppression(rows, record_counts, cells, weight, min(weight, bound))


def _bound_without_free_cells(problem: SuppressionProblem, bound: float) -> float:
    """Return a bound of the importance; cells without importance have a small weight in ``bound``.

    If each importance is a whole number, so is the least total, and the bound is rounded up.
    """
    free_weight = float(problem.weights[problem.importance == 0].sum()) * problem.n_records
    if not free_weight:
        return bound
    has_whole_importance = bool((problem.importance == np.rint(problem.importance)).all())
    return max(
        0.0,
        float(np.ceil(bound - free_weight - TOLERANCE))
        if has_whole_importance
        else bound - free_weight,
    )
