"""The loop of column generation: a lower bound of the SSE of all partitions, raised step by step.

Dual values first come from a smoothed dual ascent, then from the restricted master problem. Groups
are priced at these duals: groups of negative reduced cost become columns, and subset-row cuts that
the fractional solution violates become rows. Every pricing gives a valid lower bound, so the
work can stop at any time.

References
----------
.. [W97] Wentges, P. (1997). Weighted Dantzig-Wolfe decomposition for linear mixed-integer
   programming. International Transactions in Operational Research 4(2), 151-162.
"""

import numpy as np

from shoal import _progress as progress
from shoal._kernels.column_generation.dual_ascent import run_sweeps
from shoal.geometry import squared_errors
from shoal.partitioners._base import Labels, Matrix, Values
from shoal.partitioners._budget import Budget, OutOfTime
from shoal.partitioners._column_generation.anchor_search import PricingEffort
from shoal.partitioners._column_generation.columns import Columns, incidence
from shoal.partitioners._column_generation.master_problem import (
    Duals,
    MasterProblem,
    MasterRelaxation,
)
from shoal.partitioners._column_generation.pricing import Pricing
from shoal.partitioners._column_generation.separation import (
    violated_clusters,
    violated_triples,
)

# Dual ascent.
# Its phases: a temperature, in units of the mean cost of a record, and how thoroughly groups of k
# are priced. A phase ends at FINAL_TEMPERATURE.
PHASES = (
    (0.1, PricingEffort(48, 5000, include_larger=False)),
    (0.01, PricingEffort(300, 30_000, include_larger=False)),
    (0.004, PricingEffort(1_000_000, 20_000_000, include_larger=False)),
)
FINAL_TEMPERATURE = 0.003
COOLING_FACTOR = 0.6  # the temperature is multiplied by this
SWEEPS = 100  # passes over all duals between two pricings
LIMIT_FACTOR = 4.0  # duals stay within this factor of their expected value
CONVERGENCE_SHARE = 0.3  # share of the temperature: duals that move less have converged

# Master problem.
# Efforts of pricing: without cuts, when groups of k suffice; quickly, for all sizes; and
# exhaustively, unless the steps are used up.
GROUPS_OF_K = PHASES[-1][1]
QUICK_PRICING = PricingEffort(48, 5000)
LONG_PRICING = PricingEffort(1_000_000, 20_000_000, max_steps_on_retry=20_000_000)
FIRST_STEPS = 2_000_000  # search steps of the first long pricing
MORE_STEPS = 10  # factor by which the next long pricing has more steps
TOLERANCE_SHARE = 0.05  # share of the possible gain by which a pricing may underestimate the bound
MAX_POSTPONED = 3  # rounds of cuts between two long pricings
SMOOTHING = 0.3  # weight of the best duals so far
MAX_CUTS = 200  # cuts that are added at a time
SMALL_SAVING = 1e-4  # share of the gap: violated clusters that save less are left out

# Stopping: when quick pricing, the search for further groups and column generation end.
MIN_NEW_GROUPS = 20  # new groups below which quick pricing is not enough
SMALL_VIOLATION = 2e-4  # violation, as a share of the SSE, below which cuts help more than groups
LARGE_VIOLATION = 1e-3  # violation, as a share of the SSE, above which groups precede cuts
SMALL_GAP = 1e-7  # gap between relaxation and bound, as a share of the SSE
RESERVED_SHARE = 0.1  # share of the budget for the integer programmes after column generation


def scale_to_unit_cost(X: Matrix, sse: float) -> tuple[Matrix, int]:
    """Return ``X`` times a power of two, so that the mean cost of a record is 1 to 4."""
    power = -int(np.floor(np.log2(sse / len(X)) / 2))
    return np.ldexp(X, power), power


def pad_with_zeros(values: Values, length: int) -> Values:
    """Return values followed by zeros."""
    return np.append(values, np.zeros(length - len(values)))


def has_cuts(duals: Duals) -> bool:
    """Return whether the duals include duals of cuts."""
    return len(duals.triple_dual) + len(duals.cluster_dual) > 0


