"""A lower bound of the SSE of all partitions, raised step by step.

The linear programme of all groups has too many columns to write down, so it
starts with a few. Dual values come from a smoothed ascent first, then from HiGHS; groups
of negative reduced cost are added, and triples of records that fractions of groups
violate. Every pricing gives a bound that holds, so the work can stop at any time.
"""

from collections.abc import Callable

import numpy as np

from shoal import _progress as progress
from shoal._kernels.pricing.dual_ascent import climb
from shoal.partitioners._base import Labels, Matrix
from shoal.partitioners._column_generation.columns import Columns, incidence
from shoal.partitioners._column_generation.master_problem import Duals, MasterProblem, Relaxation
from shoal.partitioners._column_generation.pricing import Pricing, PricingEffort

HOT, WARM, COOL, COLD, COOLING = 0.1, 0.01, 0.004, 0.003, 0.6  # of the mean cost of a record
SWEEPS = 100
WIDE = 4.0  # times the dual that a record is expected to have, at most, or a part of it
QUIET = 0.3  # of the heat: duals that move less have converged
BRIEF = PricingEffort(48, 5000, larger=False)
MIDDLE = PricingEffort(300, 30_000, larger=False)
PLAIN = PricingEffort(1_000_000, 1_000_000, larger=False)
LONG = PricingEffort(1_000_000, 1_000_000)
CLOSE = 2e-4  # of the cost: so near, triples say more than further groups
TIGHT = 1e-7
PULL = 0.3  # towards the best duals known


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
    """A number of seconds, and how many are spent by some clock."""

    def __init__(self, seconds: float, clock: Callable[[], float]):
        self.seconds, self.clock, self.begin = seconds, clock, clock()

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return self.clock() - self.begin


class Proof:
    """What is known of the least SSE of a table: a bound, and the duals that prove it."""

    def __init__(self, X: Matrix, k: int, labels: Labels, budget: Budget):
        self.k, self.labels, self.budget = k, labels, budget
        self.spread = float(((X - X.mean(axis=0)) ** 2).sum())
        self.apart, self.known = within(X, labels)
        self.pricing = Pricing(X, k)
        self.columns = Columns(X, k)
        self.columns.add_partition(labels)
        near = self.pricing.table.near
        self.columns.add(np.column_stack([np.arange(len(X)), near[:, : k - 1]]))
        shares = self.pricing.table.sums[:, k - 1] / (2 * k)  # no group costs less than these
        self.bound = float(shares.sum()) * (1 - 1e-12)
        self.duals, self.base = Duals(shares, np.empty(0), 0.0), self.bound  # what these prove
        self.last = self.longest = 0.0  # seconds of long searches: the last, and all

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.budget.seconds - self.budget.spent

    def check_interrupt(self) -> None:
        """Report progress; stop when the budget is spent."""
        spent, seconds = self.budget.spent, self.budget.seconds
        loss, gap = self.known / self.spread, self.known / self.bound - 1 if self.bound else np.inf
        progress.report(f"proving, loss {loss:.2%}, gap {gap:.2%}", int(spent), int(seconds) + 1)
        if spent >= seconds:
            raise OutOfTime

    def price(self, duals: Duals, effort: PricingEffort) -> tuple[int, float]:
        """Price the groups at some duals, and raise the bound if they prove more.

        Return how many groups of negative reduced cost are new, and their sum.
        """
        triples = self.columns.triples[: len(duals.triple_dual)]
        priced = self.pricing(triples, duals, self.known, effort, self.check_interrupt)
        if priced.bound > self.bound:
            self.bound, self.duals, self.base = priced.bound, duals, priced.bound
        new = sum(self.columns.add(groups) for groups in priced.groups if len(groups))
        return new, priced.violation

    def warm_up(
        self, record_dual: Matrix, box: Matrix, heat: float, effort: PricingEffort
    ) -> Matrix:
        """Return duals in a box at which few groups of k have a negative reduced cost."""
        record_dual, unit = record_dual.copy(), self.known / len(record_dual)
        while heat > COLD:
            start, held = incidence(self.columns.members, len(record_dual))
            slack = (
                np.append(record_dual, 0.0)[self.columns.members].sum(axis=1) - self.columns.costs
            )
            moved = climb(slack, record_dual, box, start, held, heat * unit, SWEEPS)
            new, violation = self.price(Duals(record_dual.copy(), np.empty(0), 0.0), effort)
            at_rest = moved < QUIET * heat * unit
            if new == 0 or (at_rest and violation < QUIET * heat * self.known):
                heat *= COOLING
        return record_dual

    def relax(self) -> None:
        """Raise the bound by dual ascent alone, first with a brief search among near records."""
        shares = self.duals.record_dual
        box = np.array(
            [np.minimum(self.apart, shares) / WIDE, np.maximum(self.apart, shares) * WIDE]
        )
        record_dual = self.warm_up(np.clip(self.apart, *box), box, HOT, BRIEF)
        record_dual = self.warm_up(record_dual, box, WARM, MIDDLE)
        self.warm_up(record_dual, box, COOL, PLAIN)

    def blend(self, duals: Duals) -> Duals:
        """Pull duals towards the best ones known, since those of vertices jump."""
        triple_dual = PULL * np.append(
            self.duals.triple_dual, np.zeros(len(duals.triple_dual) - len(self.duals.triple_dual))
        )
        return Duals(
            PULL * self.duals.record_dual + (1 - PULL) * duals.record_dual,
            triple_dual + (1 - PULL) * duals.triple_dual,
            PULL * self.duals.group_dual + (1 - PULL) * duals.group_dual,
        )

    def search(self, duals: Duals) -> tuple[int, float]:
        """Search for groups of k of negative reduced cost; return how many are new, and the sum."""
        new, violation = self.price(self.blend(duals), PLAIN)
        return (new, violation) if new else self.price(duals, PLAIN)

    def search_larger(self, duals: Duals) -> int:
        """Search for groups of all sizes; return how many are new."""
        if len(duals.triple_dual) == 0:
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
        master = MasterProblem(self.columns, None)
        while True:
            relaxed = master.relax(self.left, self.check_interrupt)
            if relaxed is None:
                raise OutOfTime
            new, violation = self.search(relaxed.duals)
            if new and violation > CLOSE * self.known:
                continue
            broken = self.columns.separate(relaxed.weights, max(20, n // 4))
            self.columns.triples = np.concatenate([self.columns.triples, broken])
            if len(broken) and self.patient:
                continue
            new += self.search_larger(relaxed.duals)
            apart = (relaxed.cost - self.bound) / self.known
            if len(broken) == 0 and (new == 0 or apart < TIGHT):
                return relaxed
