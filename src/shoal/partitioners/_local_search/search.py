"""Simulated annealing, and the best partition into the groups that it met."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal import _progress as progress
from shoal._kernels.local_search.grouping import Grouping
from shoal._kernels.local_search.passes import open_grouping
from shoal.errors import ParameterError
from shoal.partitioners._base import Labels, Matrix, centroids_and_sse, in_order
from shoal.partitioners._local_search.annealing import Annealing, run_annealings, schedule
from shoal.partitioners._local_search.refine import (
    centre_and_scale,
    improve,
    lower_sse,
    prepare_grouping,
)
from shoal.partitioners._local_search.set_partitioning import select_groups_by_region

N_ANNEALINGS = 2  # on any machine, since the result must not depend on the number of cores
MIN_NEAREST = 15  # neighbours whose groups a record may move to
OVERTIME = 1.5  # times the budget, after which a search ends although rounds remain
ANNEALING_SHARE = 0.8  # of the remaining time; the rest is for set partitioning
ROUNDS_PER_REGION = 10_000  # set partitioning of a region takes about as long as these
FIRST_TRIAL, TRIAL_FACTOR = 100, 4  # rounds of the first trial run, and the growth of the next
TRIAL_SHARE = 0.02  # of the budget: the last trial run takes at least this long
MIN_GROWTH = 0.93  # exponent of the time in the number of rounds; less is measurement error


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The groups of a search, and what is needed to repeat it.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        Group of each record, counted from 0 by first records.
    rounds : int
        Rounds planned for each annealing.
    rounds_made : tuple of int
        Rounds that each annealing made: fewer than planned after Ctrl-C.
    complete : bool
        Whether the search was not ended early.
    seconds : float
        CPU seconds spent, of all threads.
    interrupted : bool
        Whether it was ended by Ctrl-C.
    """

    labels: Labels
    rounds: int
    rounds_made: tuple[int, ...]
    complete: bool = True
    seconds: float = 0.0
    interrupted: bool = False


def search(
    X: Matrix,
    labels: Labels,
    k: int,
    *,
    seed: int,
    rounds: int | None = None,
    seconds: float | None = None,
    rounds_made: Sequence[int] | None = None,
) -> SearchResult:
    """Return groups of at least ``k`` with an SSE no higher than that of ``labels``.

    The groups are refined. From there two annealings start, with different seeds: groups
    change at random and are refined, and an increase of the SSE is accepted less and less
    often. Finally integer programmes select the best partition into the groups that were met.

    Either ``rounds`` or ``seconds`` is given. From seconds, the number of rounds is
    estimated by short trial runs and returned. The same input, seed and rounds give the
    same groups, on any number of cores. Ctrl-C ends the work early with the best groups so
    far; the seed and ``rounds`` and ``rounds_made`` of the result repeat them.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units.
    labels : ndarray of shape (n_records,)
        Group of each record; no group is smaller than ``k``.
    k : int
        Least number of records in a group.
    seed : int
        Seed of the random numbers, in [0, inf).
    rounds : int, optional
        Rounds of each annealing, in [0, inf).
    seconds : float, optional
        Approximate CPU time of the search, of all threads.
    rounds_made : sequence of int, optional
        Rounds after which each annealing ends, to repeat a run that ended early.

    Returns
    -------
    SearchResult
        The groups, and what is needed to repeat the search.
    """
    if (rounds is None) == (seconds is None):
        raise ParameterError("A search takes either rounds or seconds.", code="rounds-or-seconds")
    start = in_order(labels)
    if k == 1 or len(X) < 2 * k:
        return SearchResult(start if k > 1 else np.arange(len(X)), rounds or 0, (0,) * N_ANNEALINGS)
    if seconds is not None:
        _compile_first()
    run = _Run(X, k, seconds)
    best, complete, interrupted, order = start, True, False, np.arange(len(X))
    try:
        grouping, order = prepare_grouping(X, start, k, MIN_NEAREST)
        best = grouping.labels
        improve(grouping, k)
        if grouping.sse.sum() > 0:
            if rounds is None:
                rounds = run.estimate_rounds(grouping, seed)
            run.start(grouping, seed)
            run.anneal(rounds, rounds_made)
            complete = run.complete
            best = run.best_of_all_groups(grouping) if complete else run.best()
    except KeyboardInterrupt:
        best = run.best() if run.annealings else best
        complete, interrupted = False, True
    labels = lower_sse(X, start, best[np.argsort(order)])
    return SearchResult(
        labels, run.rounds, run.rounds_made, complete, run.seconds_spent, interrupted
    )


