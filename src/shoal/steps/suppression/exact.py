"""The least weight of suppressed cells, by integer programming.

A pair is a row and a class that it can join. One column of the programme is the number of records
of a pair, another whether a class is formed at all. Every record joins one class, and a class that
is formed holds at least k. The linear relaxation gives a lower bound, and integer programmes over
the pairs of low reduced cost find better assignments. A pair whose reduced cost exceeds the
difference of the best weight and the bound is part of no lighter assignment, so the last programme,
without such pairs, proves the optimum.
"""

import sys
from typing import NamedTuple

import numpy as np

from shoal import _progress as progress
from shoal.partitioners._integer_programme import IntegerProgramme, Rows
from shoal.steps.suppression.assignment import Assignment
from shoal.steps.suppression.problem import Codes, Mask, Problem, Weights

MAX_COLUMNS = 60_000  # of the linear programme
# Of the pairs in the first and the second integer programme, in units of the least weight.
MAX_REDUCED_COSTS = (0.01, 0.4)
MAX_NODES = 5  # a limit in nodes is reproducible, one in seconds is not
MAX_GAP = 0.015  # of the weight; with a larger gap, a proof would take too many nodes
TOLERANCE = 1e-6  # of costs, for rounding errors of the solver


class Candidates(NamedTuple):
    """The classes that may be formed, and the pairs of a row and a class that it can join.

    ``row`` and ``label``, the class, are given for each pair, ``pattern`` for each class.
    ``class_of`` gives for each pattern the class of every row, or -1.
    """

    row: Codes
    label: Codes
    pattern: Codes
    class_of: dict[int, Codes]


class _Limits(NamedTuple):
    """Limits within which programmes are solved; see the constants of the module."""

    max_columns: int
    max_nodes: int
    max_gap: float


NO_LIMITS = _Limits(sys.maxsize, 2**31 - 1, np.inf)


def solve_exactly(
    problem: Problem, best: Assignment, bound: float, *, prove: bool = False
) -> tuple[Assignment, float, bool]:
    """Return an assignment of low weight, and a lower bound.

    Parameters
    ----------
    problem : Problem
        The problem.
    best : Assignment
        An assignment to start from.
    bound : float
        A lower bound.
    prove : bool
        Whether to go on until the weight is proven to be the least, however long it takes. Without
        it, programmes that are too large are not attempted, and others end early.

    Returns
    -------
    assignment, bound, solved
        The best assignment and the best bound that are known, and whether a programme was solved.
    """
    limits = NO_LIMITS if prove else _Limits(MAX_COLUMNS, MAX_NODES, MAX_GAP)
    candidates = _enumerate_candidates(problem, limits.max_columns)
    if candidates is None:
        return best, bound, False
    n_pairs, n_classes = len(candidates.row), len(candidates.pattern)
    costs = problem.weight(candidates.pattern)[candidates.label]
    costs = costs - problem.weight(problem.missing[candidates.row])
    programme = _build_programme(problem, candidates, costs)
    relaxation = programme.relax(_report_progress)
    if relaxation is None:
        return best, bound, False
    bound = max(bound, round_up_if_whole(problem, relaxation.cost - TOLERANCE))
    values = programme.dive(n_pairs + np.arange(n_classes), relaxation, _report_progress)
    if values is not None:
        best = _lighter_of(best, _read_assignment(problem, candidates, values[:n_pairs]))
    # The least cost of an assignment that a pair is part of.
    min_costs = relaxation.cost + relaxation.reduced_costs[:n_pairs]
    min_weight = float(problem.weights.min())
    for max_reduced_cost in (*MAX_REDUCED_COSTS, np.inf):
        weight = best.total()
        if weight - bound < (1.0 if problem.has_whole_weights else TOLERANCE):
            break
        max_cost = weight - (1.0 if problem.has_whole_weights else 0.0) + TOLERANCE
        limit = min(max_cost, relaxation.cost + max_reduced_cost * min_weight)
        is_proof = limit == max_cost  # a pair that is left out is part of no lighter assignment
        records_of_pairs = _records_of_pairs(best, candidates)
        is_selected = (min_costs <= limit) | (records_of_pairs > 0)
        if is_selected.sum() > limits.max_columns // 2 or (
            is_proof and weight > bound * (1 + limits.max_gap)
        ):
            break
        candidate, proven_bound = _solve_selected(
            problem, candidates, costs, is_selected, records_of_pairs, limits.max_nodes
        )
        if is_proof:
            bound = max(bound, min(weight, round_up_if_whole(problem, proven_bound - TOLERANCE)))
        best = _lighter_of(best, candidate)
    return best, bound, True


