"""The least weight that every record must lose, and the lower bounds that follow from it."""

from dataclasses import dataclass

import numpy as np

from shoal.steps.suppression.problem import ALL, Cells, Codes, Problem, Rows

SAFETY = 1e-9  # of a bound, for rounding errors


@dataclass(frozen=True, eq=False)
class Cheapest:
    """The lightest pattern of each row, and lower bounds of all weights.

    Parameters
    ----------
    patterns : ndarray of shape (n_rows,)
        The lightest pattern with which the values that a row still shows occur in k records.
    any_bound : float
        Lower bound of the weight of all suppressed cells, where a record matches all records with
        the values that it still shows.
    own_bound : float
        The same, where a suppressed cell is a value of its own.
    """

    patterns: Codes
    any_bound: float
    own_bound: float


def cheapest_patterns(problem: Problem) -> Cheapest:
    """Return the least that each row must lose, from the patterns in the order of their weights.

    A class of pattern E and certain values holds no more than the records with these values, so a
    pattern is possible only if there are k of them. Let U units and R records of these be in
    classes below k at first. If U < k, at least k - U records of other classes join, and each loses
    the weight of E. Divided among R records, this is at least (k - U) / R of that weight for each.
    """
    small = np.flatnonzero(below_k(problem))
    patterns = problem.missing.copy()
    patterns[small] = problem.full
    any_weight, own_weight = np.full((2, len(small)), np.inf)
    is_small = np.zeros(len(patterns), bool)
    is_small[small] = True
    before = problem.weight(problem.missing[small])
    complete = np.where(problem.complete, problem.weights, 0.0)
    for pattern in problem.patterns():
        weight = float(problem.weight(pattern))
        undecided = weight - before < own_weight
        if not undecided.any():
            break
        undecided &= problem.fits(pattern, small)
        if not undecided.any():
            continue
        rows: Rows = np.flatnonzero(problem.fits(pattern)) if problem.missing.any() else ALL
        number, labels = problem.labels(pattern, rows)
        label = np.full(len(patterns), -1)
        label[rows] = labels
        possible = problem.sizes(labels, number, rows) >= problem.k
        inside = small[problem.fits(pattern, small)]
        units = problem.sizes(label[inside], number, inside)
        records = np.bincount(label[inside], problem.records[inside], number)
        share = np.clip(problem.k - units, 0, None) / np.maximum(records, 1)
        at = np.flatnonzero(undecided)
        at = at[possible[label[small[at]]]]
        lost = weight - before[at]
        better = lost < any_weight[at]
        any_weight[at[better]], patterns[small[at[better]]] = lost[better], pattern
        joining = float(problem.weight(pattern, complete)) * share[label[small[at]]]
        own_weight[at] = np.minimum(own_weight[at], lost + joining)
    if not problem.all_patterns:  # a pattern that was left out may be lighter
        least = np.maximum(problem.least_left_out - before, 0.0)
        any_weight, own_weight = np.minimum(any_weight, least), np.minimum(own_weight, least)
    records = problem.records[small]
    return Cheapest(
        patterns,
        _total(problem, float(any_weight @ records)),
        _total(problem, float(own_weight @ records)),
    )


def below_k(problem: Problem) -> Cells:
    """Return whether each row is in a class of fewer than k before anything is suppressed."""
    number, labels = problem.labels(0)
    return np.asarray(problem.sizes(labels, number, ALL)[labels] < problem.k)


def _total(problem: Problem, bound: float) -> float:
    """Return a bound without rounding errors; the next whole number where all weights are."""
    safe = bound * (1 - SAFETY)
    return float(np.ceil(safe - SAFETY)) if problem.whole_weights else max(0.0, safe)
