"""The minimum weight that each record must lose, and lower bounds of the total weight."""

from dataclasses import dataclass

import numpy as np

from shoal.steps.suppression.problem import ALL_ROWS, Codes, Mask, Rows, SuppressionProblem, Weights

SAFETY = 1e-9  # share by which a bound is lowered, for rounding errors


@dataclass(frozen=True, eq=False)
class CheapestPatterns:
    """The lightest pattern of each row, and lower bounds of the total weight.

    Parameters
    ----------
    patterns : ndarray of shape (n_rows,)
        The lightest pattern with which the values that a row still shows occur in k records.
    wildcard_bound : float
        Lower bound of the weight of all suppressed cells, if a suppressed cell matches every value.
    strict_bound : float
        Lower bound of that weight, if suppressed cells match only each other.
    """

    patterns: Codes
    wildcard_bound: float
    strict_bound: float


def cheapest_patterns(problem: SuppressionProblem) -> CheapestPatterns:
    """Return the minimum loss of each row, trying the patterns in the order of their weights.

    A class of pattern E and certain values contains only records with these values, so a pattern is
    possible only if at least k records have them. Among these records, let R records of U units be
    in classes below k at first. If U < k, at least k - U records of other classes join, and each
    loses at least the weight of the complete columns of E: in the other columns of E, its values
    may be missing already. Divided among R records, this is at least (k - U) / R of that weight for
    each.
    """
    small_rows = np.flatnonzero(is_below_k(problem))
    patterns = problem.missing.copy()
    patterns[small_rows] = problem.full_pattern
    wildcard_weight, strict_weight = np.full((2, len(small_rows)), np.inf)
    missing_weights = problem.weight(problem.missing[small_rows])
    complete_weights = np.where(problem.complete_columns, problem.weights, 0.0)
    for pattern in problem.patterns():
        weight = float(problem.weight(pattern))
        may_improve = weight - missing_weights < strict_weight
        if not may_improve.any():
            break
        may_improve &= problem.fits(pattern, small_rows)
        if not may_improve.any():
            continue
        label_of_row, is_possible, n_joining = _classes_of_pattern(problem, pattern, small_rows)
        candidates = np.flatnonzero(may_improve)
        candidates = candidates[is_possible[label_of_row[small_rows[candidates]]]]
        losses = weight - missing_weights[candidates]
        is_better = losses < wildcard_weight[candidates]
        wildcard_weight[candidates[is_better]] = losses[is_better]
        patterns[small_rows[candidates[is_better]]] = pattern
        weight_of_joining = float(problem.weight(pattern, complete_weights))
        joining_losses = weight_of_joining * n_joining[label_of_row[small_rows[candidates]]]
        strict_weight[candidates] = np.minimum(strict_weight[candidates], losses + joining_losses)
    if not problem.has_all_patterns:  # a pattern that was left out may be lighter
        min_excluded = np.maximum(problem.min_excluded_weight - missing_weights, 0.0)
        wildcard_weight = np.minimum(wildcard_weight, min_excluded)
        strict_weight = np.minimum(strict_weight, min_excluded)
    record_counts = problem.record_counts[small_rows]
    return CheapestPatterns(
        patterns,
        _safe_bound(problem, float(wildcard_weight @ record_counts)),
        _safe_bound(problem, float(strict_weight @ record_counts)),
    )


def _classes_of_pattern(
    problem: SuppressionProblem, pattern: int, small_rows: Codes
) -> tuple[Codes, Mask, Weights]:
    """Return the class of each row under a pattern, and two properties of each class.

    The properties are whether the class holds k, and the minimum number of records of other classes
    that must join it, divided by the number of its records in ``small_rows``.
    """
    rows: Rows = np.flatnonzero(problem.fits(pattern)) if problem.missing.any() else ALL_ROWS
    n_labels, labels = problem.labels(pattern, rows)
    label_of_row = np.full(len(problem.missing), -1)
    label_of_row[rows] = labels
    is_possible = problem.sizes(labels, n_labels, rows) >= problem.k
    members = small_rows[problem.fits(pattern, small_rows)]
    units = problem.sizes(label_of_row[members], n_labels, members)
    record_counts = np.bincount(label_of_row[members], problem.record_counts[members], n_labels)
    n_joining = np.clip(problem.k - units, 0, None) / np.maximum(record_counts, 1)
    return label_of_row, np.asarray(is_possible), np.asarray(n_joining)


def is_below_k(problem: SuppressionProblem) -> Mask:
    """Return whether each row is in a class of fewer than k before anything is suppressed."""
    n_classes, labels = problem.labels(0)
    return np.asarray(problem.sizes(labels, n_classes, ALL_ROWS)[labels] < problem.k)


def _safe_bound(problem: SuppressionProblem, bound: float) -> float:
    """Return a bound lowered by possible rounding errors, then rounded up if weights are whole."""
    safe_bound = bound * (1 - SAFETY)
    if problem.has_whole_weights:
        return float(np.ceil(safe_bound - SAFETY))
    return max(0.0, safe_bound)
