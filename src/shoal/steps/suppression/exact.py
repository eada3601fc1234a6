"""The least weight of suppressed cells, by integer programming.

One column of the programme is the number of records of a row that join a class, another whether the
class is formed at all. Every record joins one class, and a class that is formed holds at least k.
The linear relaxation gives a lower bound. Integer programmes over the columns of low reduced cost
find better assignments. A column whose reduced cost exceeds the difference of the best weight and
the bound is part of no better one, so the last programme, without such columns, proves the optimum.
"""

import sys
from typing import NamedTuple

import numpy as np

from shoal import _progress as progress
from shoal.partitioners.integer_programme import IntegerProgramme, Rows
from shoal.steps.suppression.assignment import Assignment
from shoal.steps.suppression.problem import Codes, Problem, Weights

MAX_COLUMNS = 60_000  # of the linear programme
# In units of the least weight: reduced costs of the columns in the first and second programme.
SLACKS = (0.01, 0.4)
MAX_NODES = 5  # a limit in nodes is reproducible, one in seconds is not
MAX_GAP = 0.015  # of the weight; with a larger gap, a proof would take too many nodes
TOLERANCE = 1e-6  # of costs, for rounding errors of the solver


class Candidates(NamedTuple):
    """Which rows can join which classes.

    ``row`` and ``label`` are given for each pair of a row and a class that it can join, ``pattern``
    for each class. ``class_of`` gives for each pattern the class of every row, or -1.
    """

    row: Codes
    label: Codes
    pattern: Codes
    class_of: dict[int, Codes]


