"""Local search: lighter patterns for a given assignment, in which every class holds k.

A piece moves to a lighter class if its own class keeps k without it. A class is dissolved if its
members lose less in other classes. Several rounds follow, in which classes near each other are
dissolved and their members assigned greedily again; the result is kept if it is lighter.
"""

import numpy as np

from shoal import _progress as progress
from shoal.steps.suppression.assignment import UNDECIDED, Assignment
from shoal.steps.suppression.greedy import assign_undecided
from shoal.steps.suppression.problem import Codes, Mask, Weights

TOLERANCE = 1e-9  # allowance for rounding errors of weights
ROUNDS = 60  # rounds of dissolving a few classes and assigning their members again
MAX_PIECES = 10_000  # with more pieces that have suppressed cells, there are no such rounds
PIECES_PER_ROUND = (6, 12, 25, 50)  # pieces whose classes a round dissolves, in turn


class AssignedClasses:
    """The classes of an assignment: the class of each piece, and the size of each class."""

    def __init__(self, assignment: Assignment):
        self.assignment = assignment
        self.n_classes, self.class_of_piece = assignment.labels()
        self.sizes = assignment.sizes(
            self.class_of_piece, self.n_classes, np.arange(len(self.class_of_piece))
        )
        problem = assignment.problem
        used_patterns = np.unique(assignment.patterns)
        weights = np.round(problem.weight(used_patterns), 9)
        self.patterns = used_patterns[np.lexsort((used_patterns, weights))].tolist()

    def lookup(self, pattern: int, pieces: Codes) -> Codes:
        """Return the class with a given pattern that each piece can join, or -1."""
        joinable_class = np.full(len(pieces), -1)
        members = np.flatnonzero(self.assignment.patterns == pattern)
        fits = self.assignment.problem.fits(pattern, self.assignment.rows[pieces])
        if not len(members) or not fits.any():
            return joinable_class
        keys, first = np.unique(self.assignment.keys(pattern, members), return_index=True)
        piece_keys = self.assignment.keys(pattern, pieces[fits])
        positions = np.searchsorted(keys, piece_keys).clip(max=len(keys) - 1)
        joinable_class[fits] = np.where(
            keys[positions] == piece_keys, self.class_of_piece[members[first[positions]]], -1
        )
        return joinable_class


def improve_assignment(assignment: Assignment) -> Assignment:
    """Return an assignment of lower or equal weight."""
    best = _descend(assignment)
    weight = best.total()
    n_suppressed = int(_is_suppressed(best).sum())
    generator = np.random.default_rng(0)  # a fixed seed: the same plan gives the same release
    rounds = ROUNDS if 0 < n_suppressed <= MAX_PIECES else 0
    for i in range(rounds):
        progress.report("improving", i, rounds)
        candidate = best.copy()
        _dissolve_nearby_classes(candidate, generator, PIECES_PER_ROUND[i % len(PIECES_PER_ROUND)])
        assign_undecided(candidate, generator)
        candidate = _descend(candidate)
        if (total := candidate.total()) < weight - TOLERANCE:
            best, weight = candidate, total
    return best


def _is_suppressed(assignment: Assignment) -> Mask:
    """Return whether each piece has suppressed cells."""
    return np.asarray(assignment.patterns != assignment.problem.missing[assignment.rows])


def _descend(assignment: Assignment) -> Assignment:
    """Move pieces and dissolve classes until neither makes the assignment lighter."""
    while move_to_lighter(assignment) or dissolve_classes(assignment):
        assignment.merge_pieces()
    return assignment


def move_to_lighter(assignment: Assignment) -> bool:
    """Move pieces to lighter classes if their own classes keep k; return whether any moved."""
    problem = assignment.problem
    classes = AssignedClasses(assignment)
    has_moved = False
    weights = problem.weight(assignment.patterns)
    for pattern in classes.patterns:
        weight = float(problem.weight(pattern))
        pieces = np.flatnonzero(weights > weight + TOLERANCE)
        pieces = pieces[classes.sizes[classes.class_of_piece[pieces]] > problem.k]
        target_class = classes.lookup(pattern, pieces)
        pieces, target_class = pieces[target_class >= 0], target_class[target_class >= 0]
        n_leaving = (
            assignment.record_counts[pieces] if problem.units is None else np.ones_like(pieces)
        )
        movable = _movable_pieces(classes, pieces, n_leaving, problem.k)
        if not len(movable):
            continue
        has_moved = True
        pieces, target_class = pieces[movable], target_class[movable]
        np.subtract.at(classes.sizes, classes.class_of_piece[pieces], n_leaving[movable])
        if problem.units is None:
            np.add.at(classes.sizes, target_class, n_leaving[movable])
        assignment.patterns[pieces] = pattern
        classes.class_of_piece[pieces] = target_class
        weights[pieces] = weight
    return has_moved


