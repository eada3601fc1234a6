"""How long work tells how far it is, without knowing who listens.

A listener is set for a stretch of code, as a warning filter is; the code below
reports to whoever listens and returns at once when nobody does.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("shoal_progress", default=None)


@contextmanager
def reporting_to(listener: Listener) -> Iterator[None]:
    """Send every report of the enclosed code to ``listener(stage, done, total)``."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(stage: str, done: int, total: int) -> None:
    """Say that ``done`` of ``total`` units of ``stage`` are done.

    After a comma, the stage may tell what is known so far, as ``"searching, loss
    4.71%"``; the words before it name the stage.
    """
    listener = _listener.get()
    if listener is not None:
        listener(stage, done, total)
