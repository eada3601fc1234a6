"""Dual ascent over a long table, block by block.

The duals of a block are raised while those of the records around it are fixed. All groups that
contain a record of the block count, also those that reach across its border, so that duals of
neighbouring blocks fit together after a few passes.
"""

import numpy as np

from shoal._kernels.pricing.candidate_list import NeighbourTable
from shoal._kernels.pricing.dual_ascent import run_sweeps
from shoal.partitioners._base import Indices, Labels, Values
from shoal.partitioners._column_generation.master_problem import Duals
from shoal.partitioners._column_generation.pricing import (
    AnchorResult,
    PricingEffort,
    duals_by_rank,
    price_anchors,
)
from shoal.partitioners._dual_bound.group_pool import GroupPool, Members
from shoal.partitioners._dual_bound.long_table import LongTable, part_of, positions

SWEEPS = 50
MAX_CANDIDATES, MAX_STEPS = 48, 5_000  # of the search at a row; more find hardly more groups
CONVERGED = 0.3  # of the temperature: duals that move less have converged
UNUSED = 20.0  # temperatures by which a group costs more than its duals: it has no influence
BOX = (0.25, 8.0)  # times the share of a record: the least and the greatest dual


class Block:
    """Rows ``start`` to ``stop`` of a long table, and the groups of k generated for them.

    Block b of a table contains the rows from ``edges[b]`` to ``edges[b + 1]``.
    """

    def __init__(self, edges: Indices, number: int, groups: Members):
        self.edges, self.number = edges, number
        self.start, self.stop = int(edges[number]), int(edges[number + 1])
        self.set_groups(groups)

    def __len__(self) -> int:
        return self.stop - self.start

    def set_groups(self, groups: Members) -> None:
        """Replace the groups, and list those that reach into each of the other blocks."""
        self.groups = groups
        blocks = np.searchsorted(self.edges, groups, side="right") - 1
        group, member = np.nonzero(blocks != self.number)
        pairs = np.unique(blocks[group, member] * len(groups) + group)
        reached_block, reaching = np.divmod(pairs, max(1, len(groups)))
        self._reaching = reaching.astype(np.int32)
        self._reaching_start = np.searchsorted(reached_block, np.arange(len(self.edges)))

    def groups_reaching(self, number: int) -> Members:
        """Return the groups that contain a row of another block, that of this ``number``."""
        start, stop = self._reaching_start[number : number + 2]
        return self.groups[self._reaching[start:stop]]


def price(
    table: NeighbourTable,
    dual: Values,
    order: Indices,
    anchors: Indices,
    k: int,
    effort: PricingEffort,
) -> AnchorResult:
    """Search for groups of ``k`` at some ``anchors``.

    The anchor of a group is its row that comes first in ``order``.
    """
    ranked_duals = duals_by_rank(table, Duals(dual), order, k)
    return price_anchors(table, ranked_duals, k, effort, anchors)


def ascend_block(
    long: LongTable,
    duals: Values,
    block: Block,
    foreign: Members,
    temperature: float,
    unit: float,
    max_rounds: int,
) -> tuple[Values, Members]:
    """Return higher duals of a block, and its groups that still matter.

    The ``foreign`` groups are those of other blocks that contain a row of this one. ``unit`` is the
    mean cost of a record; the temperature is a share of it.
    """
    start, stop, size = block.start, block.stop, len(block)
    known = np.concatenate([foreign, block.groups])
    table, rows = part_of(long, start, stop, known.ravel())
    pool = GroupPool(table.X, positions(known, start, stop, rows[size:]), len(foreign))
    share = long.share[start:stop]
    box = np.array([BOX[0] * share, BOX[1] * share])
    dual, scaled_temperature = duals[rows], temperature * unit
    effort = PricingEffort(min(MAX_CANDIDATES, long.near.shape[1]), MAX_STEPS, include_larger=False)
    halo = size + np.argsort(-dual[size:], kind="stable")
    for _ in range(max_rounds):
        begin, groups = pool.incidence(size)
        moved = run_sweeps(pool.slack(dual), dual, box, begin, groups, scaled_temperature, SWEEPS)
        own = np.argsort(-dual[:size], kind="stable")
        priced = price(table, dual, np.concatenate([own, halo]), own, long.k, effort)
        new = pool.add(priced.groups)
        if new == 0 or (
            moved < CONVERGED * scaled_temperature
            and priced.violation < CONVERGED * scaled_temperature * size
        ):
            break
    begin, groups = pool.incidence(size)
    run_sweeps(pool.slack(dual), dual, box, begin, groups, scaled_temperature, SWEEPS)
    used = pool.slack(dual)[pool.n_foreign :] > -UNUSED * scaled_temperature
    return dual[:size], rows[pool.members[pool.n_foreign :][used]].astype(np.int32)


def make_blocks(long: LongTable, size: int) -> list[Block]:
    """Return blocks of about ``size`` rows; their first groups are those of nearest neighbours."""
    n = len(long.X)
    edges = np.linspace(0, n, max(1, round(n / size)) + 1).astype(np.int64)
    blocks = []
    for number, (start, stop) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        own = np.arange(start, stop, dtype=np.int32)
        groups = np.column_stack([own, long.near[start:stop, : long.k - 1]])
        blocks.append(Block(edges, number, groups))
    return blocks


def groups_of_partition(labels: Labels, k: int) -> Members:
    """Return groups of ``k`` rows that cover the groups of a partition."""
    order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
    start = np.cumsum(sizes) - sizes
    first = np.concatenate([start, (start + sizes - k)[sizes > k]])
    return np.asarray(order[first[:, None] + np.arange(k)], np.int32)


def add_groups(blocks: list[Block], groups: Members) -> None:
    """Add each group to the block that contains its first row."""
    for block in blocks:
        inside = (groups[:, 0] >= block.start) & (groups[:, 0] < block.stop)
        block.set_groups(np.concatenate([groups[inside], block.groups]))
