"""Local search: lighter patterns for a given assignment, in which every class holds k.

A piece moves to a lighter class that exists, if its own class keeps k without it. A class is
dissolved if its members lose less in other classes. Finally some classes that are near each other
are dissolved, their members are assigned greedily again, and the result is kept if it is better.
"""

import numpy as np

from shoal import _progress as progress
from shoal.steps.suppression.assignment import UNDECIDED, Assignment
from shoal.steps.suppression.greedy import assign_undecided
from shoal.steps.suppression.problem import Cells, Codes

EPSILON = 1e-9
ROUNDS = 60  # of dissolving some classes and assigning their members again
MAX_PIECES = 10_000  # with suppressed cells, up to which this is done
PIECES = (6, 12, 25, 50)  # whose classes are dissolved in a round


class Classes:
    """The classes of an assignment: the class of each piece, and the size of each class."""

    def __init__(self, assignment: Assignment):
        self.assignment = assignment
        self.number, self.label = assignment.labels()
        self.size = assignment.sizes(self.label, self.number, np.arange(len(self.label)))
        problem = assignment.problem
        used = np.unique(assignment.pattern)
        weights = np.round(problem.weight(used), 9)
        self.patterns = used[np.lexsort((used, weights))].tolist()

    def lookup(self, pattern: int, pieces: Codes) -> Codes:
        """Return the class of a pattern that each piece can join, or -1."""
        joined = np.full(len(pieces), -1)
        members = np.flatnonzero(self.assignment.pattern == pattern)
        fits = self.assignment.problem.fits(pattern, self.assignment.row[pieces])
        if not len(members) or not fits.any():
            return joined
        keys, first = np.unique(self.assignment.keys(pattern, members), return_index=True)
        wanted_keys = self.assignment.keys(pattern, pieces[fits])
        positions = np.searchsorted(keys, wanted_keys).clip(max=len(keys) - 1)
        joined[fits] = np.where(
            keys[positions] == wanted_keys, self.label[members[first[positions]]], -1
        )
        return joined


def improve(assignment: Assignment) -> Assignment:
    """Return an assignment of lower or equal weight."""
    best = _descend(assignment)
    weight = best.total()
    suppressed = int(_is_suppressed(best).sum())
    generator = np.random.default_rng(0)
    rounds = ROUNDS if 0 < suppressed <= MAX_PIECES else 0
    for i in range(rounds):
        progress.report("improving", i, rounds)
        other = best.copy()
        _dissolve_some(other, generator, PIECES[i % len(PIECES)])
        assign_undecided(other, generator)
        other = _descend(other)
        if (total := other.total()) < weight - EPSILON:
            best, weight = other, total
    return best


def _is_suppressed(assignment: Assignment) -> Cells:
    return np.asarray(assignment.pattern != assignment.problem.missing[assignment.row])


def _descend(assignment: Assignment) -> Assignment:
    while move_to_lighter(assignment) or dissolve(assignment):
        assignment.merge_pieces()
    return assignment


def move_to_lighter(assignment: Assignment) -> bool:
    """Move pieces to lighter classes where their own classes keep k; return whether any moved."""
    problem, classes, moved = assignment.problem, Classes(assignment), False
    weights = problem.weight(assignment.pattern)
    for pattern in classes.patterns:
        weight = float(problem.weight(pattern))
        pieces = np.flatnonzero(weights > weight + EPSILON)
        pieces = pieces[classes.size[classes.label[pieces]] > problem.k]
        target = classes.lookup(pattern, pieces)
        pieces, target = pieces[target >= 0], target[target >= 0]
        leaving = assignment.records[pieces] if problem.units is None else np.ones_like(pieces)
        class_of = classes.label[pieces]
        order = np.lexsort((pieces, class_of))
        cumulative = np.cumsum(leaving[order])
        first = np.searchsorted(class_of[order], class_of[order])
        n_leaving = cumulative - cumulative[first] + leaving[order][first]
        allowed = order[n_leaving <= (classes.size[class_of] - problem.k)[order]]
        if not len(allowed):
            continue
        pieces, target, moved = pieces[allowed], target[allowed], True
        np.subtract.at(classes.size, classes.label[pieces], leaving[allowed])
        if problem.units is None:
            np.add.at(classes.size, target, leaving[allowed])
        assignment.pattern[pieces], classes.label[pieces] = pattern, target
        weights[pieces] = weight
    return moved


def dissolve(assignment: Assignment) -> bool:
    """Dissolve classes whose members lose less elsewhere; return whether any was dissolved."""
    problem, classes = assignment.problem, Classes(assignment)
    pieces = np.flatnonzero(_is_suppressed(assignment))
    if not len(pieces):
        return False
    is_whole_class = np.bincount(classes.label, minlength=classes.number) == np.bincount(
        classes.label[pieces], minlength=classes.number
    )
    pieces = pieces[is_whole_class[classes.label[pieces]]]
    class_of, target = classes.label[pieces], np.full(len(pieces), -1)
    # Infinite where a piece fits no other class, so that its class stays.
    new_weight = np.full(len(pieces), np.inf)
    new_pattern = np.full(len(pieces), UNDECIDED)
    for pattern in classes.patterns:
        open_pieces = np.flatnonzero(target < 0)
        label = classes.lookup(pattern, pieces[open_pieces])
        hit = (label >= 0) & (label != class_of[open_pieces])
        target[open_pieces[hit]], new_pattern[open_pieces[hit]] = label[hit], pattern
        new_weight[open_pieces[hit]] = float(problem.weight(pattern))
    gain = assignment.records[pieces] * (problem.weight(assignment.pattern[pieces]) - new_weight)
    gains = np.bincount(class_of, gain, classes.number)
    gainful = np.flatnonzero(gains > EPSILON)
    if not len(gainful):
        return False
    order = np.argsort(class_of, kind="stable")
    starts = np.searchsorted(class_of[order], gainful)
    ends = np.searchsorted(class_of[order], gainful, side="right")
    pinned, dissolved = np.zeros((2, classes.number), bool)
    for i in np.argsort(-gains[gainful], kind="stable").tolist():
        members = order[starts[i] : ends[i]]
        if pinned[gainful[i]] or dissolved[target[members]].any():
            continue
        dissolved[gainful[i]], pinned[target[members]] = True, True
        assignment.pattern[pieces[members]] = new_pattern[members]
    return bool(dissolved.any())


def _dissolve_some(assignment: Assignment, generator: np.random.Generator, number: int) -> None:
    """Take their patterns from the classes of some pieces that are near each other."""
    problem, classes = assignment.problem, Classes(assignment)
    suppressed = np.flatnonzero(_is_suppressed(assignment))
    centre = suppressed[generator.integers(len(suppressed))]
    codes = problem.codes[assignment.row[suppressed]]
    differ = (codes != problem.codes[assignment.row[centre]]) @ problem.weights
    nearest = suppressed[np.lexsort((generator.random(len(differ)), differ))[:number]]
    chosen = np.isin(np.arange(classes.number), classes.label[nearest])
    pieces = suppressed[chosen[classes.label[suppressed]]]
    # They show all their values again.
    assignment.pattern[pieces] = problem.missing[assignment.row[pieces]]
    assignment.merge_pieces()
    n_classes, labels = assignment.labels()
    sizes = assignment.sizes(labels, n_classes, np.arange(len(labels)))
    # Also pieces that were never suppressed: without the others, their class may be too small.
    assignment.pattern[sizes[labels] < problem.k] = UNDECIDED
