"""Several annealings side by side, each in a thread of its own."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

import numpy as np

from shoal._kernels.local_search.annealing import N_POOLED, anneal, open_memory
from shoal._kernels.local_search.grouping import Grouping
from shoal.partitioners._base import Labels, Matrix

STRIDE = 500  # trials between two looks around: a fraction of a second
GLANCE = 0.2  # seconds between two reports of progress
HOT, COLD = 0.4, 0.03  # rise of the SSE that is kept with chance 1/e, as a share of SSE / n
POOL = 30_000  # groups that an annealing remembers


class Annealing:
    """Groups that anneal, what is remembered of them, and how far it is."""

    def __init__(self, grouping: Grouping, k: int, seed: int):
        self.grouping, self.k, self.done = grouping, k, 0
        self.state = np.array([seed], np.uint64)
        self.memory = open_memory(grouping.labels, float(grouping.sse.sum()), k, POOL)

    @property
    def least(self) -> float:
        """The least SSE so far."""
        return float(self.memory.sse[1])

    @property
    def pool(self) -> Labels:
        """Good groups that were met, one per row, filled up with -1."""
        return self.memory.pool[: self.memory.counts[N_POOLED]]

    def advance(self, temperatures: Matrix, until: int, stop: Event) -> None:
        """Make trials until so many are done, or ``stop`` is set."""
        while self.done < until and not stop.is_set():
            now = temperatures[self.done : min(self.done + STRIDE, until)]
            anneal(self.grouping, self.k, self.memory, self.state, now)
            self.done += len(now)


def schedule(rounds: int) -> Matrix:
    """Return the temperature of each round."""
    return np.geomspace(HOT, COLD, rounds)


def anneal_together(
    annealings: Sequence[Annealing],
    temperatures: Matrix,
    until: Sequence[int],
    glance: Callable[[], bool],
) -> None:
    """Run the trials of each annealing; ``glance`` is called meanwhile and may stop them."""
    stop = Event()
    with ThreadPoolExecutor(len(annealings)) as threads:
        try:
            waiting = {
                threads.submit(annealing.advance, temperatures, trials, stop)
                for annealing, trials in zip(annealings, until, strict=True)
            }
            while waiting:
                ended, waiting = wait(waiting, GLANCE)
                for future in ended:
                    future.result()
                if glance():
                    stop.set()
        finally:
            stop.set()  # also when Ctrl-C ends the wait: the threads are joined here
