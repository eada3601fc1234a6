"""Workers of any runner: check that they can take part, and describe how they ended."""

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

import shoal
from shoal.errors import ClusterError, ShoalError
from shoal.io.store_addresses import redact
from shoal.scale.storage.files import file_exists, is_remote, join
from shoal.scale.storage.scratch_folder import RUN_FILE


def worker_status(folder: str) -> tuple[bool, str]:
    """Return whether a worker sees a folder of scratch files, and its version of Shoal."""
    try:
        if is_remote(folder):
            has_access = file_exists(join(folder.rsplit("/", 1)[0], RUN_FILE))
        else:
            has_access = Path(folder).is_dir()
    except ShoalError:
        has_access = False
    return has_access, shoal.__version__


def check_statuses(workers: Mapping[str, tuple[bool, str]], folder: str) -> None:
    """Refuse workers with another version, or without access to the folder.

    Parameters
    ----------
    workers : dict
        What `worker_status` returned, by the name of the worker.
    folder : str
        The folder of scratch files.
    """
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
                f"Worker {worker} cannot access {redact(folder)!r}. Use a folder that all workers"
                " share, or an address in a store that they have credentials for.",
                code="folder-not-shared",
            )


def describe_worker_exits(codes: Sequence[int]) -> str:
    """Return the message that workers exited repeatedly on one task, with their exit codes.

    Parameters
    ----------
    codes : sequence of int
        Exit codes, if known; for a killed worker, minus the number of the signal.

    Returns
    -------
    str
        The message, with advice on what to try.

    Examples
    --------
    >>> describe_worker_exits([-11])
    'Workers exited repeatedly on one part of the table: signal 11 (SIGSEGV). Nothing was\
 released. Please report this.'
    """
    names = []
    for code in codes:
        signals = {member.value: member.name for member in signal.Signals}
        by_signal = f"signal {-code} ({signals.get(-code, 'unknown')})"
        names.append(by_signal if code < 0 else f"exit code {code}")
    exit_phrase = f": {', '.join(names)}" if names else "; see their logs for the reason"
    way_out = "Please report this."
    if not names or -getattr(signal, "SIGKILL", 9) in codes:
        way_out = "If memory ran out, lower `chunk_size` or give workers more memory."
    return (
        f"Workers exited repeatedly on one part of the table{exit_phrase}. Nothing was released."
        f" {way_out}"
    )