def solve_exactly(
    problem: Problem, best: Assignment, bound: float, *, prove: bool = False
) -> tuple[Assignment, float, bool]:
    """Return an assignment of little weight, and a lower bound.

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
    max_columns, max_nodes, max_gap = MAX_COLUMNS, MAX_NODES, MAX_GAP
    if prove:
        max_columns, max_nodes, max_gap = sys.maxsize, 2**31 - 1, np.inf
    candidates = _candidates(problem, max_columns)
    if candidates is None:
        return best, bound, False
    least = float(problem.weights.min())
    costs = problem.weight(candidates.pattern)[candidates.label]
    costs = costs - problem.weight(problem.missing[candidates.row])
    programme_of_all = _programme(problem, candidates, costs)
    relaxed = programme_of_all.relax(_report_progress)
    if relaxed is None:
        return best, bound, False
    bound = max(bound, rounded_up(problem, relaxed.cost - TOLERANCE))
    pairs = len(candidates.row)
    values = programme_of_all.dive(
        pairs + np.arange(len(candidates.pattern)), relaxed, _report_progress
    )
    if values is not None:
        best = _lighter_of(best, _assignment(problem, candidates, values[:pairs]))
    reduced = relaxed.reduced_costs[: len(candidates.row)]
    for slack in (*SLACKS, None):
        weight = best.total()
        if weight - bound < (1.0 if problem.whole_weights else TOLERANCE):
            break
        at_most = weight - (1.0 if problem.whole_weights else 0.0) + TOLERANCE
        limit = at_most if slack is None else min(at_most, relaxed.cost + slack * least)
        numbers = _numbers(best, candidates)
        is_considered = (relaxed.cost + reduced <= limit) | (numbers > 0)
        if is_considered.sum() > max_columns // 2 or (
            limit == at_most and weight > bound * (1 + max_gap)
        ):
            break
        considered = candidates._replace(
            row=candidates.row[is_considered], label=candidates.label[is_considered]
        )
        programme = _programme(problem, considered, costs[is_considered])
        start = _start(problem, considered, numbers[is_considered], programme.width)
        solution = programme.solve(start, max_nodes, _report_progress)
        if limit == at_most:  # a column that was left out is not in a lighter assignment
            bound = max(bound, min(weight, rounded_up(problem, solution.bound - TOLERANCE)))
        if solution.values is not None:
            best = _lighter_of(
                best, _assignment(problem, considered, solution.values[: len(considered.row)])
            )
    return best, bound, True


def _lighter_of(best: Assignment, other: Assignment | None) -> Assignment:
    """Return the other assignment if it is lighter and keeps k, else the best one."""
    if other is None or other.total() > best.total() - TOLERANCE:
        return best
    number, labels = other.labels()
    sizes = other.sizes(labels, number, np.arange(len(labels)))
    return other if int(sizes.min()) >= other.problem.k else best


def rounded_up(problem: Problem, bound: float) -> float:
    """Return a bound, as the next whole number where all weights are whole."""
    return float(np.ceil(bound)) if problem.whole_weights else bound


def _report_progress() -> None:
    progress.report("proving", 0, 0)


def _candidates(problem: Problem, max_columns: int) -> Candidates | None:
    """Return the classes that may be formed, without those that a lighter class replaces."""
    if not problem.all_patterns:
        return None
    # Classes of several patterns with the same rows are one candidate, that of the lightest
    # pattern. A class is recognised by the sums of two random keys of its rows.
    row_keys = np.random.default_rng(0).integers(1, 2**62, (2, len(problem.records)), np.uint64)
    candidate_of_keys: dict[tuple[int, int], int] = {}
    rows, labels, width = [], [], 0
    patterns: list[int] = []
    candidate_of_row: dict[int, Codes] = {}
    for pattern in problem.patterns():
        fitting = np.flatnonzero(problem.fits(pattern))
        if not len(fitting):
            continue
        n_classes, label = problem.labels(pattern, fitting)
        possible = problem.sizes(label, n_classes, fitting) >= problem.k
        class_keys = np.zeros((2, n_classes), np.uint64)
        for total, keys in zip(class_keys, row_keys[:, fitting], strict=True):
            np.add.at(total, label, keys)
        candidate_of_class = np.full(n_classes, -1)
        new_classes = []
        for i in np.flatnonzero(possible).tolist():
            key = (int(class_keys[0, i]), int(class_keys[1, i]))
            if key not in candidate_of_keys:
                candidate_of_keys[key] = len(patterns)
                patterns.append(pattern)
                new_classes.append(i)
            candidate_of_class[i] = candidate_of_keys[key]
        candidate_of_row[pattern] = np.full(len(problem.records), -1)
        candidate_of_row[pattern][fitting] = candidate_of_class[label]
        is_new = np.isin(label, new_classes)
        rows.append(fitting[is_new])
        labels.append(candidate_of_class[label[is_new]])
        width += int(is_new.sum())
        if width > max_columns:
            return None
    return Candidates(
        np.concatenate(rows), np.concatenate(labels), np.array(patterns), candidate_of_row
    )


def _programme(problem: Problem, candidates: Candidates, costs: Weights) -> IntegerProgramme:
    """Return the programme; its columns are pairs of row and class, classes, and units in classes.

    Its rows require that each record joins a class, that a class holds k if it is formed, that only
    classes that are formed are joined, and that a unit is in a class if one of its records is.
    """
    row, label, pairs = candidates.row, candidates.label, len(candidates.row)
    classes = len(candidates.pattern)
    joined, formed = np.arange(pairs), pairs + np.arange(classes)
    records = problem.records[row].astype(np.float64)
    n_rows = len(problem.records)
    parts = [
        (row, joined, np.ones(pairs)),  # records join
        (n_rows + np.arange(classes), formed, np.full(classes, -float(problem.k))),
        (n_rows + classes + joined, joined, np.ones(pairs)),  # formed if joined
        (n_rows + classes + joined, formed[label], -records),
    ]
    low = [problem.records, np.zeros(classes), np.full(pairs, -np.inf)]
    high = [problem.records, np.full(classes, np.inf), np.zeros(pairs)]
    upper = [records, np.ones(classes)]
    if problem.units is None:
        parts.append((n_rows + label, joined, np.ones(pairs)))
    else:
        n_units = int(problem.units.max()) + 1
        distinct, member = np.unique(label * n_units + problem.units[row], return_inverse=True)
        present = pairs + classes + np.arange(len(distinct))
        below = n_rows + classes + pairs
        parts.append((n_rows + distinct // n_units, present, np.ones(len(distinct))))
        parts.append((below + member, joined, np.ones(pairs)))
        parts.append((below + np.arange(len(distinct)), present, -np.ones(len(distinct))))
        low.append(np.zeros(len(distinct)))
        high.append(np.full(len(distinct), np.inf))
        upper.append(np.ones(len(distinct)))
    rows = Rows(
        np.concatenate(low).astype(np.float64),
        np.concatenate(high).astype(np.float64),
        *(np.concatenate(values) for values in zip(*parts, strict=True)),
    )
    greatest = np.concatenate(upper)
    return IntegerProgramme(
        np.concatenate([costs, np.zeros(len(greatest) - pairs)]), greatest, rows
    )


def _numbers(assignment: Assignment, candidates: Candidates) -> Weights:
    """Return the number of records that join each class, of each pair of row and class."""
    n_classes = len(candidates.pattern)
    label = np.empty(len(assignment.row), np.int64)
    for pattern in np.unique(assignment.pattern).tolist():
        has_pattern = assignment.pattern == pattern
        label[has_pattern] = candidates.class_of[pattern][assignment.row[has_pattern]]
    pair = candidates.row * n_classes + candidates.label
    order = np.argsort(pair)
    positions = order[np.searchsorted(pair[order], assignment.row * n_classes + label)]
    return np.bincount(positions, assignment.records, len(pair)).astype(np.float64)


def _start(problem: Problem, candidates: Candidates, numbers: Weights, width: int) -> Weights:
    """Return the values of all columns for numbers of records."""
    classes = len(candidates.pattern)
    start = np.zeros(width)
    start[: len(numbers)] = numbers
    joined = numbers > 0
    start[len(numbers) + candidates.label[joined]] = 1.0
    if problem.units is not None:
        n_units = int(problem.units.max()) + 1
        pairs = candidates.label * n_units + problem.units[candidates.row]
        distinct = np.unique(pairs)
        start[len(numbers) + classes :] = np.isin(distinct, pairs[joined])
    return start


def _assignment(problem: Problem, candidates: Candidates, values: Weights) -> Assignment | None:
    """Return the assignment of a solution; None if it is none, because values are not whole."""
    numbers = np.rint(values)
    if not np.array_equal(
        np.bincount(candidates.row, numbers, len(problem.records)), problem.records
    ):
        return None
    joined = numbers > 0
    assignment = Assignment(problem, np.zeros(len(problem.records), bool))
    assignment.row = candidates.row[joined]
    assignment.records = numbers[joined].astype(np.int64)
    assignment.pattern = candidates.pattern[candidates.label[joined]]
    assignment.merge_pieces()
    return assignment
