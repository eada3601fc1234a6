"""Feasible duals from pairs of near records, in less than a tenth of a millisecond per record.

`shoal._kernels.dual_bound.pair_costs` explains why they are feasible.
"""

import numpy as np

from shoal import _progress as progress
from shoal._kernels.dual_bound.pair_costs import (
    ListedRows,
    PossiblePartners,
    add_pairs,
    balance_potentials,
    count_partners,
    fill_partners,
    list_unlisted,
    write_listed_limits,
    write_pair_costs,
)
from shoal._kernels.dual_bound.row_boxes import box_levels
from shoal.partitioners._base import Indices, Values
from shoal.partitioners._dual_bound.long_table import LongTable, rounding_share

N_NEIGHBOURS = 24  # neighbours of a record that are used; more raise the bound little
SWEEPS = 4  # passes in which the first potentials are balanced
MARGIN = 0.25  # share of its scale by which a potential may exceed its first value
N_STEPS = 8  # steps of the ascent
FIRST_STEP = 0.25  # maximum length of the first step, as a share of the scale
HALVING_STEPS = 4  # steps of the ascent after which a step is half as long
# Limits above this times half the distance to the farthest listed row need a search of the table.
WIDE_FACTOR = 1.1
MAX_UNLISTED = 64  # rows that such a search may find
BATCH = 16_384  # rows that are searched at a time, which saves memory


def pair_duals(table: LongTable) -> Values:
    """Return feasible duals of all rows, from potentials or, if these prove more, neighbours."""
    k, n = table.k, len(table.X)
    if n <= k or not table.neighbour_dual.any():
        return table.neighbour_dual
    scale = table.neighbour_dual * (k / (k - 1))  # the potentials of k rows at equal distances
    potential = scale.copy()
    for _ in range(SWEEPS):
        balance_potentials(listed_rows(table), potential, k)
    limit, partners = possible_partners(table, potential, scale)
    np.minimum(potential, limit, out=potential)
    cost, gradient, best = np.empty(n), np.empty(n), table.neighbour_dual
    for step in range(N_STEPS):
        progress.report("comparing near records", step, N_STEPS)
        write_pair_costs(partners, potential, k, cost, gradient)
        duals = ((k - 1) * potential + cost) / k - rounding_share(table) * np.abs(potential)
        if duals.sum() > best.sum():
            best = duals
        potential += FIRST_STEP / (1 + step / HALVING_STEPS) / (k - 1) * scale * gradient
        np.minimum(potential, limit, out=potential)
    return best


def max_used_neighbours(k: int) -> int:
    """Return the maximum number of neighbours of a record that are used."""
    return max(N_NEIGHBOURS, 2 * k)


def listed_rows(table: LongTable) -> ListedRows:
    """Return the neighbours that each row lists."""
    n_listed = min(int(table.near.shape[1]), max_used_neighbours(table.k))
    return ListedRows(table.X, table.near, n_listed)


def possible_partners(
    table: LongTable, potential: Values, scale: Values
) -> tuple[Values, PossiblePartners]:
    """Return limits of the potentials, and all rows that can be partners within them.

    If neither of two rows lists the other, their squared distance is at least the squared distance
    of each to the farthest row that it lists. So they are no partners if each potential is at most
    half of that distance. Isolated rows have higher limits, and the whole table is searched for
    their partners.
    """
    n, listed = len(table.X), listed_rows(table)
    farthest, unlisted_limit = np.full(n, np.inf), np.full(n, np.inf)
    if listed.n_listed < n - 1:
        write_listed_limits(listed, potential, farthest, unlisted_limit)
    half = farthest / 2
    limit = np.minimum(potential + MARGIN * scale, np.maximum(unlisted_limit, farthest - scale))
    wide_rows = np.flatnonzero(limit > WIDE_FACTOR * half)
    wide_limits = limit[wide_rows]
    np.minimum(limit, half, out=limit)
    limit[wide_rows] = wide_limits
    rows, others = unlisted_pairs(table, wide_rows, limit, half)
    counts = np.bincount(rows, minlength=n) + np.bincount(others, minlength=n)
    count_partners(listed, limit, counts)
    start = np.concatenate([[0], np.cumsum(counts)])
    next_free, partners = start[:-1].copy(), np.empty(start[-1], np.int32)
    fill_partners(listed, limit, next_free, partners)
    add_pairs(rows, others, next_free, partners)
    return limit, PossiblePartners(table.X, start, partners)


def unlisted_pairs(
    table: LongTable, wide_rows: Indices, limit: Values, safe_limits: Values
) -> tuple[Indices, Indices]:
    """Return the pairs of a wide row and a row that it does not list, if they can be partners.

    If a wide row has too many such partners, its limit is lowered to its entry of ``safe_limits``.
    """
    n, boxes, listed = len(table.X), box_levels(table.X), listed_rows(table)
    is_searched, pairs = np.zeros(n, bool), [np.empty((2, 0), np.int32)]
    for start in range(0, len(wide_rows), BATCH):
        batch = wide_rows[start : start + BATCH]
        unlisted = np.empty((len(batch), MAX_UNLISTED), np.int32)
        counts = np.empty(len(batch), np.int64)
        list_unlisted(listed, boxes, limit, batch, unlisted, counts)
        has_few = counts <= MAX_UNLISTED
        is_searched[batch[has_few]] = True
        is_filled = has_few[:, None] & (np.arange(MAX_UNLISTED) < counts[:, None])
        pairs.append(
            np.array([np.repeat(batch[has_few], counts[has_few]), unlisted[is_filled]], np.int32)
        )
    rows_with_many = wide_rows[~is_searched[wide_rows]]
    limit[rows_with_many] = safe_limits[rows_with_many]
    rows, others = np.concatenate(pairs, axis=1).astype(np.int64)
    is_first = ~is_searched[others] | (rows < others)  # two wide rows find each other
    return rows[is_first], others[is_first]
