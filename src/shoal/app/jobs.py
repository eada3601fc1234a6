"""Work in a process of its own: the page stays awake, and whatever happens can be ended."""

import json
import multiprocessing
import signal
from collections.abc import Callable
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

from shoal.app import worker

LOST = "lost"  # stands for an answer that never came


def _context() -> BaseContext:
    """Return a way to start processes that does not copy this one, threads and all."""
    known = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in known else "spawn")
    if context.get_start_method() == "forkserver":
        context.set_forkserver_preload(["shoal.app.worker"])  # so that a job starts at once
    return context


def prepare() -> None:
    """Start what starts the jobs, so that the first one need not wait."""
    if _context().get_start_method() == "forkserver":
        from multiprocessing.forkserver import ensure_running

        ensure_running()


def how_it_ended(code: int | None) -> str:
    """Say how a process ended that sent no answer.

    Parameters
    ----------
    code : int or None
        Its exit code; the negative number of a signal where one ended it.

    Returns
    -------
    str
        What is known, and what to try.

    Examples
    --------
    >>> how_it_ended(-11)
    'The worker was ended by signal 11 (SIGSEGV). Nothing was released. Please report this.'
    """
    if code is None or code >= 0:
        return f"The worker ended with exit code {code} and no answer. Nothing was released."
    try:
        name = f"{-code} ({signal.Signals(-code).name})"
    except ValueError:
        name = str(-code)
    way_out = "Please report this."
    if -code == getattr(signal, "SIGKILL", None):
        way_out = (
            "That is how the system ends a process when memory runs out: try fewer columns, or the"
            " command line on a larger machine."
        )
    elif -code in (signal.SIGTERM, signal.SIGINT):
        way_out = "Run again."
    return f"The worker was ended by signal {name}. Nothing was released. {way_out}"


class Job:
    """A task in a process.

    Parameters
    ----------
    task : str
        A name in `shoal.app.worker.TASKS`.
    order : dict
        What to do, ready for JSON.
    folder : Path
        Where the files lie; the process works there.
    """

    def __init__(self, task: str, order: dict[str, Any], folder: Path):
        context = _context()
        self._reader, writer = context.Pipe(duplex=False)
        self._process = context.Process(  # type: ignore[attr-defined]
            target=worker.work, args=(task, json.dumps(order), str(folder), writer), daemon=True
        )
        self._process.start()
        writer.close()

    def wait(self, tell: Callable[[str, int, int], None]) -> dict[str, Any]:
        """Return what came out, ``{"done": ...}`` or ``{"failed": reason}``; pass progress on."""
        answer: dict[str, Any] = {}
        while not answer:
            try:
                message = json.loads(self._reader.recv_bytes())
            except (EOFError, OSError):
                message = {"failed": LOST}
            if "stage" in message:
                tell(message["stage"], message["done"], message["total"])
            else:
                answer = message
        self._process.join()
        self._reader.close()
        if answer.get("failed") == LOST:
            answer = {"failed": how_it_ended(self._process.exitcode)}
        return answer

    def cancel(self) -> None:
        """End the process at once; what it wrote is for the caller to remove."""
        self._process.kill()
