"""Minimum-weight [1,2]-factors: spanning subgraphs with one or two edges at every record.

A factor is computed as a matching of slots. Slot i is the first slot of record i, which must be
matched, and slot n + i is its second slot, which may be matched.
"""

from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from shoal import _progress as progress
from shoal._kernels.matching.blossom import N_UNUSED, NEXT_VERTEX, Graph, Matching, open_matching
from shoal._kernels.matching.edmonds import match_required
from shoal._kernels.matching.factor_duals import (
    FactorDuals,
    enclosing_sums,
    list_violated_pairs,
)
from shoal._kernels.spatial.index import open_index
from shoal._kernels.structures.heap import open_heap
from shoal.partitioners._base import STRIDE, Indices, Matrix, Values
from shoal.partitioners._neighbours import nearest_others
from shoal.partitioners.mdav import MDAV

Pairs = NDArray[np.int64]

NEAREST = 10  # neighbours of each record whose edges are considered first
EVENTS_PER_STRIDE = STRIDE // 10  # events of the matching, each of which counts as ten distances
ROUNDING = 2.0**-50  # unit of integer weights, as a share of the weight of a known factor


@dataclass(frozen=True, eq=False)
class FactorCertificate:
    """Proof that no [1,2]-factor of the complete graph weighs less than ``bound``.

    Every record has a first slot, which must be matched, and a second one, which may be. ``value``
    contains the dual of each first slot, then of each second slot (at most 0), then of each odd set
    of slots (at least 0); ``parent`` is the set that contains a slot or a set, or -1. For
    every edge the duals of its two slots, minus the duals of the sets that contain both, exceed its
    squared distance by no more than ``violation``. ``bound`` is the sum of the duals of the slots,
    minus (size - 1) / 2 times the dual of each set, minus the violation once per record.
    """

    value: Values
    parent: Indices
    violation: float
    bound: float


@dataclass(frozen=True, eq=False)
class Factor:
    """The edges of a factor, their total weight, and the proof that it is minimal."""

    pairs: Pairs
    weight: float
    certificate: FactorCertificate


def squared_lengths(X: Matrix, pairs: Pairs) -> Values:
    """Return the squared distance of each pair, summed column by column."""
    total = np.zeros(len(pairs))
    for column in X.T:
        total += (column[pairs[:, 0]] - column[pairs[:, 1]]) ** 2
    return total


def initial_factor(X: Matrix) -> Pairs:
    """Return the edges of a factor of low weight: edges within the groups of MDAV."""
    labels = MDAV(k=2).fit_predict(X)
    order = np.argsort(labels, kind="stable")
    is_same_group = labels[order[1:]] == labels[order[:-1]]
    return np.asarray(np.column_stack([order[1:], order[:-1]])[is_same_group])


def near_pairs(X: Matrix) -> Pairs:
    """Return the edges between each record and its nearest neighbours."""
    n_nearest = min(NEAREST, len(X) - 1)
    near = nearest_others(open_index(X), n_nearest)[0]
    return np.column_stack([np.repeat(np.arange(len(X)), n_nearest), near.ravel()])


