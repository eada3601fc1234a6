"""Run tasks on a Dask cluster in stages, with progress, and translate its errors."""

import logging
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shoal
from shoal import _progress as progress
from shoal.errors import ClusterError, MissingDependency, ShoalError
from shoal.io.store import shown
from shoal.scale.run_folder import RUN
from shoal.scale.storage import file_exists, is_remote, join

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

MAX_STARTS = 3  # attempts to start a local cluster
# A scheduler listens for its dashboard even if there is none; the default port may be taken.
ANY_PORT = "127.0.0.1:0"
SCHEDULER_TIMEOUT = 10.0  # seconds for a scheduler to answer
FIRST_WORKER_TIMEOUT = 30.0  # seconds for the first worker to connect
POLL_INTERVAL = 0.02  # seconds between two checks for completed tasks
NO_WORKER_TIMEOUT = 120.0  # seconds to wait for workers while there are none
# After this time Dask does not restart a worker that died. Its default of 15 seconds is too short
# on a busy machine, where a process may take longer to start.
LOST_WORKER_SETTING = "distributed.deploy.lost-worker-timeout"
CONNECTION_LOST = (
    "The connection to the cluster was lost. Nothing was released. Run again when the scheduler"
    " answers."
)


@contextmanager
def connect(client: "Client | str | None") -> Iterator["Client"]:
    """Yield a client: the given one, one for the address of a scheduler, or of a local cluster.

    A local cluster has one process per core and is closed at the end.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise MissingDependency(
            "Large tables need Dask. Install it with: pip install 'shoal[scale]'.",
            code="package-missing",
            extra="scale",
        ) from None
    with _record_worker_exits(), _connect(client) as connected:
        yield connected


@contextmanager
def _connect(client: "Client | str | None") -> Iterator["Client"]:
    import dask
    from distributed import Client

    if isinstance(client, Client):
        yield client
    elif client is not None:
        try:
            _check_address(client)
            connected = Client(client, timeout=SCHEDULER_TIMEOUT, set_as_default=False)
        except (OSError, ValueError):
            raise ClusterError(
                f"No scheduler answers at {client!r}. Start it, or leave the address out for a"
                " local cluster.",
                code="no-scheduler",
            ) from None
        with connected:
            yield connected
    else:
        with (
            dask.config.set({LOST_WORKER_SETTING: f"{NO_WORKER_TIMEOUT}s"}),
            _start_local_cluster() as cluster,
            Client(cluster, set_as_default=False) as connected,
        ):
            yield connected


def _check_address(address: str) -> None:
    """Raise for a malformed address: a half-initialised client would log errors later."""
    from distributed.comm import get_address_host_port

    if not address.startswith(("inproc://", "ucx://")):  # these have neither host nor port
        get_address_host_port(address)


def _start_local_cluster() -> "LocalCluster":
    """Start one process per core; retry, since processes may start too slowly on a busy machine."""
    from distributed import LocalCluster

    cores = os.cpu_count() or 1
    for attempts_left in reversed(range(MAX_STARTS)):
        try:
            return LocalCluster(
                n_workers=cores,
                threads_per_worker=1,
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": ANY_PORT},
                silence_logs=50,
            )
        except RuntimeError:
            if not attempts_left:
                break
    raise ClusterError(
        f"A local cluster did not start in {MAX_STARTS} attempts. Free some memory or ports, or"
        " give the address of a scheduler.",
        code="cluster-not-started",
        tries=MAX_STARTS,
    )


def check_workers(client: "Client", folder: str) -> None:
    """Refuse a cluster without workers, with another version, or without access to the folder."""
    with translate_errors(), suppress(TimeoutError):
        client.wait_for_workers(1, timeout=FIRST_WORKER_TIMEOUT)
    with translate_errors():
        workers: dict[str, tuple[bool, str]] = client.run(_worker_status, folder, on_error="ignore")
    if not workers:
        raise ClusterError(
            "The cluster has no workers. Start some, then run again.", code="no-workers"
        )
    for worker, (sees_folder, version) in workers.items():
        if version != shoal.__version__:
            raise ClusterError(
                f"Worker {worker} runs Shoal {version}, this process {shoal.__version__}. Install"
                " the same version everywhere.",
                code="versions-differ",
                version=version,
            )
        if not sees_folder:
            raise ClusterError(
                f"Worker {worker} cannot access {shown(folder)!r}. Use a folder that all workers"
                " share, or an address in a store that they have credentials for.",
                code="folder-not-shared",
            )


def run_stage(
    client: "Client",
    name: str,
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    sizes: Sequence[int],
) -> Iterator[tuple[int, Any]]:
    """Yield the number and the result of each task, in the order of completion.

    Results are small and fetched immediately, so only the running tasks of a worker that dies
    are lost; they run again on another. ``sizes`` are the records of each task, for progress.
    """
    done, total = 0, sum(sizes)
    futures: list[Any] = []

    def report() -> None:
        progress.report(name, done, total)

    with translate_errors():
        report()
        try:
            futures = [client.submit(function, *arguments, pure=False) for arguments in tasks]
            number_of = {future.key: number for number, future in enumerate(futures)}
            for future, result in _as_completed(client, futures, report):
                number = number_of[future.key]
                done += sizes[number]
                report()
                yield number, result
        finally:
            client.cancel(futures, force=True)


def _as_completed(
    client: "Client", futures: Sequence[Any], report: Callable[[], None]
) -> Iterator[tuple[Any, Any]]:
    """Yield futures and results as they complete; report progress every second."""
    from distributed import as_completed

    completed = as_completed(futures, loop=client.loop, with_results=True)
    for _ in futures:
        last_worker_seen = last_report = time.monotonic()
        while not completed.has_ready():
            time.sleep(POLL_INTERVAL)
            if time.monotonic() > last_report + 1:
                last_report = time.monotonic()
                report()
                last_worker_seen = last_report if _has_workers(client) else last_worker_seen
                _check_idle_time(last_report - last_worker_seen)
        future, result = next(completed)
        if future.cancelled():
            raise ClusterError(CONNECTION_LOST, code="cluster-lost")
        yield future, result


def _has_workers(client: "Client") -> bool:
    """Say whether there are workers; raise if the connection is lost."""
    if client.status != "running":
        raise ClusterError(CONNECTION_LOST, code="cluster-lost")
    return bool(client.scheduler_info()["workers"])


def _check_idle_time(seconds: float) -> None:
    """Give up after too long without workers; Dask itself would wait for ever."""
    if seconds > NO_WORKER_TIMEOUT:
        raise ClusterError(
            "The cluster has no workers left. Nothing was released. Start some, then run again.",
            code="no-workers",
        )


class _WorkerExitHandler(logging.Handler):
    """Collects the exit codes of the processes of a local cluster, which Dask only logs."""

    _EXIT_MESSAGE = re.compile(
        r"Worker process \d+ (?:was killed by signal (\d+)|exited with status (\d+))"
    )

    def __init__(self) -> None:
        super().__init__()
        self.codes: list[int] = []

    def emit(self, record: logging.LogRecord) -> None:
        match = self._EXIT_MESSAGE.search(record.getMessage())
        if match:
            self.codes.append(-int(match[1]) if match[1] else int(match[2]))


_exit_handler = _WorkerExitHandler()


@contextmanager
def _record_worker_exits() -> Iterator[None]:
    """Collect the exit codes of worker processes, without showing Dask's messages about them."""
    logger = logging.getLogger("distributed.nanny")
    level, propagate = logger.level, logger.propagate
    _exit_handler.codes.clear()
    logger.addHandler(_exit_handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(_exit_handler)
        logger.setLevel(level)
        logger.propagate = propagate


def describe_worker_exits(codes: Sequence[int]) -> str:
    """Return a message that workers exited repeatedly on one task, with their exit codes.

    Parameters
    ----------
    codes : sequence of int
        Exit codes, where known; the negative number of a signal for a killed worker.

    Returns
    -------
    str
        The message, with what to try.

    Examples
    --------
    >>> describe_worker_exits([-11])
    'Workers exited repeatedly on one part of the table: signal 11 (SIGSEGV). Nothing was\
 released. Please report this.'
    """
    names = []
    for code in codes:
        signals = {one.value: one.name for one in signal.Signals}
        by_signal = f"signal {-code} ({signals.get(-code, 'unknown')})"
        names.append(by_signal if code < 0 else f"exit code {code}")
    how = f": {', '.join(names)}" if names else "; see their logs for the reason"
    way_out = "Please report this."
    if not names or -getattr(signal, "SIGKILL", 9) in codes:
        way_out = "If memory ran out, lower `chunk_size` or give workers more memory."
    return (
        f"Workers exited repeatedly on one part of the table{how}. Nothing was released. {way_out}"
    )


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translate Dask exceptions into `ClusterError`."""
    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        yield
    except KilledWorker:
        codes = list(dict.fromkeys(_exit_handler.codes))
        message = describe_worker_exits(codes)
        raise ClusterError(message, code="workers-died", exit_codes=codes) from None
    except (CommClosedError, CancelledError, TimeoutError):
        raise ClusterError(CONNECTION_LOST, code="cluster-lost") from None


def _worker_status(folder: str) -> tuple[bool, str]:
    """Return whether a worker sees a folder of scratch files, and its version of Shoal."""
    try:
        sees = file_exists(join(folder.rsplit("/", 1)[0], RUN)) if is_remote(folder) else None
    except ShoalError:
        sees = False
    return Path(folder).is_dir() if sees is None else sees, shoal.__version__
