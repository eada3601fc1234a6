"""The members of near groups that may be partners of a record's move.

All near groups are compared with the record before the first move is measured. Loads from memory
for one group then overlap with the computation for another, and what the moves read of their
partners has arrived when they are measured.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.constants import ZERO
from shoal._kernels.lanes import (
    SINGLE_LANES,
    fill_lanes,
    lanes_not_above,
    load_lanes,
    lowest_bit,
    prefetch,
    store_lanes,
)
from shoal._kernels.local_search.change_bounds import (
    chain_changes,
    limit_of_bounds,
    margin_of_bounds,
    swap_changes,
    write_differences,
    write_own_differences,
)

ROUNDING = 1e-11  # share of the SSE of the groups that a move must save to be more than rounding
CENTROID_ROUNDING = 1e-15  # rounding error of a centroid, in units of the extent of the table
# The cost of the second move of a chain is expensive to compute. It is computed again only if the
# chain would lower the SSE at this share of the cost that was computed last.
DISCOUNT = 0.5


class Candidates(NamedTuple):
    """The candidates of one record, by the position of their group among the near groups.

    ``squares`` are the squared distances to the centroids of near groups. A move must lower the SSE
    by more than ``margins``; ``bound_margins`` are those of `change_bounds`. The candidates of near
    group i are ``positions[starts[i] : starts[i + 1]]`` of its members. ``chain_changes`` are the
    changes of the SSE by chains, in single precision and without the joins, or -inf if a swap may
    lower the SSE. The other arrays are scratch space of `change_bounds`.
    """

    squares: np.ndarray  # (n_near,)
    margins: np.ndarray  # (n_near,)
    bound_margins: np.ndarray  # (n_near,)
    starts: np.ndarray  # (n_near + 1,)
    positions: np.ndarray  # (n_near * max_size,)
    chain_changes: np.ndarray  # (n_near * max_size,)
    to_own_centroid: np.ndarray  # (p,)
    to_centroid: np.ndarray  # (p,)
    combination: np.ndarray  # (p,)
    lanes: np.ndarray  # (SINGLE_LANES,)


class LeavingRecord(NamedTuple):
    """A record, its group, whether that keeps k records without it, and what the SSE then loses.

    ``square`` is the squared distance to the centroid of the group.
    """

    record: int
    group: int
    may_leave: bool
    square: float
    sse_saved: float


def allocate_candidates(n_near: int, max_size: int, p: int) -> Candidates:
    """Return an empty list for up to ``n_near`` groups of at most ``max_size`` members."""
    return Candidates(
        squares=np.zeros(n_near),
        margins=np.zeros(n_near),
        bound_margins=np.zeros(n_near),
        starts=np.zeros(n_near + 1, np.int64),
        positions=np.zeros(n_near * max_size, np.int64),
        chain_changes=np.zeros(n_near * max_size),
        to_own_centroid=np.zeros(p, np.float32),
        to_centroid=np.zeros(p, np.float32),
        combination=np.zeros(p, np.float32),
        lanes=np.zeros(SINGLE_LANES, np.float32),
    )


@inlined
def list_candidates(grouping, leaving, n_near):
    """List the members of the first ``n_near`` of ``near_groups`` that may be partners."""
    n_listed = ZERO
    write_own_differences(grouping, leaving.record)
    for near in range(n_near):
        grouping.candidates.starts[near] = n_listed
        n_listed = add_candidates(grouping, leaving, near, n_listed)
    grouping.candidates.starts[n_near] = n_listed


@compiled
def add_candidates(grouping, leaving, near, n_listed):
    """Add the candidates in a near group to a list; return the length of the list."""
    target = grouping.near_groups[near]
    size, sse = grouping.sizes[target], grouping.sse[leaving.group] + grouping.sse[target]
    share, weight = 1.0 / size, 1.0 / grouping.sizes[leaving.group] + 1.0 / size
    square, product = write_differences(grouping, leaving.record, target, weight)
    margin = ROUNDING * sse + CENTROID_ROUNDING * np.sqrt(sse)
    bound_margin = margin_of_bounds(
        grouping.X.shape[1], square + leaving.square + grouping.sse[target]
    )
    grouping.candidates.squares[near] = square
    grouping.candidates.margins[near] = margin
    grouping.candidates.bound_margins[near] = bound_margin
    limit = fill_lanes(limit_of_bounds(-margin, bound_margin))
    swap_constant = weight * square - product
    chain_constant = square - share * square - leaving.sse_saved
    for first in range(0, size, SINGLE_LANES):
        block = first // SINGLE_LANES
        swaps = swap_changes(grouping, target, block, weight, swap_constant)
        swap_bits = lanes_not_above(swaps, limit)
        bits = swap_bits
        if leaving.may_leave:
            chains = chain_changes(grouping, target, block, share, chain_constant)
            store_lanes(grouping.candidates.lanes, (0,), chains)
            costs = load_lanes(grouping.blocks, (target, block, grouping.X.shape[1] + 1, 0))
            bits |= lanes_not_above(chains + fill_lanes(np.float32(DISCOUNT)) * costs, limit)
        bits &= (np.uint64(1) << np.uint64(min(size - first, SINGLE_LANES))) - np.uint64(1)
        while bits != 0:
            lane = lowest_bit(bits)
            bits &= bits - np.uint64(1)
            is_swap = swap_bits & (np.uint64(1) << np.uint64(lane)) != 0
            grouping.candidates.positions[n_listed] = first + lane
            grouping.candidates.chain_changes[n_listed] = (
                -np.inf if is_swap else grouping.candidates.lanes[lane]
            )
            prefetch(grouping.joins.costs, (grouping.members[target, first + lane], 0))
            n_listed += 1
    return n_listed
