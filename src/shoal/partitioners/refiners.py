"""Refiners: partitioners that improve the groups of another method.

Users choose a refiner by the parameter ``effort``; ``"quick"`` is the method without a refiner.
"""

import time
from typing import Annotated, Self

import numpy as np

from shoal._params import AtLeast, K, RandomState
from shoal._seeds import seed_or_draw
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners._local_search.refine import refine
from shoal.partitioners._local_search.search import search
from shoal.partitioners._refiner import Refiner

Seconds = Annotated[float, AtLeast(0)] | None
Rounds = Annotated[float, AtLeast(0)] | None

DEFAULT_ROUNDS = 50.0  # rounds per record of each annealing, if there is no budget
SEARCH_SHARE = 0.2  # share of the budget of a proof that is spent on the search before it
MAX_SEARCH_SECONDS = 0.02  # maximum time of that search per record, in CPU seconds


class Refine(Refiner):
    """Improve the groups of a method until no small change helps.

    Moving a few records lowers the SSE after almost any method.

    Parameters
    ----------
    k : int
        Minimum number of records in a group. It has no default: it is the
        guarantee.
    method : Partitioner, optional
        Makes the groups to start from, with the same k; :class:`MDAV` if None.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.
    method_ : Partitioner
        The fitted method, whose groups were improved.

    Notes
    -----
    **Steps**

    1. Records move to the groups of near neighbours, alone, in exchange or in
       chains of two, wherever the SSE falls.
    2. Each group in turn is dissolved into its neighbours; this is undone unless the SSE
       falls.
    3. New groups are formed around single records, and undone in the same way.

    **Guarantee.** No group has fewer than k records. The loss is never above that
    of the method.

    **Cost.** After the search for neighbours, time grows about as n. The same table
    gives the same groups.

    Examples
    --------
    >>> Refine(k=2).fit_predict([[0], [9], [1], [8], [5]])
    array([0, 1, 0, 1, 1])
    """

    facts = Facts(groups="variable", cost="n²", paper="")

    def __init__(self, k: K, method: Partitioner | None = None):
        self.k = k
        self.method = method

    def _improve(self, X: Matrix, labels: Labels) -> Labels:
        return refine(X, labels, int(self.k))


class Search(Refiner):
    """Improve the groups of a method by simulated annealing.

    When no small change helps any more, annealing continues through groups that are
    temporarily worse.

    Parameters
    ----------
    k : int
        Minimum number of records in a group. It has no default: it is the
        guarantee.
    method : Partitioner, optional
        Makes the groups to start from, with the same k; :class:`MDAV` if None.
    budget : float, optional
        CPU seconds of all threads to spend; if None, ``rounds`` limits the search.
    rounds : float, optional
        Rounds per record, of each of two annealings; 50 if neither this nor a budget is
        given. A round is one random change of groups, followed by descent and accepted
        or undone. After a search with a budget, ``rounds_`` is the number that repeats it.
    random_state : int, Generator, RandomState or None
        Seed of the random numbers. The same seed and rounds give the same groups; with
        None they differ from call to call.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.
    method_ : Partitioner
        The fitted method, whose groups were improved.
    rounds_ : float
        Rounds per record that were made.
    seconds_ : float
        CPU seconds that the search took, of all threads.

    Notes
    -----
    **Steps**

    1. The groups of the method are refined as by :class:`Refine`.
    2. Groups are changed at random, repaired and refined; the change is accepted or
       undone by the rule of simulated annealing.
    3. An integer programme selects the best partition into groups that the search visited.

    **Guarantee.** No group has fewer than k records. The loss is never above that
    of the method.

    **Cost.** The time is that of ``budget`` or ``rounds``. The two annealings run in
    one thread each. An ``n_jobs`` given with this effort has no effect.

    Examples
    --------
    >>> Search(k=2, random_state=0).fit_predict([[0], [9], [1], [8], [5]])
    array([0, 1, 0, 1, 1])
    """

    facts = Facts(groups="variable", cost="budget", paper="")

    def __init__(
        self,
        k: K,
        method: Partitioner | None = None,
        budget: Seconds = None,
        rounds: Rounds = None,
        random_state: RandomState = None,
    ):
        self.k = k
        self.method = method
        self.budget = budget
        self.rounds = rounds
        self.random_state = random_state

    def reproducible_copy(self) -> Self:
        """Return an unfitted copy with the number of rounds that this one made."""
        return self._copy(budget=None, rounds=self.rounds_)

    def _improve(self, X: Matrix, labels: Labels) -> Labels:
        n = len(X)
        per_record = DEFAULT_ROUNDS if self.rounds is None else self.rounds
        result = search(
            X,
            labels,
            int(self.k),
            seed=seed_or_draw(self.random_state),
            rounds=round(per_record * n) if self.budget is None else None,
            seconds=self.budget,
        )
        self.rounds_ = result.rounds / n
        self.seconds_ = result.seconds
        self.cut_short_ = not result.complete
        return result.labels


