"""Dual ascent over a long table, block by block.

The duals of a block are raised while the duals of the records around it are fixed. All groups that
contain a record of the block count, including groups that cross its border, so the duals of
neighbouring blocks fit together after a few passes.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels.column_generation.candidate_list import NeighbourTable
from shoal._kernels.column_generation.dual_ascent import run_sweeps
from shoal.partitioners._base import Indices, Labels, Values
from shoal.partitioners._column_generation.anchor_search import (
    AnchorResult,
    PricingEffort,
    duals_by_rank,
    price_anchors,
)
from shoal.partitioners._column_generation.master_problem import Duals
from shoal.partitioners._dual_bound.group_pool import GroupPool, Members
from shoal.partitioners._dual_bound.long_table import (
    LongTable,
    Rows,
    extract_block,
    positions_in_block,
    rows_around,
)

SWEEPS = 50  # passes over the duals of a block between two pricings
# Limits of the search at a row; larger ones find hardly any more groups.
MAX_CANDIDATES, MAX_STEPS = 48, 5_000
CONVERGENCE_SHARE = 0.3  # share of the temperature: duals that move less have converged
# A group influences the duals unless its cost exceeds them by more than this times the temperature.
MAX_EXCESS_COST = 20.0
DUAL_RANGE = (0.25, 8.0)  # minimum and maximum dual, as multiples of the neighbour dual


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
        """Replace the groups, and list those that cross into each of the other blocks."""
        self.groups = groups
        blocks = np.searchsorted(self.edges, groups, side="right") - 1
        group, member = np.nonzero(blocks != self.number)
        pairs = np.unique(blocks[group, member] * len(groups) + group)
        other_block, crossing_groups = np.divmod(pairs, max(1, len(groups)))
        self._crossing_groups = crossing_groups.astype(np.int32)
        self._crossing_group_start = np.searchsorted(other_block, np.arange(len(self.edges)))

    def border_groups(self, number: int) -> Members:
        """Return the groups of this block that contain a row of block ``number``."""
        start, stop = self._crossing_group_start[number : number + 2]
        return self.groups[self._crossing_groups[start:stop]]


def price_rows(
    table: NeighbourTable,
    dual: Values,
    order: Indices,
    anchors: Indices,
    k: int,
    effort: PricingEffort,
) -> AnchorResult:
    """Search for groups of ``k`` at ``anchors``.

    The anchor of a group is its row that comes first in ``order``.
    """
    ranked_duals = duals_by_rank(table, Duals(dual), order, k)
    return price_anchors(table, ranked_duals, effort, anchors)


class BlockTask(NamedTuple):
    """The ascent of one block: all that `ascend_block` needs beside the table.

    The block contains the rows from ``start`` to ``stop``; ``outside`` are the rows around it.
    ``groups`` are the known groups that contain a row of the block; the ``n_border_groups`` groups
    of other blocks come first. ``dual`` are the duals of the rows of the block, followed by the
    duals of the rows outside. ``temperature`` is in units of the duals, and groups are priced at
    most ``max_pricings`` times.
    """

    start: int
    stop: int
    outside: Rows
    groups: Members
    n_border_groups: int
    dual: Values
    temperature: float
    max_pricings: int


class AscendedBlock(NamedTuple):
    """Higher duals of the rows of a block, and its groups that influence them."""

    dual: Values
    groups: Members


def block_task(
    table: LongTable,
    duals: Values,
    block: Block,
    border_groups: Members,
    temperature: float,
    max_pricings: int,
) -> BlockTask:
    """Return the task of raising the duals of a block, at the present values of all ``duals``.

    The ``border_groups`` are groups of other blocks that contain a row of this one.
    """
    groups = np.concatenate([border_groups, block.groups])
    outside = rows_around(table, block.start, block.stop, groups)
    return BlockTask(
        start=block.start,
        stop=block.stop,
        outside=outside,
        groups=groups,
        n_border_groups=len(border_groups),
        dual=np.concatenate([duals[block.start : block.stop], duals[outside]]),
        temperature=temperature,
        max_pricings=max_pricings,
    )


def ascend_block(table: LongTable, task: BlockTask) -> AscendedBlock:
    """Raise the duals of a block, and generate groups that limit them."""
    start, stop, temperature = task.start, task.stop, task.temperature
    size = stop - start
    block_table, rows = extract_block(table, start, stop, task.outside)
    pool = GroupPool(
        block_table.X,
        positions_in_block(task.groups, start, stop, task.outside),
        task.n_border_groups,
    )
    limits = np.array([factor * table.neighbour_dual[start:stop] for factor in DUAL_RANGE])
    dual = task.dual.copy()  # a task may be repeated
    effort = PricingEffort(
        min(MAX_CANDIDATES, table.near.shape[1]), MAX_STEPS, include_larger=False
    )
    outside_order = size + np.argsort(-dual[size:], kind="stable")
    for _ in range(task.max_pricings):
        group_start, groups = pool.incidence(size)
        greatest_change = run_sweeps(
            pool.dual_excess(dual), dual, limits, group_start, groups, temperature, SWEEPS
        )
        block_order = np.argsort(-dual[:size], kind="stable")
        order = np.concatenate([block_order, outside_order])
        result = price_rows(block_table, dual, order, block_order, table.k, effort)
        n_new = pool.add(result.groups)
        if n_new == 0 or (
            greatest_change < CONVERGENCE_SHARE * temperature
            and result.violation < CONVERGENCE_SHARE * temperature * size
        ):
            break
    group_start, groups = pool.incidence(size)
    run_sweeps(pool.dual_excess(dual), dual, limits, group_start, groups, temperature, SWEEPS)
    dual_excess = pool.dual_excess(dual)[pool.n_border_groups :]
    has_influence = dual_excess > -MAX_EXCESS_COST * temperature
    influential_groups = rows[pool.members[pool.n_border_groups :][has_influence]]
    return AscendedBlock(dual[:size], influential_groups.astype(np.int32))


def make_blocks(table: LongTable, size: int) -> list[Block]:
    """Return blocks of about ``size`` rows; their first groups are rows with their nearest."""
    n = len(table.X)
    edges = np.linspace(0, n, max(1, round(n / size)) + 1).astype(np.int64)
    blocks = []
    for number, (start, stop) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        rows = np.arange(start, stop, dtype=np.int32)
        groups = np.column_stack([rows, table.near[start:stop, : table.k - 1]])
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
