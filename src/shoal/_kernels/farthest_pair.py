"""The two remaining records that lie farthest apart, for repeated queries.

The owner of a pair is the one of its two records that lies farther from the mean of the table. Each
record stores the farthest pair that it owns, or a bound until that is known: no pair that it owns
is longer than twice its distance to the mean. Records are only removed, so a stored length may
become too long, never too short. The longest pair of all is considered first: if both its records
remain, it is the result; if not, the farthest pair of its owner is measured again. Few records are
measured more than once or twice, so all queries together cost about as much as all distances once,
in memory linear in the number of records.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.distances import same_values
from shoal._kernels.group_formation import squared_distances_to_mean
from shoal._kernels.spatial.pool import measure_distances
from shoal._kernels.structures.tournament import (
    open_tournament,
    play_all,
    replay,
    winner_of_all,
)

RELATIVE_MARGIN = 1e-9  # added to bounds, whose rounding errors are far smaller
ABSOLUTE_MARGIN = 1e-300  # added too, since smaller squares lose digits
REMOVED_SCORE = 1.0  # score of removed records: above all others, which are negative
STEP_COST = 50  # cost of a step of the search, counted in distances


class PairBounds(NamedTuple):
    """The farthest pair that each remaining record owns, or a bound of its length.

    ``score`` is minus the squared length of the farthest pair that a record owns, and ``partner``
    the other record, or -1 if it is unknown: an unknown partner comes first in a tie, since it
    might be the lowest record. ``rank`` counts from the outermost record inwards. ``next_equal`` is
    the next record with the same values, or -1, and ``is_tied`` is True if partners with other
    values are equally distant. ``tournament`` compares the pairs, by their owners; its winner is
    the longest pair.
    """

    score: np.ndarray  # (n_records,)
    partner: np.ndarray  # (n_records,)
    rank: np.ndarray  # (n_records,)
    next_equal: np.ndarray  # (n_records,)
    is_tied: np.ndarray  # (n_records,)
    tournament: np.ndarray  # (2 * n_leaves,)


def open_pair_bounds(X: np.ndarray) -> PairBounds:
    """Return the bounds of the farthest pairs that follow from the distances to the mean."""
    n = len(X)
    squares = squared_distances_to_mean(X)
    pairs = PairBounds(
        score=-(4.0 * squares * (1.0 + RELATIVE_MARGIN) + ABSOLUTE_MARGIN),
        partner=np.full(n, -1),
        rank=np.empty(n, np.int64),
        next_equal=next_equal(X),
        is_tied=np.zeros(n, np.bool_),
        tournament=open_tournament(np.ones(n, np.bool_)),
    )
    pairs.rank[np.argsort(-squares, kind="stable")] = np.arange(n)
    play_all(pairs.tournament, pairs.score, pairs.partner)
    return pairs


def next_equal(X: np.ndarray) -> np.ndarray:
    """Return for each record the next one with the same values, or NONE."""
    order = np.lexsort(X.T)
    is_equal = (X[order[1:]] == X[order[:-1]]).all(axis=1)
    successor = np.full(len(X), NONE)
    successor[order[:-1][is_equal]] = order[1:][is_equal]
    return successor


@compiled
def measure_farthest(pool, pairs, X, record):
    """Measure the farthest pair that a record owns; ties go to the lowest partner."""
    measure_distances(pool, X[record])
    partner, squared_length, is_tied = NONE, -1.0, False
    for position in range(pool.size[0]):
        other, square = pool.records[position], pool.squares[position]
        if square < squared_length or pairs.rank[other] <= pairs.rank[record]:
            continue
        if square > squared_length:
            partner, squared_length, is_tied = other, square, False
        else:
            is_tied = is_tied or not same_values(X, partner, other)
            partner = min(partner, other)
    pairs.partner[record] = partner
    pairs.score[record] = -squared_length
    pairs.is_tied[record] = is_tied


@compiled
def replace_partner(pool, pairs, record):
    """Replace a partner that was removed by the next equal record; return whether there is one."""
    partner = pairs.partner[record]
    while partner >= 0 and pool.labels[partner] >= 0:
        partner = pairs.next_equal[partner]
    if partner < 0 or pairs.is_tied[record]:
        return False
    pairs.partner[record] = partner
    return True


@compiled
def farthest_pair(pool, pairs, X, work):
    """Return the two remaining records farthest apart, lower first, and the work left.

    Ties go to the pair with the lowest records, the lower record counting first. If about ``work``
    distances do not suffice, both are NONE, and the function must be called again.
    """
    while work > 0:
        record = winner_of_all(pairs.tournament)
        partner = pairs.partner[record]
        if pool.labels[record] >= 0:
            pairs.score[record] = REMOVED_SCORE
        elif partner >= 0 and pool.labels[partner] < 0:
            return min(record, partner), max(record, partner), work
        elif not replace_partner(pool, pairs, record):
            measure_farthest(pool, pairs, X, record)
            work -= pool.size[0]
        replay(pairs.tournament, pairs.score, pairs.partner, record, True)
        work -= STEP_COST
    return NONE, NONE, work
