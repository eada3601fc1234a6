"""Reports from long computations to whichever interface started them: progress, published files.

An interface sets a listener for a block of code, as one sets a warning filter; code inside calls
`report`, which does nothing when no listener is set. A listener may raise to stop the computation.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("shoal_progress", default=None)
_published: ContextVar[list[str] | None] = ContextVar("shoal_published", default=None)


@contextmanager
def reporting_to(listener: Listener) -> Iterator[None]:
    """Pass every report of the enclosed code to ``listener(stage, done, total)``."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(stage: str, done: int, total: int) -> None:
    """Report that ``done`` of ``total`` units of work in ``stage`` are done.

    The name of the stage may be followed by a comma and an interim result, as in ``"searching,
    loss 4.71%"``.
    """
    listener = _listener.get()
    if listener is not None:
        listener(stage, done, total)


@contextmanager
def recording_published() -> Iterator[list[str]]:
    """Gather the names of the files and tables that the enclosed code publishes."""
    names: list[str] = []
    token = _published.set(names)
    try:
        yield names
    finally:
        _published.reset(token)


def report_published(names: Iterable[str]) -> None:
    """Report that files or tables are complete and in their place."""
    gathered = _published.get()
    if gathered is not None:
        gathered.extend(names)
