"""Feasible duals from pairs of near records: less than a tenth of a millisecond per record.

`shoal._kernels.pricing.pair_costs` says why they are feasible.
"""

import numpy as np

from shoal import _progress as progress
from shoal._kernels.pricing.pair_costs import (
    add_pairs,
    balance_potentials,
    count_partners,
    fill_partners,
    list_unlisted,
    write_listed_limits,
    write_pair_costs,
)
from shoal._kernels.pricing.row_boxes import box_levels
from shoal.partitioners._base import Indices, Values
from shoal.partitioners._dual_bound.long_table import LongTable, Rows, rounding_share

NEAR = 24  # neighbours of a record that are used; more raise the bound little
SWEEPS = 4  # over the first potentials
MARGIN = 0.25  # of its scale: by how much a potential may exceed its first value
STEPS, STEP = 8, 0.25  # of the ascent, and how far the first may go, as a share of the scale
SLOWER = 4  # steps after which they are half as long
WIDE = 1.1  # times half the farthest listed: limits above need a search of the whole table
MAX_UNLISTED = 64  # rows that such a search may find
BATCH = 16_384  # rows that are searched before what was found is gathered, which saves memory


def pair_duals(long: LongTable) -> Values:
    """Return feasible duals of all rows: those of potentials, or the shares if these prove more."""
    k, n, width = long.k, len(long.X), used_width(long)
    if n <= k or not long.share.any():
        return long.share
    scale = long.share * (k / (k - 1))  # the potentials of k rows at equal distances
    potential = scale.copy()
    for _ in range(SWEEPS):
        balance_potentials(long.X, long.near, width, potential, k)
    limit, start, partners = possible_partners(long, potential, scale)
    np.minimum(potential, limit, out=potential)
    cost, gradient, best = np.empty(n), np.empty(n), long.share
    for step in range(STEPS):
        progress.report("comparing near records", step, STEPS)
        write_pair_costs(long.X, start, partners, potential, k, cost, gradient)
        duals = ((k - 1) * potential + cost) / k - rounding_share(long) * np.abs(potential)
        if duals.sum() > best.sum():
            best = duals
        potential += STEP / (1 + step / SLOWER) / (k - 1) * scale * gradient
        np.minimum(potential, limit, out=potential)
    return best


def used_neighbours(k: int) -> int:
    """Return how many neighbours of a record are used."""
    return max(NEAR, 2 * k)


def used_width(long: LongTable) -> int:
    """Return how many listed neighbours are used."""
    return min(int(long.near.shape[1]), used_neighbours(long.k))


def possible_partners(
    long: LongTable, potential: Values, scale: Values
) -> tuple[Values, Indices, Rows]:
    """Return limits of the potentials, and all rows that can be partners within them.

    The rows of row i are ``partners[start[i] : start[i + 1]]``. Two rows of which neither lists
    the other are at least as far apart as the farthest that either lists; so they are no partners
    if both potentials are at most half of that. Isolated rows have higher limits, and the whole
    table is searched for their partners.
    """
    n, width = len(long.X), used_width(long)
    farthest, unlisted_limit = np.full(n, np.inf), np.full(n, np.inf)
    if width < n - 1:
        write_listed_limits(long.X, long.near, width, potential, farthest, unlisted_limit)
    half = farthest / 2
    limit = np.minimum(potential + MARGIN * scale, np.maximum(unlisted_limit, farthest - scale))
    wide = np.flatnonzero(limit > WIDE * half)
    high = limit[wide]
    np.minimum(limit, half, out=limit)
    limit[wide] = high
    rows, others = unlisted_pairs(long, wide, limit, half)
    counts = np.bincount(rows, minlength=n) + np.bincount(others, minlength=n)
    count_partners(long.X, long.near, width, limit, counts)
    start = np.concatenate([[0], np.cumsum(counts)])
    place, partners = start[:-1].copy(), np.empty(start[-1], np.int32)
    fill_partners(long.X, long.near, width, limit, place, partners)
    add_pairs(rows, others, place, partners)
    return limit, start, partners


def unlisted_pairs(
    long: LongTable, wide: Indices, limit: Values, safe: Values
) -> tuple[Indices, Indices]:
    """Return the pairs of a wide row and one that it does not list, if they can be partners.

    The limit of a row with too many of them is lowered to what is ``safe``.
    """
    X, near, n = long.X, long.near, len(long.X)
    boxes = box_levels(X, limit, np.zeros(n))
    is_searched, pairs = np.zeros(n, bool), [np.empty((2, 0), np.int32)]
    for begin in range(0, len(wide), BATCH):
        batch = wide[begin : begin + BATCH]
        unlisted = np.empty((len(batch), MAX_UNLISTED), np.int32)
        counts = np.empty(len(batch), np.int64)
        list_unlisted(X, near, used_width(long), boxes, limit, batch, unlisted, counts)
        few = counts <= MAX_UNLISTED
        is_searched[batch[few]] = True
        is_filled = few[:, None] & (np.arange(MAX_UNLISTED) < counts[:, None])
        pairs.append(np.array([np.repeat(batch[few], counts[few]), unlisted[is_filled]], np.int32))
    many = wide[~is_searched[wide]]
    limit[many] = safe[many]
    rows, others = np.concatenate(pairs, axis=1).astype(np.int64)
    is_first = ~is_searched[others] | (rows < others)  # two wide rows find each other
    return rows[is_first], others[is_first]
