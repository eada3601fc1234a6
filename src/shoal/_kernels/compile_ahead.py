"""Compile the largest kernel of a first run in a second process, in parallel with the others.

The kernel of the local search takes more than half of the time that a first run spends compiling,
and numba compiles in one thread at a time. A command therefore starts a second process, which
compiles that kernel into the cache folder while the command reads its file and compiles the
others.
"""

import gc
import os
import subprocess
import sys
from contextlib import suppress

import numpy as np

from shoal import _progress as progress
from shoal._kernels._cache import compiled_files, open_kernel_folder

CHECK_EVERY = 0.2  # seconds between two checks for an interrupt
_process: subprocess.Popen[bytes] | None = None


def start() -> None:
    """Compile the kernel of the local search in a second process, unless it is cached.

    No process is started if the result could not be cached, or if there is only one processor.
    """
    global _process
    folder = open_kernel_folder()
    if _process or folder is None or n_processors() < 2 or not sys.executable:
        return
    if any(path.name.startswith("passes.run_action") for path in compiled_files(folder)):
        return
    with suppress(OSError):
        _process = subprocess.Popen(
            [sys.executable, "-m", "shoal._kernels.compile_ahead"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def wait() -> None:
    """Wait for the second process, if there is one. If it failed, the kernel is compiled here."""
    global _process
    while _process is not None:
        progress.report("compiling", 0, 1)
        with suppress(subprocess.TimeoutExpired):
            _process.wait(CHECK_EVERY)
            _process = None


def n_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def main() -> None:
    """Compile the kernel by a call on the smallest table."""
    from shoal._kernels.local_search.passes import open_grouping

    zeros = np.zeros(4, np.int64)
    open_grouping(np.zeros((4, 1)), zeros.reshape(4, 1), zeros, 2)
    gc.freeze()  # the command waits for the end of this process, which would search for garbage


if __name__ == "__main__":
    main()