class _Run:
    """A running search: its annealings and its time budget."""

    def __init__(self, X: Matrix, k: int, seconds: float | None):
        self.k = k
        self.total_sse = centroids_and_sse(centre_and_scale(X), np.zeros(len(X), np.int64))[1]
        self.seconds, self.start_time = seconds, time.process_time()
        self.annealings: list[Annealing] = []
        self.rounds = 0

    @property
    def seconds_spent(self) -> float:
        """CPU seconds since the beginning."""
        return time.process_time() - self.start_time

    @property
    def rounds_made(self) -> tuple[int, ...]:
        """Rounds made by each annealing."""
        return tuple(annealing.rounds_made for annealing in self.annealings) or (0,) * N_ANNEALINGS

    @property
    def complete(self) -> bool:
        """Whether all planned rounds were made."""
        return self.rounds_made == (self.rounds,) * N_ANNEALINGS

    def start(self, grouping: Grouping, seed: int) -> None:
        """Start the annealings from the same groups, with different seeds."""
        seeds = np.random.SeedSequence(seed).generate_state(N_ANNEALINGS, np.uint64)
        labels = in_order(grouping.labels)
        self.annealings = []
        for annealing_seed in seeds:
            copy = open_grouping(grouping.X, grouping.near, labels, self.k)
            self.annealings.append(Annealing(copy, self.k, int(annealing_seed)))

    def estimate_rounds(self, grouping: Grouping, seed: int) -> int:
        """Return the number of rounds that fit into the budget, estimated by trial runs.

        In a longer annealing the average round is shorter, since more rounds have a low
        temperature and fail early; the last two trial runs show how the time grows. Their
        groups are discarded.
        """
        seconds = self.seconds or 0.0
        self.rounds, duration, growth = FIRST_TRIAL, 0.0, 1.0
        while duration < TRIAL_SHARE * seconds:
            self.start(grouping, seed)
            start_time, previous = time.process_time(), duration
            self.anneal(self.rounds)
            duration = max(time.process_time() - start_time, 1e-9)
            if previous:
                exponent = math.log(duration / previous, TRIAL_FACTOR)
                growth = min(max(exponent, MIN_GROWTH), 1.0)
            self.rounds *= TRIAL_FACTOR
        remaining = ANNEALING_SHARE * (seconds - self.seconds_spent)
        factor = (max(remaining, 0.0) / duration) ** (1 / growth) if duration else 0.0
        return int(factor * self.rounds / TRIAL_FACTOR)

    def anneal(self, rounds: int, rounds_made: Sequence[int] | None = None) -> None:
        """Plan ``rounds`` rounds, and end each annealing after ``rounds_made``, or after all."""
        self.rounds = rounds
        ends = rounds_made or [rounds] * N_ANNEALINGS
        run_annealings(self.annealings, schedule(rounds), ends, self._is_overdue)

    def _is_overdue(self) -> bool:
        """Report progress; return whether the search takes much longer than the budget."""
        loss = min(annealing.best_sse for annealing in self.annealings) / self.total_sse
        stage = f"searching, loss {100 * loss:.3f} %"
        if self.seconds is None:
            progress.report(stage, sum(self.rounds_made), N_ANNEALINGS * self.rounds)
        else:
            progress.report(stage, int(1000 * self.seconds_spent), int(1000 * self.seconds))
        return self.seconds is not None and self.seconds_spent > OVERTIME * self.seconds

    def best(self) -> Labels:
        """Return the best groups of all annealings."""
        return min(self.annealings, key=lambda annealing: annealing.best_sse).best_and_pool.best

    def best_of_all_groups(self, grouping: Grouping) -> Labels:
        """Return the best partition into the groups that the annealings met, refined."""
        pool = np.vstack([annealing.pool for annealing in self.annealings])
        labels = select_groups_by_region(
            grouping.X, pool, self.best(), sum(self.rounds_made) // ROUNDS_PER_REGION
        )
        refined_grouping = open_grouping(grouping.X, grouping.near, labels, self.k)
        improve(refined_grouping, self.k)
        return lower_sse(grouping.X, in_order(self.best()), refined_grouping.labels)


def _compile_first() -> None:
    """Search a tiny table, so that compiling does not use up the budget.

    Its progress is not reported, since it is not that of the search.
    """
    tiny = np.arange(8.0).reshape(-1, 1)
    progress.report("compiling", 0, 0)
    with progress.reporting_to(lambda stage, done, total: None):
        search(tiny, np.zeros(8, np.int64), 2, seed=0, rounds=1)
