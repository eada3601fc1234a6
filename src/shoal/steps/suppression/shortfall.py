"""Suppress cells of records in large classes too, so that small groups reach k with them."""

from collections.abc import Mapping

import numpy as np

from shoal.steps.constraints.units import n_candidates_needed
from shoal.steps.suppression.assignment import Assignment
from shoal.steps.suppression.problem import Codes, Mask


def fill_shortfall(
    assignment: Assignment,
    pattern: int,
    keys: Codes,
    shortfall: Codes,
    members: Codes,
    groups: Codes,
) -> Mask:
    """Give a pattern to records of large classes, for groups that have fewer than k.

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
        Whether the shortfall of each group was filled.
    """
    problem = assignment.problem
    is_unsuppressed = assignment.pattern == problem.missing[assignment.row]
    if problem.units is None:
        is_unsuppressed &= assignment.record_counts > problem.k
    pieces = assignment.pieces_that_fit(pattern, np.flatnonzero(is_unsuppressed))
    pieces = pieces[assignment.pattern[pieces] != pattern]
    piece_keys = assignment.keys(pattern, pieces)
    group_of = np.searchsorted(keys, piece_keys).clip(max=len(keys) - 1)
    is_needed = (keys[group_of] == piece_keys) & (shortfall[group_of] > 0)
    pieces, group_of = pieces[is_needed], group_of[is_needed]
    if problem.units is not None:
        candidates, members_of = _by_group(pieces, group_of), _by_group(members, groups)
        return _fill_shortfall_of_units(assignment, pattern, shortfall, candidates, members_of)
    spare = assignment.record_counts[pieces] - problem.k
    is_filled = np.bincount(group_of, spare, len(keys)) >= shortfall
    order = np.lexsort((-pieces, -spare, group_of))
    pieces, group_of, spare = (values[order] for values in (pieces, group_of, spare))
    n_preceding = np.cumsum(spare) - spare
    starts = np.searchsorted(group_of, group_of)
    n_added = np.clip(shortfall[group_of] - (n_preceding - n_preceding[starts]), 0, spare)
    n_added[~is_filled[group_of]] = 0
    assignment.split(pieces[n_added > 0], n_added[n_added > 0], pattern)
    return np.asarray(is_filled)


def _fill_shortfall_of_units(
    assignment: Assignment,
    pattern: int,
    shortfall: Codes,
    candidates: Mapping[int, Codes],
    members_of: Mapping[int, Codes],
) -> Mask:
    """Give a pattern to one record each of as many other units as each group lacks.

    ``candidates`` and ``members_of`` are the pieces that may join each group, and those in it.
    """
    problem, units = assignment.problem, assignment.problem.units
    assert units is not None
    n_classes, labels = problem.labels(0)  # the classes of records that keep all their cells
    unsuppressed_pieces = np.flatnonzero(assignment.pattern == problem.missing[assignment.row])
    spare = (
        assignment.sizes(
            labels[assignment.row[unsuppressed_pieces]], n_classes, unsuppressed_pieces
        )
        - problem.k
    )
    is_filled = np.zeros(len(shortfall), bool)
    for group in np.flatnonzero(shortfall).tolist():
        present_units = set(units[assignment.row[members_of.get(group, [])]].tolist())
        chosen_pieces: list[int] = []
        n_lost: dict[int, int] = {}  # units that each class would lose
        for piece in candidates.get(group, []):
            row = assignment.row[piece]
            label, is_single = int(labels[row]), assignment.record_counts[piece] == 1
            if units[row] in present_units or (
                is_single and spare[label] - n_lost.get(label, 0) <= 0
            ):
                continue
            chosen_pieces.append(piece)
            present_units.add(int(units[row]))
            n_lost[label] = n_lost.get(label, 0) + int(is_single)
            if len(chosen_pieces) == shortfall[group]:
                break
        if len(chosen_pieces) == shortfall[group]:
            is_filled[group] = True
            for label, count in n_lost.items():
                spare[label] -= count
            assignment.split(
                np.array(chosen_pieces), np.ones(len(chosen_pieces), np.int64), pattern
            )
    return is_filled


