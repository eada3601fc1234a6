"""The pairs of records at which the dual values of a [1,2]-factor are not feasible.

Record v has two slots, v and n + v: the first must be matched, the second may be. An edge between
two records joins two first slots, or the first of one and the second of the other. Odd sets of
slots are numbered from 2n on and nested; the dual of each is subtracted from the edges inside it.

The reduced cost of an edge is its squared distance, minus the duals of its two slots, plus the
duals of the odd sets that contain both. Duals are feasible if no reduced cost is negative.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled


class FactorDuals(NamedTuple):
    """Dual values of slots and odd sets, which are called nodes.

    ``parent`` is the innermost odd set that contains a node, or -1, and ``enclosing_sums`` is
    the sum of the duals of a node and of all odd sets that contain it.
    """

    dual: np.ndarray  # (n_nodes,)
    parent: np.ndarray  # (n_nodes,)
    enclosing_sums: np.ndarray  # (n_nodes,)


@compiled
def enclosing_sums(dual, parent):
    """Return for each node the sum of its dual and the duals of the odd sets that contain it."""
    sums = dual.copy()
    for node in range(dual.shape[0]):
        enclosing_set = parent[node]
        while enclosing_set >= 0:
            sums[node] += dual[enclosing_set]
            enclosing_set = parent[enclosing_set]
    return sums


@compiled
def shared_dual(duals, slot, other):
    """Return the sum of the duals of the odd sets that contain both slots."""
    enclosing_set = duals.parent[slot]
    while enclosing_set >= 0:
        other_set = duals.parent[other]
        while other_set >= 0:
            if enclosing_set == other_set:
                return duals.enclosing_sums[enclosing_set]
            other_set = duals.parent[other_set]
        enclosing_set = duals.parent[enclosing_set]
    return 0.0


@compiled
def list_violated_pairs(X, duals, start, stop, min_violation, pairs):
    """List the pairs of negative reduced cost with a higher record in ``start`` to ``stop``.

    Pairs whose reduced cost is below minus ``min_violation`` fill the rows of ``pairs``, as many as
    there is space for. Return how many were written, and the greatest violation.
    """
    n, dual = X.shape[0], duals.dual
    count, greatest = 0, 0.0
    for u in range(start, stop):
        for v in range(u):
            both_first = dual[u] + dual[v]
            second_of_v = dual[u] + dual[n + v]
            second_of_u = dual[v] + dual[n + u]
            limit = max(both_first, second_of_v, second_of_u)
            square = distance_within(X, u, v, limit)
            if square >= limit:
                continue
            violation = max(
                both_first - shared_dual(duals, u, v),
                second_of_v - shared_dual(duals, u, n + v),
                second_of_u - shared_dual(duals, v, n + u),
            )
            violation -= square
            greatest = max(greatest, violation)
            if violation > min_violation and count < pairs.shape[0]:
                pairs[count, 0], pairs[count, 1] = u, v
                count += 1
    return count, greatest


@compiled
def distance_within(X, u, v, limit):
    """Return the squared distance of two records, or some number above ``limit`` if it is above.

    Few pairs are within the limit, so stopping early saves most of the work.
    """
    total = 0.0
    for column in range(X.shape[1]):
        difference = X[u, column] - X[v, column]
        total += difference * difference
        if total > limit:
            break
    return total
