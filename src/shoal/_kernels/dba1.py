"""DBA1: the densest neighbourhood among the remaining records is the next group.

The method is that of Lin, Wen, Hsieh and Chang (2010). Every remaining record has a list of its
nearest remaining records. When a group is formed, only the records that had a member of the group
among their k - 1 nearest are updated; a list is filled again from the index when it becomes too
short. A neighbourhood is dense if its SSE is low. The SSE may fall as well as rise when neighbours
are removed, so updates cannot be deferred, with one exception: no SSE is below the 0 of equal
records, so a record whose nearest neighbours all equal it is updated only when it wins the
tournament.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.distances import scaled_sse
from shoal._kernels.spatial.index import Index, form_group, needs_rebuild
from shoal._kernels.spatial.search import BestRecords, nearest_others
from shoal._kernels.structures.tournament import (
    open_tournament,
    play_all,
    replay,
    winner_of_all,
)

SEARCH_COST = 1000  # cost of a search in the index, counted in comparisons of a list
DEFERRED = np.int64(-2)


class LinkedNeighbours(NamedTuple):
    """The remaining records with their nearest neighbours, and the SSEs of the groups of both.

    ``nearest[record, :n_known[record]]`` are the remaining records nearest to a record, nearest
    first. A link leads to each of the first k - 1; its number is ``record * (k - 1)`` plus the
    position of the neighbour in the list. The links that end in a record form a linked list:
    ``first_link[record]`` is the first of them, and ``next_link`` leads to the others.

    ``scaled_sse`` is k times the SSE of a record and its k - 1 nearest. ``tournament`` compares the
    records by ``scaled_sse``: the densest wins, and ties are broken by their ``numbers``.
    ``next_unlinked`` is the position of the next neighbour of a record that needs a link, ``NONE``
    if none does, or ``DEFERRED`` if its ``scaled_sse`` was 0 when it lost neighbours: until its
    list is refreshed, the links that it lost end in itself. ``labels`` are the labels of the index,
    negative for remaining records.
    """

    nearest: np.ndarray  # (n_records, max_known), with at least k - 1 columns
    n_known: np.ndarray  # (n_records,)
    first_link: np.ndarray  # (n_records,)
    next_link: np.ndarray  # (n_records * (k - 1),)
    scaled_sse: np.ndarray  # (n_records,)
    tournament: np.ndarray  # (2 * n_leaves,)
    numbers: np.ndarray  # (n_records,)
    next_unlinked: np.ndarray  # (n_records,)
    labels: np.ndarray  # (n_records,)


def open_linked_neighbours(index: Index, k: int, nearest: np.ndarray) -> LinkedNeighbours:
    """Return the lists of all records, whose nearest others are ``nearest``."""
    n = len(index.X)
    lists = LinkedNeighbours(
        nearest=nearest,
        n_known=np.full(n, nearest.shape[1]),
        first_link=np.full(n, NONE),
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
    for record in range(X.shape[0]):
        for position in range(k - 1):
            link(lists, record * (k - 1) + position, lists.nearest[record, position])
        lists.scaled_sse[record] = scaled_sse(X, record, lists.nearest[record, : k - 1])
    play_all(lists.tournament, lists.scaled_sse, lists.numbers)


@compiled
def link(lists, link_number, record):
    """Let a link end in ``record``."""
    lists.next_link[link_number] = lists.first_link[record]
    lists.first_link[record] = link_number


@compiled
def refresh_list(index, k, lists, record, squares):
    """Drop the removed records from the list of ``record``; return the comparisons that it took.

    ``next_unlinked[record]`` becomes the number of neighbours among the first k - 1 that stay.
    """
    n_compared = lists.n_known[record]
    neighbours = lists.nearest[record]
    n_remaining, n_linked = 0, 0
    for position in range(lists.n_known[record]):
        if lists.labels[neighbours[position]] < 0:
            neighbours[n_remaining] = neighbours[position]
            n_remaining += 1
        if position == k - 2:
            n_linked = n_remaining
    if n_remaining < k - 1:
        n_remaining = nearest_others(index, record, BestRecords(neighbours, squares))
        n_compared += SEARCH_COST
    lists.n_known[record] = n_remaining
    lists.next_unlinked[record] = n_linked
    lists.scaled_sse[record] = scaled_sse(index.X, record, neighbours[: k - 1])
    replay(lists.tournament, lists.scaled_sse, lists.numbers, record, True)
    return n_compared


@compiled
def reuse_link(k, lists, link_number, record):
    """Let a free link of ``record`` end in its next neighbour without a link."""
    link(lists, link_number, lists.nearest[record, lists.next_unlinked[record]])
    lists.next_unlinked[record] += 1
    if lists.next_unlinked[record] == k - 1:
        lists.next_unlinked[record] = NONE


@compiled
def relink(k, lists, removed_record):
    """Free the links that end in a removed record, and let them end in other neighbours."""
    link_number = lists.first_link[removed_record]
    while link_number != NONE:
        next_number = lists.next_link[link_number]
        owner = link_number // (k - 1)
        if lists.labels[owner] < 0:
            if lists.next_unlinked[owner] == DEFERRED:
                link(lists, link_number, owner)
            else:
                reuse_link(k, lists, link_number, owner)
        link_number = next_number


@compiled
def refresh_deferred(index, k, lists, record, squares):
    """Refresh the list of ``record``, which was deferred; return the comparisons that it took."""
    n_compared = refresh_list(index, k, lists, record, squares)
    link_number = lists.first_link[record]
    lists.first_link[record] = NONE
    while link_number != NONE:
        next_number = lists.next_link[link_number]
        if link_number // (k - 1) == record:
            reuse_link(k, lists, link_number, record)
        else:
            link(lists, link_number, record)
        link_number = next_number
    return n_compared


@compiled
def update_dependents(index, k, lists, removed_record, squares):
    """Refresh the lists that contain a removed record; return the comparisons that it took."""
    n_compared = 0
    link_number = lists.first_link[removed_record]
    while link_number != NONE:
        owner = link_number // (k - 1)
        if lists.labels[owner] < 0:
            if lists.scaled_sse[owner] == 0.0:
                lists.next_unlinked[owner] = DEFERRED
            elif lists.next_unlinked[owner] == NONE:
                n_compared += refresh_list(index, k, lists, owner, squares)
        link_number = lists.next_link[link_number]
    return n_compared


@compiled
def form_densest_group(index, lists, group):
    """Make the densest remaining record and its nearest the next group; write it into ``group``."""
    group[0] = winner_of_all(lists.tournament)
    for position in range(1, group.shape[0]):
        group[position] = lists.nearest[group[0], position - 1]
    for record in group:
        replay(lists.tournament, lists.scaled_sse, lists.numbers, record, False)
    form_group(index, group)


@compiled
def form_groups(index, k, lists, work):
    """Form groups until about ``work`` comparisons are made; return whether to go on."""
    group = np.empty(k, np.int64)
    squares = np.empty(lists.nearest.shape[1])
    while index.size[0] >= k and work > 0 and not needs_rebuild(index):
        densest = winner_of_all(lists.tournament)
        if lists.next_unlinked[densest] == DEFERRED:
            work -= refresh_deferred(index, k, lists, densest, squares)
            continue
        form_densest_group(index, lists, group)
        work -= k
        if index.size[0] >= k:
            for removed_record in group:
                work -= update_dependents(index, k, lists, removed_record, squares)
            for removed_record in group:
                relink(k, lists, removed_record)
    return index.size[0] >= k