def _by_group(pieces: Codes, groups: Codes) -> dict[int, Codes]:
    """Return the pieces of each group."""
    if not len(pieces):
        return {}
    order = np.argsort(groups, kind="stable")
    distinct, first = np.unique(groups[order], return_index=True)
    return dict(zip(distinct.tolist(), np.split(pieces[order], first[1:]), strict=True))


def join_one_class(assignment: Assignment) -> None:
    """Let the undecided pieces join one class, the one for which this costs least.

    They keep the columns that all pieces and the class share. As many records of the class join
    them as are needed for k, or all if the others would be fewer than k.
    """
    pieces = assignment.undecided_pieces
    members, pattern, n_joining = _cheapest_class(assignment, pieces)
    assignment.pattern[pieces] = pattern
    if n_joining:
        _move_members(assignment, members, pattern, n_joining, pieces)


def _cheapest_class(assignment: Assignment, pieces: Codes) -> tuple[Codes, int, int]:
    """Return the class that costs least to join.

    Returns
    -------
    members : ndarray
        The pieces of the class, the last first.
    pattern : int
        The pattern that ``pieces`` get.
    n_joining : int
        How many records of the class must get it too; 0 if they have it already.
    """
    problem, k = assignment.problem, assignment.problem.k
    with_pieces = assignment.copy()
    # Every piece needs a pattern to have a label; a class of `pieces` alone is no candidate.
    with_pieces.pattern[pieces] = problem.full_pattern
    n_classes, labels = with_pieces.labels()
    sizes = assignment.sizes(labels, n_classes, np.arange(len(labels)))
    record_counts = np.bincount(labels, assignment.record_counts, n_classes).astype(np.int64)
    decided_pieces = np.flatnonzero(assignment.pattern >= 0)
    first = np.full(n_classes, -1)
    first[labels[decided_pieces[::-1]]] = decided_pieces[::-1]
    classes = np.unique(labels[decided_pieces])
    class_patterns = assignment.pattern[first[classes]]
    common_patterns = _common_patterns(assignment, pieces, first[classes])
    shortfall = k - int(assignment.sizes(np.zeros(len(pieces), np.int64), 1, pieces)[0])
    n_joining = np.where(sizes[classes] - shortfall >= k, shortfall, record_counts[classes])
    n_joining[common_patterns == class_patterns] = 0
    losses = problem.weight(common_patterns) - problem.weight(class_patterns)
    costs = n_joining * losses + assignment.record_counts[pieces].sum() * problem.weight(
        common_patterns
    )
    best = int(np.argmin(costs))
    members = decided_pieces[labels[decided_pieces] == classes[best]][::-1]
    return members, int(common_patterns[best]), int(n_joining[best])


def _common_patterns(assignment: Assignment, pieces: Codes, samples: Codes) -> Codes:
    """Return the pattern that makes all pieces equal to a sample of a class, for each sample."""
    codes = assignment.problem.codes[assignment.row]
    example = codes[pieces[0]]
    is_shared = (codes[pieces] == example).all(axis=0) & (example != 0)
    pattern = assignment.pattern[samples].copy()
    for column in range(assignment.problem.n_columns):
        differs = ~is_shared[column] | (codes[samples, column] != example[column])
        pattern |= differs.astype(np.int64) << column
    return pattern


def _move_members(
    assignment: Assignment, members: Codes, pattern: int, n_joining: int, pieces: Codes
) -> None:
    """Give a pattern to the first ``n_joining`` records of ``members``.

    Where k counts units, give it to as many members as bring in the units that ``pieces`` lack.
    """
    problem = assignment.problem
    if problem.units is None:
        counts = assignment.record_counts[members]
        n_added = np.clip(n_joining - (np.cumsum(counts) - counts), 0, counts)
        assignment.split(members[n_added > 0], n_added[n_added > 0], pattern)
        return
    present_units, units = (problem.units[assignment.row[rows]] for rows in (pieces, members))
    assignment.pattern[members[: n_candidates_needed(present_units, units, problem.k)]] = pattern
