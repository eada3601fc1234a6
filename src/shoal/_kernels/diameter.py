"""The two living records that lie farthest apart, asked for again and again.

A pair belongs to that of its records which lies farther from the mean of the
table. Each record keeps the farthest of its pairs, or a bound before it is known:
no pair of its own is longer than twice its distance to the mean. Records only
leave, so what is kept may become too long, never too short. The longest of all
is looked at first; if both its records live, it is the answer, and if not, the
farthest pair of its owner is measured anew. Few records are measured more than
once or twice, so all the answers together cost about as much as all distances
once, in memory linear in the number of records.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import same_values
from shoal._kernels.growth import centre_distances
from shoal._kernels.pool import measure

SLACK = 1e-9  # rounding errors of a bound are far smaller
SMALLEST = 1e-300  # squares below it lose their digits
GLANCE = 50  # a look at what is kept costs as much as that many distances


class Ends(NamedTuple):
    """What is known about the farthest pairs of the living.

    ``length[i]`` is the squared length of the farthest pair that record i owns,
    and ``partner[i]`` the other record, -1 if unknown. ``rank`` counts from the
    outermost record inwards. ``alike[i]`` is the next record with the same values
    as i, or -1, and ``tied[i]`` says that partners with other values are as far.
    ``winner`` is a tournament of the pairs: at 1 the owner of the first of all, at
    2 and 3 the winners of both halves, and so on.
    """

    length: np.ndarray
    partner: np.ndarray
    rank: np.ndarray
    alike: np.ndarray
    tied: np.ndarray
    winner: np.ndarray


def open_ends(X: np.ndarray) -> Ends:
    """Return what the distances to the mean tell about the farthest pairs."""
    n = len(X)
    players = 1 << (n - 1).bit_length()
    distance = centre_distances(X)
    ends = Ends(
        length=np.full(players, -1.0),
        partner=np.full(players, -1),
        rank=np.empty(n, np.int64),
        alike=next_alike(X),
        tied=np.zeros(n, np.bool_),
        winner=np.tile(np.arange(players), 2),
    )
    ends.length[:n] = 4.0 * distance * (1.0 + SLACK) + SMALLEST
    ends.rank[np.argsort(-distance, kind="stable")] = np.arange(n)
    play_all(ends)
    return ends


def next_alike(X: np.ndarray) -> np.ndarray:
    """Return for each record the next one with the same values, or -1."""
    order = np.lexsort(X.T)
    alike = (X[order[1:]] == X[order[:-1]]).all(axis=1)
    following = np.full(len(X), -1)
    following[order[:-1][alike]] = order[1:][alike]
    return following


@compiled
def comes_first(ends, a, b):
    """Say whether the pair of ``a`` is longer than that of ``b``; ties go to the lower records.

    An unknown partner comes first in a tie: it might be the lowest record.
    """
    if ends.length[a] != ends.length[b]:
        return ends.length[a] > ends.length[b]
    low, other = min(a, ends.partner[a]), min(b, ends.partner[b])
    if low != other:
        return low < other
    return max(a, ends.partner[a]) < max(b, ends.partner[b])


@compiled
def play(ends, match):
    """Write down who of the two players of a match comes first."""
    left, right = ends.winner[2 * match], ends.winner[2 * match + 1]
    ends.winner[match] = left if comes_first(ends, left, right) else right


@compiled
def play_all(ends):
    """Play the whole tournament, the first round first."""
    for match in range(ends.length.shape[0] - 1, 0, -1):
        play(ends, match)


@compiled
def replay(ends, record):
    """Play all matches of a record again after its pair has changed."""
    match = (record + ends.length.shape[0]) // 2
    while match >= 1:
        play(ends, match)
        match //= 2


@compiled
def look_inward(pool, ends, X, record):
    """Measure the farthest pair that a record owns; ties go to the lowest partner."""
    measure(pool, X[record])
    partner, length, tied = -1, -1.0, False
    for i in range(pool.size[0]):
        if pool.distance[i] < length or ends.rank[pool.records[i]] <= ends.rank[record]:
            continue
        other = pool.records[i]
        if pool.distance[i] > length:
            partner, length, tied = other, pool.distance[i], False
        else:
            tied = tied or not same_values(X, partner, other)
            partner = min(partner, other)
    ends.partner[record] = partner
    ends.length[record] = length
    ends.tied[record] = tied


@compiled
def inherit(pool, ends, record):
    """Put the next record alike in the place of a partner that left; say whether there is one."""
    heir = ends.partner[record]
    while heir >= 0 and pool.labels[heir] >= 0:
        heir = ends.alike[heir]
    if heir < 0 or ends.tied[record]:
        return False
    ends.partner[record] = heir
    return True


@compiled
def farthest_pair(pool, ends, X, work):
    """Return the two living records farthest apart, lower first, and the work left.

    Ties go to the pair with the lowest records, the lower record counting first.
    If about ``work`` distances do not suffice, both are -1: ask again.
    """
    while work > 0:
        record = ends.winner[1]
        partner = ends.partner[record]
        if pool.labels[record] >= 0:
            ends.length[record] = -1.0
        elif partner >= 0 and pool.labels[partner] < 0:
            return min(record, partner), max(record, partner), work
        elif not inherit(pool, ends, record):
            look_inward(pool, ends, X, record)
            work -= pool.size[0]
        replay(ends, record)
        work -= GLANCE
    return -1, -1, work
