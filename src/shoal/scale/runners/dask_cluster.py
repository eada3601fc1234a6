"""Run tasks on a Dask cluster, and translate its errors."""

import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from shoal.errors import ClusterError, MissingDependency
from shoal.scale.runners.workers import check_statuses, describe_worker_exits, worker_status

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

MAX_START_ATTEMPTS = 3  # attempts to start a local cluster
# Where the dashboard listens: the scheduler opens a port even without a dashboard, and the default
# port may be taken.
ANY_PORT = "127.0.0.1:0"
SCHEDULER_TIMEOUT = 10.0  # seconds for a scheduler to answer
FIRST_WORKER_TIMEOUT = 30.0  # seconds for the first worker to connect
POLL_INTERVAL = 0.02  # seconds between two checks for completed tasks
NO_WORKER_TIMEOUT = 120.0  # seconds to wait for workers while there are none
# The setting of the time after which Dask does not restart a worker that died. Its default of 15
# seconds is too short on a busy machine, where a process may take longer to start.
LOST_WORKER_SETTING = "distributed.deploy.lost-worker-timeout"
CONNECTION_LOST = (
    "The connection to the cluster was lost. Nothing was released. Run again when the scheduler"
    " answers."
)


@contextmanager
def connect(client: "Client | str | None") -> Iterator["Client"]:
    """Yield the given client, a client for the address of a scheduler, or one of a local cluster.

    A local cluster has one process per core and is closed at the end.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise MissingDependency(
            "A cluster needs Dask. Install it with: pip install 'shoal[scale]', or use"
            ' `client="processes"` on one machine.',
            code="package-missing",
            extra="scale",
        ) from None
    with _record_worker_exits(), _connect(client) as connected_client:
        yield connected_client


@contextmanager
def _connect(client: "Client | str | None") -> Iterator["Client"]:
    import dask
    from distributed import Client

    if isinstance(client, Client):
        yield client
    elif client is not None:
        try:
            _check_address(client)
            connected_client = Client(client, timeout=SCHEDULER_TIMEOUT, set_as_default=False)
        except (OSError, ValueError):
            raise ClusterError(
                f"No scheduler answers at {client!r}. Start it, or leave the address out for a"
                " local cluster.",
                code="no-scheduler",
            ) from None
        with connected_client:
            yield connected_client
    else:
        with (
            dask.config.set({LOST_WORKER_SETTING: f"{NO_WORKER_TIMEOUT}s"}),
            _start_local_cluster() as cluster,
            Client(cluster, set_as_default=False) as connected_client,
        ):
            yield connected_client


def _check_address(address: str) -> None:
    """Raise for a malformed address; a half-initialised client would log errors later."""
    from distributed.comm import get_address_host_port

    if not address.startswith(("inproc://", "ucx://")):  # these have neither host nor port
        get_address_host_port(address)


def _start_local_cluster() -> "LocalCluster":
    """Start one process per core; retry, since processes may start too slowly on a busy machine."""
    from distributed import LocalCluster

    cores = os.cpu_count() or 1
    for attempts_left in reversed(range(MAX_START_ATTEMPTS)):
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
        f"A local cluster did not start in {MAX_START_ATTEMPTS} attempts. Free some memory or"
        " ports, or give the address of a scheduler.",
        code="cluster-not-started",
        tries=MAX_START_ATTEMPTS,
    )


class DaskRunner:
    """Runs tasks on a Dask cluster; see `shoal.scale.Runner`.

    Parameters
    ----------
    client : Client
        The client of the cluster.
    """

    def __init__(self, client: "Client"):
        self.client = client

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future":
        """Submit a task to the scheduler; return its future."""
        with translate_errors():
            return self.client.submit(function, *arguments, pure=False)

    def gather(
        self, handles: "Sequence[Future]", heartbeat: Callable[[], None]
    ) -> Iterator[tuple[int, Any]]:
        """Yield position and result of each task; Dask repeats tasks whose worker died."""
        position_by_key = {future.key: position for position, future in enumerate(handles)}
        with translate_errors():
            for future, result in _as_completed(self.client, handles, heartbeat):
                yield position_by_key[future.key], result

    def cancel(self, handles: "Sequence[Future]") -> None:
        """Cancel tasks; tasks that are running are completed, and their results dropped."""
        with translate_errors():
            self.client.cancel(list(handles), force=True)

    def check(self, folder: str) -> None:
        """Refuse a cluster without workers, with another version, or without the folder."""
        with translate_errors(), suppress(TimeoutError):
            self.client.wait_for_workers(1, timeout=FIRST_WORKER_TIMEOUT)
        with translate_errors():
            statuses = self.client.run(worker_status, folder, on_error="ignore")
        check_statuses(statuses, folder)


def _as_completed(
    client: "Client", futures: Sequence[Any], heartbeat: Callable[[], None]
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
                heartbeat()
                last_worker_seen = last_report if _has_workers(client) else last_worker_seen
                _check_idle_time(last_report - last_worker_seen)
        future, result = next(completed)
        if future.cancelled():
            raise ClusterError(CONNECTION_LOST, code="cluster-lost")
        yield future, result


def _has_workers(client: "Client") -> bool:
    """Return whether there are workers; raise if the connection is lost."""
    if client.status != "running":
        raise ClusterError(CONNECTION_LOST, code="cluster-lost")
    return bool(client.scheduler_info()["workers"])


def _check_idle_time(seconds: float) -> None:
    """Give up after too long without workers; Dask itself would wait indefinitely."""
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
