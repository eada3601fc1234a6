"""What every command does around its work: say what goes wrong, show how far it is."""

import json
import logging
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

import typer

from shoal import _progress as progress
from shoal.cli._wording import OWN_FLAGS, command_wording
from shoal.errors import ParameterError, ScratchFilesLeft, ShoalError, ShoalWarning, Wording

_interrupted = False
_wording: ContextVar[Wording] = ContextVar("wording", default=command_wording)


def current_wording() -> Wording:
    """Return what the running command calls an option."""
    return _wording.get()


def interrupt(number: int, frame: FrameType | None) -> None:
    """Remember that somebody wants an end; at the second time, end at once.

    An exception out of nowhere can be swallowed by a library, or crash one that is
    compiling; so the first time the work ends where it next tells its progress, and
    before anything is published.
    """
    global _interrupted
    if _interrupted:
        raise KeyboardInterrupt
    _interrupted = True


def heed() -> None:
    """End here if somebody asked for it."""
    global _interrupted
    if _interrupted:
        _interrupted = False  # who catches it, to keep the best so far, has heard it
        raise KeyboardInterrupt


PATIENCE = 0.5  # seconds before a progress bar is worth showing


@contextmanager
def session(*, quiet: bool = False, wording: Wording = command_wording) -> Iterator[None]:
    """Turn errors into one line and an exit code; show progress on a terminal.

    Messages name options as ``wording`` says.
    """
    _wording.set(wording)
    try:
        with ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore", ShoalWarning)  # told after the work, not in between
            warnings.simplefilter("always", ScratchFilesLeft)  # there may be no after
            warnings.showwarning = _shown(warnings.showwarning)
            if not quiet:
                stack.enter_context(_compilation_told())
            if sys.stderr.isatty() and not quiet:
                stack.enter_context(_progress_bar())
            else:
                stack.enter_context(progress.reporting_to(lambda stage, done, total: heed()))
            yield
    except ShoalError as error:
        complain(error.message_for(wording))
        raise typer.Exit(2 if isinstance(error, ParameterError) else 1) from None
    except KeyboardInterrupt:
        typer.echo("interrupted: nothing was written", err=True)
        raise typer.Exit(130) from None
    except (typer.Exit, typer.Abort):
        raise
    except MemoryError:
        complain("There is not enough memory for this table.")
        raise typer.Exit(1) from None
    except Exception as error:
        if os.environ.get("SHOAL_DEBUG"):
            raise
        # The message of an error that nobody foresaw may hold a value from the data.
        typer.echo("".join(traceback.format_tb(error.__traceback__)), err=True)
        complain(
            f"Something unforeseen happened ({type(error).__name__}). Nothing was released."
            " Please report the lines above; SHOAL_DEBUG=1 shows the message too."
        )
        raise typer.Exit(1) from None


def compile_ahead() -> None:
    """At the first use on this machine, let a second process compile what takes longest."""
    from shoal._kernels import ahead

    ahead.start()


def _shown(usual: Callable[..., None]) -> Callable[..., None]:
    """Return what shows a warning that cannot wait as all others are shown after the work."""

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, ScratchFilesLeft):
            typer.secho(f"warning: {message}", fg="yellow", err=True)
        else:
            usual(message, category, *where, **more)

    return show


def complain(message: str) -> None:
    """Show an error."""
    typer.secho(f"error: {message}", fg="red", err=True)


def say(content: Mapping[str, Any], line: str, *, as_json: bool, quiet: bool) -> None:
    """Print the result: JSON for machines, or one text for people."""
    if as_json:
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False))
    elif not quiet:
        typer.echo(line)


def numbers(text: str, kind: Callable[[str], Any], option: str) -> list[Any]:
    """Read a list of numbers like ``3,5,10``."""
    try:
        return [kind(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise ParameterError(
            f"{option} takes numbers like 3,5,10. Got {text!r}.",
            code="numbers-expected",
            option=option,
        ) from None


def settings(
    pairs: list[str], method: str, effort: str | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split ``name=value`` pairs into those of the step and those of the method and the effort."""
    from shoal import _params as parameters
    from shoal.partitioners import METHODS
    from shoal.steps import Microaggregate

    step, options = parameters.signature_parameters(Microaggregate), {}
    known: dict[str, parameters.Parameter] = {}
    for name in (effort, method):
        known |= parameters.signature_parameters(METHODS[name]) if name in METHODS else {}
    chosen: dict[str, Any] = {}
    for pair in pairs:
        name, mark, text = pair.partition("=")
        if not mark:
            raise ParameterError(
                f"--set takes name=value. Got {pair!r} instead.",
                code="setting-not-a-pair",
                given=pair,
            )
        if name in OWN_FLAGS:
            raise ParameterError(
                f"{name!r} is not for --set. Use {OWN_FLAGS[name]}.",
                code="setting-has-option",
                parameter=name,
            )
        if name in known:
            options[name] = known[name].parse(text)
        elif name in step:
            chosen[name] = step[name].parse(text)
        else:
            names = [other for other in [*known, *step] if other not in OWN_FLAGS]
            raise ParameterError(
                f"There is no parameter {name!r}.{parameters.hint(name, names)} The parameters are:"
                f" {', '.join(names)}.",
                code="unknown-parameter",
                parameter=name,
            )
    return chosen, options


@contextmanager
def _compilation_told() -> Iterator[None]:
    log = logging.getLogger("shoal")
    handler = logging.StreamHandler()
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


@contextmanager
def _progress_bar() -> Iterator[None]:
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    tasks: dict[str, Any] = {}
    began = time.monotonic()

    def listener(stage: str, done: int, total: int) -> None:
        heed()
        if not tasks and time.monotonic() - began < PATIENCE:
            return
        if not tasks:
            bar.start()
        name = stage.partition(",")[0]
        if name not in tasks:
            tasks[name] = bar.add_task(stage, total=total)
        bar.update(tasks[name], description=stage, completed=done, total=total)

    with progress.reporting_to(listener):
        try:
            yield
        finally:
            if tasks:
                bar.stop()
