"""DBA1: the densest neighbourhood among the remaining records is the next group.

The method is that of Lin, Wen, Hsieh and Chang (2010). Every living record has a list of its
nearest living records. When a group is formed, only the records that had a member of it among their
k - 1 nearest are updated; a list is filled again from the index when it becomes too short. A
neighbourhood is dense if its SSE is low. The SSE may fall as well as rise when neighbours are
removed, so updates cannot be deferred, with one exception: no SSE is below the 0 of equal records,
so a record among its equals is updated only when it wins the tournament.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.distances import scaled_sse
from shoal._kernels.spatial.index import Index, form_group, needs_rebuild
from shoal._kernels.spatial.search import nearest_others
from shoal._kernels.structures.tournament import (
    open_tournament,
    play_all,
    replay,
    winner_of_all,
)

SEARCH_COST = 1000  # of a search in the index, counted in comparisons of a list
DEFERRED = np.int64(-2)


class NeighbourLists(NamedTuple):
    """The living records with their nearest neighbours and the SSE of the groups with these.

    ``nearest[i, :n_known[i]]`` are the living records nearest to i, nearest first. Each of
    the first k - 1 is a link of i, and the links that end in record j are a list:
    ``links[j]`` is the first of them, ``next_link[l]`` the one after l. Link
    ``i * (k - 1) + t`` belongs to record i. ``scaled_sse[i]`` is k times the SSE of
    record i and its k - 1 nearest. ``tournament`` is that of the records by
    ``scaled_sse``, the densest first, ties by their own ``numbers``.
    ``next_unlinked[i]`` is the next neighbour of i that needs a link, ``NONE`` if none
    does, or ``DEFERRED`` if ``scaled_sse[i]`` was 0 when i lost neighbours: until its
    list is refreshed, the links that it lost end in itself. ``labels`` are those of the
    index that holds the living records, and negative for these.
    """

    nearest: np.ndarray  # (n, m), with m of at least k - 1
    n_known: np.ndarray  # (n,)
    links: np.ndarray  # (n,)
    next_link: np.ndarray  # (n * (k - 1),)
    scaled_sse: np.ndarray  # (n,)
    tournament: np.ndarray  # (2 * n_leaves,)
    numbers: np.ndarray  # (n,)
    next_unlinked: np.ndarray  # (n,)
    labels: np.ndarray  # (n,)


def open_neighbour_lists(index: Index, k: int, nearest: np.ndarray) -> NeighbourLists:
    """Return the lists of all records, whose nearest others are ``nearest``."""
    n = len(index.X)
    lists = NeighbourLists(
        nearest=nearest,
        n_known=np.full(n, nearest.shape[1]),
        links=np.full(n, NONE),
        next_link=np.full(n * (k - 1), NONE),
        scaled_sse=np.empty(n),
        tournament=open_tournament(np.ones(n, np.bool_)),
        numbers=np.arange(n),
        next_unlinked=np.full(n, NONE),
        labels=index.labels,
    )
    link_all(index.X, k, lists)
    return lists


@compiled
def link_all(X, k, lists):
    """Link all records to their neighbours, and compute ``scaled_sse`` and the tournament."""
    for i in range(X.shape[0]):
        for t in range(k - 1):
            link(lists, i * (k - 1) + t, lists.nearest[i, t])
        lists.scaled_sse[i] = scaled_sse(X, i, lists.nearest[i, : k - 1])
    play_all(lists.tournament, lists.scaled_sse, lists.numbers)


@compiled
def link(lists, link_number, record):
    """Make a link end in ``record``."""
    lists.next_link[link_number] = lists.links[record]
    lists.links[record] = link_number


@compiled
def refresh_list(index, k, lists, i, distances):
    """Drop the removed records from the list of record ``i``; return the comparisons that it took.

    ``next_unlinked[i]`` becomes the number of neighbours among the first k - 1 that stay.
    """
    n_compared = lists.n_known[i]
    neighbours = lists.nearest[i]
    n_living, n_linked = 0, 0
    for t in range(lists.n_known[i]):
        if lists.labels[neighbours[t]] < 0:
            neighbours[n_living] = neighbours[t]
            n_living += 1
        if t == k - 2:
            n_linked = n_living
    if n_living < k - 1:
        n_living = nearest_others(index, i, neighbours, distances)
        n_compared += SEARCH_COST
    lists.n_known[i] = n_living
    lists.next_unlinked[i] = n_linked
    lists.scaled_sse[i] = scaled_sse(index.X, i, neighbours[: k - 1])
    replay(lists.tournament, lists.scaled_sse, lists.numbers, i, True)
    return n_compared


@compiled
def reuse_link(k, lists, link_number, i):
    """Make a free link of record ``i`` end in its next neighbour without a link."""
    link(lists, link_number, lists.nearest[i, lists.next_unlinked[i]])
    lists.next_unlinked[i] += 1
    if lists.next_unlinked[i] == k - 1:
        lists.next_unlinked[i] = NONE


@compiled
def relink(k, lists, removed_record):
    """Free the links that end in a removed record and use them again."""
    link_number = lists.links[removed_record]
    while link_number != NONE:
        next_number = lists.next_link[link_number]
        i = link_number // (k - 1)
        if lists.labels[i] < 0:
            if lists.next_unlinked[i] == DEFERRED:
                link(lists, link_number, i)
            else:
                reuse_link(k, lists, link_number, i)
        link_number = next_number


@compiled
def refresh_deferred(index, k, lists, i, distances):
    """Refresh the list of record ``i``, which was deferred; return the comparisons that it took."""
    n_compared = refresh_list(index, k, lists, i, distances)
    link_number = lists.links[i]
    lists.links[i] = NONE
    while link_number != NONE:
        next_number = lists.next_link[link_number]
        if link_number // (k - 1) == i:
            reuse_link(k, lists, link_number, i)
        else:
            link(lists, link_number, i)
        link_number = next_number
    return n_compared


@compiled
def update_dependents(index, k, lists, removed_record, distances):
    """Refresh the lists that hold a removed record; return the comparisons that it took."""
    n_compared = 0
    link_number = lists.links[removed_record]
    while link_number != NONE:
        i = link_number // (k - 1)
        if lists.labels[i] < 0:
            if lists.scaled_sse[i] == 0.0:
                lists.next_unlinked[i] = DEFERRED
            elif lists.next_unlinked[i] == NONE:
                n_compared += refresh_list(index, k, lists, i, distances)
        link_number = lists.next_link[link_number]
    return n_compared


@compiled
def form_densest_group(index, lists, group):
    """Make the densest living record and its nearest the next group; write it into ``group``."""
    group[0] = winner_of_all(lists.tournament)
    for t in range(1, group.shape[0]):
        group[t] = lists.nearest[group[0], t - 1]
    for i in group:
        replay(lists.tournament, lists.scaled_sse, lists.numbers, i, False)
    form_group(index, group)


@compiled
def form_groups(index, k, lists, work):
    """Form groups until about ``work`` comparisons are made; return whether to go on."""
    group = np.empty(k, np.int64)
    distances = np.empty(lists.nearest.shape[1])
    while index.size[0] >= k and work > 0 and not needs_rebuild(index):
        densest = winner_of_all(lists.tournament)
        if lists.next_unlinked[densest] == DEFERRED:
            work -= refresh_deferred(index, k, lists, densest, distances)
            continue
        form_densest_group(index, lists, group)
        work -= k
        if index.size[0] >= k:
            for removed_record in group:
                work -= update_dependents(index, k, lists, removed_record, distances)
            for removed_record in group:
                relink(k, lists, removed_record)
    return index.size[0] >= k
