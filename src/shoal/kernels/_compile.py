"""How a kernel is compiled, kept for the next run, and announced."""

import logging

from numba import njit
from numba.core import event

_log = logging.getLogger("shoal")


def compiled(function):
    """Compile ``function`` at its first call and keep the result on disk.

    Numba keeps it beside the source or, where that place is read-only, in the
    user's cache folder. Where neither can be written, the kernel is compiled
    again in every process: slower, never wrong.
    """
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found no place to write to
        return njit(nogil=True)(function)


class _Announcer(event.Listener):
    """Log one line for each kernel file that is compiled, not for each of its verbs."""

    def __init__(self):
        self.told = set()

    def on_start(self, event):
        module = event.data["dispatcher"].py_func.__module__
        if not module.startswith("shoal.kernels."):
            return
        kernel = module.rpartition(".")[2]
        if not self.told:
            _log.info(
                "Compiling for this machine; this happens once and takes a few seconds (%s).",
                kernel,
            )
        self.told.add(kernel)

    def on_end(self, event):
        """Nothing to say: the next line of output shows that it is done."""


event.register("numba:compile", _Announcer())