def _solve_selected(
    problem: Problem,
    candidates: Candidates,
    costs: Weights,
    is_selected: Mask,
    records_of_pairs: Weights,
    max_nodes: int,
) -> tuple[Assignment | None, float]:
    """Return the best assignment to selected pairs, or None, and a lower bound of its weight."""
    selected = candidates._replace(
        row=candidates.row[is_selected], label=candidates.label[is_selected]
    )
    programme = _build_programme(problem, selected, costs[is_selected])
    initial_values = _initial_values(
        problem, selected, records_of_pairs[is_selected], programme.n_columns
    )
    solution = programme.solve(initial_values, max_nodes, _report_progress)
    if solution.values is None:
        return None, solution.bound
    values = solution.values[: len(selected.row)]
    return _read_assignment(problem, selected, values), solution.bound


def _lighter_of(best: Assignment, candidate: Assignment | None) -> Assignment:
    """Return ``candidate`` if it is lighter and every class holds k, else the best assignment."""
    if candidate is None or candidate.total() > best.total() - TOLERANCE:
        return best
    n_classes, labels = candidate.labels()
    sizes = candidate.sizes(labels, n_classes, np.arange(len(labels)))
    return candidate if int(sizes.min()) >= candidate.problem.k else best


def round_up_if_whole(problem: Problem, bound: float) -> float:
    """Return a bound, as the next whole number where all weights are whole."""
    return float(np.ceil(bound)) if problem.has_whole_weights else bound


def _report_progress() -> None:
    progress.report("proving", 0, 0)


def _enumerate_candidates(problem: Problem, max_columns: int) -> Candidates | None:
    """Return the classes that may be formed, without those that a lighter class replaces."""
    if not problem.has_all_patterns:
        return None
    # Classes of several patterns with the same rows are one candidate, that of the lightest
    # pattern. A class is recognised by the sums of two random keys of its rows.
    row_keys = np.random.default_rng(0).integers(1, 2**62, (2, len(problem.records)), np.uint64)
    candidate_of_keys: dict[tuple[int, int], int] = {}
    rows, labels, n_pairs = [], [], 0
    patterns: list[int] = []
    candidate_of_row: dict[int, Codes] = {}
    for pattern in problem.patterns():
        fitting_rows = np.flatnonzero(problem.fits(pattern))
        if not len(fitting_rows):
            continue
        n_classes, labels_of_rows = problem.labels(pattern, fitting_rows)
        is_possible = problem.sizes(labels_of_rows, n_classes, fitting_rows) >= problem.k
        class_keys = np.zeros((2, n_classes), np.uint64)
        for total, keys in zip(class_keys, row_keys[:, fitting_rows], strict=True):
            np.add.at(total, labels_of_rows, keys)
        candidate_of_class = np.full(n_classes, -1)
        new_classes = []
        for i in np.flatnonzero(is_possible).tolist():
            key = (int(class_keys[0, i]), int(class_keys[1, i]))
            if key not in candidate_of_keys:
                candidate_of_keys[key] = len(patterns)
                patterns.append(pattern)
                new_classes.append(i)
            candidate_of_class[i] = candidate_of_keys[key]
        candidate_of_row[pattern] = np.full(len(problem.records), -1)
        candidate_of_row[pattern][fitting_rows] = candidate_of_class[labels_of_rows]
        is_new = np.isin(labels_of_rows, new_classes)
        rows.append(fitting_rows[is_new])
        labels.append(candidate_of_class[labels_of_rows[is_new]])
        n_pairs += int(is_new.sum())
        if n_pairs > max_columns:
            return None
    return Candidates(
        np.concatenate(rows), np.concatenate(labels), np.array(patterns), candidate_of_row
    )


