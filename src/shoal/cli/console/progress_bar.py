"""The progress bar: one line with the stage in plain words, the share done and the time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from shoal._progress_estimate import DELAY, Estimate
from shoal._text import shorten

WIDE = 100  # minimum width of a terminal with room for a long bar
TIME_WIDTH = 39  # characters of " 100 % 10:10 elapsed, about 10:30 left " with its spaces


class ProgressBar:
    """A bar on standard error, shown once a command takes longer than a moment."""

    def __init__(self) -> None:
        from rich.console import Console

        console = Console(stderr=True)
        bar_width = 24 if console.width >= WIDE else 10
        self._text_width = max(10, console.width - bar_width - TIME_WIDTH)
        self._estimate = Estimate()
        self._bar = _rich_bar(console, bar_width, self._estimate)
        self._is_shown = False
        self._is_ended = False
        self._text = ""

    def update(self, stage: str, done: int, total: int) -> None:
        """Show the progress of a stage."""
        text = shorten(self._estimate.update(stage, done, total), self._text_width)
        if self._is_ended or (not self._is_shown and self._estimate.elapsed < DELAY):
            return
        if not self._is_shown:
            self._is_shown = True
            self._bar.add_task(text, total=100)
            self._bar.start()
        self._bar.update(
            self._bar.task_ids[0],
            description=text,
            completed=100 * self._estimate.share,
            refresh=text != self._text,  # a stage may end before the next regular refresh
        )
        self._text = text

    def end(self) -> None:
        """Remove the bar for good."""
        if self._is_shown and not self._is_ended:
            self._bar.stop()
        self._is_ended = True

    def print_above(self, text: str) -> None:
        """Print a line above the bar."""
        self._bar.console.print(text, markup=False, highlight=False)


def _rich_bar(console: Any, width: int, estimate: Estimate) -> Any:
    """Return a progress bar of rich: stage, bar, share done and time."""
    from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn
    from rich.text import Text

    class TimeColumn(ProgressColumn):
        """The elapsed time, which advances even while a stage reports nothing."""

        def render(self, task: object) -> Text:
            return Text(estimate.describe_time())

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=width),
        TaskProgressColumn(),
        TimeColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


# The bar of the running command, if its output is a terminal.
_current_bar: ProgressBar | None = None


def end_progress_bar() -> None:
    """Remove the bar that is shown, if there is one, before other output."""
    if _current_bar is not None:
        _current_bar.end()


def print_above(text: str) -> None:
    """Print a line to standard error, above the bar if one is shown."""
    if _current_bar is not None:
        _current_bar.print_above(text)
    else:
        typer.echo(text, err=True)


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar while the enclosed code runs; yield the function that updates it."""
    global _current_bar
    bar = _current_bar = ProgressBar()
    try:
        yield bar.update
    finally:
        bar.end()
        _current_bar = None