class Proof:
    """The state of column generation: the best partition so far, and a lower bound.

    ``labels`` and ``sse`` describe the partition. ``duals`` are the best dual values so far,
    and ``dual_bound`` is the bound that they prove; ``bound`` may be higher. With the
    ``correction`` added to the duals of the records, no group has a negative reduced cost.

    The methods `price`, `price_quickly` and `price_thoroughly` return the number of new groups of
    negative reduced cost and the *violation*: minus the sum over anchors of their lowest reduced
    cost, which is at least 0.
    """

    def __init__(self, X: Matrix, k: int, labels: Labels, budget: Budget):
        self.k, self.labels, self.budget = k, labels, budget
        self.total_sse = float(((X - X.mean(axis=0)) ** 2).sum())
        self.record_errors = squared_errors(X, labels)
        self.sse = float(self.record_errors.sum())
        self.pricing = Pricing(X, k)
        self.columns = Columns(X, k)
        self.columns.add_partition(labels)
        near = self.pricing.table.near
        self.columns.add(np.column_stack([np.arange(len(X)), near[:, : k - 1]]))
        # Feasible duals: the SSE of a group, the squared distances of its pairs divided by its
        # size, is no less than the sum over its records of the squared distances to their k - 1
        # nearest, divided by 2k.
        neighbour_dual = self.pricing.table.square_sums[:, k - 1] / (2 * k)
        self.bound = float(neighbour_dual.sum()) * (1 - 1e-12)
        self.duals, self.dual_bound = Duals(neighbour_dual), self.bound
        self.correction = np.zeros(len(X))
        self.max_bound = self.sse  # the cost of the master problem, which no bound exceeds
        self.max_steps = FIRST_STEPS  # of the next long pricing
        # Rounds of cuts since the last long pricing; the first one is not postponed.
        self.n_postponed = MAX_POSTPONED

    @property
    def seconds_left(self) -> float:
        """Seconds of the budget that remain."""
        return self.budget.seconds - self.budget.seconds_spent

    def report_progress(self) -> None:
        """Report progress; raise `OutOfTime` when the budget is used up."""
        spent, seconds = self.budget.seconds_spent, self.budget.seconds
        loss, gap = self.sse / self.total_sse, self.sse / self.bound - 1 if self.bound else np.inf
        progress.report(
            f"proving, loss {100 * loss:.2f} %, gap {100 * gap:.2f} %", int(spent), int(seconds) + 1
        )
        if spent >= seconds:
            raise OutOfTime

    def price(self, duals: Duals, effort: PricingEffort) -> tuple[int, float]:
        """Price the groups at ``duals``, and raise the bound if these prove a higher one."""
        tolerance = (
            TOLERANCE_SHARE * (self.max_bound - self.bound) * self.k / len(duals.record_dual)
        )
        effort = effort._replace(tolerance=max(tolerance, 0.0))
        result = self.pricing.price(duals, self.sse, effort, self.report_progress)
        if result.bound > self.bound:
            self.bound, self.duals, self.dual_bound = result.bound, duals, result.bound
            self.correction = result.correction
        n_new = sum(self.columns.add(groups) for groups in result.groups if len(groups))
        return n_new, result.violation

    def ascend(
        self, record_dual: Values, limits: Matrix, temperature: float, effort: PricingEffort
    ) -> Values:
        """Return duals within limits at which few groups of k have a negative reduced cost."""
        record_dual, mean_cost = record_dual.copy(), self.sse / len(record_dual)
        while temperature > FINAL_TEMPERATURE:
            start, groups = incidence(self.columns.members, len(record_dual))
            dual_excess = (
                np.append(record_dual, 0.0)[self.columns.members].sum(axis=1) - self.columns.costs
            )
            greatest_change = run_sweeps(
                dual_excess, record_dual, limits, start, groups, temperature * mean_cost, SWEEPS
            )
            n_new, violation = self.price(Duals(record_dual.copy()), effort)
            has_converged = greatest_change < CONVERGENCE_SHARE * temperature * mean_cost
            if n_new == 0 or (
                has_converged and violation < CONVERGENCE_SHARE * temperature * self.sse
            ):
                temperature *= COOLING_FACTOR
        return record_dual

    def run_dual_ascent(self) -> None:
        """Raise the bound by dual ascent, with more and more thorough pricing."""
        neighbour_dual = self.duals.record_dual
        limits = np.array(
            [
                np.minimum(self.record_errors, neighbour_dual) / LIMIT_FACTOR,
                np.maximum(self.record_errors, neighbour_dual) * LIMIT_FACTOR,
            ]
        )
        record_dual = np.clip(self.record_errors, *limits)
        for temperature, effort in PHASES:
            record_dual = self.ascend(record_dual, limits, temperature, effort)

    def smooth(self, duals: Duals) -> Duals:
        """Return a weighted mean of ``duals`` and the best duals so far (Wentges smoothing [W97]_).

        It stabilises the duals, which oscillate between successive vertices.
        """
        best = self.duals
        return Duals(
            record_dual=SMOOTHING * best.record_dual + (1 - SMOOTHING) * duals.record_dual,
            triples=duals.triples,
            triple_dual=SMOOTHING * pad_with_zeros(best.triple_dual, len(duals.triple_dual))
            + (1 - SMOOTHING) * duals.triple_dual,
            group_dual=SMOOTHING * best.group_dual + (1 - SMOOTHING) * duals.group_dual,
            clusters=duals.clusters,
            cluster_dual=SMOOTHING * pad_with_zeros(best.cluster_dual, len(duals.cluster_dual))
            + (1 - SMOOTHING) * duals.cluster_dual,
            divisors=duals.divisors,
        )

    def price_quickly(self, duals: Duals) -> tuple[int, float]:
        """Price groups with little effort, at smoothed duals first.

        Without cuts, groups of k records suffice, and the pricing is exhaustive.
        """
        effort = QUICK_PRICING if has_cuts(duals) else GROUPS_OF_K
        n_new, violation = self.price(self.smooth(duals), effort)
        return (n_new, violation) if n_new else self.price(duals, effort)

    def price_thoroughly(self, duals: Duals) -> tuple[int, float]:
        """Price groups of all sizes; if none is found, the next pricing has more steps."""
        effort = LONG_PRICING._replace(max_steps=self.max_steps)
        n_new, violation = self.price(self.smooth(duals), effort)
        if n_new == 0:
            n_new, violation = self.price(duals, effort)
        if n_new == 0:
            self.max_steps = min(MORE_STEPS * self.max_steps, LONG_PRICING.max_steps)
        self.n_postponed = 0
        return n_new, violation

    @property
    def can_postpone(self) -> bool:
        """Whether long pricing is expensive, and few rounds have passed since the last one."""
        return self.max_steps == LONG_PRICING.max_steps and self.n_postponed < MAX_POSTPONED

    @property
    def has_only_reserve_left(self) -> bool:
        """Whether only the time reserved for the integer programmes is left."""
        return self.seconds_left < RESERVED_SHARE * self.budget.seconds

    def add_cuts(self, weights: Values, max_cuts: int) -> int:
        """Add cuts of clusters, or else of triples, that are violated; return their number."""
        columns, least_saving = self.columns, SMALL_SAVING * (self.sse - self.bound)
        candidate_divisors = range(self.k, 1, -1)
        clusters, divisors = violated_clusters(
            columns, weights, max_cuts, candidate_divisors, least_saving
        )
        is_triple = (divisors == 2) & ((clusters >= 0).sum(axis=1) == 3)
        columns.clusters = np.concatenate([columns.clusters, clusters[~is_triple]])
        columns.divisors = np.append(columns.divisors, divisors[~is_triple])
        triples = clusters[is_triple, :3]
        if len(clusters) == 0:
            triples = violated_triples(columns, weights, max_cuts)
        columns.triples = np.concatenate([columns.triples, triples])
        return max(len(clusters), len(triples))

    def solve_relaxation(self) -> MasterRelaxation:
        """Add groups and violated cuts until neither improves the relaxation.

        The order is: quick pricing while it finds many groups; then cuts, several times; then a
        long pricing. Raise `OutOfTime` if the solver does not finish in time.
        """
        max_cuts = min(max(20, len(self.columns.X) // 4), MAX_CUTS)
        master = MasterProblem(self.columns, None)
        while True:
            relaxation = master.solve_linear(self.seconds_left, self.report_progress)
            if relaxation is None:
                raise OutOfTime
            self.max_bound = min(self.sse, relaxation.cost)
            n_new, violation = self.price_quickly(relaxation.duals)
            if n_new >= MIN_NEW_GROUPS and violation > SMALL_VIOLATION * self.sse:
                continue  # many new groups: solve again first
            # A few rounds of cuts come between two long pricings, which take most of the time.
            # They are counted, since measured times would make the result depend on them.
            if self.can_postpone and self.add_cuts(relaxation.weights, max_cuts):
                self.n_postponed += 1
                continue
            is_thorough = self.max_steps == LONG_PRICING.max_steps or not has_cuts(relaxation.duals)
            if has_cuts(relaxation.duals):
                n_more, violation = self.price_thoroughly(relaxation.duals)
                if (
                    n_more >= MIN_NEW_GROUPS
                    and violation > LARGE_VIOLATION * self.sse
                    and not self.has_only_reserve_left
                ):
                    continue  # groups come before further cuts
                n_new += n_more
            n_cuts = self.add_cuts(relaxation.weights, max_cuts)
            gap = (relaxation.cost - self.bound) / self.sse
            has_converged = n_cuts == 0 and ((n_new == 0 and is_thorough) or gap < SMALL_GAP)
            if has_converged or self.has_only_reserve_left:
                return relaxation
