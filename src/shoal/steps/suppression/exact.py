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

    Parameters
    ----------
    row_of_pair, class_of_pair : ndarray of shape (n_pairs,)
        The row and the class of each pair.
    pattern_of_class : ndarray of shape (n_classes,)
        The pattern of each class.
    classes_by_pattern : dict of int to ndarray of shape (n_rows,)
        For each pattern the class of every row, or -1.
    """

    row_of_pair: Codes
    class_of_pair: Codes
    pattern_of_class: Codes
    classes_by_pattern: dict[int, Codes]

    @property
    def n_pairs(self) -> int:
        """Number of pairs."""
        return len(self.row_of_pair)

    @property
    def n_classes(self) -> int:
        """Number of classes that may be formed."""
        return len(self.pattern_of_class)


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
    n_pairs, n_classes = candidates.n_pairs, candidates.n_classes
    costs = problem.weight(candidates.pattern_of_class)[candidates.class_of_pair]
    costs = costs - problem.weight(problem.missing[candidates.row_of_pair])
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
        row_of_pair=candidates.row_of_pair[is_selected],
        class_of_pair=candidates.class_of_pair[is_selected],
    )
    programme = _build_programme(problem, selected, costs[is_selected])
    initial_values = _initial_values(
        problem, selected, records_of_pairs[is_selected], programme.n_columns
    )
    solution = programme.solve(initial_values, max_nodes, _report_progress)
    if solution.values is None:
        return None, solution.bound
    values = solution.values[: selected.n_pairs]
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
    row_keys = np.random.default_rng(0).integers(
        1, 2**62, (2, len(problem.record_counts)), np.uint64
    )
    candidate_of_keys: dict[tuple[int, int], int] = {}
    rows, labels, n_pairs = [], [], 0
    patterns: list[int] = []
    classes_by_pattern: dict[int, Codes] = {}
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
        classes_by_pattern[pattern] = np.full(len(problem.record_counts), -1)
        classes_by_pattern[pattern][fitting_rows] = candidate_of_class[labels_of_rows]
        is_new = np.isin(labels_of_rows, new_classes)
        rows.append(fitting_rows[is_new])
        labels.append(candidate_of_class[labels_of_rows[is_new]])
        n_pairs += int(is_new.sum())
        if n_pairs > max_columns:
            return None
    return Candidates(
        np.concatenate(rows), np.concatenate(labels), np.array(patterns), classes_by_pattern
    )


class _Block(NamedTuple):
    """Some rows of a programme with their limits, and entries of the matrix.

    ``entries`` are triples of arrays: row, column and value of each entry. ``column_maxima`` are
    the upper bounds of the columns that the block adds.
    """

    entries: list[tuple[Codes, Codes, Weights]]
    row_minima: Weights
    row_maxima: Weights
    column_maxima: Weights


def _build_programme(problem: Problem, candidates: Candidates, costs: Weights) -> IntegerProgramme:
    """Return the programme; its columns are the pairs, the classes, and the units in classes.

    Its rows require that each record joins a class, that a class holds k if it is formed, that only
    classes that are formed are joined, and that a unit counts only where one of its records is.
    """
    blocks = [_joining_rows(problem, candidates)]
    if problem.units is not None:
        blocks.append(_unit_rows(problem, candidates, problem.units))
    entries = [entry for block in blocks for entry in block.entries]
    rows = Rows(
        np.concatenate([block.row_minima for block in blocks]),
        np.concatenate([block.row_maxima for block in blocks]),
        *(np.concatenate(values) for values in zip(*entries, strict=True)),
    )
    upper_bounds = np.concatenate([block.column_maxima for block in blocks])
    return IntegerProgramme(
        np.concatenate([costs, np.zeros(len(upper_bounds) - candidates.n_pairs)]),
        upper_bounds,
        rows,
    )


def _joining_rows(problem: Problem, candidates: Candidates) -> _Block:
    """Return the rows of records, classes and pairs.

    Records count for the size of a class only if units are not counted.
    """
    row, label, n_pairs = candidates.row_of_pair, candidates.class_of_pair, candidates.n_pairs
    n_rows, n_classes = len(problem.record_counts), candidates.n_classes
    pair_columns, class_columns = np.arange(n_pairs), n_pairs + np.arange(n_classes)
    class_rows, pair_rows = n_rows + np.arange(n_classes), n_rows + n_classes + pair_columns
    n_joining = problem.record_counts[row].astype(np.float64)
    n_records = problem.record_counts.astype(np.float64)
    entries = [
        (row, pair_columns, np.ones(n_pairs)),  # records join
        (class_rows, class_columns, np.full(n_classes, -float(problem.k))),
        (pair_rows, pair_columns, np.ones(n_pairs)),  # formed if joined
        (pair_rows, class_columns[label], -n_joining),
    ]
    if problem.units is None:
        entries.append((class_rows[label], pair_columns, np.ones(n_pairs)))
    return _Block(
        entries,
        np.concatenate([n_records, np.zeros(n_classes), np.full(n_pairs, -np.inf)]),
        np.concatenate([n_records, np.full(n_classes, np.inf), np.zeros(n_pairs)]),
        np.concatenate([n_joining, np.ones(n_classes)]),
    )


def _unit_rows(problem: Problem, candidates: Candidates, units: Codes) -> _Block:
    """Return the rows of units: a unit counts for a class if one of its records joins it."""
    n_pairs, n_classes = candidates.n_pairs, candidates.n_classes
    n_units = int(units.max()) + 1
    distinct, unit_of_pair = np.unique(
        candidates.class_of_pair * n_units + units[candidates.row_of_pair], return_inverse=True
    )
    class_of_unit = distinct // n_units
    unit_columns = n_pairs + n_classes + np.arange(len(distinct))
    first_class_row = len(problem.record_counts)
    first_unit_row = first_class_row + n_classes + n_pairs
    return _Block(
        [
            (first_class_row + class_of_unit, unit_columns, np.ones(len(distinct))),
            (first_unit_row + unit_of_pair, np.arange(n_pairs), np.ones(n_pairs)),
            (first_unit_row + np.arange(len(distinct)), unit_columns, -np.ones(len(distinct))),
        ],
        np.zeros(len(distinct)),
        np.full(len(distinct), np.inf),
        np.ones(len(distinct)),
    )


def _records_of_pairs(assignment: Assignment, candidates: Candidates) -> Weights:
    """Return for each pair of row and class how many records of the row join the class."""
    n_classes = candidates.n_classes
    labels = np.empty(len(assignment.row), np.int64)
    for pattern in np.unique(assignment.pattern).tolist():
        has_pattern = assignment.pattern == pattern
        labels[has_pattern] = candidates.classes_by_pattern[pattern][assignment.row[has_pattern]]
    pairs = candidates.row_of_pair * n_classes + candidates.class_of_pair
    order = np.argsort(pairs)
    positions = order[np.searchsorted(pairs[order], assignment.row * n_classes + labels)]
    return np.bincount(positions, assignment.record_counts, len(pairs)).astype(np.float64)


def _initial_values(
    problem: Problem, candidates: Candidates, records_of_pairs: Weights, n_columns: int
) -> Weights:
    """Return the values of all columns of the programme, given the records of each pair."""
    n_pairs, n_classes = candidates.n_pairs, candidates.n_classes
    values = np.zeros(n_columns)
    values[:n_pairs] = records_of_pairs
    is_joined = records_of_pairs > 0
    values[n_pairs + candidates.class_of_pair[is_joined]] = 1.0
    if problem.units is not None:
        n_units = int(problem.units.max()) + 1
        pairs = candidates.class_of_pair * n_units + problem.units[candidates.row_of_pair]
        distinct = np.unique(pairs)
        values[n_pairs + n_classes :] = np.isin(distinct, pairs[is_joined])
    return values


def _read_assignment(
    problem: Problem, candidates: Candidates, values: Weights
) -> Assignment | None:
    """Return the assignment of a solution; None if its values are not whole numbers."""
    records_of_pairs = np.rint(values)
    if not np.array_equal(
        np.bincount(candidates.row_of_pair, records_of_pairs, len(problem.record_counts)),
        problem.record_counts,
    ):
        return None
    is_joined = records_of_pairs > 0
    assignment = Assignment(problem, np.zeros(len(problem.record_counts), bool))
    assignment.row = candidates.row_of_pair[is_joined]
    assignment.record_counts = records_of_pairs[is_joined].astype(np.int64)
    assignment.pattern = candidates.pattern_of_class[candidates.class_of_pair[is_joined]]
    assignment.merge_pieces()
    return assignment
