"""Exact search at each row of a long table: the lowest reduced cost of the groups anchored there.

`search_radius` explains at which of its rows a violated group is anchored. `search_spread` is tried
first; it is fast where few rows are within the radius. If it runs out of steps, branch and bound by
floors (`search_floors`), as in column generation, replaces it.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.column_generation.candidate_list import select_lowest, select_promising
from shoal._kernels.column_generation.candidate_set import (
    MAX_PAIRED,
    CandidateSet,
    keep_promising_by_pairs,
)
from shoal._kernels.column_generation.group_search import search_candidates
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.dual_bound.net_duals import nearest_sums
from shoal._kernels.dual_bound.row_boxes import BoxLevels
from shoal._kernels.dual_bound.search_radius import (
    BATCH,
    empty_lists,
    fill_row_lists,
    squared_search_radius,
)
from shoal._kernels.dual_bound.spread_search import SpreadCandidates, search_spread


class PricedTable(NamedTuple):
    """The rows of a long table, their neighbours, and the duals for which groups of k are priced.

    ``near[i]`` are the nearest rows of row i, and ``boxes`` the boxes around rows and around boxes.
    """

    X: np.ndarray  # (n_rows, n_columns)
    near: np.ndarray  # (n_rows, n_near)
    k: int
    dual: np.ndarray  # (n_rows,)
    net_dual: np.ndarray  # (n_rows,)
    boxes: BoxLevels


class CorrectionEffort(NamedTuple):
    """Limits of the search at a row: steps of `search_spread` and, if needed, of `search_floors`.

    The ``max_candidates`` rows of lowest floor may join a row. ``margin`` is the share by which
    spreads may be larger than allowed, so that rounding excludes no group. The lists of the rows
    within the radii of a batch have space for at least ``list_capacity`` entries.
    """

    spread_steps: int
    floor_steps: int
    max_candidates: int
    margin: float
    list_capacity: int


class NearRows(NamedTuple):
    """The rows within the radius of a row, and their squared distances to it."""

    rows: np.ndarray  # (count,)
    squares: np.ndarray  # (count,)


@compiled
def count_inner(squares, k, max_spread):
    """Return how many of the nearest candidates may be in one group with a more distant one.

    ``squares`` are the squared distances of all candidates, nearest first.
    """
    least, count = 0.0, 0
    for i in range(min(k - 3, squares.shape[0])):
        least += squares[i]
    while count < squares.shape[0] and least + 2 * squares[count] < max_spread:
        count += 1
    return count


@compiled
def near_rows_of_list(lists, last):
    """Return the rows of the list that ends at entry ``last``."""
    count, entry = 0, last
    while entry >= 0:
        count += 1
        entry = lists.previous[entry]
    rows, squares = np.empty(count, np.int64), np.empty(count)
    entry = last
    for i in range(count):
        rows[i], squares[i] = lists.row[entry], lists.square[entry]
        entry = lists.previous[entry]
    return NearRows(rows, squares)


@compiled
def spread_candidates(table, row, near_rows, effort):
    """Return the candidates of ``row`` among the rows within its radius."""
    X, k, cost = table.X, table.k, -table.dual[row]
    rows, squares = near_rows.rows, near_rows.squares
    floor = squares / k - table.net_dual[rows]
    promising = select_promising(floor, k - 1, cost, 0.0)
    lowest, others_bound = select_lowest(floor[promising], effort.max_candidates, k - 1, cost)
    selected = promising[lowest]
    selected = selected[np.argsort(squares[selected], kind="mergesort")]
    rows, squares, floor = rows[selected], squares[selected], floor[selected]
    max_spread = 2 * k * table.dual[row] * (1.0 + effort.margin)
    n_inner = count_inner(squares, k, max_spread)
    columns = np.empty((X.shape[1], n_inner))
    for i in range(n_inner):
        for column in range(X.shape[1]):
            columns[column, i] = X[rows[i], column]
    return SpreadCandidates(
        X=X,
        anchor=row,
        size=k,
        cost=cost,
        max_spread=max_spread,
        others_bound=others_bound,
        rows=rows,
        squares=squares,
        added_cost=squares / k - table.dual[rows],
        floor=floor,
        columns=columns,
        cost_sums=nearest_sums(X, table.near, rows[:n_inner], k - 1) / k,
    )


@compiled
def search_floors(table, candidates, max_steps, groups, costs):
    """Find groups as `search_spread` does, whatever their spread, those of low floors first."""
    X, k, cost = table.X, table.k, candidates.cost
    order = np.argsort(candidates.floor, kind="mergesort")
    rows, added_cost = candidates.rows[order], candidates.added_cost[order]
    if rows.shape[0] > MAX_PAIRED:
        pair_cost, least_pair_sums = np.empty((0, 0)), nearest_sums(X, table.near, rows, k - 1) / k
    else:
        rows, added_cost, pair_cost, least_pair_sums = keep_promising_by_pairs(
            X, cost, rows, added_cost, k, 0.0
        )
    no_indices = np.empty(0, np.int64)
    without_triples_and_clusters = CandidateSet(
        X=X,
        anchor=candidates.anchor,
        size=k,
        cost=cost,
        others_bound=candidates.others_bound,
        records=rows,
        added_cost=added_cost,
        pair_cost=pair_cost,
        least_pair_sums=least_pair_sums,
        triples=np.empty((0, 3), np.int64),
        triple_dual=np.empty(0),
        triple_start=np.zeros(rows.shape[0] + 3, np.int64),
        triples_of_record=no_indices,
        in_cluster=np.empty((0, rows.shape[0] + 1), np.bool_),
        cluster_dual=np.empty(0),
        divisors=no_indices,
    )
    return search_candidates(without_triples_and_clusters, 0.0, max_steps, groups, costs)


@compiled
def search_row(table, row, near_rows, effort, groups, costs):
    """Find violated groups anchored at a row; return a bound and the number of groups stored.

    The bound is a lower bound of the reduced costs of these groups. They are stored in the rows of
    ``groups``, with their reduced costs in ``costs``. All other rows of such a group are in
    ``near_rows``.
    """
    candidates = spread_candidates(table, row, near_rows, effort)
    if candidates.rows.shape[0] == 0:
        return 0.0, 0
    bound, count, is_exact = search_spread(candidates, effort.spread_steps, groups, costs)
    if is_exact:
        return min(bound, candidates.others_bound), count
    costs[:] = 0.0
    return search_floors(table, candidates, effort.floor_steps, groups, costs)


@compiled
def correct_rows(table, rows, effort, results):
    """Fill ``results`` with lower bounds of the reduced costs of groups, at most 0.

    They concern the groups anchored at ``rows``; see `search_radius`. Violated groups are stored,
    with their reduced costs. Where the ``effort`` suffices, the bound is the lowest of these costs.
    """
    lists = empty_lists(max(effort.list_capacity, table.X.shape[0]))
    squared_radius = np.empty(BATCH)
    n_done, batch_size = 0, BATCH
    while n_done < rows.shape[0]:
        batch = rows[n_done : n_done + batch_size]
        for i in range(batch.shape[0]):
            squared_radius[i] = squared_search_radius(
                table.X, table.near, table.k, table.dual, effort.margin, batch[i]
            )
        if not fill_row_lists(table.X, table.near, table.boxes, batch, squared_radius, lists):
            batch_size = max(1, batch_size // 2)
            continue
        for i in range(batch.shape[0]):
            results.bounds[n_done], results.counts[n_done] = 0.0, 0
            if lists.last[i] >= 0:
                near_rows = near_rows_of_list(lists, lists.last[i])
                groups, costs = results.groups[n_done], results.costs[n_done]
                results.bounds[n_done], results.counts[n_done] = search_row(
                    table, batch[i], near_rows, effort, groups, costs
                )
            n_done += 1
        batch_size = BATCH


@compiled
def lower_greatest_duals(X, groups, dual):
    """Lower the greatest dual of each group as far as its duals exceed its SSE, in turn."""
    k = groups.shape[1]
    for group in groups:
        reduced_cost, greatest = 0.0, group[0]
        for first in range(k):
            for second in range(first):
                reduced_cost += squared_row_distance(X, group[first], X, group[second])
        reduced_cost /= k
        for row in group:
            reduced_cost -= dual[row]
            if dual[row] > dual[greatest]:
                greatest = row
        if reduced_cost < 0.0:
            dual[greatest] += reduced_cost
