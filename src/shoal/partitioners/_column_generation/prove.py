"""A partition with a proven lower bound of the SSE."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from shoal.geometry import squared_errors
from shoal.partitioners._base import Labels, Matrix, in_order
from shoal.partitioners._budget import Budget, OutOfTime
from shoal.partitioners._column_generation.column_pool import divide_large_groups
from shoal.partitioners._column_generation.integrality_gap import TOLERANCE, close_gap, is_closed
from shoal.partitioners._column_generation.proof import (
    Proof,
    scale_to_unit_cost,
)
from shoal.partitioners._column_generation.restarts import Restarts
from shoal.partitioners._dual_bound.certificate import certify

DEFAULT_SECONDS = 120.0  # the budget if none is given
MAX_PROGRAMME_RECORDS = 5_000  # above it, a certificate replaces the linear and integer programmes


@dataclass(frozen=True)
class ProofResult:
    """A partition, and a lower bound of the SSE of all partitions.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        Group of each record.
    sse : float
        The SSE of these groups.
    bound : float
        A lower bound of the SSE of all partitions into groups of at least k.
    optimal : bool
        Whether the SSE is proven to be minimal, to eight digits.
    complete : bool
        Whether the work was completed, rather than ended by the budget or Ctrl-C.
    seconds : float
        CPU seconds spent, or the time of the given clock.
    """

    labels: Labels
    sse: float
    bound: float
    optimal: bool
    complete: bool
    seconds: float = 0.0

    @property
    def gap(self) -> float:
        """The relative gap between SSE and bound: SSE / bound - 1."""
        if self.sse <= self.bound:
            return 0.0
        return self.sse / self.bound - 1 if self.bound > 0 else np.inf


def prove(
    X: Matrix,
    labels: Labels,
    k: int,
    *,
    budget: float | None = None,
    clock: Callable[[], float] = time.process_time,
    seed: int = 0,
) -> ProofResult:
    """Bound the SSE of all partitions from below, and improve the given partition.

    The linear programme over all groups is solved by column generation and strengthened by
    inequalities of triples and clusters; then an integer programme selects groups. The remaining
    time is used for further searches, whose groups are candidates as well. The bound is valid after
    every step, so the budget or Ctrl-C may end the work at any time; the best partition and bound
    so far are returned. On tables of more than 5,000 records, the bound comes from a certificate,
    and the given partition is returned.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units.
    labels : ndarray of shape (n_records,)
        A partition to start from; a good one shortens the work.
    k : int
        Minimum number of records in a group.
    budget : float, optional
        CPU seconds to spend; two minutes if None.
    clock : callable
        A function that returns the time in seconds; CPU seconds of all threads by default.
    seed : int
        Seed of the further searches, in [0, inf).

    Returns
    -------
    ProofResult
        The best partition found, never worse than the given one, and the bound.
    """
    time_budget = Budget(DEFAULT_SECONDS if budget is None else budget, clock)
    if len(X) > MAX_PROGRAMME_RECORDS and 1 < k <= len(X) // 2:
        return prove_by_certificate(X, in_order(labels), k, time_budget)
    return prove_within_budget(X, labels, k, time_budget, (OutOfTime, KeyboardInterrupt), seed)


def prove_within_budget(
    X: Matrix,
    labels: Labels,
    k: int,
    budget: Budget,
    interruptions: tuple[type[BaseException], ...],
    seed: int = 0,
) -> ProofResult:
    """Prove a bound until the gap is closed or one of ``interruptions`` is raised."""
    labels = in_order(labels)
    if k == 1 or len(X) < 2 * k or squared_errors(X, labels).sum() == 0:
        return trivial_proof(X, labels, k)
    labels = divide_large_groups(X, labels, k)
    Z, power = scale_to_unit_cost(X, squared_errors(X, labels).sum())
    proof = Proof(Z, k, labels, budget)
    complete = False
    with suppress(*interruptions):
        improve_proof(proof, seed)
        complete = True
    best = in_order(proof.labels)
    return ProofResult(
        labels=best,
        sse=float(squared_errors(X, best).sum()),
        bound=float(np.ldexp(proof.bound, -2 * power)),
        optimal=is_closed(proof),
        complete=complete or is_closed(proof),
        seconds=budget.seconds_spent,
    )


def improve_proof(proof: Proof, seed: int) -> None:
    """Raise the bound and improve the partition until the gap is closed or time is up."""
    proof.run_dual_ascent()
    run_programmes(proof, seed)


def run_programmes(proof: Proof, seed: int) -> None:
    """Continue after the dual ascent: searches, the linear programme and integer programmes."""
    restarts = Restarts(proof, seed)
    restarts.search_first()
    if not is_closed(proof):
        proof.solve_relaxation()
        close_gap(proof)
        restarts.search_until_closed()


def prove_by_certificate(X: Matrix, labels: Labels, k: int, budget: Budget) -> ProofResult:
    """Return the partition of a long table with the bound of a certificate."""
    sse = float(squared_errors(X, labels).sum())
    bound, complete = 0.0, False
    with suppress(KeyboardInterrupt):  # while neighbours are searched; later ones keep a bound
        certificate = certify(X, k, labels=labels, budget=budget.seconds, clock=budget.clock)
        bound, complete = certificate.bound, certificate.complete
    return ProofResult(
        labels=labels,
        sse=sse,
        bound=bound,
        optimal=sse - bound <= 4 * TOLERANCE * sse,
        complete=complete,
        seconds=budget.seconds_spent,
    )


def trivial_proof(X: Matrix, labels: Labels, k: int) -> ProofResult:
    """Return the optimal partition of a table that needs no search."""
    if k == 1:
        labels = np.arange(len(X))
    elif len(X) < 2 * k:
        labels = np.zeros(len(X), np.int64)
    sse = float(squared_errors(X, labels).sum())
    return ProofResult(labels, sse, bound=sse * (1 - 1e-12), optimal=True, complete=True)
