"""Best matches in probabilistic record linkage of numbers and categories, including all ties.

A match weighs the agreement of a record and a target column by column (Fellegi and Sunter, 1969).
The weight of each level of agreement is estimated elsewhere, from `agreement_patterns`.
"""

import math
from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.mixed_search import MixedTable

LOWEST = -1e300  # below every weight of a match


class MatchWeights(NamedTuple):
    """Weights of the levels of agreement, by column: numbers first, then categories.

    Numbers agree at level 3 if they are equal, at level 2 within ``close_tolerance``, at level 1
    within ``partial_tolerance`` and otherwise at level 0; categories agree at level 3 or 0.
    ``max_remaining[c]`` is the greatest sum that the columns from c on can add, and weights that
    differ by at most ``weight_tolerance`` are equal.
    """

    weights: np.ndarray  # (n_columns, 4)
    max_remaining: np.ndarray  # (n_columns + 1,)
    close_tolerance: float
    partial_tolerance: float
    weight_tolerance: float


@compiled
def agreement_level(value, target_value, close_tolerance, partial_tolerance):
    """Return the level at which two numbers agree, as `MatchWeights` defines it.

    Two missing numbers agree exactly; a missing number does not agree with any value.
    """
    difference = abs(value - target_value)
    if difference == 0.0 or (math.isnan(value) and math.isnan(target_value)):
        return 3
    if difference <= close_tolerance:
        return 2
    return 1 if difference <= partial_tolerance else 0


@compiled
def agreement_patterns(table, targets, close_tolerance, partial_tolerance, patterns):
    """Write the pattern of agreement of each record with each target.

    A pattern is a number to base 4, with a digit for each column: its level of agreement.
    """
    for record in range(table.numbers.shape[0]):
        for target in range(targets.numbers.shape[0]):
            pattern = 0
            for column in range(table.numbers.shape[1]):
                value, target_value = table.numbers[record, column], targets.numbers[target, column]
                pattern = 4 * pattern + agreement_level(
                    value, target_value, close_tolerance, partial_tolerance
                )
            for column in range(table.codes.shape[1]):
                is_equal = table.codes[record, column] == targets.codes[target, column]
                pattern = 4 * pattern + 3 * is_equal
            patterns[record, target] = pattern


@compiled
def match_weight(table, record, targets, target, weights, least):
    """Return the sum of the weights of the agreements between a record and ``target``.

    If the sum cannot reach ``least``, some number below ``least`` is returned.
    """
    total, n_numbers = 0.0, table.numbers.shape[1]
    for column in range(n_numbers):
        value, target_value = table.numbers[record, column], targets.numbers[target, column]
        level = agreement_level(
            value, target_value, weights.close_tolerance, weights.partial_tolerance
        )
        total += weights.weights[column, level]
        if total + weights.max_remaining[column + 1] < least:
            return total + weights.max_remaining[column + 1]
    for column in range(table.codes.shape[1]):
        level = 3 if table.codes[record, column] == targets.codes[target, column] else 0
        total += weights.weights[n_numbers + column, level]
    return total


class TargetMatches(NamedTuple):
    """Targets, the classes of their correct records, and the resulting counts.

    The correct records of target i are in the classes ``correct_classes[starts[i]:starts[i + 1]]``,
    each once. ``n_tied`` counts the records of the same weight as the best of them, 0 if another
    record has a greater one, and ``n_correct`` counts the correct records among these.
    """

    targets: MixedTable
    correct_classes: np.ndarray  # (starts[-1],)
    starts: np.ndarray  # (n_targets + 1,)
    n_correct: np.ndarray  # (n_targets,)
    n_tied: np.ndarray  # (n_targets,)


@compiled
def count_best_matches(table, sizes, matches, weights):
    """Count for each target the records of greatest weight, and how many of them are correct.

    ``table`` has a row for each class of ``sizes`` equal records.
    """
    targets, tolerance = matches.targets, weights.weight_tolerance
    for target in range(matches.n_tied.shape[0]):
        correct_weight = LOWEST
        matches.n_correct[target] = 0
        for entry in range(matches.starts[target], matches.starts[target + 1]):
            record = matches.correct_classes[entry]
            weight = match_weight(table, record, targets, target, weights, LOWEST)
            if weight > correct_weight + tolerance:
                correct_weight = weight
                matches.n_correct[target] = 1
            elif weight >= correct_weight - tolerance:
                matches.n_correct[target] += 1
        least = correct_weight - tolerance
        matches.n_tied[target] = 0
        for record in range(table.numbers.shape[0]):
            weight = match_weight(table, record, targets, target, weights, least)
            if weight > correct_weight + tolerance:
                matches.n_tied[target] = 0
                break
            if weight >= least:
                matches.n_tied[target] += sizes[record]
