"""The interface between the stages of a run and what executes their tasks.

A stage submits all its tasks to a runner, receives the results in the order of completion, and
cancels the other tasks if it fails. Tasks are functions at the top level of a module with small
arguments and results that can be pickled; records are exchanged through files. A task may run
twice, after its worker died, and writes the same file again.
"""

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from shoal import _progress as progress
from shoal.scale.runners.process_pool import ProcessPool

if TYPE_CHECKING:
    from distributed import Client

# A pool of processes in place of a client: "processes" for one per core, "processes:4" for four.
POOL_PATTERN = re.compile(r"processes(?::([1-9][0-9]*))?")


@runtime_checkable
class Runner(Protocol):
    """What executes the tasks of a run: Dask, a pool of processes, or another engine.

    Errors of a task are raised by ``gather`` as they are. For its own errors a runner raises
    `ClusterError`: ``workers-died`` if a task keeps losing its worker, ``no-workers`` if there is
    no worker, and ``cluster-lost`` if no more results can be expected.
    """

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Accept a task and return its handle at once; the task need not have started."""

    def gather(
        self, handles: Sequence[Any], heartbeat: Callable[[], None]
    ) -> Iterator[tuple[int, Any]]:
        """Yield the position among ``handles`` and the result of each task, as they complete.

        Tasks whose worker died run again. ``heartbeat`` is called about every second while
        nothing completes; it may raise, to interrupt the run.
        """

    def cancel(self, handles: Sequence[Any]) -> None:
        """Stop the tasks that are not complete, and forget all tasks."""

    def check(self, folder: str) -> None:
        """Refuse workers that cannot take part: another version, or no access to ``folder``."""


def run_stage(
    runner: Runner,
    name: str,
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    sizes: Sequence[int],
) -> Iterator[tuple[int, Any]]:
    """Yield the position and the result of each task, in the order of completion.

    Progress is reported as ``name``; ``sizes`` are the records of each task. See `run_tasks`.
    """
    n_done, n_total = 0, sum(sizes)

    def report() -> None:
        progress.report(name, n_done, n_total)

    report()
    with closing(run_tasks(runner, function, tasks, report)) as results:
        for position, result in results:
            n_done += sizes[position]
            report()
            yield position, result


def run_stage_in_order(
    runner: Runner,
    name: str,
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    sizes: Sequence[int],
) -> list[Any]:
    """Return the results of all tasks in the order of the tasks; see `run_stage`."""
    results = dict(run_stage(runner, name, function, tasks, sizes))
    return [results[position] for position in range(len(tasks))]


def run_tasks(
    runner: Runner,
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    heartbeat: Callable[[], None],
) -> Generator[tuple[int, Any], None, None]:
    """Yield the position and the result of each task, in the order of completion.

    Results are small and fetched immediately, so only the running tasks of a worker that dies are
    lost; they run again on another worker. If the generator is closed early, tasks that are not
    complete are cancelled.
    """
    handles: list[Any] = []
    try:
        handles += [runner.submit(function, *arguments) for arguments in tasks]
        yield from runner.gather(handles, heartbeat)
    finally:
        runner.cancel(handles)


@contextmanager
def open_runner(client: "Client | Runner | str | None") -> Iterator[Runner]:
    """Yield the runner for ``client``; a runner that is started here is closed at the end.

    Parameters
    ----------
    client : Client, Runner, str or None
        A runner; ``"processes"`` for a pool of processes, one for each core, or
        ``"processes:4"`` for four; otherwise a Dask cluster, see
        `shoal.scale.runners.dask_cluster.connect`.

    Yields
    ------
    Runner
        The given runner, or a new one.
    """
    processes = POOL_PATTERN.fullmatch(client) if isinstance(client, str) else None
    if processes is not None:
        with ProcessPool(int(processes[1]) if processes[1] else None) as pool:
            yield pool
    elif isinstance(client, Runner):
        yield client
    else:
        from shoal.scale.runners.dask_cluster import DaskRunner, connect

        with connect(client) as connected_client:
            yield DaskRunner(connected_client)
