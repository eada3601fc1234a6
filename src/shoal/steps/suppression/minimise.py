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

TOLERANCE = 1e-6  # allowance for rounding errors of weights and bounds


@dataclass(frozen=True, eq=False)
class Suppression:
    """Cells to suppress, and how far their weight may be from the minimum.

    Parameters
    ----------
    entries, record_counts : ndarray of shape (n_parts,)
        The entry that each part belongs to, ascending, and its number of records; a part consists
        of the records of one entry with the same pattern.
    cells : ndarray of shape (n_parts, n_columns)
        True where a cell of a part is suppressed.
    weight : float
        The weight of the suppressed cells.
    bound : float
        Lower bound of the weight of any choice of cells.
    """

    entries: Codes
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
    """Return cells of low weight to suppress so that every record matches at least k.

    Parameters
    ----------
    problem : SuppressionProblem
        The problem.
    missing_means : str
        ``"own"``: suppressed cells match only each other, and every class holds at least k.
        ``"any"``: a suppressed cell matches every value, and the values that a record still shows
        occur in at least k records.
    effort : str
        ``"refine"``: a greedy choice and a local search. ``"prove"``: the minimum weight, by
        integer programming. ``"auto"``: integer programming if the programme is small, otherwise as
        with ``"refine"``.

    Returns
    -------
    Suppression
        The cells, their weight, and a proven lower bound of the weight.
    """
    cheapest = cheapest_patterns(problem)
    if missing_means == "any":
        # Records are independent: suppressing cells of one never breaks a match of another.
        assignment = Assignment(problem, is_below_k(problem))
        assignment.patterns = cheapest.patterns.copy()
        bound = cheapest.wildcard_bound
    else:
        assignment = assign_greedily(problem)
        bound = cheapest.strict_bound
        if effort == "refine":
            assignment = improve_assignment(assignment)
        elif bound < assignment.total():
            is_proof = effort == "prove"
            assignment, bound, is_solved = solve_exactly(problem, assignment, bound, prove=is_proof)
            if not is_solved:
                assignment = improve_assignment(assignment)
    entries, record_counts, patterns = problem.split_entries(assignment.sorted_by_row())
    cells = problem.cells(entries, patterns)
    bound = _bound_without_free_cells(problem, bound)
    weight = float((record_counts @ cells) @ problem.importance)
    return Suppression(entries, record_counts, cells, weight, min(weight, bound))


def _bound_without_free_cells(problem: SuppressionProblem, bound: float) -> float:
    """Return a lower bound of the total importance of the suppressed cells.

    In ``bound``, cells of importance 0 have a small positive weight, which is subtracted here. If
    each importance is a whole number, so is the minimum total, and the bound is rounded up.
    """
    free_weight = float(problem.weights[problem.importance == 0].sum()) * problem.n_records
    if not free_weight:
        return bound
    importance_bound = bound - free_weight
    if (problem.importance == np.rint(problem.importance)).all():
        importance_bound = float(np.ceil(importance_bound - TOLERANCE))
    return max(0.0, importance_bound)
