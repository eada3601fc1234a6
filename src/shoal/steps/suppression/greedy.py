"""A greedy choice of classes: the next class is the cheapest per record that needs a class.

A record in a class below k can join a class of pattern E for the weight of E. If only s < k such
records share the values outside E, k - s records of large classes must join them, so the class
costs k / s times the weight of E for each of the s records. Patterns are tried in the order of that
cost; among patterns of equal cost, the one that fits most records comes first.
"""

from itertools import groupby

import numpy as np

from shoal import _progress as progress
from shoal.steps.suppression.assignment import Assignment
from shoal.steps.suppression.bound import is_below_k
from shoal.steps.suppression.problem import Attempt, Codes, Mask, SuppressionProblem
from shoal.steps.suppression.shortfall import fill_shortfall, join_one_class

MAX_NOISE = 1.0  # the cost of an attempt is raised by a random share up to this one


def assign_greedily(problem: SuppressionProblem) -> Assignment:
    """Return an assignment in which every class holds at least k."""
    assignment = Assignment(problem, is_below_k(problem))
    assign_undecided(assignment)
    return assignment


def assign_undecided(assignment: Assignment, generator: np.random.Generator | None = None) -> None:
    """Give patterns to the undecided pieces so that every class holds at least k.

    A ``generator`` varies the order of the attempts at random.
    """
    attempts = assignment.problem.attempts
    if generator is not None:
        noise = 1 + MAX_NOISE * generator.random(len(attempts))
        order = np.argsort([attempt.cost for attempt in attempts] * noise, kind="stable")
        for i in order.tolist():
            if not len(assignment.undecided_pieces):
                return
            _assign(assignment, attempts[i])
    else:
        _assign_in_order(assignment)
    if len(assignment.undecided_pieces):
        join_one_class(assignment)


def _assign_in_order(assignment: Assignment) -> None:
    """Make the cheapest attempts first; if cost and size are equal, those with most candidates."""
    attempts = assignment.problem.attempts
    for _, equal_attempts in groupby(
        attempts, key=lambda attempt: (attempt.cost, attempt.min_size)
    ):
        undecided_pieces = assignment.undecided_pieces
        if not len(undecided_pieces):
            return
        n_pieces = len(assignment.rows)
        progress.report("suppressing", n_pieces - len(undecided_pieces), n_pieces)
        n_candidates = {
            attempt: _count_candidates(assignment, attempt) for attempt in equal_attempts
        }
        for attempt in sorted(n_candidates, key=lambda attempt: -n_candidates[attempt]):
            if n_candidates[attempt]:
                _assign(assignment, attempt)


def _undecided_groups(assignment: Assignment, pattern: int) -> tuple[Codes, Codes, Codes, Codes]:
    """Return the undecided pieces that fit a pattern, their group, and each group's key and size.

    A group consists of the pieces that agree in all columns outside the pattern.
    """
    pieces = assignment.pieces_that_fit(pattern, assignment.undecided_pieces)
    keys, groups = np.unique(assignment.keys(pattern, pieces), return_inverse=True)
    return pieces, groups, keys, assignment.sizes(groups, len(keys), pieces)


def _has_class(assignment: Assignment, pattern: int, keys: Codes) -> Mask:
    """Return for each key whether the pattern has a class with it."""
    pieces = np.flatnonzero(assignment.patterns == pattern)
    return np.isin(keys, assignment.keys(pattern, pieces))


def _groups_to_try(assignment: Assignment, attempt: Attempt, keys: Codes, sizes: Codes) -> Mask:
    """Return which groups to try: those that are large enough, or have a class to join."""
    is_tried = sizes >= attempt.min_size
    if attempt.min_size >= assignment.problem.k and not is_tried.all():
        is_tried |= _has_class(assignment, attempt.pattern, keys)
    return is_tried


def _count_candidates(assignment: Assignment, attempt: Attempt) -> int:
    """Return the number of undecided records that may get a class by an attempt."""
    pieces, groups, keys, sizes = _undecided_groups(assignment, attempt.pattern)
    is_tried = _groups_to_try(assignment, attempt, keys, sizes)
    return int(assignment.record_counts[pieces[is_tried[groups]]].sum())


def _assign(assignment: Assignment, attempt: Attempt) -> None:
    """Give the pattern of an attempt to its groups, and to the further records that they need."""
    k, pattern = assignment.problem.k, attempt.pattern
    pieces, groups, keys, sizes = _undecided_groups(assignment, pattern)
    is_tried = _groups_to_try(assignment, attempt, keys, sizes)
    if not is_tried.any():
        return
    if attempt.min_size < k:
        shortfall = np.where(is_tried, np.maximum(k - sizes, 0), 0)
        is_tried = fill_shortfall(assignment, pattern, keys, shortfall, pieces, groups) & is_tried
    assignment.patterns[pieces[is_tried[groups]]] = pattern
