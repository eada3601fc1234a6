"""Defer signals while code runs that must not be interrupted halfway."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def defer_interrupt(*, redeliver: bool = True) -> Iterator[None]:
    """Hold back SIGINT until the enclosed code, which must be short, has finished.

    Python delivers signals to the main thread only, so in other threads this does nothing.

    Parameters
    ----------
    redeliver : bool
        Whether a signal that arrived meanwhile is raised afterwards, unless the enclosed code
        raises an exception itself. Pass False if the code is the clean-up that the signal would
        request.

    Yields
    ------
    None
        Nothing.
    """
    previous = signal.getsignal(signal.SIGINT)
    if previous is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: received.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
    if received and redeliver:
        signal.raise_signal(signal.SIGINT)
