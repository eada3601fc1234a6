"""The minimum weight of suppressed cells, by integer programming.

The linear relaxation of the programme of `shoal.steps.suppression.programme` gives a lower bound,
and integer programmes over the pairs of low reduced cost find better assignments. A pair whose
reduced cost exceeds the difference between the best weight and the bound is part of no lighter
assignment, so the last programme, without such pairs, proves the optimum.
"""

import sys
from typing import NamedTuple

import numpy as np

from shoal import _progress as progress
from shoal.partitioners._integer_programme import Relaxation
from shoal.steps.suppression.assignment import Assignment
from shoal.steps.suppression.problem import Mask, SuppressionProblem, Weights
from shoal.steps.suppression.programme import (
    Candidates,
    build_programme,
    column_values,
    count_records,
    enumerate_candidates,
    read_assignment,
)

MAX_COLUMNS = 60_000  # columns of the linear programme
# The largest reduced cost of the pairs in the first and the second integer programme, as a multiple
# of the smallest weight of a column.
MAX_REDUCED_COSTS = (0.01, 0.4)
MAX_NODES = 5  # nodes of an integer programme; a limit in seconds would not be reproducible
MAX_GAP = 0.015  # share of the bound; with a larger gap, a proof would take too many nodes
TOLERANCE = 1e-6  # allowance in costs for rounding errors of the solver


class _Limits(NamedTuple):
    """Limits within which programmes are solved; see the constants of the module."""

    max_columns: int
    max_nodes: int
    max_gap: float


NO_LIMITS = _Limits(sys.maxsize, 2**31 - 1, np.inf)


def solve_exactly(
    problem: SuppressionProblem, best: Assignment, bound: float, *, prove: bool = False
) -> tuple[Assignment, float, bool]:
    """Return an assignment of low weight, a lower bound, and whether a programme was solved.

    Parameters
    ----------
    problem : SuppressionProblem
        The problem.
    best : Assignment
        An assignment to start from.
    bound : float
        A lower bound of the minimum weight.
    prove : bool
        Whether to continue until the weight is proven to be the minimum, however long it takes.
        Otherwise large programmes are not attempted, and others end early.

    Returns
    -------
    assignment : Assignment
        The best known assignment.
    bound : float
        The best known lower bound of the minimum weight.
    is_solved : bool
        Whether the linear relaxation was solved; otherwise ``best`` and ``bound`` are returned
        unchanged.
    """
    limits = NO_LIMITS if prove else _Limits(MAX_COLUMNS, MAX_NODES, MAX_GAP)
    candidates = enumerate_candidates(problem, limits.max_columns)
    if candidates is None:
        return best, bound, False
    n_pairs, n_classes = candidates.n_pairs, candidates.n_classes
    costs = problem.weight(candidates.pattern_of_class)[candidates.class_of_pair]
    costs = costs - problem.weight(problem.missing[candidates.row_of_pair])
    programme = build_programme(problem, candidates, costs)
    relaxation = programme.relax(_report_progress)
    if relaxation is None:
        return best, bound, False
    bound = max(bound, _round_up_if_whole(problem, relaxation.cost - TOLERANCE))
    solution = programme.dive(n_pairs + np.arange(n_classes), relaxation, _report_progress)
    if solution is not None:
        best = _lighter_of(best, read_assignment(problem, candidates, solution[:n_pairs]))
    best, bound = _solve_programmes(problem, candidates, costs, relaxation, best, bound, limits)
    return best, bound, True


def _solve_programmes(
    problem: SuppressionProblem,
    candidates: Candidates,
    costs: Weights,
    relaxation: Relaxation,
    best: Assignment,
    bound: float,
    limits: _Limits,
) -> tuple[Assignment, float]:
    """Return the best assignment and bound after programmes over more and more pairs."""
    # The minimum cost of an assignment that contains the pair.
    min_cost_of_pair = relaxation.cost + relaxation.reduced_costs[: candidates.n_pairs]
    min_weight = float(problem.weights.min())
    for max_reduced_cost in (*MAX_REDUCED_COSTS, np.inf):
        weight = best.total()
        if weight - bound < (1.0 if problem.has_whole_weights else TOLERANCE):
            break
        max_lighter_cost = weight - (1.0 if problem.has_whole_weights else 0.0) + TOLERANCE
        cost_limit = min(max_lighter_cost, relaxation.cost + max_reduced_cost * min_weight)
        # If the programme is complete, no lighter assignment contains a pair that is not selected.
        is_complete = cost_limit == max_lighter_cost
        records_of_pairs = count_records(best, candidates)
        is_selected = (min_cost_of_pair <= cost_limit) | (records_of_pairs > 0)
        if is_selected.sum() > limits.max_columns // 2 or (
            is_complete and weight > bound * (1 + limits.max_gap)
        ):
            break
        new_assignment, proven_bound = _solve_selected(
            problem, candidates, costs, is_selected, records_of_pairs, limits.max_nodes
        )
        if is_complete:
            bound = max(bound, min(weight, _round_up_if_whole(problem, proven_bound - TOLERANCE)))
        best = _lighter_of(best, new_assignment)
    return best, bound


def _solve_selected(
    problem: SuppressionProblem,
    candidates: Candidates,
    costs: Weights,
    is_selected: Mask,
    records_of_pairs: Weights,
    max_nodes: int,
) -> tuple[Assignment | None, float]:
    """Return the best assignment found to selected pairs, if any, and a bound of its weight."""
    selected = candidates._replace(
        row_of_pair=candidates.row_of_pair[is_selected],
        class_of_pair=candidates.class_of_pair[is_selected],
    )
    programme = build_programme(problem, selected, costs[is_selected])
    initial_values = column_values(
        problem, selected, records_of_pairs[is_selected], programme.n_columns
    )
    solution = programme.solve(initial_values, max_nodes, _report_progress)
    if solution.values is None:
        return None, solution.bound
    values = solution.values[: selected.n_pairs]
    return read_assignment(problem, selected, values), solution.bound


def _lighter_of(best: Assignment, new_assignment: Assignment | None) -> Assignment:
    """Return the new assignment if it is lighter and every class holds k, otherwise ``best``."""
    if new_assignment is None or new_assignment.total() > best.total() - TOLERANCE:
        return best
    n_classes, labels = new_assignment.labels()
    sizes = new_assignment.sizes(labels, n_classes, np.arange(len(labels)))
    return new_assignment if int(sizes.min()) >= new_assignment.problem.k else best


def _round_up_if_whole(problem: SuppressionProblem, bound: float) -> float:
    """Return a bound, rounded up to a whole number if all weights are whole numbers."""
    return float(np.ceil(bound)) if problem.has_whole_weights else bound


def _report_progress() -> None:
    progress.report("proving", 0, 0)
