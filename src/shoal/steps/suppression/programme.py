"""The integer programme of local suppression: candidate classes, constraints and solutions.

A pair is a row and a class that it can join. The programme has a column for each pair, the number
of its records, and a column for each class, whether it is formed at all. Every record joins one
class, and a class that is formed holds at least k.
"""

from typing import NamedTuple

import numpy as np

from shoal.partitioners._integer_programme import IntegerProgramme, Rows
from shoal.steps.suppression.assignment import Assignment
from shoal.steps.suppression.problem import Codes, SuppressionProblem, Weights


class Candidates(NamedTuple):
    """The classes that may be formed, and the pairs of a row and a class that it can join.

    Parameters
    ----------
    row_of_pair, class_of_pair : ndarray of shape (n_pairs,)
        The row and the class of each pair.
    pattern_of_class : ndarray of shape (n_classes,)
        The pattern of each class.
    classes_by_pattern : dict of int to ndarray of shape (n_rows,)
        For each pattern, the class of every row, or -1.
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


def enumerate_candidates(problem: SuppressionProblem, max_columns: int) -> Candidates | None:
    """Return the classes that may be formed, except those whose rows have a lighter class.

    Return None if there are too many patterns, or more than ``max_columns`` pairs of a row and a
    class.
    """
    if not problem.has_all_patterns:
        return None
    # If classes of several patterns have the same rows, only the class of the lightest pattern is a
    # candidate. Such classes are recognised by the sums of two random keys of their rows.
    row_keys = np.random.default_rng(0).integers(
        1, 2**62, (2, len(problem.record_counts)), np.uint64
    )
    candidate_of_keys: dict[tuple[int, int], int] = {}
    rows: list[Codes] = []
    classes: list[Codes] = []
    n_pairs = 0
    patterns: list[int] = []
    classes_by_pattern: dict[int, Codes] = {}
    for pattern in problem.patterns():
        fitting_rows = np.flatnonzero(problem.fits(pattern))
        if not len(fitting_rows):
            continue
        n_classes, labels_of_rows = problem.labels(pattern, fitting_rows)
        is_possible = problem.sizes(labels_of_rows, n_classes, fitting_rows) >= problem.k
        class_keys = np.zeros((2, n_classes), np.uint64)
        for key_sums, keys_of_rows in zip(class_keys, row_keys[:, fitting_rows], strict=True):
            np.add.at(key_sums, labels_of_rows, keys_of_rows)
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
        classes.append(candidate_of_class[labels_of_rows[is_new]])
        n_pairs += int(is_new.sum())
        if n_pairs > max_columns:
            return None
    return Candidates(
        np.concatenate(rows), np.concatenate(classes), np.array(patterns), classes_by_pattern
    )


class _Block(NamedTuple):
    """A block of constraints of a programme: their limits, and their entries in its matrix.

    ``entries`` are triples of arrays: row, column and value of each entry. ``column_maxima`` are
    the upper bounds of the columns that the block adds.
    """

    entries: list[tuple[Codes, Codes, Weights]]
    row_minima: Weights
    row_maxima: Weights
    column_maxima: Weights


def build_programme(
    problem: SuppressionProblem, candidates: Candidates, costs: Weights
) -> IntegerProgramme:
    """Return the programme; its columns are the pairs, the classes, and the units in classes.

    Its rows require that each record joins a class, that a class that is formed holds k, that
    records join only classes that are formed, and that a unit counts only in classes that one of
    its records joins.
    """
    blocks = [_record_and_class_rows(problem, candidates)]
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


def _record_and_class_rows(problem: SuppressionProblem, candidates: Candidates) -> _Block:
    """Return the constraints on records, classes and pairs.

    Records count towards the size of a class unless units are counted.
    """
    row_of_pair, class_of_pair = candidates.row_of_pair, candidates.class_of_pair
    n_rows = len(problem.record_counts)
    n_pairs, n_classes = candidates.n_pairs, candidates.n_classes
    pair_columns = np.arange(n_pairs)
    class_columns = n_pairs + np.arange(n_classes)
    class_rows = n_rows + np.arange(n_classes)
    pair_rows = n_rows + n_classes + pair_columns
    n_joining = problem.record_counts[row_of_pair].astype(np.float64)
    n_records = problem.record_counts.astype(np.float64)
    entries = [
        (row_of_pair, pair_columns, np.ones(n_pairs)),  # every record joins a class
        (class_rows, class_columns, np.full(n_classes, -float(problem.k))),
        (pair_rows, pair_columns, np.ones(n_pairs)),  # a class is formed if a record joins it
        (pair_rows, class_columns[class_of_pair], -n_joining),
    ]
    if problem.units is None:
        entries.append((class_rows[class_of_pair], pair_columns, np.ones(n_pairs)))
    return _Block(
        entries,
        np.concatenate([n_records, np.zeros(n_classes), np.full(n_pairs, -np.inf)]),
        np.concatenate([n_records, np.full(n_classes, np.inf), np.zeros(n_pairs)]),
        np.concatenate([n_joining, np.ones(n_classes)]),
    )


def _unit_rows(problem: SuppressionProblem, candidates: Candidates, units: Codes) -> _Block:
    """Return the constraints that a unit counts in a class only if one of its records joins it."""
    n_pairs, n_classes = candidates.n_pairs, candidates.n_classes
    n_units = int(units.max()) + 1
    unit_classes, unit_of_pair = np.unique(
        candidates.class_of_pair * n_units + units[candidates.row_of_pair], return_inverse=True
    )
    class_of_unit = unit_classes // n_units
    unit_columns = n_pairs + n_classes + np.arange(len(unit_classes))
    first_class_row = len(problem.record_counts)
    first_unit_row = first_class_row + n_classes + n_pairs
    return _Block(
        [
            (first_class_row + class_of_unit, unit_columns, np.ones(len(unit_classes))),
            (first_unit_row + unit_of_pair, np.arange(n_pairs), np.ones(n_pairs)),
            (
                first_unit_row + np.arange(len(unit_classes)),
                unit_columns,
                -np.ones(len(unit_classes)),
            ),
        ],
        np.zeros(len(unit_classes)),
        np.full(len(unit_classes), np.inf),
        np.ones(len(unit_classes)),
    )


def count_records(assignment: Assignment, candidates: Candidates) -> Weights:
    """Return for each pair the number of records of its row that join its class."""
    n_classes = candidates.n_classes
    labels = np.empty(len(assignment.rows), np.int64)
    for pattern in np.unique(assignment.patterns).tolist():
        has_pattern = assignment.patterns == pattern
        labels[has_pattern] = candidates.classes_by_pattern[pattern][assignment.rows[has_pattern]]
    pairs = candidates.row_of_pair * n_classes + candidates.class_of_pair
    order = np.argsort(pairs)
    positions = order[np.searchsorted(pairs[order], assignment.rows * n_classes + labels)]
    return np.bincount(positions, assignment.record_counts, len(pairs)).astype(np.float64)


def column_values(
    problem: SuppressionProblem, candidates: Candidates, records_of_pairs: Weights, n_columns: int
) -> Weights:
    """Return the values of all columns of the programme, given the records of each pair."""
    n_pairs, n_classes = candidates.n_pairs, candidates.n_classes
    values = np.zeros(n_columns)
    values[:n_pairs] = records_of_pairs
    is_joined = records_of_pairs > 0
    values[n_pairs + candidates.class_of_pair[is_joined]] = 1.0
    if problem.units is not None:
        n_units = int(problem.units.max()) + 1
        unit_class_of_pair = (
            candidates.class_of_pair * n_units + problem.units[candidates.row_of_pair]
        )
        unit_classes = np.unique(unit_class_of_pair)
        values[n_pairs + n_classes :] = np.isin(unit_classes, unit_class_of_pair[is_joined])
    return values


def read_assignment(
    problem: SuppressionProblem, candidates: Candidates, values: Weights
) -> Assignment | None:
    """Return the assignment of a solution, or None if its values are not whole numbers."""
    records_of_pairs = np.rint(values)
    if not np.array_equal(
        np.bincount(candidates.row_of_pair, records_of_pairs, len(problem.record_counts)),
        problem.record_counts,
    ):
        return None
    is_joined = records_of_pairs > 0
    assignment = Assignment(problem, np.zeros(len(problem.record_counts), bool))
    assignment.rows = candidates.row_of_pair[is_joined]
    assignment.record_counts = records_of_pairs[is_joined].astype(np.int64)
    assignment.patterns = candidates.pattern_of_class[candidates.class_of_pair[is_joined]]
    assignment.merge_pieces()
    return assignment
