"""Lower bounds of the SSE from pairs of rows: potentials of rows, and the costs of partners.

Every row has a *potential*. The *excess* of a pair is its squared distance minus the potentials
of its two rows, so k times the SSE of k rows is k - 1 times the sum of their potentials, plus the
excesses of all their pairs. Half of a negative excess counts for each of the two rows, which are
*partners*. A positive excess counts for the k - 2 other rows of the group, in equal shares, but
only for rows that are partners of both. Thus no group costs less than the sum over its rows of

    k - 1 times the potential, plus the minimum over all sets of at most k - 1 partners of
    half the excesses with these partners and 1 / (k - 2) of the positive excesses among them,

divided by k. That is the dual of the row.

A row *lists* a number of its nearest rows. Pairs in which neither row lists the other are treated
separately.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.column_generation.least_values import insert_least
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.dual_bound.row_boxes import limits_in_boxes, list_rows_within_limits

MAX_PAIRED = 64  # partners up to which excesses among them are used; of more, they count as 0
MAX_STEPS = 300  # steps of the search for the cheapest partners of a row


class ListedRows(NamedTuple):
    """The rows that each row of ``X`` lists: the first ``n_listed`` of its ``near`` rows."""

    X: np.ndarray  # (n_rows, n_columns)
    near: np.ndarray  # (n_rows, n_near)
    n_listed: int


class PossiblePartners(NamedTuple):
    """The rows of ``X`` that may be partners of a row: ``rows[start[row] : start[row + 1]]``."""

    X: np.ndarray  # (n_rows, n_columns)
    start: np.ndarray  # (n_rows + 1,)
    rows: np.ndarray  # (start[-1],)


class RowPartners(NamedTuple):
    """Space for the partners of a row, and for half of the excess with each."""

    rows: np.ndarray  # (max_partners,)
    half_excess: np.ndarray  # (max_partners,)


@compiled
def balance_potentials(listed, potential, n_partners):
    """Set each potential in turn so that about ``n_partners`` listed rows become partners."""
    X = listed.X
    least = np.empty(n_partners)
    for row in range(X.shape[0]):
        least[:] = np.inf
        for other in listed.near[row, : listed.n_listed]:
            insert_least(least, squared_row_distance(X, row, X, other) - potential[other])
        potential[row] = least[n_partners - 1]


@compiled
def write_listed_limits(listed, potential, farthest, unlisted_limit):
    """Fill ``farthest`` with the squared distance of each row to the last of its listed rows.

    ``unlisted_limit`` is ``farthest`` minus the greatest potential of a listed row. A row whose
    potential does not exceed it can be a partner of an unlisted row only if the potential of the
    unlisted row is greater than the potentials of all listed rows.
    """
    X, last = listed.X, listed.n_listed - 1
    for row in range(X.shape[0]):
        greatest = -np.inf
        for other in listed.near[row, : listed.n_listed]:
            greatest = max(greatest, potential[other])
        farthest[row] = squared_row_distance(X, row, X, listed.near[row, last])
        unlisted_limit[row] = farthest[row] - greatest


@compiled
def lists(listed, row, other):
    """Return whether ``row`` lists ``other``."""
    for listed_row in listed.near[row, : listed.n_listed]:
        if listed_row == other:
            return True
    return False


@compiled
def list_unlisted(listed, boxes, limit, rows, unlisted, counts):
    """List the rows that may be partners of ``rows`` although neither lists the other.

    Two rows may be partners if their squared distance is below the sum of their entries of
    ``limit``. The ``counts[i]`` possible partners of ``rows[i]`` are written to ``unlisted[i]``, or
    the first of them if there are more than its length.
    """
    limits = limits_in_boxes(boxes, limit)
    others = np.empty(listed.X.shape[0], np.int64)
    for i in range(rows.shape[0]):
        row, counts[i] = rows[i], 0
        n_others = list_rows_within_limits(listed.X, boxes, limits, row, others)
        for other in others[:n_others]:
            if not lists(listed, row, other) and not lists(listed, other, row):
                if counts[i] < unlisted.shape[1]:
                    unlisted[i, counts[i]] = other
                counts[i] += 1


@compiled
def count_partners(listed, limit, counts):
    """Add to ``counts`` the possible partners of each row that it lists, or that list it."""
    X = listed.X
    for row in range(X.shape[0]):
        for other in listed.near[row, : listed.n_listed]:
            if squared_row_distance(X, row, X, other) < limit[row] + limit[other]:
                counts[row] += 1
                if not lists(listed, other, row):
                    counts[other] += 1


@compiled
def fill_partners(listed, limit, next_free, partners):
    """Write the rows that `count_partners` counts to ``partners``, from ``next_free[row]`` on."""
    X = listed.X
    for row in range(X.shape[0]):
        for other in listed.near[row, : listed.n_listed]:
            if squared_row_distance(X, row, X, other) < limit[row] + limit[other]:
                partners[next_free[row]] = other
                next_free[row] += 1
                if not lists(listed, other, row):
                    partners[next_free[other]] = row
                    next_free[other] += 1


@compiled
def add_pairs(rows, others, next_free, partners):
    """Write further pairs to ``partners``, from ``next_free[row]`` on."""
    for i in range(rows.shape[0]):
        partners[next_free[rows[i]]] = others[i]
        next_free[rows[i]] += 1
        partners[next_free[others[i]]] = rows[i]
        next_free[others[i]] += 1


@compiled
def extension_bound(half_excess, count, max_size, first, size, cost):
    """Return a lower bound of sets that extend one of ``size`` by partners from ``first`` on."""
    total = cost
    for i in range(first, min(count, first + max_size - size)):
        total += half_excess[i]
    return total


@compiled
def cheapest_partners(half_excess, pair_cost, count, best_partners):
    """Return the least cost of a set of partners, or a lower bound, and the size of the set.

    ``half_excess`` is half of the excess with each partner, in increasing order, and ``pair_cost``
    what two of them cost together. ``best_partners`` is filled with a set of least cost.
    """
    max_size = best_partners.shape[0]
    members, next_partner = np.empty(max_size, np.int64), np.zeros(max_size + 1, np.int64)
    cost = np.zeros(max_size + 1)
    least_cost, best_size, size = 0.0, 0, 0
    for _ in range(MAX_STEPS):
        while (
            size >= 0
            and extension_bound(half_excess, count, max_size, next_partner[size], size, cost[size])
            >= least_cost
        ):
            size -= 1
        if size < 0:
            return least_cost, best_size
        partner = next_partner[size]
        next_partner[size] += 1
        added_cost = half_excess[partner]
        for i in range(size):
            added_cost += pair_cost[members[i], partner]
        if added_cost < 0.0:  # a partner that does not lower the cost now never will
            members[size] = partner
            cost[size + 1], next_partner[size + 1] = cost[size] + added_cost, partner + 1
            size += 1
            if cost[size] < least_cost:
                least_cost, best_size = cost[size], size
                best_partners[:size] = members[:size]
    for level in range(size + 1):
        least_cost = min(
            least_cost,
            extension_bound(half_excess, count, max_size, next_partner[level], level, cost[level]),
        )
    return least_cost, best_size


@compiled
def list_partners_by_excess(possible, potential, row, partners):
    """List the partners of a row by increasing excess, with half of it; return their number."""
    X, half_excess = possible.X, partners.half_excess
    count = 0
    for entry in range(possible.start[row], possible.start[row + 1]):
        other = possible.rows[entry]
        excess = squared_row_distance(X, row, X, other) - potential[row] - potential[other]
        if excess < 0.0:
            slot = count
            while slot > 0 and half_excess[slot - 1] > excess / 2:
                half_excess[slot] = half_excess[slot - 1]
                partners.rows[slot] = partners.rows[slot - 1]
                slot -= 1
            half_excess[slot], partners.rows[slot] = excess / 2, other
            count += 1
    return count


@compiled
def write_costs_among_partners(X, potential, rows, k, pair_cost):
    """Fill ``pair_cost`` with what any two of ``rows`` cost as partners of the same row.

    That is 1 / (k - 2) of their excess, or 0 if the excess is negative.
    """
    for first in range(rows.shape[0]):
        for second in range(first):
            excess = squared_row_distance(X, rows[first], X, rows[second])
            excess -= potential[rows[first]] + potential[rows[second]]
            pair_cost[first, second] = pair_cost[second, first] = max(excess, 0.0) / max(k - 2, 1)


@compiled
def subtract_from_gradient(row, partners, best, pair_cost, k, gradient):
    """Subtract the derivatives of the cost of ``row`` from ``gradient``.

    The cost is attained by the ``partners`` at the positions ``best``. If ``pair_cost`` is empty,
    it does not depend on the excesses among them.
    """
    gradient[row] -= best.shape[0] / 2
    for first in range(best.shape[0]):
        gradient[partners[best[first]]] -= 0.5
        if pair_cost.shape[0] == 0:
            continue
        for second in range(first):
            if pair_cost[best[first], best[second]] > 0.0:
                gradient[partners[best[first]]] -= 1 / max(k - 2, 1)
                gradient[partners[best[second]]] -= 1 / max(k - 2, 1)


@compiled
def write_pair_costs(possible, potential, k, cost, gradient):
    """Fill ``cost`` with the least cost of the possible partners of each row.

    ``gradient`` is filled with the gradient of the sum of all costs and k - 1 times all potentials
    with respect to the potentials.
    """
    max_partners = 0
    for row in range(cost.shape[0]):
        max_partners = max(max_partners, possible.start[row + 1] - possible.start[row])
    partners = RowPartners(np.empty(max_partners, np.int64), np.empty(max_partners))
    best_partners = np.empty(k - 1, np.int64)
    pair_cost = np.empty((MAX_PAIRED, MAX_PAIRED))
    gradient[:] = k - 1.0
    for row in range(cost.shape[0]):
        count = list_partners_by_excess(possible, potential, row, partners)
        n_paired = count if count <= MAX_PAIRED else 0
        if count <= MAX_PAIRED:
            write_costs_among_partners(possible.X, potential, partners.rows[:count], k, pair_cost)
            cost[row], size = cheapest_partners(
                partners.half_excess, pair_cost, count, best_partners
            )
        else:
            cost[row] = extension_bound(partners.half_excess, count, k - 1, 0, 0, 0.0)
            size = min(count, k - 1)
            best_partners[:] = np.arange(k - 1)
        subtract_from_gradient(
            row, partners.rows, best_partners[:size], pair_cost[:n_paired], k, gradient
        )
