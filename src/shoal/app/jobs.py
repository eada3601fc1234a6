"""Jobs in separate processes, so that the page stays responsive and jobs can be cancelled."""

import json
import multiprocessing
import signal
from collections.abc import Callable
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

from shoal.app import worker

NO_ANSWER = "lost"  # the process ended without an answer


def _context() -> BaseContext:
    """Return a multiprocessing context that does not fork this process, which has threads."""
    start_methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context(
        "forkserver" if "forkserver" in start_methods else "spawn"
    )
    if context.get_start_method() == "forkserver":
        context.set_forkserver_preload(["shoal.app.worker"])  # so that jobs start fast
    return context


def prepare() -> None:
    """Start the fork server, so that the first job does not wait for it."""
    if _context().get_start_method() == "forkserver":
        from multiprocessing.forkserver import ensure_running

        ensure_running()


def describe_exit(code: int | None) -> str:
    """Describe the end of a process that sent no answer.

    Parameters
    ----------
    code : int or None
        Exit code of the process; the negative number of a signal if a signal ended it.

    Returns
    -------
    str
        What happened, and what to try.

    Examples
    --------
    >>> describe_exit(-11)
    'The worker was ended by signal 11 (SIGSEGV). Nothing was released. Please report this.'
    """
    if code is None or code >= 0:
        return (
            f"The worker ended with exit code {code} and without an answer. Nothing was released."
        )
    try:
        name = f"{-code} ({signal.Signals(-code).name})"
    except ValueError:
        name = str(-code)
    way_out = "Please report this."
    if -code == getattr(signal, "SIGKILL", None):
        way_out = (
            "The system does this when memory runs out: try fewer columns, or the command line on"
            " a larger machine."
        )
    elif -code in (signal.SIGTERM, signal.SIGINT):
        way_out = "Run again."
    return f"The worker was ended by signal {name}. Nothing was released. {way_out}"


class Job:
    """A task that runs in a process of its own.

    Parameters
    ----------
    task : str
        A name in `shoal.app.worker.TASKS`.
    arguments : dict
        Arguments of the task, which can be written as JSON.
    folder : Path
        Working directory of the process.
    """

    def __init__(self, task: str, arguments: dict[str, Any], folder: Path):
        context = _context()
        self._reader, writer = context.Pipe(duplex=False)
        self._process = context.Process(  # type: ignore[attr-defined]
            target=worker.run_task,
            args=(task, json.dumps(arguments), str(folder), writer),
            daemon=True,
        )
        self._process.start()
        writer.close()

    def wait(self, on_progress: Callable[[str, int, int], None]) -> dict[str, Any]:
        """Pass on progress; return ``{"done": result}``, or ``{"failed": reason, ...}``."""
        answer: dict[str, Any] = {}
        while not answer:
            try:
                message = json.loads(self._reader.recv_bytes())
            except (EOFError, OSError):
                message = {"failed": NO_ANSWER}
            if "stage" in message:
                on_progress(message["stage"], message["done"], message["total"])
            else:
                answer = message
        self._process.join()
        self._reader.close()
        if answer.get("failed") == NO_ANSWER:
            answer = {"failed": describe_exit(self._process.exitcode)}
        return answer

    def cancel(self) -> None:
        """Kill the process; the caller removes the files that it wrote."""
        self._process.kill()
