"""Run tasks in a pool of processes on this machine, without Dask."""

import multiprocessing
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Any, Self

from shoal._jobs import effective_n_jobs
from shoal.errors import ClusterError
from shoal.scale.runners.workers import check_statuses, describe_worker_exits, worker_status

HEARTBEAT = 1.0  # seconds between two calls of the heartbeat
MAX_LOSSES = 3  # a task that loses its worker more often ends the run, as with Dask
NO_TASK = -1  # in place of the position of a task, if a process dies that runs no task


@dataclass(frozen=True, eq=False)
class Task:
    """A task that a pool has accepted: a function of a module, and its arguments."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class ProcessPool:
    """Runs tasks in processes of this machine; see `shoal.scale.Runner`.

    Processes are spawned, not forked, with the first task of a run. A process that dies
    breaks the pool; the tasks that were running, if any, then run again in a new pool.

    Parameters
    ----------
    n_jobs : int or None
        Number of processes; None or -1 for one per core.
    """

    def __init__(self, n_jobs: int | None = None):
        self.n_jobs = n_jobs
        self.n_processes = effective_n_jobs(n_jobs)
        self._executor: ProcessPoolExecutor | None = None
        self._processes: list[BaseProcess] = []
        self._running: dict[Future[Any], int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Task:
        """Accept a task, which ``gather`` starts when a process is free."""
        return Task(function, arguments)

    def gather(
        self, handles: Sequence[Task], heartbeat: Callable[[], None]
    ) -> Iterator[tuple[int, Any]]:
        """Yield position and result of each task; tasks whose process died run again.

        No more tasks are started than there are processes, so a process that dies affects only the
        running tasks.
        """
        waiting = deque(range(len(handles)))
        losses: Counter[int] = Counter()
        while waiting or self._running:
            try:
                while waiting and len(self._running) < self.n_processes:
                    self._start(handles[waiting[0]], waiting[0])
                    waiting.popleft()
                done, _ = wait(self._running, HEARTBEAT, FIRST_COMPLETED)
                if not done:
                    heartbeat()
                for future in done:
                    result = future.result()
                    yield self._running.pop(future), result
            except BrokenProcessPool:
                lost, processes = sorted(self._running.values()), self._processes
                self.close()
                # A process that died between two tasks breaks the pool without a loss.
                losses.update(lost or [NO_TASK])
                if max(losses.values()) > MAX_LOSSES:
                    codes = _exit_codes(processes)
                    raise ClusterError(
                        describe_worker_exits(codes), code="workers-died", exit_codes=codes
                    ) from None
                waiting.extendleft(reversed(lost))

    def cancel(self, handles: Sequence[Task]) -> None:
        """Forget tasks; end the processes if any of them is running."""
        del handles
        if self._running:
            self.close()

    def check(self, folder: str) -> None:
        """Refuse a pool whose processes do not start."""
        try:
            statuses = dict(self.gather([self.submit(worker_status, folder)], lambda: None))
        except ClusterError as error:
            raise ClusterError(
                "The processes of the pool did not start. A script must call functions of"
                ' `shoal.scale` under `if __name__ == "__main__":`, since they import it too.',
                code="cluster-not-started",
                exit_codes=error.attributes.get("exit_codes", []),
            ) from None
        check_statuses({str(position): status for position, status in statuses.items()}, folder)

    def close(self) -> None:
        """End all processes; another task starts new ones."""
        executor, self._executor = self._executor, None
        if executor is None:
            return
        if self._running:
            self._running.clear()
            for process in self._processes:
                process.terminate()
        executor.shutdown(wait=True, cancel_futures=True)
        self._processes = []

    def _start(self, task: Task, position: int) -> None:
        """Start a task in a process of the pool, which is created with the first task."""
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self.n_processes,
                mp_context=multiprocessing.get_context("spawn"),
                # A terminal sends Ctrl-C to all processes; only the one that started the run acts.
                initializer=signal.signal,
                initargs=(signal.SIGINT, signal.SIG_IGN),
            )
        earlier_children = set(multiprocessing.active_children())
        future = self._executor.submit(task.function, *task.arguments)
        self._processes += [
            process
            for process in multiprocessing.active_children()
            if process not in earlier_children
        ]
        self._running[future] = position


def _exit_codes(processes: Sequence[BaseProcess]) -> list[int]:
    """Return the exit codes of processes that died, unless the pool itself terminated them."""
    codes = dict.fromkeys(process.exitcode for process in processes if process.exitcode)
    return [code for code in codes if code != -signal.SIGTERM] or list(codes)
