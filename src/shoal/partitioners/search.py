"""Better groups by an annealed search, and by the best choice among the groups it met."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal import _progress as progress
from shoal._kernels.local_search.grouping import Grouping
from shoal._kernels.local_search.passes import open_grouping
from shoal.errors import ParameterError
from shoal.partitioners._annealing import Annealing, anneal_together, schedule
from shoal.partitioners._base import Labels, Matrix, in_order
from shoal.partitioners._column_generation.set_partitioning import choose
from shoal.partitioners.refine import MOST, better, improve, in_own_units, prepared, sse_of

RESTARTS = 2  # whatever the machine: the result must not depend on its cores
NEAREST = 15  # others of a record whose groups it may move to, at least
LATE = 1.5  # times the seconds given, after which a run ends with rounds undone
SHARE = 0.8  # of the seconds left, for annealing; the rest is for the choice
PER_REGION = 10_000  # rounds for each region that is chosen again: these take about as long
FIRST, MORE = 100, 4  # rounds of the first rehearsal, and how many times more in the next
REHEARSED = 0.02  # of the seconds given, for the last rehearsal at least
LEAST_GROWTH = 0.93  # exponent of the time in the number of rounds: less is chance


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The groups of a search, and what repeats it.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        Group of each record, counted from 0 by first records.
    rounds : int
        Trials planned for each annealing.
    done : tuple of int
        Trials that each annealing made: fewer than planned after Ctrl-C.
    whole : bool
        Whether nothing ended the search early.
    """

    labels: Labels
    rounds: int
    done: tuple[int, ...]
    whole: bool = True


def search(
    X: Matrix,
    labels: Labels,
    k: int,
    *,
    seed: int,
    rounds: int | None = None,
    seconds: float | None = None,
    done: Sequence[int] | None = None,
) -> SearchResult:
    """Return groups of at least ``k`` with an SSE no higher than that of ``labels``.

    The groups are refined. From there two annealings start, each with its own draws:
    groups change at random, descend again, and a rise of the SSE is kept less
    often the later it comes. At last, an integer programme chooses the best
    partition among the groups met.

    Either ``rounds`` or ``seconds`` is given. From seconds, the number of rounds
    is estimated once, by short rehearsals, and part of the result. The same
    input, seed and rounds give the same groups, on any number of cores. Ctrl-C
    ends the work early, with the best groups so far; seed, ``rounds`` and
    ``done`` of the result repeat them.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units.
    labels : ndarray of shape (n_records,)
        Group of each record; no group is smaller than ``k``.
    k : int
        Least number of records in a group.
    seed : int
        Where the draws start, in [0, inf).
    rounds : int, optional
        Trials of each annealing, in [0, inf).
    seconds : float, optional
        Time that the search may take, about.
    done : sequence of int, optional
        Trials after which each annealing ends, to repeat a run that ended early.

    Returns
    -------
    SearchResult
        The groups, and what repeats them.
    """
    if (rounds is None) == (seconds is None):
        raise ParameterError(
            "A search takes rounds or seconds, one of the two.", code="rounds-or-seconds"
        )
    start = in_order(labels)
    if k == 1 or len(X) < 2 * k:
        return SearchResult(start if k > 1 else np.arange(len(X)), rounds or 0, (0,) * RESTARTS)
    if seconds is not None:
        _compile_first()
    run = _Run(X, k, seconds)
    best, whole, order = start, True, np.arange(len(X))
    try:
        grouping, order = prepared(X, start, k, max(NEAREST, min(k + k // 2, MOST)))
        best = grouping.labels
        improve(grouping, k)
        if grouping.sse.sum() > 0:
            if rounds is None:
                rounds = run.rehearse(grouping, seed)
            run.open(grouping, seed)
            run.anneal(rounds, done)
            best, whole = run.choice(grouping) if run.whole else run.best(), run.whole
    except KeyboardInterrupt:
        best, whole = run.best() if run.annealings else best, False
    return SearchResult(better(X, start, best[np.argsort(order)]), run.rounds, run.done, whole)


class _Run:
    """One search on its way: its annealings and its clock."""

    def __init__(self, X: Matrix, k: int, seconds: float | None):
        self.k = k
        self.whole_loss = sse_of(in_own_units(X), np.zeros(len(X), np.int64))
        self.seconds, self.began = seconds, time.monotonic()
        self.annealings: list[Annealing] = []
        self.rounds = 0

    @property
    def done(self) -> tuple[int, ...]:
        """Trials made by each annealing."""
        return tuple(one.done for one in self.annealings) or (0,) * RESTARTS

    @property
    def whole(self) -> bool:
        """Whether all trials planned were made."""
        return self.done == (self.rounds,) * RESTARTS

    def open(self, grouping: Grouping, seed: int) -> None:
        """Start the annealings from the same groups, each with its own draws."""
        seeds = np.random.SeedSequence(seed).generate_state(RESTARTS, np.uint64)
        labels = in_order(grouping.labels)
        self.annealings = []
        for own in seeds:
            copy = open_grouping(grouping.X, grouping.near, labels, self.k)
            self.annealings.append(Annealing(copy, self.k, int(own)))

    def rehearse(self, grouping: Grouping, seed: int) -> int:
        """Return for how many rounds there seems to be time; what is made meanwhile is forgotten.

        The longer an annealing, the shorter are its rounds, since more of them are cold
        and fail early. So the last two rehearsals show how the time grows.
        """
        seconds = self.seconds or 0.0
        self.rounds, took, growth = FIRST, 0.0, 1.0
        while took < REHEARSED * seconds:
            self.open(grouping, seed)
            before, last = time.monotonic(), took
            self.anneal(self.rounds)
            took = max(time.monotonic() - before, 1e-9)
            if last:
                growth = min(max(math.log(took / last, MORE), LEAST_GROWTH), 1.0)
            self.rounds *= MORE
        left = SHARE * (seconds - (time.monotonic() - self.began))
        times = (max(left, 0.0) / took) ** (1 / growth) if took else 0.0
        return int(times * self.rounds / MORE)

    def anneal(self, rounds: int, until: Sequence[int] | None = None) -> None:
        """Make so many rounds, or end each annealing earlier."""
        self.rounds = rounds
        ends = until or [rounds] * RESTARTS
        anneal_together(self.annealings, schedule(rounds), ends, self._glance)

    def _glance(self) -> bool:
        """Tell how far the search is; say whether it is much too late."""
        loss = min(one.least for one in self.annealings) / self.whole_loss
        stage = f"searching, loss {loss:.3%}"
        progress.report(stage, sum(self.done), RESTARTS * self.rounds)
        return self.seconds is not None and time.monotonic() - self.began > LATE * self.seconds

    def best(self) -> Labels:
        """Return the best groups of all annealings."""
        return min(self.annealings, key=lambda one: one.least).memory.best

    def choice(self, grouping: Grouping) -> Labels:
        """Return the best groups among all that were met, refined."""
        pool = np.vstack([one.pool for one in self.annealings])
        labels = choose(grouping.X, pool, self.best(), sum(self.done) // PER_REGION)
        chosen = open_grouping(grouping.X, grouping.near, labels, self.k)
        improve(chosen, self.k)
        return better(grouping.X, in_order(self.best()), chosen.labels)


def _compile_first() -> None:
    """Search a tiny table, so that the time given is not spent on compiling."""
    tiny = np.arange(8.0).reshape(-1, 1)
    search(tiny, np.zeros(8, np.int64), 2, seed=0, rounds=1)
