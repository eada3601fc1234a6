"""Runs in several processes: the parent notices a run that kills its process, or never ends."""

import faulthandler
import multiprocessing
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from fuzz.run import Result, run_one

Run = Callable[[int, int], Result]

STARTING = 600.0  # seconds that a process may take until its first run
LIMIT = 300.0  # seconds after which a run counts as one that never ends; compiling takes some


def _work(
    run: Run, seed: int, first: int, step: int, most: int | None, until: float, out: Connection
) -> None:
    """Do every ``step``-th run from ``first`` on; tell each number before and each result after."""
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent sees to it
    number = first
    while (most is None or number < most) and time.time() < until:
        out.send(number)
        out.send(run(seed, number))
        number += step
    out.send(None)


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    number: int
    since: float


class Workers:
    """Processes that share the runs of a seed among them.

    Parameters
    ----------
    seed : int
        Seed of all runs.
    start : int
        Number of the first run.
    runs : int or None
        How many runs; None for as many as there is time for.
    seconds : float
        Time after which no run begins.
    jobs : int
        Number of processes.
    run : callable
        What does one run.
    """

    def __init__(
        self,
        seed: int,
        start: int,
        runs: int | None,
        seconds: float,
        jobs: int,
        run: Run = run_one,
    ):
        self.run, self.seed, self.step = run, seed, jobs
        self.most = None if runs is None else start + runs
        self.until = time.time() + seconds
        self.context = multiprocessing.get_context("spawn")
        self.living = [self._start(start + at) for at in range(jobs)]

    def _start(self, first: int) -> _Worker:
        receiver, sender = self.context.Pipe(duplex=False)
        arguments = (self.run, self.seed, first, self.step, self.most, self.until, sender)
        process = self.context.Process(target=_work, args=arguments, daemon=True)
        process.start()
        sender.close()
        return _Worker(process, receiver, first, time.monotonic() + STARTING)

    def each(self, handle: Callable[[Result], None]) -> None:
        """Give every result to ``handle`` until all is done."""
        while self.living:
            wait([worker.pipe for worker in self.living], timeout=1.0)
            for worker in list(self.living):
                self._look(worker, handle)

    def _look(self, worker: _Worker, handle: Callable[[Result], None]) -> None:
        try:
            while worker.pipe.poll():
                message = worker.pipe.recv()
                if message is None:
                    worker.process.join()
                    self.living.remove(worker)
                    return
                if isinstance(message, Result):
                    handle(message)
                else:
                    worker.number, worker.since = message, time.monotonic()
        except EOFError:
            worker.process.join()
            self._replace(worker, handle, _reason(worker.process.exitcode))
            return
        if time.monotonic() - worker.since > LIMIT:
            worker.process.kill()
            worker.process.join()
            self._replace(worker, handle, f"hung: not done after {LIMIT:g} seconds")

    def _replace(self, worker: _Worker, handle: Callable[[Result], None], reason: str) -> None:
        """Report the run that ended a process, and go on behind it with another."""
        handle(Result(self.seed, worker.number, "killed", [reason]))
        self.living.remove(worker)
        following = worker.number + self.step
        if self.most is None or following < self.most:
            self.living.append(self._start(following))

    def stop(self) -> None:
        """End all processes."""
        for worker in self.living:
            worker.process.kill()
            worker.process.join()


def _reason(code: int) -> str:
    if code < 0:
        return f"signal: the process ended with {signal.Signals(-code).name}"
    return f"signal: the process exited with {code} in the middle of a run"
