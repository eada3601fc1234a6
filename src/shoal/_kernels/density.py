"""DBA1: the densest neighbourhood of what is left is the next group.

Every living record keeps a list of its nearest living records. When a group
leaves, only the records that had one of it among their k - 1 nearest are looked
at again; a list is filled again from the index when it runs short. A density may
rise as well as fall when neighbours leave, so none may be looked at too late,
with one exception: no density exceeds that of equal records, so a record among
its equals is looked at again only when it comes first.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.index import Index, take, worn
from shoal._kernels.search import NOBODY, nearest_others
from shoal._kernels.tournament import play, play_again

SEARCH = 1000  # a search in the index, counted in comparisons of a list
END = NOBODY
ASLEEP = np.int64(-2)


class Crowd(NamedTuple):
    """The living records with their neighbours and densities.

    ``nearest[i, :known[i]]`` are the nearest living of record i, nearest first.
    Each of the first k - 1 is a bond of i, and the bonds that end in record j
    are chained: ``bonds[j]`` is the first, ``chain[b]`` the one after b. Bond
    ``i * (k - 1) + t`` belongs to record i. ``spread`` is k times the SSE of a
    record and its k - 1 nearest. ``bracket`` is a tournament over the records:
    entry 1 has the least spread. ``entered[i]`` is the next neighbour of i that
    needs a bond, ``END`` if none does, or ``ASLEEP`` if i had no spread when it
    lost neighbours: until it is looked at again, the bonds it lost end in itself.
    ``labels`` are those of the index that holds the living.
    """

    nearest: np.ndarray
    known: np.ndarray
    bonds: np.ndarray
    chain: np.ndarray
    spread: np.ndarray
    bracket: np.ndarray
    entered: np.ndarray
    labels: np.ndarray


def gather(index: Index, k: int, nearest: np.ndarray) -> Crowd:
    """Return the crowd of all records, whose nearest others are ``nearest``."""
    n = len(index.X)
    leaves = 1 << (n - 1).bit_length()
    crowd = Crowd(
        nearest,
        np.full(n, nearest.shape[1]),
        np.full(n, END),
        np.full(n * (k - 1), END),
        np.empty(n),
        np.full(2 * leaves, END),
        np.full(n, END),
        index.labels,
    )
    settle(index.X, k, crowd)
    return crowd


@compiled
def settle(X, k, crowd):
    """Tie the first bonds and hold the first tournament."""
    first = crowd.bracket.shape[0] // 2
    for i in range(X.shape[0]):
        for t in range(k - 1):
            tie(crowd, i * (k - 1) + t, crowd.nearest[i, t])
        crowd.spread[i] = spread(X, i, crowd.nearest[i, : k - 1])
        crowd.bracket[first + i] = i
    for match in range(first - 1, 0, -1):
        play(crowd.bracket, crowd.spread, match)


@compiled
def tie(crowd, bond, record):
    """Let ``bond`` end in ``record``."""
    crowd.chain[bond] = crowd.bonds[record]
    crowd.bonds[record] = bond


@compiled
def spread(X, i, others):
    """Return k times the SSE of record ``i`` and ``others``.

    It is summed from the differences to record i: small whole numbers give an
    exact result, so that equal densities are seen to be equal, and at most a
    factor k is lost where the two terms cancel.
    """
    squares, pull = 0.0, 0.0
    for j in range(X.shape[1]):
        total = 0.0
        for other in others:
            gap = X[other, j] - X[i, j]
            squares += gap * gap
            total += gap
        pull += total * total
    return (others.shape[0] + 1) * squares - pull


@compiled
def renew(index, k, crowd, i, distances):
    """Drop the dead from the list of record ``i``; return the comparisons that it took.

    ``entered[i]`` becomes the number of neighbours among the first k - 1 that stay.
    """
    work = crowd.known[i]
    mine = crowd.nearest[i]
    kept, stay = 0, 0
    for t in range(crowd.known[i]):
        if crowd.labels[mine[t]] == END:
            mine[kept] = mine[t]
            kept += 1
        if t == k - 2:
            stay = kept
    if kept < k - 1:
        kept = nearest_others(index, i, mine, distances)
        work += SEARCH
    crowd.known[i] = kept
    crowd.entered[i] = stay
    crowd.spread[i] = spread(index.X, i, mine[: k - 1])
    play_again(crowd.bracket, crowd.spread, i, i)
    return work


@compiled
def use(k, crowd, bond, i):
    """Let a free ``bond`` of record ``i`` end in the next neighbour that entered."""
    tie(crowd, bond, crowd.nearest[i, crowd.entered[i]])
    crowd.entered[i] += 1
    if crowd.entered[i] == k - 1:
        crowd.entered[i] = END


@compiled
def retie(k, crowd, gone):
    """Free the bonds that ended in the dead record ``gone`` and use them again."""
    bond = crowd.bonds[gone]
    while bond != END:
        after = crowd.chain[bond]
        i = bond // (k - 1)
        if crowd.labels[i] == END:
            if crowd.entered[i] == ASLEEP:
                tie(crowd, bond, i)
            else:
                use(k, crowd, bond, i)
        bond = after


@compiled
def wake(index, k, crowd, i, distances):
    """Look again at record ``i``, which was asleep; return the comparisons that it took."""
    work = renew(index, k, crowd, i, distances)
    bond = crowd.bonds[i]
    crowd.bonds[i] = END
    while bond != END:
        after = crowd.chain[bond]
        if bond // (k - 1) == i:
            use(k, crowd, bond, i)
        else:
            tie(crowd, bond, i)
        bond = after
    return work


@compiled
def mourn(index, k, crowd, gone, distances):
    """Look again at those who had ``gone`` among their nearest; return the comparisons."""
    work = 0
    bond = crowd.bonds[gone]
    while bond != END:
        i = bond // (k - 1)
        if crowd.labels[i] == END:
            if crowd.spread[i] == 0.0:
                crowd.entered[i] = ASLEEP
            elif crowd.entered[i] == END:
                work += renew(index, k, crowd, i, distances)
        bond = crowd.chain[bond]
    return work


@compiled
def take_densest(index, crowd, group):
    """Make the densest living record and its nearest the next group; write it into ``group``."""
    group[0] = crowd.bracket[1]
    for t in range(1, group.shape[0]):
        group[t] = crowd.nearest[group[0], t - 1]
    for i in group:
        play_again(crowd.bracket, crowd.spread, i, NOBODY)
    take(index, group)


@compiled
def advance(index, k, crowd, work):
    """Form groups until about ``work`` comparisons are made; say whether to go on."""
    group = np.empty(k, np.int64)
    distances = np.empty(crowd.nearest.shape[1])
    while index.size[0] >= k and work > 0 and not worn(index):
        densest = crowd.bracket[1]
        if crowd.entered[densest] == ASLEEP:
            work -= wake(index, k, crowd, densest, distances)
            continue
        take_densest(index, crowd, group)
        work -= k
        if index.size[0] >= k:
            for gone in group:
                work -= mourn(index, k, crowd, gone, distances)
            for gone in group:
                retie(k, crowd, gone)
    return index.size[0] >= k
