"""The best partition among groups that a search met, by integer programming.

Records that are too many in one place and too few in another move over long
distances here, where local moves do not lead.
"""

from typing import Any

import numpy as np

from shoal.kernels.anneal import pool_sse
from shoal.partitioners._base import Labels, Matrix

MOST_RECORDS = 6000  # rows of the programme: beyond, it takes longer than it is worth
MOST_GROUPS = 1500  # columns of the integer programme
NODES = 20  # a limit in nodes repeats, one in seconds does not


def choose(X: Matrix, pool: Labels, labels: Labels) -> Labels:
    """Return the partition with the least SSE found among the groups of a pool and of ``labels``.

    A linear programme prices the records first: a group that is dearer by more than
    what is to gain cannot be in a better partition.
    """
    if len(X) > MOST_RECORDS:
        return labels
    pool = _with_groups(pool, labels)
    costs = pool_sse(X, pool)
    own = len(pool) - (labels.max() + 1)
    scale = len(X) / costs[own:].sum()  # the solver's tolerances are absolute
    cover = _cover(pool, len(X))
    reduced, bound = _price(costs * scale, cover)
    gain = costs[own:].sum() * scale - bound
    order = np.argsort(reduced, kind="stable")
    order = order[reduced[order] <= gain][:MOST_GROUPS]
    kept = np.union1d(order, np.arange(own, len(pool)))
    chosen = _solve(costs[kept] * scale, cover[:, kept])
    found = np.full(len(X), -1)
    for label, group in enumerate(pool[kept[chosen]]):
        found[group[group >= 0]] = label
    covers = len(chosen) > 0 and (pool[kept[chosen]] >= 0).sum() == len(X) and found.min() >= 0
    return found if covers else labels


def _with_groups(pool: Labels, labels: Labels) -> Labels:
    """Append the groups of ``labels`` to a pool."""
    own = np.full((labels.max() + 1, pool.shape[1]), -1)
    for g, row in enumerate(own):
        records = np.flatnonzero(labels == g)
        row[: len(records)] = records
    return np.vstack([pool, own])


def _cover(pool: Labels, n: int) -> Any:
    """Return who is in which group, as a sparse matrix of records by groups."""
    from scipy.sparse import csc_array

    columns, places = np.nonzero(pool >= 0)
    records = pool[columns, places]
    return csc_array((np.ones(len(records)), (records, columns)), shape=(n, len(pool)))


def _price(costs: Matrix, cover: Any) -> tuple[Matrix, float]:
    """Return the reduced costs of the groups and the least sum of fractions of groups."""
    from scipy.optimize import linprog

    solved = linprog(costs, A_eq=cover, b_eq=np.ones(cover.shape[0]), method="highs-ds")
    if solved.status != 0:
        return costs, -np.inf
    return costs - cover.T @ solved.eqlin.marginals, float(solved.fun)


def _solve(costs: Matrix, cover: Any) -> Labels:
    """Return the groups with the least sum of costs that cover every record once."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    solved = milp(
        costs,
        integrality=np.ones(len(costs)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(cover, 1, 1),
        options={"mip_rel_gap": 1e-7, "node_limit": NODES},
    )
    if solved.x is None:
        return np.empty(0, np.int64)
    return np.flatnonzero(solved.x > 0.5)
