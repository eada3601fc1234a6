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
of its records say, and so only groups whose records have an `excess` above 0 are left.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from math import comb, fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.company import Field, Prices
from shoal._kernels.index import open_index
from shoal._kernels.pricing import price_groups
from shoal.partitioners._base import Labels, Matrix
from shoal.partitioners._columns import around
from shoal.partitioners._neighbours import nearest_others
from shoal.partitioners._programme import Duals

NEAR = 48  # nearest others that are listed; who needs more looks at all records
STRIDE = 16  # records between two looks at the clock
THREADS = 2
STRESS = 10.0  # on the excess of records: any number is right
KEPT = 3  # cheap groups that are kept of each record
EPSILON = float(np.finfo(np.float64).eps)


class Pains(NamedTuple):
    """How hard to search at a record: how many others may join it, and how many looks.

    Without a search for groups larger than k, their excess lowers the bound.
    """

    most: int
    work: int
    larger: bool = True


class Found(NamedTuple):
    """What the groups of some records are dear by at least, cheap groups, and their sum."""

    dear: Matrix
    groups: Labels
    overpaid: float


class Priced(NamedTuple):
    """A bound that holds for every partition, groups that cost too little, and by how much."""

    bound: float
    groups: list[Labels]
    overpaid: float


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


def excess(field: Field, triples: Labels, duals: Duals, k: int, size: int) -> Matrix:
    """Return by how much each record helps a group of ``size`` above ``k`` to be cheap.

    A cheap group has records whose sum is above 0.
    """
    load = np.zeros(len(field.X))
    np.add.at(load, triples, duals.toll[:, None] / 3)
    saved = field.sums[:, size - 1] * (size - k) / (2 * size * k * (size - 1))
    added = (repeated(size, k) - 1) * load + duals.fee * (size - k) / (k * size)
    return added - saved * (1 - 1e-12)


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

    def order(self, duals: Duals, suspects: NDArray[np.bool_]) -> tuple[Labels, Labels]:
        """Return all records, suspects first and the dearest first among these; and suspects."""
        dearest = np.argsort(-duals.price, kind="stable").astype(np.int64)
        anchors = dearest[suspects[dearest]]
        return np.concatenate([anchors, dearest[~suspects[dearest]]]), anchors

    def look(self, prices: Prices, anchors: Labels, size: int, fee: float, pains: Pains) -> Found:
        """Search at some records."""
        n = len(anchors)
        dear, counts, costs = np.empty(n), np.zeros(n, np.int64), np.zeros((n, KEPT))
        found = np.empty((n, KEPT, size), np.int64)
        price_groups(
            self.field,
            prices,
            anchors,
            size,
            fee,
            pains.most,
            pains.work,
            dear,
            found,
            costs,
            counts,
        )
        return Found(dear, found[np.arange(KEPT) < counts[:, None]], float(costs.min(axis=1).sum()))

    def search(
        self, triples: Labels, duals: Duals, pains: Pains, hear: Callable[[], None]
    ) -> Iterator[tuple[Labels, Found]]:
        """Yield records and what was found there, until all sizes and records are done.

        A cheap group above k is also cheap if its records pay for their excess, many
        times over. That lowers the prices of most, so it is soon seen where none is.
        """
        order, anchors = self.order(duals, np.ones(len(duals.price), bool))
        yield from self.pass_over(triples, duals, order, anchors, self.k, pains, hear)
        for size in range(self.k + 1, 2 * self.k) if pains.larger else ():
            over = excess(self.field, triples, duals, self.k, size)
            raised = duals._replace(price=duals.price + STRESS * over)
            order, anchors = self.order(raised, over > 0)
            left = [
                some[found.dear < 0]
                for some, found in self.pass_over(
                    triples, raised, order, anchors, size, pains, hear
                )
            ]
            if left:
                anchors = np.concatenate(left)
                yield from self.pass_over(triples, duals, order, anchors, size, pains, hear)

    def pass_over(
        self,
        triples: Labels,
        duals: Duals,
        order: Labels,
        anchors: Labels,
        size: int,
        pains: Pains,
        hear: Callable[[], None],
    ) -> Iterator[tuple[Labels, Found]]:
        """Yield records and the groups of one size found there, searching in two threads."""
        prices = self.prices(triples, duals, order, size)
        steps = [anchors[i : i + STRIDE] for i in range(0, len(anchors), STRIDE)]
        with ThreadPoolExecutor(THREADS) as pool:
            looks = [pool.submit(self.look, prices, some, size, duals.fee, pains) for some in steps]
            try:
                for some, one in zip(steps, looks, strict=True):
                    yield some, one.result()
                    hear()
            finally:
                for one in looks:
                    one.cancel()

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

    def doubt(self, triples: Labels, duals: Duals) -> float:
        """Return by how much groups larger than k may be cheap in all, without a search."""
        most = np.zeros(len(duals.price))
        for size in range(self.k + 1, 2 * self.k):
            np.maximum(most, excess(self.field, triples, duals, self.k, size), out=most)
        return fsum(most)

    def __call__(
        self,
        triples: Labels,
        duals: Duals,
        known: float,
        pains: Pains,
        hear: Callable[[], None],
    ) -> Priced:
        """Return the bound at given prices, and groups that cost less than they pay."""
        dear, groups, overpaid = np.zeros(len(duals.price)), [], 0.0
        for some, found in self.search(triples, duals, pains, hear):
            dear[some] = np.minimum(dear[some], found.dear)
            groups.append(found.groups)
            overpaid -= found.overpaid
        bound = self.bound(dear, duals, known)
        return Priced(
            bound if pains.larger else bound - self.doubt(triples, duals), groups, overpaid
        )
