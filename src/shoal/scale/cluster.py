"""Work on a Dask cluster: in stages, with progress, and with words for what goes wrong."""

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
from shoal.errors import ClusterError, MissingDependency

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

STARTS = 3  # tries to start a local cluster
# Without a dashboard a scheduler still listens, at a port of its own that another may hold.
ANY_PORT = "127.0.0.1:0"
ANSWER = 10.0  # seconds for a scheduler to answer
COMING = 30.0  # seconds for the first worker to come
PAUSE = 0.02  # seconds between two looks for what has ended
PATIENCE = 120.0  # seconds to wait for workers where there are none
# Dask gives a worker that died up for ever after this time. Left alone, it waits 15 seconds, and
# on a busy machine a process may need more to start.
GIVEN_UP = "distributed.deploy.lost-worker-timeout"
LOST = (
    "The connection to the cluster was lost. Nothing was released. Run again when the scheduler"
    " answers."
)


@contextmanager
def opened(client: "Client | str | None") -> Iterator["Client"]:
    """Yield a client: the one that is given, one of a scheduler's address, or of a local cluster.

    A local cluster has one process for each core and ends with the work.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise MissingDependency(
            "Large tables need Dask. Install it with: pip install 'shoal[scale]'.",
            code="package-missing",
            extra="scale",
        ) from None
    with _noting_deaths(), _connected(client) as connected:
        yield connected


@contextmanager
def _connected(client: "Client | str | None") -> Iterator["Client"]:
    import dask
    from distributed import Client

    if isinstance(client, Client):
        yield client
    elif client is not None:
        try:
            _check_address(client)
            connected = Client(client, timeout=ANSWER, set_as_default=False)
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
            dask.config.set({GIVEN_UP: f"{PATIENCE}s"}),
            _local() as cluster,
            Client(cluster, set_as_default=False) as connected,
        ):
            yield connected


def _check_address(address: str) -> None:
    """Raise where an address can be none: a client that was half made would complain later."""
    from distributed.comm import get_address_host_port

    if not address.startswith(("inproc://", "ucx://")):  # these have neither host nor port
        get_address_host_port(address)


def _local() -> "LocalCluster":
    """Start a process for each core; try again, since a busy machine may be too slow once."""
    from distributed import LocalCluster

    cores = os.cpu_count() or 1
    for left in reversed(range(STARTS)):
        try:
            return LocalCluster(
                n_workers=cores,
                threads_per_worker=1,
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": ANY_PORT},
                silence_logs=50,
            )
        except RuntimeError:
            if not left:
                break
    raise ClusterError(
        f"A local cluster did not start in {STARTS} tries. Free some memory or ports, or give the"
        " address of a scheduler.",
        code="cluster-not-started",
        tries=STARTS,
    )


def check_workers(client: "Client", folder: Path) -> None:
    """Refuse a cluster without workers, with another Shoal, or that does not see the folder."""
    with said(), suppress(TimeoutError):
        client.wait_for_workers(1, timeout=COMING)
    with said():
        found: dict[str, tuple[bool, str]] = client.run(_told, str(folder), on_error="ignore")
    if not found:
        raise ClusterError(
            "The cluster has no workers. Start some, then run again.", code="no-workers"
        )
    for worker, (sees, version) in found.items():
        if version != shoal.__version__:
            raise ClusterError(
                f"Worker {worker} runs Shoal {version}, and this is {shoal.__version__}. Install"
                " one version everywhere.",
                code="versions-differ",
                version=version,
            )
        if not sees:
            raise ClusterError(
                f"Worker {worker} does not see the folder of the target. Write to a folder that all"
                " workers share.",
                code="folder-not-shared",
            )


def stage(
    client: "Client",
    name: str,
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    sizes: Sequence[int],
) -> Iterator[tuple[int, Any]]:
    """Yield the number and the result of each task, in the order in which they end.

    Results are small and fetched at once, so a worker that dies takes nothing along but the
    tasks in its hands; these run again elsewhere. ``sizes`` tells the records of each task,
    for progress.
    """
    done, total = 0, sum(sizes)
    futures: list[Any] = []

    def tell() -> None:
        progress.report(name, done, total)

    with said():
        tell()
        try:
            futures = [client.submit(function, *arguments, pure=False) for arguments in tasks]
            number = {future.key: at for at, future in enumerate(futures)}
            for future, result in _ended(client, futures, tell):
                at = number[future.key]
                done += sizes[at]
                tell()
                yield at, result
        finally:
            client.cancel(futures, force=True)


def _ended(
    client: "Client", futures: Sequence[Any], tell: Callable[[], None]
) -> Iterator[tuple[Any, Any]]:
    """Yield futures and results as they end; tell every second that work goes on."""
    from distributed import as_completed

    ready = as_completed(futures, loop=client.loop, with_results=True)
    for _ in futures:
        began = told = time.monotonic()
        while not ready.has_ready():
            time.sleep(PAUSE)
            if time.monotonic() > told + 1:
                told = time.monotonic()
                tell()
                began = told if _works(client) else began
                _refuse_patience(told - began)
        future, result = next(ready)
        if future.cancelled():
            raise ClusterError(LOST, code="cluster-lost")
        yield future, result


def _works(client: "Client") -> bool:
    """Say whether there are workers; raise where nobody could say."""
    if client.status != "running":
        raise ClusterError(LOST, code="cluster-lost")
    return bool(client.scheduler_info()["workers"])


def _refuse_patience(seconds: float) -> None:
    """Give up: Dask waits for ever for workers that do not come back."""
    if seconds > PATIENCE:
        raise ClusterError(
            "The cluster has no workers left. Nothing was released. Start some, then run again.",
            code="no-workers",
        )


class _Deaths(logging.Handler):
    """Notes how the processes of a local cluster end: Dask says it in its log alone."""

    _TOLD = re.compile(
        r"Worker process \d+ (?:was killed by signal (\d+)|exited with status (\d+))"
    )

    def __init__(self) -> None:
        super().__init__()
        self.codes: list[int] = []

    def emit(self, record: logging.LogRecord) -> None:
        found = self._TOLD.search(record.getMessage())
        if found:
            self.codes.append(-int(found[1]) if found[1] else int(found[2]))


_deaths = _Deaths()


@contextmanager
def _noting_deaths() -> Iterator[None]:
    """Note how worker processes end, without showing what Dask logs about them."""
    log = logging.getLogger("distributed.nanny")
    level, passed_on = log.level, log.propagate
    _deaths.codes.clear()
    log.addHandler(_deaths)
    log.setLevel(logging.INFO)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(_deaths)
        log.setLevel(level)
        log.propagate = passed_on


def died(codes: Sequence[int]) -> str:
    """Say that workers died on one part of the table, and how they ended where that is known.

    Parameters
    ----------
    codes : sequence of int
        Their exit codes; the negative number of a signal where one ended a worker.

    Returns
    -------
    str
        What is known, and what to try.

    Examples
    --------
    >>> died([-11])
    'Workers ended again and again on one part of the table: signal 11 (SIGSEGV). Nothing was\
 released. Please report this.'
    """
    names = []
    for code in codes:
        known = {one.value: one.name for one in signal.Signals}
        signalled = f"signal {-code} ({known.get(-code, 'unknown')})"
        names.append(signalled if code < 0 else f"exit code {code}")
    how = f": {', '.join(names)}" if names else "; their logs say why"
    way_out = "Please report this."
    if not names or -getattr(signal, "SIGKILL", 9) in codes:
        way_out = "If memory ran out, lower `chunk_size` or give workers more memory."
    return (
        f"Workers ended again and again on one part of the table{how}. Nothing was released."
        f" {way_out}"
    )


@contextmanager
def said() -> Iterator[None]:
    """Say in our words what a cluster says in its own."""
    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        yield
    except KilledWorker:
        codes = list(dict.fromkeys(_deaths.codes))
        raise ClusterError(died(codes), code="workers-died", exit_codes=codes) from None
    except (CommClosedError, CancelledError, TimeoutError):
        raise ClusterError(LOST, code="cluster-lost") from None


def _told(folder: str) -> tuple[bool, str]:
    return Path(folder).is_dir(), shoal.__version__
