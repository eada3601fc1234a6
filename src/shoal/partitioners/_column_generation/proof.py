"""A lower bound of the SSE of all partitions, raised step by step.

The linear programme over all groups has too many columns to write down, so it starts with a few.
Dual values come from a smoothed dual ascent first, then from HiGHS; groups of negative reduced cost
are added, and inequalities of triples and clusters that the fractional solution violates. Every
pricing gives a valid lower bound, so the work can stop at any time.
"""

from collections.abc import Callable

import numpy as np

from shoal import _progress as progress
from shoal._kernels.pricing.dual_ascent import run_sweeps
from shoal.partitioners._base import Labels, Matrix
from shoal.partitioners._column_generation.clusters import violated_clusters
from shoal.partitioners._column_generation.columns import Columns, incidence
from shoal.partitioners._column_generation.master_problem import Duals, MasterProblem, Relaxation
from shoal.partitioners._column_generation.pricing import Pricing, PricingEffort

# Temperatures of the dual ascent, in units of the mean cost of a record.
HOT, WARM, COOL, COLD, COOLING = 0.1, 0.01, 0.004, 0.003, 0.6
SWEEPS = 100
BOX_FACTOR = 4.0  # duals stay within this factor of their expected value
CONVERGED = 0.3  # of the temperature: duals that move less have converged
BRIEF = PricingEffort(48, 5000, larger=False)
MIDDLE = PricingEffort(300, 30_000, larger=False)
PLAIN = PricingEffort(1_000_000, 20_000_000, larger=False)
QUICK = PricingEffort(48, 5000)
LONG = PricingEffort(1_000_000, 20_000_000)
LEAST_DIVISOR = 3  # of clusters; triples have 2
MAX_CUTS = 200  # at a time
FEW = 20  # new groups below which a quick search is not enough
SMALL_SAVING = 1e-4  # of the gap: violated clusters that save less are left out
SLACK = 0.05  # of what the bound may still gain, by which it may be lower than duals prove
RESERVED = 0.1  # of the budget, for the integer programmes after the linear one
FIRST_STEPS, MORE_STEPS = 2_000_000, 10  # of the first long search, and the factor to the next ones
SMALL_VIOLATION = 2e-4  # of the cost: below it, triples help more than further groups
LARGE_VIOLATION = 1e-3  # of the cost: above it, groups come before further inequalities
SMALL_GAP = 1e-7  # between relaxation and bound, as a share of the cost
SMOOTHING = 0.3  # weight of the best duals so far


class OutOfTime(Exception):
    """The time budget is used up."""


def scaled(X: Matrix, sse: float) -> tuple[Matrix, int]:
    """Return ``X`` times a power of two, so that the mean cost of a record is 1 to 4."""
    power = -int(np.floor(np.log2(sse / len(X)) / 2))
    return np.ldexp(X, power), power


def squared_errors(X: Matrix, labels: Labels) -> tuple[Matrix, float]:
    """Return the squared distance of each record to the mean of its group, and their sum."""
    counts = np.bincount(labels)
    means = np.column_stack([np.bincount(labels, column) for column in X.T]) / counts[:, None]
    errors = ((X - means[labels]) ** 2).sum(axis=1)
    return errors, float(errors.sum())


def padded(values: Matrix, length: int) -> Matrix:
    """Return values with zeros after them."""
    return np.append(values, np.zeros(length - len(values)))


def has_cuts(duals: Duals) -> bool:
    """Return whether there are duals of triples or clusters."""
    return len(duals.triple_dual) + len(duals.cluster_dual) > 0


class Budget:
    """A time budget in seconds, measured by some clock."""

    def __init__(self, seconds: float, clock: Callable[[], float]):
        self.seconds, self.clock, self.begin = seconds, clock, clock()

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return self.clock() - self.begin


