"""Compilation of each kernel in one of the processes that run the tests; the others load it.

The processes start at the same time with no compiled kernels, so without locks each of them would
compile the same kernels.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from shoal._kernels import _cache


@cache  # conftest.py may be imported twice
def start(folder: Path) -> None:
    """Compile and load the kernels of this process under locks, which are files in ``folder``."""
    if find_spec("fcntl") is None:  # on Windows each process compiles for itself
        return
    folder.mkdir(parents=True, exist_ok=True)
    compile_or_load = Dispatcher.compile

    def compile_once(dispatcher: Any, signature: Any) -> Any:
        # A kernel within another is not cached, and its process has locked the other.
        if isinstance(dispatcher._cache, NullCache) or global_compiler_lock.is_locked():
            return compile_or_load(dispatcher, signature)
        name = f"{dispatcher.py_func.__module__}.{dispatcher.py_func.__qualname__}"
        with _locked(folder / hashlib.sha256(name.encode()).hexdigest()[:16]):
            n_compiled = sum(dispatcher.stats.cache_misses.values())
            entry = compile_or_load(dispatcher, signature)
            if sum(dispatcher.stats.cache_misses.values()) > n_compiled:
                _write_checksums(folder)
        return entry

    Dispatcher.compile = compile_once


def _write_checksums(folder: Path) -> None:
    """Write the checksums now: a process that starts removes the kernels that have none."""
    kernels = _cache.open_kernel_folder()
    if kernels is not None:
        with _locked(folder / "checksums"):
            _cache.write_checksums(kernels)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    import fcntl

    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)  # also for a process that was forked meanwhile
