"""How a kernel is compiled, kept for the next run, and announced."""

import gc
import logging
import os
from types import FunctionType

from numba import __version__ as installed
from numba import njit
from numba.core import event

from shoal._kernels._cache import cache_folder, write_checksums_at_exit

_log = logging.getLogger("shoal")

# `_pipeline` leans on parts of numba that may change without notice. So it serves only the
# versions that the tests have seen; others compile longer, by numba's own way, to the same code.
SEEN = ("0.68.",)
OURS = installed.startswith(SEEN)
if OURS:
    from shoal._kernels._pipeline import DoorCompiler, VerbCompiler


def compiled(function):
    """Compile ``function`` at its first call and keep the result on disk.

    It is kept beside the source or, where that place is read-only, in the user's
    cache folder; see `shoal._kernels._cache`. Where neither can be written, the
    kernel is compiled again in every process: slower, never wrong.

    Kernels call a twin of it, a verb, which is no machine code until a door needs
    it; see `shoal._kernels._pipeline`. Only doors are kept.
    """
    kernel = _door(function)
    if not OURS:
        return kernel
    verb = njit(pipeline_class=VerbCompiler, no_cpython_wrapper=True, **OPTIONS)(_twin(function))
    kernel.get_call_template, kernel.get_overload = verb.get_call_template, verb.get_overload
    return kernel


# Kernels are called from Python and from one another; a door for C would be compiled in vain.
OPTIONS = {"nogil": True, "no_cfunc_wrapper": True}


def _door(function):
    """Return a kernel for Python, kept on disk if there is a place."""
    options = OPTIONS | {"pipeline_class": DoorCompiler} if OURS else OPTIONS
    with cache_folder() as kept:
        return njit(cache=kept, **options)(function)


def _twin(function):
    """Return a function of the same code and another name, so that numba tells them apart."""
    parts = function.__name__, function.__defaults__, function.__closure__
    twin = FunctionType(function.__code__, function.__globals__, *parts)
    twin.__module__, twin.__qualname__ = function.__module__, f"{function.__qualname__}.verb"
    return twin


def inlined(function):
    """Write ``function`` out wherever a kernel calls it, instead of compiling it by itself.

    For small verbs on large structures, which cost more to hand over than to use.
    """
    return njit(inline="always", nogil=True)(function)


class _Announcer(event.Listener):
    """Tell once per process that kernels are being compiled, so that nobody thinks it hangs.

    Meanwhile Python collects no garbage: a compiler makes many objects and few cycles, and
    looking for these was a tenth of the time.
    """

    def __init__(self):
        self.told = False
        self.depth = 0
        self.collecting = False

    def on_start(self, event):
        if not self.depth and not _is_ours(event):
            return
        self.depth += 1
        if self.depth == 1:
            self.collecting = gc.isenabled()
            gc.disable()
            write_checksums_at_exit(os.getpid())
        if not self.told:
            _log.info("Compiling for this machine: a few seconds, once.")
            self.told = True

    def on_end(self, event):
        """Collect garbage again, if that was done before."""
        if not self.depth:
            return
        self.depth -= 1
        if not self.depth and self.collecting:
            gc.enable()


def _is_ours(event):
    return event.data["dispatcher"].py_func.__module__.startswith("shoal.")


event.register("numba:compile", _Announcer())
