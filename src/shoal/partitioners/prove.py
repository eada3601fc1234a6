"""A partition with a proof of how good it is."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from shoal.partitioners._base import Labels, Matrix, in_order
from shoal.partitioners._column_generation.column_pool import divided
from shoal.partitioners._column_generation.integrality_gap import close, is_closed
from shoal.partitioners._column_generation.proof import Budget, OutOfTime, Proof, scaled, within
from shoal.partitioners._column_generation.restarts import Restarts

SECONDS = 120.0  # where no budget is given


@dataclass(frozen=True)
class Proven:
    """A partition, and what no partition goes below.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        Group of each record.
    sse : float
        The SSE of these groups.
    bound : float
        No groups of at least k have a smaller SSE.
    optimal : bool
        Whether the SSE is proven to be the least, to eight digits.
    """

    labels: Labels
    sse: float
    bound: float
    optimal: bool

    @property
    def gap(self) -> float:
        """How much more is lost than must be, at most: SSE / bound - 1."""
        if self.sse <= self.bound:
            return 0.0
        return self.sse / self.bound - 1 if self.bound > 0 else np.inf


def prove(
    X: Matrix,
    labels: Labels,
    k: int,
    *,
    budget: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    seed: int = 0,
) -> Proven:
    """Bound the SSE of all partitions, and improve the one given on the way.

    The linear programme of all groups is solved by column generation and lifted by
    inequalities of triples; then whole groups are chosen. What time is left goes to
    further searches, whose groups are chosen among as well. Every step leaves a bound
    that holds, so the budget or Ctrl-C may end the work at any time: what is known
    then is returned.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units.
    labels : ndarray of shape (n_records,)
        A partition to start from, the better the sooner done.
    k : int
        Least number of records in a group.
    budget : float, optional
        Seconds to spend; two minutes if not given.
    clock : callable
        What tells the seconds.
    seed : int
        Where the draws of further searches start, in [0, inf).

    Returns
    -------
    Proven
        The best partition known, never worse than the one given, and the bound.
    """
    seconds = Budget(SECONDS if budget is None else budget, clock)
    return attempt(X, labels, k, seconds, (OutOfTime, KeyboardInterrupt), seed)


def attempt(
    X: Matrix,
    labels: Labels,
    k: int,
    budget: Budget,
    ends: tuple[type[BaseException], ...],
    seed: int = 0,
) -> Proven:
    """Prove as much as can be until one of ``ends`` is raised."""
    labels = in_order(labels)
    if k == 1 or len(X) < 2 * k or within(X, labels)[1] == 0:
        return trivial_proof(X, labels, k)
    labels = divided(X, labels, k)
    Z, power = scaled(X, within(X, labels)[1])
    proof = Proof(Z, k, labels, budget)
    with suppress(*ends):
        proof.relax()
        restarts = Restarts(proof, seed)
        restarts.begin()
        if not is_closed(proof):
            proof.lift()
            close(proof)
            restarts.search_until_closed()
    best = in_order(proof.labels)
    bound = float(np.ldexp(proof.bound, -2 * power))
    return Proven(best, within(X, best)[1], bound, is_closed(proof))


def trivial_proof(X: Matrix, labels: Labels, k: int) -> Proven:
    """Return the partition where there is nothing to search for."""
    if k == 1:
        labels = np.arange(len(X))
    elif len(X) < 2 * k:
        labels = np.zeros(len(X), np.int64)
    sse = within(X, labels)[1]
    return Proven(labels, sse, sse * (1 - 1e-12), True)
