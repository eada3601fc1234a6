"""Suppress cells of records in large classes too, so that smaller groups attain k with them."""

import numpy as np

from shoal.steps.suppression.assignment import Assignment
from shoal.steps.suppression.problem import Cells, Codes
from shoal.steps.units import number_needed


def recruit(
    assignment: Assignment,
    pattern: int,
    keys: Codes,
    shortfall: Codes,
    members: Codes,
    groups: Codes,
) -> Cells:
    """Give a pattern to records of large classes, for groups that lack some of k.

    Parameters
    ----------
    assignment : Assignment
        Changed in place: complete records of classes that keep k without them get the pattern.
    pattern : int
        The pattern.
    keys : ndarray of shape (n_groups,)
        The key of each group, ascending.
    shortfall : ndarray of shape (n_groups,)
        The number of units, or else of records, that each group lacks; 0 if it needs none.
    members, groups : ndarray
        The pieces of the groups, and the group of each.

    Returns
    -------
    ndarray of shape (n_groups,)
        Whether a group that lacks some has got them.
    """
    problem = assignment.problem
    complete = assignment.pattern == problem.missing[assignment.row]
    if problem.units is None:
        complete &= assignment.records > problem.k
    pieces = assignment.fitting(pattern, np.flatnonzero(complete))
    pieces = pieces[assignment.pattern[pieces] != pattern]
    own_keys = assignment.keys(pattern, pieces)
    at = np.searchsorted(keys, own_keys).clip(max=len(keys) - 1)
    needed = (keys[at] == own_keys) & (shortfall[at] > 0)
    pieces, at = pieces[needed], at[needed]
    if problem.units is not None:
        return _recruit_units(assignment, pattern, shortfall, pieces, at, members, groups)
    spare = assignment.records[pieces] - problem.k
    enough = np.bincount(at, spare, len(keys)) >= shortfall
    order = np.lexsort((-pieces, -spare, at))
    pieces, at, spare = (values[order] for values in (pieces, at, spare))
    before = np.cumsum(spare) - spare
    first = np.searchsorted(at, at)
    recruited = np.clip(shortfall[at] - (before - before[first]), 0, spare)
    recruited[~enough[at]] = 0
    assignment.split(pieces[recruited > 0], recruited[recruited > 0], pattern)
    return np.asarray(enough)


def _recruit_units(
    assignment: Assignment,
    pattern: int,
    shortfall: Codes,
    pieces: Codes,
    at: Codes,
    members: Codes,
    groups: Codes,
) -> Cells:
    """Recruit one record of each unit that a group lacks."""
    problem, units = assignment.problem, assignment.problem.units
    assert units is not None
    number, labels = problem.labels(0)
    complete = np.flatnonzero(assignment.pattern == problem.missing[assignment.row])
    spare = assignment.sizes(labels[assignment.row[complete]], number, complete) - problem.k
    enough = np.zeros(len(shortfall), bool)
    candidates, members_by_group = _by_group(pieces, at), _by_group(members, groups)
    for group in np.flatnonzero(shortfall).tolist():
        present = set(units[assignment.row[members_by_group.get(group, [])]].tolist())
        chosen: list[int] = []
        lost: dict[int, int] = {}  # units that each class would lose
        for piece in candidates.get(group, []):
            row = assignment.row[piece]
            label, single = int(labels[row]), assignment.records[piece] == 1
            if units[row] in present or (single and spare[label] - lost.get(label, 0) <= 0):
                continue
            chosen.append(piece)
            present.add(int(units[row]))
            lost[label] = lost.get(label, 0) + int(single)
            if len(chosen) == shortfall[group]:
                break
        if len(chosen) == shortfall[group]:
            enough[group] = True
            for label, count in lost.items():
                spare[label] -= count
            assignment.split(np.array(chosen), np.ones(len(chosen), np.int64), pattern)
    return enough


def _by_group(pieces: Codes, groups: Codes) -> dict[int, Codes]:
    """Return the pieces of each group."""
    if not len(pieces):
        return {}
    order = np.argsort(groups, kind="stable")
    names, first = np.unique(groups[order], return_index=True)
    return dict(zip(names.tolist(), np.split(pieces[order], first[1:]), strict=True))


def join_one_class(assignment: Assignment) -> None:
    """Give a pattern to the undecided pieces and to records of the class that loses least by it.

    They keep the columns that all of them share. The class gives as many records as it can spare,
    or else all.
    """
    problem, k = assignment.problem, assignment.problem.k
    pieces = assignment.undecided
    codes = problem.codes[assignment.row]
    decided = np.flatnonzero(assignment.pattern >= 0)
    patterns_before = assignment.pattern.copy()
    assignment.pattern[pieces] = problem.full  # a class of its own, which is left out below
    number, labels = assignment.labels()
    assignment.pattern = patterns_before
    sizes = assignment.sizes(labels, number, np.arange(len(labels)))
    records = np.bincount(labels, assignment.records, number).astype(np.int64)
    first = np.full(number, -1)
    first[labels[decided[::-1]]] = decided[::-1]
    classes = np.unique(labels[decided])
    sample = first[classes]
    shared = (codes[pieces] == codes[pieces[0]]).all(axis=0) & (codes[pieces[0]] != 0)
    pattern = assignment.pattern[sample].copy()
    for column in range(problem.n_columns):
        differs = ~shared[column] | (codes[sample, column] != codes[pieces[0], column])
        pattern |= differs.astype(np.int64) << column
    present = (
        len(np.unique(problem.units[assignment.row[pieces]]))
        if problem.units is not None
        else int(assignment.records[pieces].sum())
    )
    shortfall = k - present
    joining = np.where(sizes[classes] - shortfall >= k, shortfall, records[classes])
    joining[pattern == assignment.pattern[sample]] = 0
    lost = problem.weight(pattern) - problem.weight(assignment.pattern[sample])
    cost = joining * lost + assignment.records[pieces].sum() * problem.weight(pattern)
    best = int(np.argmin(cost))
    chosen = int(pattern[best])
    class_members = np.flatnonzero((labels == classes[best]) & (patterns_before >= 0))[::-1]
    assignment.pattern[pieces] = chosen
    if joining[best] == 0:
        return
    if problem.units is None:
        if sizes[classes[best]] - shortfall >= k:
            before = (
                np.cumsum(assignment.records[class_members]) - assignment.records[class_members]
            )
            recruited = np.clip(shortfall - before, 0, assignment.records[class_members])
            assignment.split(class_members[recruited > 0], recruited[recruited > 0], chosen)
        else:
            assignment.pattern[class_members] = chosen
        return
    units = problem.units[assignment.row[class_members]]
    number_joining = number_needed(problem.units[assignment.row[pieces]], units, k)
    assignment.pattern[class_members[:number_joining]] = chosen