def slots_and_edges(n: int, pairs: Pairs, weight: NDArray[np.int64]) -> Graph:
    """Return the graph of slots, in which each pair of records has three edges.

    The edges join both first slots, and the first slot of either record to the second of the other.
    """
    u, v = pairs.T
    ends = np.concatenate([pairs, np.column_stack([u, n + v]), np.column_stack([v, n + u])])
    end_slots = ends.ravel()  # the ends of edge e are at the positions 2e and 2e + 1
    order = np.argsort(end_slots, kind="stable")
    start = np.searchsorted(end_slots[order], np.arange(2 * n + 1))
    return Graph(np.ascontiguousarray(ends), np.tile(weight, 3), start, order // 2)


def match_slots(n: int, graph: Graph) -> Matching:
    """Return the minimum-weight matching that covers all first slots."""
    matching = open_matching(2 * n)
    nearest = np.full(2 * n, np.iinfo(np.int64).max)
    np.minimum.at(nearest, graph.ends.ravel(), np.repeat(graph.weight, 2))
    # With half the weight of its lightest edge as the dual of each first slot, and 0 for the second
    # ones, no edge is violated.
    matching.node["dual"][:n] = nearest[:n] // 2
    heap = open_heap(2 * len(graph.weight) + 4 * n)  # an event of each end and of each node
    while match_required(graph, matching, heap, n, EVENTS_PER_STRIDE):
        progress.report("matching", int(matching.counts[NEXT_VERTEX]), n)
    return matching


def dual_values(n: int, matching: Matching, unit: float) -> tuple[Values, Indices]:
    """Return the dual values of slots and odd sets, and the set that contains each, or -1."""
    # Nodes 0 to 2n - 1 are the slots; up to 2n odd sets follow.
    unused_numbers = matching.unused_numbers[: matching.counts[N_UNUSED]]
    used_numbers = np.setdiff1d(np.arange(4 * n), unused_numbers)
    new_number = np.full(4 * n + 1, -1)  # the last position stands for -1, no parent
    new_number[used_numbers] = np.arange(len(used_numbers))
    return matching.node["dual"][used_numbers] * unit, new_number[
        matching.node["parent"][used_numbers]
    ]


def violated_pairs(
    X: Matrix, dual: Values, parent: Indices, tolerance: float
) -> tuple[Pairs, float]:
    """Return the pairs whose dual constraint is violated, and the greatest violation."""
    n = len(X)
    start, n_pairs, violation = 0, 0, 0.0
    pairs = np.empty((max(1000, 4 * n), 2), np.int64)
    duals = FactorDuals(dual, parent, enclosing_sums(dual, parent))
    while start < n:
        stop = min(n, start + max(1, STRIDE // n))
        n_new, chunk_violation = list_violated_pairs(
            X, duals, start, stop, tolerance, pairs[n_pairs:]
        )
        n_pairs, violation, start = n_pairs + n_new, max(violation, chunk_violation), stop
        progress.report("pricing all pairs", start, n)
    return pairs[:n_pairs], float(violation)


def make_certificate(n: int, dual: Values, parent: Indices, violation: float) -> FactorCertificate:
    """Return the certificate with the lower bound that the duals prove."""
    size = np.zeros(len(dual))
    for slot in range(2 * n):
        enclosing = parent[slot]
        while enclosing >= 0:
            size[enclosing] += 1
            enclosing = parent[enclosing]
    sets = dual[2 * n :] * (size[2 * n :] - 1) / 2
    bound = fsum(dual[: 2 * n]) - fsum(sets) - n * violation
    return FactorCertificate(dual, parent, violation, bound)


def remove_redundant(n: int, pairs: Pairs) -> Pairs:
    """Return the edges without those between records that both have another edge."""
    degree = np.bincount(pairs.ravel(), minlength=n)
    kept_pairs = []
    for u, v in pairs.tolist():
        if degree[u] == 2 and degree[v] == 2:
            degree[u] = degree[v] = 1
        else:
            kept_pairs.append((u, v))
    return np.array(kept_pairs, np.int64)


def distinct_pairs(n: int, *pair_lists: Pairs) -> Pairs:
    """Return the distinct pairs of all lists, each with the higher record first."""
    pairs = np.concatenate(pair_lists)
    codes = np.unique(pairs.max(axis=1) * n + pairs.min(axis=1))
    return np.column_stack([codes // n, codes % n])


def minimum_factor(X: Matrix) -> Factor:
    """Return the minimum-weight [1,2]-factor for the squared distances of all pairs of records.

    It is computed on near pairs; then all pairs are checked against the dual values, and pairs that
    violate them are added, until there are none. Weights are integer multiples of a unit, so no
    step is rounded. If the first factor is so heavy that the unit is too coarse, the factor is
    computed again in a unit that follows from the result.
    """
    n = len(X)
    factor_pairs = initial_factor(X)
    pairs = distinct_pairs(n, factor_pairs, near_pairs(X))
    scale = weight = fsum(squared_lengths(X, factor_pairs))
    while weight > 0:
        # An edge heavier than a whole factor is never used, so its weight can be capped.
        integers = np.rint(np.minimum(squared_lengths(X, pairs) / scale, 4) / ROUNDING).astype(
            np.int64
        )
        graph = slots_and_edges(n, pairs, 2 * integers)
        matching = match_slots(n, graph)
        factor_pairs = remove_redundant(
            n, distinct_pairs(n, graph.ends[matching.node["matched_edge"][:n]] % n)
        )
        weight = fsum(squared_lengths(X, factor_pairs))
        dual, parent = dual_values(n, matching, scale * ROUNDING / 2)
        new_pairs, violation = violated_pairs(X, dual, parent, 8 * ROUNDING * scale)
        extended_pairs = distinct_pairs(n, pairs, new_pairs)
        if len(extended_pairs) > len(pairs):
            pairs = extended_pairs
        elif weight < scale / 4:
            scale = weight
        else:
            return Factor(factor_pairs, weight, make_certificate(n, dual, parent, violation))
    return Factor(
        factor_pairs, 0.0, FactorCertificate(np.zeros(2 * n), np.full(2 * n, -1), 0.0, 0.0)
    )
