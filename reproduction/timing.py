"""Running times of methods, beside those that a paper prints."""

import os
import platform
import time
from collections.abc import Callable

from reproduction.page import Rows
from reproduction.store import stored

RUNS = 3


def seconds(run: Callable[[], object]) -> float:
    """Return the least processor time of a few runs, after one that compiles."""
    run()
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return min(times)


@stored("machine")
def machine() -> dict[str, object]:
    """Return the machine on which the times were measured."""
    return {"processor": platform.machine(), "cores": os.cpu_count(), "system": platform.system()}


def table(
    title: str, paper_machine: str, published: dict[str, str], ours: dict[str, float]
) -> Rows:
    """Join printed times and ours; ``paper_machine`` is a sentence on the machine of the paper."""
    here = machine()
    about = (
        f"{paper_machine} Ours is the least processor time of {RUNS} runs on one core of a machine"
        f" with {here['cores']} ({here['processor']}, {here['system']}), kernels compiled before."
    )
    rows = {name: (text, format_seconds(ours[name])) for name, text in published.items()}
    return Rows(title, about, rows)


def format_seconds(seconds: float) -> str:
    """Return a time to two digits."""
    return f"{seconds:.2g} s" if seconds >= 0.095 else f"{1000 * seconds:.2g} ms"
