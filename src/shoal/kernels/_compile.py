"""How a kernel is compiled, kept for the next run, and announced."""

import logging
from functools import cache
from hashlib import sha256
from pathlib import Path

from numba import njit
from numba.core import event

_log = logging.getLogger("shoal")


def compiled(function):
    """Compile ``function`` at its first call and keep the result on disk.

    Numba keeps it beside the source or, where that place is read-only, in the
    user's cache folder. Where neither can be written, the kernel is compiled
    again in every process: slower, never wrong.

    Numba would look only at a kernel's own file to see whether what it kept is
    stale. But a kernel holds the code of those it calls, and code made of their
    older text was seen to group wrongly in silence. So the text of all kernels counts.
    """
    # Kernels are called from Python and from one another; a door for C would be compiled in vain.
    options = {"nogil": True, "no_cfunc_wrapper": True}
    try:
        kernel = njit(cache=True, **options)(function)
    except RuntimeError:  # numba found no place to write to
        return njit(**options)(function)
    kernel._cache._cache_file._source_stamp = _stamp()
    return kernel


@cache
def _stamp():
    """Return a name for the text of all kernels together."""
    texts = (path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    return sha256(b"\0".join(texts)).hexdigest()


def inlined(function):
    """Write ``function`` out wherever a kernel calls it, instead of compiling it by itself.

    For small verbs on large structures: compiling a verb takes longer the more
    arrays it is handed, however little it does with them.
    """
    return njit(inline="always", nogil=True)(function)


class _Announcer(event.Listener):
    """Tell once per process that kernels are being compiled, so that nobody thinks it hangs."""

    def __init__(self):
        self.told = False

    def on_start(self, event):
        module = event.data["dispatcher"].py_func.__module__
        if not self.told and module.startswith("shoal."):
            _log.info("Compiling for this machine: a few seconds, once.")
            self.told = True

    def on_end(self, event):
        """Nothing to say: what follows shows that it is done."""


event.register("numba:compile", _Announcer())
