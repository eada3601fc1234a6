"""Reports from long computations to whichever interface started them: progress, published files.

An interface sets a listener for a block of code, as one sets a warning filter; code inside calls
`report`, which does nothing when no listener is set. A listener may raise to stop the computation.
Functions that users call are decorated with `shows_progress`: without a listener, notebooks show a
bar, and scripts if `show_progress` enables it.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from shoal._progress_bars import Bar, LineBar, NotebookBar, kernel_shell

Listener = Callable[[str, int, int], None]
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_listener: ContextVar[Listener | None] = ContextVar("shoal_progress", default=None)
_published: ContextVar[list[str] | None] = ContextVar("shoal_published", default=None)
_show: ContextVar[bool | None] = ContextVar("shoal_show_progress", default=None)


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
    """Record the names of the files and tables that the enclosed code publishes."""
    names: list[str] = []
    token = _published.set(names)
    try:
        yield names
    finally:
        _published.reset(token)


def report_published(names: Iterable[str]) -> None:
    """Report that files or tables are complete and in place."""
    published = _published.get()
    if published is not None:
        published.extend(names)


@contextmanager
def show_progress(show: bool = True) -> Iterator[None]:
    """Show or hide the progress of long computations in the enclosed code.

    By default notebooks show it and scripts do not.

    Parameters
    ----------
    show : bool
        Whether to show it: as a bar in a notebook, elsewhere as a line on standard error.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> import shoal
    >>> with shoal.show_progress():
    ...     release = shoal.microaggregate(shoal.datasets.sme(), ["surface"], k=3, method="mdav",
    ...         identifiers=["company"], confidential=["turnover", "net_profit", "employees"])
    """
    token = _show.set(show)
    try:
        yield
    finally:
        _show.reset(token)


def shows_progress(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let a function show its progress if no interface listens; see `show_progress`."""

    @wraps(function)
    def wrapper(*values: Parameters.args, **options: Parameters.kwargs) -> Result:
        show, shell = _show.get(), kernel_shell()
        if _listener.get() is not None or show is False or (show is None and shell is None):
            return function(*values, **options)
        bar: Bar = LineBar(sys.stderr) if shell is None else NotebookBar()
        try:
            with reporting_to(bar.listen):
                return function(*values, **options)
        finally:
            bar.end()

    return wrapper