class Proof:
    """The best partition of a table so far, a lower bound, and the duals that prove it.

    ``base`` is the bound that the current ``duals`` prove; ``bound`` may be higher. With the
    ``correction`` added to the duals of the records, no group has a negative reduced cost.
    """

    def __init__(self, X: Matrix, k: int, labels: Labels, budget: Budget):
        self.k, self.labels, self.budget = k, labels, budget
        self.total_sse = float(((X - X.mean(axis=0)) ** 2).sum())
        self.record_errors, self.sse = squared_errors(X, labels)
        self.pricing = Pricing(X, k)
        self.columns = Columns(X, k)
        self.columns.add_partition(labels)
        near = self.pricing.table.near
        self.columns.add(np.column_stack([np.arange(len(X)), near[:, : k - 1]]))
        # No group costs less than the sum of the shares of its records.
        shares = self.pricing.table.sums[:, k - 1] / (2 * k)
        self.bound = float(shares.sum()) * (1 - 1e-12)
        self.duals, self.base = Duals(shares, np.empty(0), 0.0), self.bound
        self.correction = np.zeros(len(X))
        self.target = self.sse  # that no bound of the linear programme exceeds
        self.last_long = self.total_long = 0.0  # seconds of long searches: the last, and all
        self.steps = FIRST_STEPS  # of the next long search

    @property
    def seconds_left(self) -> float:
        """Seconds of the budget that remain."""
        return self.budget.seconds - self.budget.spent

    def check_interrupt(self) -> None:
        """Report progress; raise `OutOfTime` when the budget is used up."""
        spent, seconds = self.budget.spent, self.budget.seconds
        loss, gap = self.sse / self.total_sse, self.sse / self.bound - 1 if self.bound else np.inf
        progress.report(f"proving, loss {loss:.2%}, gap {gap:.2%}", int(spent), int(seconds) + 1)
        if spent >= seconds:
            raise OutOfTime

    def price(self, duals: Duals, effort: PricingEffort) -> tuple[int, float]:
        """Price the groups at some duals, and raise the bound if they prove a higher one.

        Return the number of new groups of negative reduced cost, and the sum of these costs.
        """
        triples = self.columns.triples[: len(duals.triple_dual)]
        tolerance = SLACK * (self.target - self.bound) * self.k / len(duals.record_dual)
        effort = effort._replace(tolerance=max(tolerance, 0.0))
        priced = self.pricing(triples, duals, self.sse, effort, self.check_interrupt)
        if priced.bound > self.bound:
            self.bound, self.duals, self.base = priced.bound, duals, priced.bound
            self.correction = priced.correction
        new = sum(self.columns.add(groups) for groups in priced.groups if len(groups))
        return new, priced.violation

    def ascend(
        self, record_dual: Matrix, box: Matrix, temperature: float, effort: PricingEffort
    ) -> Matrix:
        """Return duals within a box at which few groups of k have a negative reduced cost."""
        record_dual, unit = record_dual.copy(), self.sse / len(record_dual)
        while temperature > COLD:
            start, columns = incidence(self.columns.members, len(record_dual))
            slack = (
                np.append(record_dual, 0.0)[self.columns.members].sum(axis=1) - self.columns.costs
            )
            moved = run_sweeps(slack, record_dual, box, start, columns, temperature * unit, SWEEPS)
            new, violation = self.price(Duals(record_dual.copy(), np.empty(0), 0.0), effort)
            converged = moved < CONVERGED * temperature * unit
            if new == 0 or (converged and violation < CONVERGED * temperature * self.sse):
                temperature *= COOLING
        return record_dual

    def run_dual_ascent(self) -> None:
        """Raise the bound by dual ascent, with more and more thorough pricing."""
        shares = self.duals.record_dual
        box = np.array(
            [
                np.minimum(self.record_errors, shares) / BOX_FACTOR,
                np.maximum(self.record_errors, shares) * BOX_FACTOR,
            ]
        )
        record_dual = self.ascend(np.clip(self.record_errors, *box), box, HOT, BRIEF)
        record_dual = self.ascend(record_dual, box, WARM, MIDDLE)
        self.ascend(record_dual, box, COOL, PLAIN)

    def blend(self, duals: Duals) -> Duals:
        """Smooth duals by the best ones so far, since those of successive vertices oscillate."""
        best = self.duals
        return Duals(
            SMOOTHING * best.record_dual + (1 - SMOOTHING) * duals.record_dual,
            SMOOTHING * padded(best.triple_dual, len(duals.triple_dual))
            + (1 - SMOOTHING) * duals.triple_dual,
            SMOOTHING * best.group_dual + (1 - SMOOTHING) * duals.group_dual,
            duals.clusters,
            SMOOTHING * padded(best.cluster_dual, len(duals.cluster_dual))
            + (1 - SMOOTHING) * duals.cluster_dual,
            duals.divisors,
        )

    def search(self, duals: Duals) -> tuple[int, float]:
        """Price groups briefly; return the number of new ones, and the sum of reduced costs.

        Without inequalities, groups of k records suffice, and the search is exhaustive.
        """
        effort = QUICK if has_cuts(duals) else PLAIN
        new, violation = self.price(self.blend(duals), effort)
        return (new, violation) if new else self.price(duals, effort)

    def search_longer(self, duals: Duals) -> tuple[int, float]:
        """Price groups of all sizes, ever longer where that finds none.

        Return the number of new ones, and the sum of their reduced costs.
        """
        before, effort = self.budget.spent, LONG._replace(max_steps=self.steps)
        new, violation = self.price(self.blend(duals), effort)
        if new == 0:
            new, violation = self.price(duals, effort)
        if new == 0:
            self.steps = min(MORE_STEPS * self.steps, LONG.max_steps)
        self.last_long = self.budget.spent - before
        self.total_long += self.last_long
        return new, violation

    @property
    def can_postpone(self) -> bool:
        """Whether a long search takes too large a share of the time, and can be done later."""
        return 2 * self.total_long > self.budget.spent and self.seconds_left > 3 * self.last_long

    @property
    def is_over(self) -> bool:
        """Whether the rest of the time is reserved for the integer programmes."""
        return self.seconds_left < RESERVED * self.budget.seconds

    def add_cuts(self, weights: Matrix, most: int) -> int:
        """Add clusters or else triples that a fractional solution violates; return their number."""
        possible = range(self.k, min(self.k, LEAST_DIVISOR) - 1, -1)
        least = SMALL_SAVING * (self.sse - self.bound)
        clusters, divisors = violated_clusters(self.columns, weights, most, possible, least)
        self.columns.clusters = np.concatenate([self.columns.clusters, clusters])
        self.columns.divisors = np.append(self.columns.divisors, divisors)
        if len(clusters):
            return len(clusters)
        triples = self.columns.separate(weights, most)
        self.columns.triples = np.concatenate([self.columns.triples, triples])
        return len(triples)

    def solve_relaxation(self) -> Relaxation:
        """Add groups and violated inequalities until neither improves the linear programme."""
        most = min(max(20, len(self.columns.X) // 4), MAX_CUTS)
        master = MasterProblem(self.columns, None)
        while True:
            relaxed = master.relax(self.seconds_left, self.check_interrupt)
            if relaxed is None:
                raise OutOfTime
            self.target = min(self.sse, relaxed.cost)
            new, violation = self.search(relaxed.duals)
            if new >= FEW and violation > SMALL_VIOLATION * self.sse:
                continue
            if self.can_postpone and self.add_cuts(relaxed.weights, most):
                continue
            thorough = self.steps == LONG.max_steps or not has_cuts(relaxed.duals)
            if has_cuts(relaxed.duals):
                longer, violation = self.search_longer(relaxed.duals)
                if longer >= FEW and violation > LARGE_VIOLATION * self.sse and not self.is_over:
                    continue
                new += longer
            violated = self.add_cuts(relaxed.weights, most)
            gap = (relaxed.cost - self.bound) / self.sse
            if violated == 0 and ((new == 0 and thorough) or gap < SMALL_GAP):
                return relaxed
            if self.is_over:
                return relaxed
