"""Prices that prove: what no partition can cost less than.

Let every record have a price, every triple of which a group holds two or three a
toll, and every group a fee. A group is dear by what its SSE, its tolls and the fee
exceed the prices of its records. In a partition each record pays once and each
toll is due once at most, so its SSE is at least

    prices - tolls - groups * fee + what its groups are dear by,

and a group is dear by no less than what was found at the first of its records, in
an order that may differ from size to size. That holds for any prices: good ones
make the bound high, none makes it wrong.

Groups larger than k need a look only where tolls or a fee weigh much. Cover a group
S of s records evenly by its subsets of k, each with weight 1 / C(s-1, k-1). Their
SSEs weigh s (k-1) / (k (s-1)) of that of S, their fees s / k of one, the toll of a
triple with two records in S less than once, and that of a triple inside S `repeated`
times. So if no group of k is dear by less than 0, S is not either, unless tolls and
fee weigh more than its SSE saves; that SSE is at least what the nearest distances
of its records say, and so only groups with a record of the kind `suspects` finds
are left to search.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import comb, fsum
from typing import NamedTuple

import numpy as np

from shoal.kernels.company import Field, Prices
from shoal.kernels.index import open_index
from shoal.kernels.pricing import price_groups
from shoal.partitioners._base import Labels, Matrix
from shoal.partitioners._columns import around
from shoal.partitioners._neighbours import nearest_others
from shoal.partitioners._programme import Duals

NEAR = 48  # nearest others that are listed; who needs more looks at all records
STRIDE = 128  # records between two looks at the clock
THREADS = 2
KEPT = 3  # cheap groups that are kept of each record
EPSILON = float(np.finfo(np.float64).eps)


class Priced(NamedTuple):
    """A bound that holds for every partition, and groups that would lower it, by size."""

    bound: float
    groups: list[Labels]


def survey(X: Matrix, k: int) -> Field:
    """List the nearest others of every record."""
    near, gaps = nearest_others(open_index(X), min(len(X) - 1, max(NEAR, 2 * k)))
    sums = np.zeros((len(X), 2 * k - 1))
    sums[:, 1:] = np.cumsum(gaps[:, : 2 * k - 2], axis=1)
    return Field(X, near, gaps, sums)


def repeated(size: int, k: int) -> float:
    """Return how often subsets of ``k``, weighed, pay the toll of a triple in their union."""
    two, three = comb(size - 3, k - 2), comb(size - 3, k - 3) if k > 2 else 0
    return (3 * two + three) / comb(size - 1, k - 1)


def suspects(field: Field, triples: Labels, duals: Duals, k: int, size: int) -> Labels:
    """Return the records one of which every cheap group of ``size`` above ``k`` holds."""
    load = np.zeros(len(field.X))
    np.add.at(load, triples, duals.toll[:, None] / 3)
    saved = field.sums[:, size - 1] * (size - k) / (2 * size * k * (size - 1))
    added = (repeated(size, k) - 1) * load + duals.fee * (size - k) / (k * size)
    return np.flatnonzero(added > saved * (1 - 1e-12))


class Pricing:
    """Search a table for the groups that are cheap at given prices."""

    def __init__(self, X: Matrix, k: int):
        self.k, self.field = k, survey(X, k)

    def prices(self, triples: Labels, duals: Duals, order: Labels, size: int) -> Prices:
        """Put the dual values into the form that the search reads."""
        n = len(order)
        rank = np.empty(n, np.int64)
        rank[order] = np.arange(n)
        most = (duals.price - self.field.sums[:, size - 2] / (2 * size))[order]
        later = np.maximum.accumulate(np.append(most[1:], -np.inf)[::-1])[::-1]
        paid = triples[duals.toll > 0]
        return Prices(
            duals.price, rank, later[rank], paid, duals.toll[duals.toll > 0], *around(paid, n)
        )

    def order(self, triples: Labels, duals: Duals, size: int) -> tuple[Labels, Labels]:
        """Return all records in the order of the search, and those it starts from."""
        dearest = np.argsort(-duals.price, kind="stable").astype(np.int64)
        if size == self.k:
            return dearest, dearest
        first = np.zeros(len(dearest), bool)
        first[suspects(self.field, triples, duals, self.k, size)] = True
        anchors = dearest[first[dearest]]
        return np.concatenate([anchors, dearest[~first[dearest]]]), anchors

    def look(
        self, prices: Prices, anchors: Labels, size: int, fee: float, work: int
    ) -> tuple[Matrix, Labels]:
        """Search at some records; return what their groups are dear by, and cheap ones."""
        n = len(anchors)
        dear, counts, costs = np.empty(n), np.zeros(n, np.int64), np.empty((n, KEPT))
        found = np.empty((n, KEPT, size), np.int64)
        price_groups(self.field, prices, anchors, size, fee, work, dear, found, costs, counts)
        return dear, found[np.arange(KEPT) < counts[:, None]]

    def search(
        self, triples: Labels, duals: Duals, work: int, hear: Callable[[], None]
    ) -> tuple[Matrix, list[Labels]]:
        """Return what the groups of each record are dear by at least, up to 0, and cheap groups."""
        dear, groups = np.zeros(len(duals.price)), []
        with ThreadPoolExecutor(THREADS) as pool:
            for size in range(self.k, 2 * self.k):
                order, anchors = self.order(triples, duals, size)
                prices = self.prices(triples, duals, order, size)
                steps = [anchors[i : i + STRIDE] for i in range(0, len(anchors), STRIDE)]
                looks = [
                    pool.submit(self.look, prices, some, size, duals.fee, work) for some in steps
                ]
                try:
                    for some, one in zip(steps, looks, strict=True):
                        bounds, found = one.result()
                        dear[some] = np.minimum(dear[some], bounds)
                        groups.append(found)
                        hear()
                finally:
                    for one in looks:
                        one.cancel()
        return dear, groups

    def bound(self, dear: Matrix, duals: Duals, known: float) -> float:
        """Return what no partition costs less than, at prices where groups are so ``dear``.

        ``known`` is the SSE of some partition. What rounding may have cost is taken
        off: every term enters through fewer additions than there are in a group of
        2k - 1 records, and none exceeds what is summed here.
        """
        n, columns = self.field.X.shape
        fees = duals.fee * (n // self.k)
        paid = fsum(duals.price)
        lost = max(fsum(dear), n / self.k * float(dear.min()))
        size = fsum(np.abs(duals.price)) + fsum(duals.toll) + fees + known
        rounding = 8 * EPSILON * (columns + 16 + 4 * self.k**2) * size
        return float(paid - fsum(duals.toll) - fees + lost - rounding)

    def __call__(
        self, triples: Labels, duals: Duals, known: float, work: int, hear: Callable[[], None]
    ) -> Priced:
        """Return the bound at given prices, and groups that cost less than they pay."""
        dear, groups = self.search(triples, duals, work, hear)
        return Priced(self.bound(dear, duals, known), groups)
