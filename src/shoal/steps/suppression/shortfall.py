"""Suppress cells of records in large classes, so that small groups reach k with these records."""

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
    """Give a pattern to records of large classes, to fill up groups of fewer than k.

    Parameters
    ----------
    assignment : Assignment
        Changed in place: records without suppressed cells, whose classes keep k without them, get
        the pattern.
    pattern : int
        The pattern of the groups.
    keys : ndarray of shape (n_groups,)
        The key of each group, ascending.
    shortfall : ndarray of shape (n_groups,)
        The number of units, or of records without units, that each group lacks.
    members, groups : ndarray
        The pieces of the groups, and the group of each piece.

    Returns
    -------
    ndarray of shape (n_groups,)
        Whether the shortfall of each group was filled.
    """
    problem = assignment.problem
    is_unsuppressed = assignment.patterns == problem.missing[assignment.rows]
    if problem.units is None:
        is_unsuppressed &= assignment.record_counts > problem.k
    pieces = assignment.pieces_that_fit(pattern, np.flatnonzero(is_unsuppressed))
    pieces = pieces[assignment.patterns[pieces] != pattern]
    piece_keys = assignment.keys(pattern, pieces)
    group_of_piece = np.searchsorted(keys, piece_keys).clip(max=len(keys) - 1)
    is_needed = (keys[group_of_piece] == piece_keys) & (shortfall[group_of_piece] > 0)
    pieces, group_of_piece = pieces[is_needed], group_of_piece[is_needed]
    if problem.units is not None:
        return _fill_shortfall_of_units(
            assignment,
            pattern,
            shortfall,
            _by_group(pieces, group_of_piece),
            _by_group(members, groups),
        )
    n_spare = assignment.record_counts[pieces] - problem.k
    is_filled = np.bincount(group_of_piece, n_spare, len(keys)) >= shortfall
    order = np.lexsort((-pieces, -n_spare, group_of_piece))
    pieces, group_of_piece, n_spare = pieces[order], group_of_piece[order], n_spare[order]
    n_preceding = np.cumsum(n_spare) - n_spare
    starts = np.searchsorted(group_of_piece, group_of_piece)
    n_added = np.clip(shortfall[group_of_piece] - (n_preceding - n_preceding[starts]), 0, n_spare)
    n_added[~is_filled[group_of_piece]] = 0
    assignment.split(pieces[n_added > 0], n_added[n_added > 0], pattern)
    return np.asarray(is_filled)


def _fill_shortfall_of_units(
    assignment: Assignment,
    pattern: int,
    shortfall: Codes,
    candidates: Mapping[int, Codes],
    members_by_group: Mapping[int, Codes],
) -> Mask:
    """Give a pattern to one record each of as many further units as a group lacks.

    ``candidates`` are the pieces that may join each group, ``members_by_group`` the pieces in it.
    """
    problem, units = assignment.problem, assignment.problem.units
    assert units is not None
    n_classes, labels = problem.labels(0)  # the classes of records that keep all their cells
    unsuppressed_pieces = np.flatnonzero(assignment.patterns == problem.missing[assignment.rows])
    n_spare = (
        assignment.sizes(
            labels[assignment.rows[unsuppressed_pieces]], n_classes, unsuppressed_pieces
        )
        - problem.k
    )
    is_filled = np.zeros(len(shortfall), bool)
    for group in np.flatnonzero(shortfall).tolist():
        present_units = set(units[assignment.rows[members_by_group.get(group, [])]].tolist())
        chosen_pieces: list[int] = []
        n_lost: dict[int, int] = {}  # units that each class would lose
        for piece in candidates.get(group, []):
            row = assignment.rows[piece]
            class_of_piece = int(labels[row])
            is_single = assignment.record_counts[piece] == 1
            if units[row] in present_units or (
                is_single and n_spare[class_of_piece] - n_lost.get(class_of_piece, 0) <= 0
            ):
                continue
            chosen_pieces.append(piece)
            present_units.add(int(units[row]))
            n_lost[class_of_piece] = n_lost.get(class_of_piece, 0) + int(is_single)
            if len(chosen_pieces) == shortfall[group]:
                break
        if len(chosen_pieces) == shortfall[group]:
            is_filled[group] = True
            for class_of_piece, n_units in n_lost.items():
                n_spare[class_of_piece] -= n_units
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
    """Let the undecided pieces join one class together, the class that is cheapest to join.

    The pieces keep the columns in which they all agree with each other and with the class. As many
    records of the class join them as are needed for k, or all if the others would be fewer than k.
    """
    pieces = assignment.undecided_pieces
    members, pattern, n_joining = _cheapest_class(assignment, pieces)
    assignment.patterns[pieces] = pattern
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
        The number of records of the class that must get the pattern too; 0 if they have it already.
    """
    problem, k = assignment.problem, assignment.problem.k
    complete_assignment = assignment.copy()
    # Every piece needs a pattern to have a label; a class of only `pieces` is no candidate.
    complete_assignment.patterns[pieces] = problem.full_pattern
    n_classes, labels = complete_assignment.labels()
    sizes = assignment.sizes(labels, n_classes, np.arange(len(labels)))
    record_counts = np.bincount(labels, assignment.record_counts, n_classes).astype(np.int64)
    decided_pieces = np.flatnonzero(assignment.patterns >= 0)
    first_piece = np.full(n_classes, -1)
    first_piece[labels[decided_pieces[::-1]]] = decided_pieces[::-1]
    classes = np.unique(labels[decided_pieces])
    class_patterns = assignment.patterns[first_piece[classes]]
    common_patterns = _common_patterns(assignment, pieces, first_piece[classes])
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


def _common_patterns(assignment: Assignment, pieces: Codes, sample_pieces: Codes) -> Codes:
    """Return for each sample piece the pattern outside which all ``pieces`` agree with it."""
    codes = assignment.problem.codes[assignment.rows]
    shared_codes = codes[pieces[0]]
    is_shared = (codes[pieces] == shared_codes).all(axis=0) & (shared_codes != 0)
    patterns = assignment.patterns[sample_pieces].copy()
    for column in range(assignment.problem.n_columns):
        differs = ~is_shared[column] | (codes[sample_pieces, column] != shared_codes[column])
        patterns |= differs.astype(np.int64) << column
    return patterns


def _move_members(
    assignment: Assignment, members: Codes, pattern: int, n_joining: int, pieces: Codes
) -> None:
    """Give a pattern to the first ``n_joining`` records of ``members``.

    If k counts units, give it to as many members as are needed to reach k units with ``pieces``.
    """
    problem = assignment.problem
    if problem.units is None:
        counts = assignment.record_counts[members]
        n_added = np.clip(n_joining - (np.cumsum(counts) - counts), 0, counts)
        assignment.split(members[n_added > 0], n_added[n_added > 0], pattern)
        return
    present_units, units = (problem.units[assignment.rows[rows]] for rows in (pieces, members))
    assignment.patterns[members[: n_candidates_needed(present_units, units, problem.k)]] = pattern
