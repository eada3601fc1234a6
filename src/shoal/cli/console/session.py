"""What all commands share: errors and exit codes, interrupts, progress and output."""

import json
import logging
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

import typer

from shoal import _progress as progress
from shoal._text import limit_table_width
from shoal.cli.console.progress_bar import end_progress_bar, print_above, progress_bar
from shoal.cli.console.terminal import echo, width_of
from shoal.cli.options.blocks import running_flags
from shoal.cli.wording import command_wording, wording_for_flags
from shoal.errors import (
    ParameterError,
    PlanError,
    ScratchFilesLeft,
    ShoalError,
    ShoalWarning,
    Wording,
)

_interrupted = False
_wording: ContextVar[Wording] = ContextVar("wording", default=command_wording)


def current_wording() -> Wording:
    """Return the wording of options in the messages of the running command."""
    return _wording.get()


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle SIGINT and SIGTERM: stop at the next progress report, or at the second signal.

    An exception raised in the middle of a library can be swallowed there, or crash a compiler, so
    the first signal only sets a flag, which `check_interrupt` reads before anything is published.
    """
    global _interrupted
    if _interrupted:
        raise KeyboardInterrupt
    _interrupted = True


def check_interrupt() -> None:
    """Raise `KeyboardInterrupt` if a signal arrived since the last call."""
    global _interrupted
    if _interrupted:
        _interrupted = False  # a search that catches the exception returns its best result so far
        raise KeyboardInterrupt


@contextmanager
def session(
    *, quiet: bool = False, wording: Wording = command_wording, only_own_flags: bool = True
) -> Iterator[None]:
    """Turn errors into one line and an exit code; show progress on a terminal.

    Messages write options in the notation of ``wording``, and name only options of the running
    command. If ``only_own_flags`` is False, they may name any option, because they are about a
    release that another command made.
    """
    flags = running_flags.get() if only_own_flags else None
    wording = wording if flags is None else wording_for_flags(flags, wording)
    _wording.set(wording)
    published: list[str] = []
    try:
        with _reporting(quiet=quiet) as published:
            yield
    except ShoalError as error:
        print_error(error.message_for(wording))
        raise typer.Exit(2 if isinstance(error, ParameterError | PlanError) else 1) from None
    except KeyboardInterrupt:
        echo(f"interrupted: {_describe_published(published, 'nothing was written')}", err=True)
        raise typer.Exit(130) from None
    except (typer.Exit, typer.Abort):
        raise
    except MemoryError:
        print_error("There is not enough memory for this table.")
        raise typer.Exit(1) from None
    except Exception as error:
        if os.environ.get("SHOAL_DEBUG"):
            raise
        _print_unexpected_error(error, _describe_published(published, "Nothing was released"))
        raise typer.Exit(1) from None


@contextmanager
def _reporting(*, quiet: bool) -> Iterator[list[str]]:
    """Show progress, log messages and some warnings; yield the growing list of published files."""
    with ExitStack() as stack:
        published: list[str] = stack.enter_context(progress.recording_published())
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", ShoalWarning)  # `print_release` prints them
        warnings.simplefilter("always", ScratchFilesLeft)  # even if nothing is released
        warnings.showwarning = _print_scratch_warnings(warnings.showwarning)
        if not quiet:
            stack.enter_context(_log_to_stderr())
        stack.enter_context(limit_table_width(width_of(sys.stdout)))
        update_progress_bar = None
        if sys.stderr.isatty() and not quiet:
            update_progress_bar = stack.enter_context(progress_bar())

        def listener(stage: str, done: int, total: int) -> None:
            check_interrupt()
            if update_progress_bar is not None:
                update_progress_bar(stage, done, total)

        stack.enter_context(progress.reporting_to(listener))
        yield published


def _print_unexpected_error(error: Exception, consequence: str) -> None:
    """Print where an error was raised, but not its message, which may contain a value."""
    typer.echo("".join(traceback.format_tb(error.__traceback__)), err=True)
    print_error(
        f"Unexpected error ({type(error).__name__}). {consequence}. Please report the lines above;"
        " SHOAL_DEBUG=1 shows the message too."
    )


def _describe_published(names: list[str], if_none: str) -> str:
    return f"Already published: {', '.join(names)}" if names else if_none


def compile_ahead() -> None:
    """Compile the slowest kernels in a second process, at the first use on this machine."""
    from shoal._kernels import compile_ahead

    compile_ahead.start()


def _print_scratch_warnings(default: Callable[..., None]) -> Callable[..., None]:
    """Return a ``showwarning`` that prints `ScratchFilesLeft` as commands print warnings."""

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, ScratchFilesLeft):
            echo(f"warning: {message}", colour="yellow", err=True)
        else:
            default(message, category, *where, **more)

    return show


def print_error(message: str) -> None:
    """Print an error to standard error."""
    echo(f"error: {message}", colour="red", err=True)


def print_result(content: Mapping[str, Any], text: str, *, as_json: bool, quiet: bool) -> None:
    """Print the result of a command: ``content`` as JSON, or ``text``."""
    if as_json:
        end_progress_bar()
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False))
    elif not quiet:
        echo(text)


class _ProgressLogHandler(logging.Handler):
    """Print log messages without disturbing the progress bar."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message."""
        print_above(record.getMessage())


@contextmanager
def _log_to_stderr() -> Iterator[None]:
    """Print log messages, such as that kernels are being compiled."""
    log = logging.getLogger("shoal")
    handler = _ProgressLogHandler()
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
