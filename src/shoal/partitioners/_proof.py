"""A lower bound of the SSE of all partitions, raised step by step.

The linear programme of all groups has too many columns to write down, so it
starts with a few. Prices first rise by themselves, then by HiGHS; a group that costs less
than its records pay is added, and a triple of records that fractions of groups
break. Every search for such groups gives a bound that holds, so the work can stop
at any time.
"""

from collections.abc import Callable

import numpy as np

from shoal import _progress as progress
from shoal._kernels.ascent import climb
from shoal.partitioners._base import Labels, Matrix
from shoal.partitioners._columns import Columns, around
from shoal.partitioners._pricing import Pains, Pricing
from shoal.partitioners._programme import Duals, Programme, Relaxation

HOT, WARM, COOL, COLD, COOLING = 0.1, 0.01, 0.004, 0.003, 0.6  # of the mean cost of a record
SWEEPS = 100
WIDE = 4.0  # times the price that a record is expected to have, at most, or a part of it
QUIET = 0.3  # of the heat: prices that move less are at rest
BRIEF = Pains(48, 5000, larger=False)
MIDDLE = Pains(300, 30_000, larger=False)
PLAIN = Pains(1_000_000, 1_000_000, larger=False)
LONG = Pains(1_000_000, 1_000_000)
CLOSE = 2e-4  # of the cost: so near, triples say more than further groups
TIGHT = 1e-7
PULL = 0.3  # towards the best prices known


class OutOfTime(Exception):
    """The budget is spent."""


def scaled(X: Matrix, sse: float) -> tuple[Matrix, int]:
    """Return ``X`` times a power of two, so that the mean cost of a record is 1 to 4."""
    power = -int(np.floor(np.log2(sse / len(X)) / 2))
    return np.ldexp(X, power), power


def within(X: Matrix, labels: Labels) -> tuple[Matrix, float]:
    """Return the squared distance of each record to the mean of its group, and their sum."""
    counts = np.bincount(labels)
    means = np.column_stack([np.bincount(labels, column) for column in X.T]) / counts[:, None]
    apart = ((X - means[labels]) ** 2).sum(axis=1)
    return apart, float(apart.sum())


class Budget:
    """Seconds that are left, told by any clock."""

    def __init__(self, seconds: float, clock: Callable[[], float]):
        self.seconds, self.clock, self.begin = seconds, clock, clock()

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return self.clock() - self.begin


class Proof:
    """What is known of the least SSE of a table: a bound, and the prices that prove it."""

    def __init__(self, X: Matrix, k: int, labels: Labels, budget: Budget):
        self.k, self.labels, self.budget = k, labels, budget
        self.spread = float(((X - X.mean(axis=0)) ** 2).sum())
        self.apart, self.known = within(X, labels)
        self.pricing = Pricing(X, k)
        self.columns = Columns(X, k)
        self.columns.add_partition(labels)
        near = self.pricing.field.near
        self.columns.add(np.column_stack([np.arange(len(X)), near[:, : k - 1]]))
        shares = self.pricing.field.sums[:, k - 1] / (2 * k)  # no group costs less than these
        self.bound = float(shares.sum()) * (1 - 1e-12)
        self.duals, self.base = Duals(shares, np.empty(0), 0.0), self.bound  # what these prove
        self.last = self.longest = 0.0  # seconds of long searches: the last, and all

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.budget.seconds - self.budget.spent

    def hear(self) -> None:
        """Tell how far the proof is; stop when the budget is spent."""
        spent, seconds = self.budget.spent, self.budget.seconds
        loss, gap = self.known / self.spread, self.known / self.bound - 1 if self.bound else np.inf
        progress.report(f"proving, loss {loss:.2%}, gap {gap:.2%}", int(spent), int(seconds) + 1)
        if spent >= seconds:
            raise OutOfTime

    def price(self, duals: Duals, pains: Pains) -> tuple[int, float]:
        """Raise the bound if these prices prove more.

        The result is how many new groups they need and what these cost too little.
        """
        triples = self.columns.triples[: len(duals.toll)]
        priced = self.pricing(triples, duals, self.known, pains, self.hear)
        if priced.bound > self.bound:
            self.bound, self.duals, self.base = priced.bound, duals, priced.bound
        new = sum(self.columns.add(groups) for groups in priced.groups if len(groups))
        return new, priced.overpaid

    def warm_up(self, price: Matrix, box: Matrix, heat: float, pains: Pains) -> Matrix:
        """Return prices in a box that hardly any group of k pays too much at; no triples yet."""
        price, unit = price.copy(), self.known / len(price)
        while heat > COLD:
            start, held = around(self.columns.members, len(price))
            slack = np.append(price, 0.0)[self.columns.members].sum(axis=1) - self.columns.costs
            moved = climb(slack, price, box, start, held, heat * unit, SWEEPS)
            new, overpaid = self.price(Duals(price.copy(), np.empty(0), 0.0), pains)
            at_rest = moved < QUIET * heat * unit
            if new == 0 or (at_rest and overpaid < QUIET * heat * self.known):
                heat *= COOLING
        return price

    def relax(self) -> None:
        """Raise the bound by prices alone, first with a brief look at near records."""
        shares = self.duals.price
        box = np.array(
            [np.minimum(self.apart, shares) / WIDE, np.maximum(self.apart, shares) * WIDE]
        )
        price = self.warm_up(np.clip(self.apart, *box), box, HOT, BRIEF)
        price = self.warm_up(price, box, WARM, MIDDLE)
        self.warm_up(price, box, COOL, PLAIN)

    def blend(self, duals: Duals) -> Duals:
        """Pull prices towards the best ones known: vertices jump about."""
        toll = PULL * np.append(self.duals.toll, np.zeros(len(duals.toll) - len(self.duals.toll)))
        return Duals(
            PULL * self.duals.price + (1 - PULL) * duals.price,
            toll + (1 - PULL) * duals.toll,
            PULL * self.duals.fee + (1 - PULL) * duals.fee,
        )

    def search(self, duals: Duals) -> tuple[int, float]:
        """Search for groups of k that cost too little; return how many are new, and their sum."""
        new, overpaid = self.price(self.blend(duals), PLAIN)
        return (new, overpaid) if new else self.price(duals, PLAIN)

    def search_larger(self, duals: Duals) -> int:
        """Search for groups of all sizes; return how many are new."""
        if len(duals.toll) == 0:
            return 0
        before = self.budget.spent
        new = self.price(self.blend(duals), LONG)[0] or self.price(duals, LONG)[0]
        self.last = self.budget.spent - before
        self.longest += self.last
        return new

    @property
    def patient(self) -> bool:
        """Whether a long search would take too much of the time: it can wait, but not too long."""
        return 2 * self.longest > self.budget.spent and self.left > 3 * self.last

    def lift(self) -> Relaxation:
        """Add groups and triples until neither improves the programme."""
        n = len(self.columns.X)
        programme = Programme(self.columns, None)
        while True:
            relaxed = programme.relax(self.left, self.hear)
            if relaxed is None:
                raise OutOfTime
            new, overpaid = self.search(relaxed.duals)
            if new and overpaid > CLOSE * self.known:
                continue
            broken = self.columns.separate(relaxed.weights, max(20, n // 4))
            self.columns.triples = np.concatenate([self.columns.triples, broken])
            if len(broken) and self.patient:
                continue
            new += self.search_larger(relaxed.duals)
            apart = (relaxed.cost - self.bound) / self.known
            if len(broken) == 0 and (new == 0 or apart < TIGHT):
                return relaxed