def _movable_pieces(classes: AssignedClasses, pieces: Codes, n_leaving: Codes, k: int) -> Codes:
    """Return the positions of pieces that can all leave their classes.

    The first pieces of a class leave as long as it keeps k without them; ``n_leaving`` is the
    number of units, or of records, that each piece takes away.
    """
    current_class = classes.class_of_piece[pieces]
    order = np.lexsort((pieces, current_class))
    cumulative = np.cumsum(n_leaving[order])
    first = np.searchsorted(current_class[order], current_class[order])
    cumulative_leaving = cumulative - cumulative[first] + n_leaving[order][first]
    n_spare = classes.sizes[current_class] - k
    return order[cumulative_leaving <= n_spare[order]]


def dissolve_classes(assignment: Assignment) -> bool:
    """Dissolve classes whose members lose less elsewhere; return whether any was dissolved."""
    problem, classes = assignment.problem, AssignedClasses(assignment)
    pieces = np.flatnonzero(_is_suppressed(assignment))
    if not len(pieces):
        return False
    is_whole_class = np.bincount(
        classes.class_of_piece, minlength=classes.n_classes
    ) == np.bincount(classes.class_of_piece[pieces], minlength=classes.n_classes)
    pieces = pieces[is_whole_class[classes.class_of_piece[pieces]]]
    current_class = classes.class_of_piece[pieces]
    target_class, new_pattern, new_weight = _lightest_other_classes(assignment, classes, pieces)
    gain = assignment.record_counts[pieces] * (
        problem.weight(assignment.patterns[pieces]) - new_weight
    )
    gains = np.bincount(current_class, gain, classes.n_classes)
    classes_with_gain = np.flatnonzero(gains > TOLERANCE)
    if not len(classes_with_gain):
        return False
    order = np.argsort(current_class, kind="stable")
    starts = np.searchsorted(current_class[order], classes_with_gain)
    ends = np.searchsorted(current_class[order], classes_with_gain, side="right")
    is_target, is_dissolved = np.zeros((2, classes.n_classes), bool)
    for i in np.argsort(-gains[classes_with_gain], kind="stable").tolist():
        members = order[starts[i] : ends[i]]
        if is_target[classes_with_gain[i]] or is_dissolved[target_class[members]].any():
            continue
        is_dissolved[classes_with_gain[i]] = True
        is_target[target_class[members]] = True
        assignment.patterns[pieces[members]] = new_pattern[members]
    return bool(is_dissolved.any())


def _lightest_other_classes(
    assignment: Assignment, classes: AssignedClasses, pieces: Codes
) -> tuple[Codes, Codes, Weights]:
    """Return the lightest other class that each piece can join, its pattern and its weight.

    The class is -1 and the weight infinite for a piece that fits no other class.
    """
    current_class = classes.class_of_piece[pieces]
    target_class = np.full(len(pieces), -1)
    new_pattern = np.full(len(pieces), UNDECIDED)
    new_weight = np.full(len(pieces), np.inf)
    for pattern in classes.patterns:
        remaining = np.flatnonzero(target_class < 0)
        joinable_class = classes.lookup(pattern, pieces[remaining])
        can_join = (joinable_class >= 0) & (joinable_class != current_class[remaining])
        joining = remaining[can_join]
        target_class[joining] = joinable_class[can_join]
        new_pattern[joining] = pattern
        new_weight[joining] = float(assignment.problem.weight(pattern))
    return target_class, new_pattern, new_weight


def _dissolve_nearby_classes(
    assignment: Assignment, generator: np.random.Generator, n_pieces: int
) -> None:
    """Dissolve the classes of a few pieces near each other: their pieces become undecided."""
    problem, classes = assignment.problem, AssignedClasses(assignment)
    suppressed_pieces = np.flatnonzero(_is_suppressed(assignment))
    centre = suppressed_pieces[generator.integers(len(suppressed_pieces))]
    codes = problem.codes[assignment.rows[suppressed_pieces]]
    distances = (codes != problem.codes[assignment.rows[centre]]) @ problem.weights
    nearest = suppressed_pieces[
        np.lexsort((generator.random(len(distances)), distances))[:n_pieces]
    ]
    is_dissolved = np.isin(np.arange(classes.n_classes), classes.class_of_piece[nearest])
    pieces = suppressed_pieces[is_dissolved[classes.class_of_piece[suppressed_pieces]]]
    # These pieces show all their values again, so each is merged with the piece of its row that was
    # never suppressed, if there is one.
    assignment.patterns[pieces] = problem.missing[assignment.rows[pieces]]
    assignment.merge_pieces()
    n_classes, labels = assignment.labels()
    sizes = assignment.sizes(labels, n_classes, np.arange(len(labels)))
    # Besides the dissolved pieces, these may be pieces that were never suppressed.
    assignment.patterns[sizes[labels] < problem.k] = UNDECIDED