class Prove(Refiner):
    """Improve the groups of a method and prove a lower bound of the SSE.

    The bound shows how far the groups are from an optimum.

    Parameters
    ----------
    k : int
        Minimum number of records in a group. It has no default: it is the
        guarantee.
    method : Partitioner, optional
        Makes the groups to start from, with the same k; :class:`MDAV` if None.
    budget : float
        CPU seconds of all threads to spend at most; a completed proof ends earlier.
    random_state : int, Generator, RandomState or None
        Seed of the random number generator.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.
    method_ : Partitioner
        The fitted method, whose groups were improved.
    bound_ : float
        A lower bound of the SSE of all partitions into groups of at least k.
    optimal_ : bool
        Whether the groups are proven to have the minimum SSE.
    seconds_ : float
        CPU seconds that search and proof took, of all threads.

    Notes
    -----
    **Steps**

    1. :class:`Search` takes at most a fifth of the budget, and at most 0.02 seconds per record.
    2. A linear programme over all groups gives a lower bound of the SSE.
    3. An integer programme chooses among the groups of the linear programme.
    4. Further searches, each with its own draws, fill the time that is left.

    For a table of more than 5,000 records, a certificate replaces steps 2 to 4: feasible
    duals of that linear programme, computed block by block.

    **Guarantee.** No partition into groups of at least k has an SSE below ``bound_``.
    The loss is never above that of the method.

    **Cost.** The time is at most that of ``budget``; a completed proof ends earlier.
    Searches and the linear programme use up to two threads, a certificate one for each
    core. An ``n_jobs`` given with this effort has no effect.

    Examples
    --------
    >>> Prove(k=2, random_state=0).fit([[0], [9], [1], [8], [5]]).optimal_
    True
    """

    facts = Facts(groups="variable", cost="budget", paper="", guarantee="a bound for the table")

    def __init__(
        self,
        k: K,
        method: Partitioner | None = None,
        budget: Annotated[float, AtLeast(0)] = 60.0,
        random_state: RandomState = None,
    ):
        self.k = k
        self.method = method
        self.budget = budget
        self.random_state = random_state

    def _improve(self, X: Matrix, labels: Labels) -> Labels:
        # Imported here, since it loads 30 modules that other methods do not need.
        from shoal.partitioners._column_generation.prove import prove

        # Kernels are compiled here, so that the budget is not spent on compiling.
        prove(np.arange(8.0).reshape(-1, 1), np.repeat([0, 1], 4), 2)
        k, start_time = int(self.k), time.process_time()
        seed = seed_or_draw(self.random_state)
        # A short table is searched thoroughly in a short time. After that, time is better spent on
        # the proof than on a longer search.
        seconds = min(SEARCH_SHARE * self.budget, MAX_SEARCH_SECONDS * len(X))
        result = search(X, labels, k, seed=seed, seconds=seconds)
        remaining = max(0.0, self.budget - (time.process_time() - start_time))
        # After Ctrl-C no time is spent on a proof: the bound is a quick one.
        budget = 0.0 if result.interrupted else remaining
        proof_result = prove(X, result.labels, k, budget=budget, seed=seed)
        self.bound_, self.optimal_ = proof_result.bound, proof_result.optimal
        self.seconds_ = time.process_time() - start_time
        is_complete = proof_result.optimal or (result.complete and proof_result.complete)
        self.cut_short_ = not is_complete
        # The search before the proof ends by the clock.
        self.depends_on_time_ = not proof_result.optimal
        return proof_result.labels
