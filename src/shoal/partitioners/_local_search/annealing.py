"""Several annealings in parallel, one thread each."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

import numpy as np

from shoal._kernels.local_search.annealing import BEST, N_POOLED, anneal, open_best_and_pool
from shoal._kernels.local_search.grouping import Grouping
from shoal.partitioners._base import Indices, Values

STRIDE = 500  # rounds between two checks for a stop: a fraction of a second
REPORT_EVERY = 0.2  # seconds between two reports of progress
FIRST_TEMPERATURE, LAST_TEMPERATURE = 0.4, 0.03  # in units of SSE / n
POOL_SIZE = 30_000  # greatest number of groups that an annealing keeps


class Annealing:
    """One annealing: its groups, the best ones so far and the number of rounds done."""

    def __init__(self, grouping: Grouping, k: int, seed: int):
        self.grouping, self.k, self.rounds_made = grouping, k, 0
        self.rng_state = np.array([seed], np.uint64)
        self.best_and_pool = open_best_and_pool(
            grouping.labels, float(grouping.sse.sum()), k, POOL_SIZE
        )

    @property
    def best_sse(self) -> float:
        """The lowest SSE so far."""
        return float(self.best_and_pool.sse[BEST])

    @property
    def pool(self) -> Indices:
        """Good groups so far, one per row, padded with -1."""
        return self.best_and_pool.pool[: self.best_and_pool.counts[N_POOLED]]

    def advance(self, temperatures: Values, n_rounds: int, stop_event: Event) -> None:
        """Make rounds until ``n_rounds`` are done, or ``stop_event`` is set."""
        while self.rounds_made < n_rounds and not stop_event.is_set():
            stride = temperatures[self.rounds_made : min(self.rounds_made + STRIDE, n_rounds)]
            anneal(self.grouping, self.k, self.best_and_pool, self.rng_state, stride)
            self.rounds_made += len(stride)


def schedule(rounds: int) -> Values:
    """Return the temperature of each round."""
    return np.geomspace(FIRST_TEMPERATURE, LAST_TEMPERATURE, rounds)


def run_annealings(
    annealings: Sequence[Annealing],
    temperatures: Values,
    ends: Sequence[int],
    should_stop: Callable[[], bool],
) -> None:
    """Run all annealings; ``should_stop`` is called regularly and may end them."""
    stop_event = Event()
    with ThreadPoolExecutor(len(annealings)) as threads:
        try:
            pending = {
                threads.submit(annealing.advance, temperatures, end, stop_event)
                for annealing, end in zip(annealings, ends, strict=True)
            }
            while pending:
                completed, pending = wait(pending, REPORT_EVERY)
                for future in completed:
                    future.result()
                if should_stop():
                    stop_event.set()
        finally:
            stop_event.set()  # also when Ctrl-C ends the wait: the threads are joined here
