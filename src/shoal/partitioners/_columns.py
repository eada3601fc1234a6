"""A linear programme whose columns are groups.

Choose groups so that each record is covered once and the sum of their SSEs is
least. Two kinds of inequality, true of every partition, make the programme say
more when fractions of groups are allowed: there are at most n / k groups, and of
three records at most one group holds two or more.
"""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from shoal.kernels.pricing import Prices
from shoal.partitioners._base import Matrix

Group = tuple[int, ...]

SECONDS = 60.0  # for the choice among whole groups


class Relaxation(NamedTuple):
    """The solved linear programme: what it bounds, and what everything costs there."""

    bound: float
    weights: Matrix
    prices: Prices
    entry: float


class Columns:
    """The groups known so far, and the triples of which at most one group holds two records."""

    def __init__(self, distance: Matrix, k: int):
        self.distance, self.n, self.k = distance, len(distance), k
        self.costs: dict[Group, float] = {}
        self.triples: list[Group] = []

    def cost(self, group: Group) -> float:
        """Return the SSE of a group."""
        return float(self.distance[np.ix_(group, group)].sum()) / (2 * len(group))

    def add(self, records: Group) -> bool:
        """Add a group; say whether it is new."""
        group = tuple(sorted(records))
        if group in self.costs:
            return False
        self.costs[group] = self.cost(group)
        return True

    def programme(self) -> tuple[Matrix, Any, Any, Matrix]:
        """Return the costs, who is in which group, the inequalities and their right sides."""
        from scipy.sparse import csr_array, vstack

        sizes = [len(group) for group in self.costs]
        records = np.fromiter((i for group in self.costs for i in group), np.int64, sum(sizes))
        columns = np.repeat(np.arange(len(sizes)), sizes)
        shape = (self.n, len(sizes))
        cover = csr_array((np.ones(len(records)), (records, columns)), shape=shape)
        rows = [csr_array(np.ones((1, len(sizes))))]
        if self.triples:
            corners = np.array(self.triples).T
            inside = cover[corners[0]] + cover[corners[1]] + cover[corners[2]]
            rows.append((inside > 1.5).astype(np.float64))
        limits = np.ones(1 + len(self.triples))
        limits[0] = self.n // self.k
        return np.array(list(self.costs.values())), cover, vstack(rows, format="csr"), limits

    def relax(self) -> Relaxation:
        """Solve the programme with fractions of groups allowed."""
        from scipy.optimize import linprog

        costs, cover, rows, limits = self.programme()
        exact = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}
        solved = linprog(
            costs,
            A_ub=rows,
            b_ub=limits,
            A_eq=cover,
            b_eq=np.ones(self.n),
            method="highs-ds",
            options=exact,
        )
        duals = np.minimum(solved.ineqlin.marginals, 0.0)
        price = np.ascontiguousarray(solved.eqlin.marginals)
        bound = float(price.sum() + duals @ limits)
        return Relaxation(bound, solved.x, self.prices(price, -duals[1:]), float(duals[0]))

    def prices(self, price: Matrix, toll: Matrix) -> Prices:
        """Put the dual values into the form that the search for groups reads."""
        triples = np.array(self.triples, np.int64).reshape(-1, 3)[toll > 0]
        order = np.argsort(triples, axis=None, kind="stable")
        start = np.searchsorted(triples.ravel()[order], np.arange(self.n + 1))
        return Prices(price, triples, toll[toll > 0], start.astype(np.int64), order // 3)

    def choose(self) -> tuple[float, list[Group], bool]:
        """Choose the best partition among the groups known; say whether it is proven to be that."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        costs, cover, rows, limits = self.programme()
        solved = milp(
            costs * 1000,  # the solver stops at an absolute gap of 1e-6
            integrality=np.ones(len(costs)),
            bounds=Bounds(0, 1),
            constraints=[LinearConstraint(cover, 1, 1), LinearConstraint(rows, -np.inf, limits)],
            options={"mip_rel_gap": 0.0, "time_limit": SECONDS},
        )
        if solved.x is None:
            return np.inf, [], False
        chosen = [group for group, weight in zip(self.costs, solved.x, strict=True) if weight > 0.5]
        return sum(self.costs[group] for group in chosen), chosen, solved.status == 0

    def split_triples(self, weights: Matrix) -> list[Group]:
        """Return triples that fractions of several groups share, the worst first."""
        fractions = [
            (group, weight)
            for group, weight in zip(self.costs, weights, strict=True)
            if 1e-6 < weight < 1 - 1e-6
        ]
        near: dict[int, set[int]] = {}
        for group, _ in fractions:
            for record in group:
                near.setdefault(record, set()).update(group)
        held: dict[Group, float] = {}
        for group, weight in fractions:
            triples = {
                tuple(sorted((a, b, c)))
                for a, b in combinations(group, 2)
                for c in (near[a] | near[b]) - {a, b}
            }
            for triple in triples:
                held[triple] = held.get(triple, 0.0) + weight
        worst = sorted((-weight, triple) for triple, weight in held.items() if weight > 1.02)
        return [triple for _, triple in worst[: max(20, self.n // 4)]]
