"""Parallel runs on threads; compiled loops release the GIL."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

from shoal import _progress as progress
from shoal._jobs import effective_n_jobs

POLL_INTERVAL = 0.2  # seconds between two checks for an interrupt

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_parallel(
    run: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None, stage: str
) -> list[Result]:
    """Run tasks on threads and return their results in order; stop all if one fails.

    Parameters
    ----------
    run : callable
        Returns the result of a task.
    tasks : list
        The tasks.
    n_jobs : int or None
        Number of threads; None and -1 mean all cores.
    stage : str
        Name of the stage in progress reports.

    Returns
    -------
    list
        The result of each task.
    """
    stop = Event()

    def check_stop(stage: str, done: int, total: int) -> None:
        if stop.is_set():
            raise KeyboardInterrupt

    def run_until_stopped(task: Task) -> Result:
        with progress.reporting_to(check_stop):
            return run(task)

    with ThreadPoolExecutor(effective_n_jobs(n_jobs)) as pool:
        futures: list[Future[Result]] = [pool.submit(run_until_stopped, task) for task in tasks]
        waiting = set(futures)
        try:
            while waiting:
                done, waiting = wait(waiting, POLL_INTERVAL, FIRST_COMPLETED)
                for future in done:
                    future.result()
                progress.report(stage, len(futures) - len(waiting), len(futures))
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in futures]
