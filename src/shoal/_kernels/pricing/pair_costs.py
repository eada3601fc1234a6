"""Lower bounds of the SSE from pairs of rows: potentials, and what they cost each row.

Every row has a *potential*. The *excess* of a pair is its squared distance less the potentials of
its two rows, so k times the SSE of k rows is k - 1 times the sum of their potentials, plus the
excesses of all their pairs. Half of a negative excess counts for each of the two rows, which are
*partners*. A positive excess counts for the k - 2 other rows of the group, in equal shares; only
those count it that are partners of both. Thus no group costs less than the sum over its rows of

    k - 1 times the potential, plus the minimum over all sets of at most k - 1 partners of
    half the excesses with these partners and 1 / (k - 2) of the positive excesses among them,

divided by k. That is the dual of the row.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.pricing.relaxation import insert_least
from shoal._kernels.pricing.row_boxes import list_below

MAX_PAIRED = 64  # partners up to which excesses among them are used
STEPS = 300  # of the search for the cheapest partners of a row


@compiled
def balance_potentials(X, near, width, potential, rank):
    """Set each potential in turn so that about ``rank`` listed rows become partners.

    The first ``width`` rows of ``near`` are listed, here and below.
    """
    least = np.empty(rank)
    for row in range(near.shape[0]):
        least[:] = np.inf
        for other in near[row, :width]:
            insert_least(least, squared_row_distance(X, row, X, other) - potential[other])
        potential[row] = least[rank - 1]


@compiled
def listed_limits(X, near, width, potential, farthest, unlisted_limit):
    """Fill ``farthest`` with the squared distance of each row to the last of its listed rows.

    ``unlisted_limit`` is that less the greatest potential of a listed row. Up to this potential, a
    row is no partner of an unlisted row with a potential no greater than that.
    """
    for row in range(near.shape[0]):
        greatest = -np.inf
        for other in near[row, :width]:
            greatest = max(greatest, potential[other])
        farthest[row] = squared_row_distance(X, row, X, near[row, width - 1])
        unlisted_limit[row] = farthest[row] - greatest


@compiled
def is_listed(near, width, row, other):
    """Return whether a row lists another one."""
    for listed in near[row, :width]:
        if listed == other:
            return True
    return False


@compiled
def list_unlisted(X, near, width, boxes, limit, rows, unlisted, counts):
    """List the rows that may be partners of some rows although neither lists the other.

    Rows may be partners if their squared distance is below the sum of their limits. ``counts``
    may exceed the width of ``unlisted``, which then has only the first of them.
    """
    records, dual = np.empty(X.shape[0], np.int64), np.zeros(X.shape[0])
    for i in range(rows.shape[0]):
        row, counts[i] = rows[i], 0
        # With k = 1, net duals = limits and a dual that is 1 for `row` alone, `list_below` lists
        # every other row whose squared distance is below limit[row] + limit[other].
        dual[row] = 1.0
        listed = list_below(X, boxes, 1, dual, limit, row, limit[row], records)
        dual[row] = 0.0
        for other in records[:listed]:
            if not is_listed(near, width, row, other) and not is_listed(near, width, other, row):
                if counts[i] < unlisted.shape[1]:
                    unlisted[i, counts[i]] = other
                counts[i] += 1


@compiled
def count_partners(X, near, width, limit, counts):
    """Add to ``counts`` the rows that may be partners and of which one lists the other."""
    for row in range(near.shape[0]):
        for other in near[row, :width]:
            if squared_row_distance(X, row, X, other) < limit[row] + limit[other]:
                counts[row] += 1
                if not is_listed(near, width, other, row):
                    counts[other] += 1


@compiled
def fill_partners(X, near, width, limit, next_free, partners):
    """Write these rows into ``partners``, from the ``next_free`` place of each row on."""
    for row in range(near.shape[0]):
        for other in near[row, :width]:
            if squared_row_distance(X, row, X, other) < limit[row] + limit[other]:
                partners[next_free[row]] = other
                next_free[row] += 1
                if not is_listed(near, width, other, row):
                    partners[next_free[other]] = row
                    next_free[other] += 1


@compiled
def add_pairs(rows, others, next_free, partners):
    """Write further pairs into ``partners``, from the ``next_free`` place of each row on."""
    for i in range(rows.shape[0]):
        partners[next_free[rows[i]]] = others[i]
        next_free[rows[i]] += 1
        partners[next_free[others[i]]] = rows[i]
        next_free[others[i]] += 1


@compiled
def rest_floor(half, count, max_size, first, size, cost):
    """Return a lower bound of sets that extend one of ``size`` by partners from ``first`` on."""
    total = cost
    for i in range(first, min(count, first + max_size - size)):
        total += half[i]
    return total


@compiled
def cheapest_partners(half, pair_excess, count, chosen):
    """Return the least cost of a set of partners, or a lower bound, and the size of the set.

    ``half`` is half of the excess with each partner, in increasing order, and ``pair_excess`` what
    two of them cost together. ``chosen`` is filled with a set of least cost.
    """
    max_size = chosen.shape[0]
    members, next_partner = np.empty(max_size, np.int64), np.zeros(max_size + 1, np.int64)
    cost = np.zeros(max_size + 1)
    best, best_size, size = 0.0, 0, 0
    for _ in range(STEPS):
        while (
            size >= 0
            and rest_floor(half, count, max_size, next_partner[size], size, cost[size]) >= best
        ):
            size -= 1
        if size < 0:
            return best, best_size
        partner = next_partner[size]
        next_partner[size] += 1
        added = half[partner]
        for i in range(size):
            added += pair_excess[members[i], partner]
        if added < 0.0:  # a partner that does not lower the cost now never does
            members[size] = partner
            cost[size + 1], next_partner[size + 1] = cost[size] + added, partner + 1
            size += 1
            if cost[size] < best:
                best, best_size = cost[size], size
                chosen[:size] = members[:size]
    for level in range(size + 1):
        best = min(best, rest_floor(half, count, max_size, next_partner[level], level, cost[level]))
    return best, best_size


@compiled
def list_negative(X, start, partners, potential, row, half, rows):
    """List the partners of a row by increasing excess, with half of it; return their number."""
    count = 0
    for entry in range(start[row], start[row + 1]):
        other = partners[entry]
        excess = squared_row_distance(X, row, X, other) - potential[row] - potential[other]
        if excess < 0.0:
            slot = count
            while slot > 0 and half[slot - 1] > excess / 2:
                half[slot], rows[slot] = half[slot - 1], rows[slot - 1]
                slot -= 1
            half[slot], rows[slot] = excess / 2, other
            count += 1
    return count


@compiled
def pair_costs(X, start, partners, potential, k, cost, gradient):
    """Fill ``cost`` with the least cost of the partners of each row.

    The rows that may be partners of row i are ``partners[start[i] : start[i + 1]]``. The
    ``gradient`` is that of the sum of all costs and k - 1 times all potentials.
    """
    max_partners = 0
    for row in range(cost.shape[0]):
        max_partners = max(max_partners, start[row + 1] - start[row])
    half, rows = np.empty(max_partners), np.empty(max_partners, np.int64)
    chosen = np.empty(k - 1, np.int64)
    pair_excess = np.empty((MAX_PAIRED, MAX_PAIRED))
    gradient[:] = k - 1.0
    for row in range(cost.shape[0]):
        count = list_negative(X, start, partners, potential, row, half, rows)
        paired = count if count <= MAX_PAIRED else 0
        for a in range(paired):
            for b in range(a):
                excess = squared_row_distance(X, rows[a], X, rows[b])
                excess -= potential[rows[a]] + potential[rows[b]]
                pair_excess[a, b] = pair_excess[b, a] = max(excess, 0.0) / max(k - 2, 1)
        if paired == count:
            cost[row], size = cheapest_partners(half, pair_excess, count, chosen)
        else:
            cost[row], size = rest_floor(half, count, k - 1, 0, 0, 0.0), min(count, k - 1)
            chosen[:] = np.arange(k - 1)
        gradient[row] -= size / 2
        for a in range(size):
            gradient[rows[chosen[a]]] -= 0.5
            for b in range(a if paired else 0):
                if pair_excess[chosen[a], chosen[b]] > 0.0:
                    gradient[rows[chosen[a]]] -= 1 / max(k - 2, 1)
                    gradient[rows[chosen[b]]] -= 1 / max(k - 2, 1)
