"""What must not end halfway: nobody's Ctrl-C falls between two renames."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unhurried(*, heed: bool = True) -> Iterator[None]:
    """Let an interrupt wait until the enclosed code is done, a matter of moments.

    Parameters
    ----------
    heed : bool
        Whether it is heard afterwards; not where the enclosed code is the end itself.

    Yields
    ------
    None
        Nothing.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is None or threading.current_thread() is not threading.main_thread():
        yield  # only the main thread hears interrupts
        return
    heard: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard and heed:
        signal.raise_signal(signal.SIGINT)
