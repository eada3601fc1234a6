"""Running times of methods, beside those that a paper prints."""

import os
import platform
import time
from collections.abc import Callable

from reproduction.page import TextTable
from reproduction.stored_results import stored

N_RUNS = 3  # runs of which the shortest counts


def cpu_seconds(run: Callable[[], object]) -> float:
    """Return the lowest CPU time of a few runs, after one that compiles."""
    run()
    times = []
    for _ in range(N_RUNS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


@stored("machine")
def machine() -> dict[str, object]:
    """Return the machine on which the times were measured."""
    return {"processor": platform.machine(), "cores": os.cpu_count(), "system": platform.system()}


def describe_machine() -> str:
    """Return the cores, the processor and the system of the machine, in words."""
    entries = machine()
    return f"a machine with {entries['cores']} ({entries['processor']}, {entries['system']})"


def times_table(
    title: str, paper_machine: str, published: dict[str, str], ours: dict[str, float]
) -> TextTable:
    """Join printed times and ours; ``paper_machine`` is a sentence on the machine of the paper."""
    about = (
        f"{paper_machine} Ours is the lowest CPU time of {N_RUNS} runs on one core of"
        f" {describe_machine()}, after the kernels were compiled."
    )
    rows = {name: (text, format_seconds(ours[name])) for name, text in published.items()}
    return TextTable(title, about, rows)


def format_seconds(seconds: float) -> str:
    """Return a time to two digits."""
    return f"{seconds:.2g} s" if seconds >= 0.095 else f"{1000 * seconds:.2g} ms"