def _build_programme(problem: Problem, candidates: Candidates, costs: Weights) -> IntegerProgramme:
    """Return the programme; its columns are the pairs, the classes, and the units in classes.

    Its rows require that each record joins a class, that a class holds k if it is formed, that only
    classes that are formed are joined, and that a unit counts only where one of its records is.
    """
    row, label, n_pairs = candidates.row, candidates.label, len(candidates.row)
    n_classes = len(candidates.pattern)
    pair_columns, class_columns = np.arange(n_pairs), n_pairs + np.arange(n_classes)
    records = problem.records[row].astype(np.float64)
    n_rows = len(problem.records)
    entries = [
        (row, pair_columns, np.ones(n_pairs)),  # records join
        (n_rows + np.arange(n_classes), class_columns, np.full(n_classes, -float(problem.k))),
        (n_rows + n_classes + pair_columns, pair_columns, np.ones(n_pairs)),  # formed if joined
        (n_rows + n_classes + pair_columns, class_columns[label], -records),
    ]
    row_minima = [problem.records, np.zeros(n_classes), np.full(n_pairs, -np.inf)]
    row_maxima = [problem.records, np.full(n_classes, np.inf), np.zeros(n_pairs)]
    column_maxima = [records, np.ones(n_classes)]
    if problem.units is None:
        entries.append((n_rows + label, pair_columns, np.ones(n_pairs)))
    else:
        n_units = int(problem.units.max()) + 1
        distinct, unit_of_pair = np.unique(
            label * n_units + problem.units[row], return_inverse=True
        )
        unit_columns = n_pairs + n_classes + np.arange(len(distinct))
        first_unit_row = n_rows + n_classes + n_pairs
        entries.append((n_rows + distinct // n_units, unit_columns, np.ones(len(distinct))))
        entries.append((first_unit_row + unit_of_pair, pair_columns, np.ones(n_pairs)))
        entries.append(
            (first_unit_row + np.arange(len(distinct)), unit_columns, -np.ones(len(distinct)))
        )
        row_minima.append(np.zeros(len(distinct)))
        row_maxima.append(np.full(len(distinct), np.inf))
        column_maxima.append(np.ones(len(distinct)))
    rows = Rows(
        np.concatenate(row_minima).astype(np.float64),
        np.concatenate(row_maxima).astype(np.float64),
        *(np.concatenate(values) for values in zip(*entries, strict=True)),
    )
    upper_bounds = np.concatenate(column_maxima)
    return IntegerProgramme(
        np.concatenate([costs, np.zeros(len(upper_bounds) - n_pairs)]), upper_bounds, rows
    )


def _records_of_pairs(assignment: Assignment, candidates: Candidates) -> Weights:
    """Return for each pair of row and class how many records of the row join the class."""
    n_classes = len(candidates.pattern)
    labels = np.empty(len(assignment.row), np.int64)
    for pattern in np.unique(assignment.pattern).tolist():
        has_pattern = assignment.pattern == pattern
        labels[has_pattern] = candidates.class_of[pattern][assignment.row[has_pattern]]
    pair = candidates.row * n_classes + candidates.label
    order = np.argsort(pair)
    positions = order[np.searchsorted(pair[order], assignment.row * n_classes + labels)]
    return np.bincount(positions, assignment.records, len(pair)).astype(np.float64)


def _initial_values(
    problem: Problem, candidates: Candidates, records_of_pairs: Weights, n_columns: int
) -> Weights:
    """Return the values of all columns of the programme, given the records of each pair."""
    n_classes = len(candidates.pattern)
    values = np.zeros(n_columns)
    values[: len(records_of_pairs)] = records_of_pairs
    is_joined = records_of_pairs > 0
    values[len(records_of_pairs) + candidates.label[is_joined]] = 1.0
    if problem.units is not None:
        n_units = int(problem.units.max()) + 1
        pairs = candidates.label * n_units + problem.units[candidates.row]
        distinct = np.unique(pairs)
        values[len(records_of_pairs) + n_classes :] = np.isin(distinct, pairs[is_joined])
    return values


def _read_assignment(
    problem: Problem, candidates: Candidates, values: Weights
) -> Assignment | None:
    """Return the assignment of a solution; None if its values are not whole numbers."""
    records_of_pairs = np.rint(values)
    if not np.array_equal(
        np.bincount(candidates.row, records_of_pairs, len(problem.records)), problem.records
    ):
        return None
    is_joined = records_of_pairs > 0
    assignment = Assignment(problem, np.zeros(len(problem.records), bool))
    assignment.row = candidates.row[is_joined]
    assignment.records = records_of_pairs[is_joined].astype(np.int64)
    assignment.pattern = candidates.pattern[candidates.label[is_joined]]
    assignment.merge_pieces()
    return assignment
