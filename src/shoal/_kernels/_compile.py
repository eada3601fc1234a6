"""Decorators that compile kernels, cache them on disk, and log that they are being compiled."""

import gc
import logging
import time

from numba import __version__ as numba_version
from numba import njit
from numba.core import event

from shoal._kernels._cache import use_cache_folder, write_checksums_now_and_at_exit

_log = logging.getLogger("shoal")

LOG_EVERY = 5.0  # seconds between two lines about compiling
# Kernels are called from Python and from one another, never from C.
OPTIONS = {"nogil": True, "no_cfunc_wrapper": True}

# `_pipeline` uses undocumented parts of numba. It is used only with versions that were tested;
# with others, numba's own pipeline compiles the same kernels, and takes longer.
TESTED_VERSIONS = tuple(f"0.{minor}." for minor in range(59, 69))
USES_PIPELINE = numba_version.startswith(TESTED_VERSIONS)
if USES_PIPELINE:
    from shoal._kernels._pipeline import EntryCompiler, use_inner_kernel


def compiled(function):
    """Compile ``function`` at its first call and cache the result on disk.

    It is cached in NUMBA_CACHE_DIR if that is set, otherwise beside the source or, if that folder
    is read-only, in the user's cache folder; see `shoal._kernels._cache`. If no folder can be
    written, the kernel is compiled again in every process: slower, never wrong.

    Other kernels call a copy of it, an inner kernel, which is compiled to machine code only
    as part of the entry kernels that need it; see `shoal._kernels._pipeline`. Only entry
    kernels, those that Python calls, are cached.
    """
    kernel = _entry_kernel(function)
    if USES_PIPELINE:
        use_inner_kernel(kernel, **OPTIONS)
    return kernel


def _entry_kernel(function):
    """Return a kernel that Python calls, cached on disk if there is a folder for it."""
    options = OPTIONS | {"pipeline_class": EntryCompiler} if USES_PIPELINE else OPTIONS
    with use_cache_folder() as is_cached:
        return njit(cache=is_cached, **options)(function)


def inlined(function):
    """Inline ``function`` in every kernel that calls it, instead of compiling it separately.

    For small kernels on large structures, where passing the structure takes longest.
    """
    return njit(inline="always", nogil=True)(function)


class _CompilationListener(event.Listener):
    """Log that kernels are being compiled, and every few seconds how many are done.

    Meanwhile Python's garbage collection is off: a compiler makes many objects and few
    cycles, and searching for these took a tenth of the time.
    """

    def __init__(self):
        self.depth = 0
        self.was_collecting = False
        self.n_compiled = 0
        self.seconds = 0.0
        self.started = self.last_logged = 0.0

    def on_start(self, event):
        """Begin to time an entry kernel, with garbage collection off; log the first one."""
        if not self.depth and not _is_ours(event):
            return
        self.depth += 1
        if self.depth > 1:
            return
        self.was_collecting = gc.isenabled()
        gc.disable()
        write_checksums_now_and_at_exit()
        self.started = time.monotonic()
        if not self.last_logged:
            _log.info("Compiling for this machine, once: this may take half a minute.")
            self.last_logged = self.started

    def on_end(self, event):
        """Count an entry kernel, and turn garbage collection on again if it was on before."""
        if not self.depth:
            return
        self.depth -= 1
        if self.depth:
            return
        if self.was_collecting:
            gc.enable()
        now = time.monotonic()
        self.n_compiled += 1
        self.seconds += now - self.started
        if now - self.last_logged >= LOG_EVERY:
            noun = "kernel" if self.n_compiled == 1 else "kernels"
            _log.info("Compiled %d %s in %.0f s so far.", self.n_compiled, noun, self.seconds)
            self.last_logged = now


def _is_ours(event):
    return event.data["dispatcher"].py_func.__module__.startswith("shoal.")


event.register("numba:compile", _CompilationListener())
