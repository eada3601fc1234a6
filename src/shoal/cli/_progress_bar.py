"""The progress bar: one line with the stage in plain words, the share done and the time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from shoal._progress_estimate import DELAY, Estimate
from shoal._text import shorten

WIDE = 100  # columns of a terminal with room for a long bar
TIME = 39  # characters of " 100 % 10:10 elapsed, about 10:30 left " with its spaces
_end_bar: Callable[[], None] | None = None  # ends the bar that is shown
_print_above_bar: Callable[[str], None] | None = None  # prints above it


def end_progress_bar() -> None:
    """Remove the bar that is shown, if there is one, before other output."""
    if _end_bar is not None:
        _end_bar()


def print_above(text: str) -> None:
    """Print a line to standard error, above the bar if one is shown."""
    if _print_above_bar is not None:
        _print_above_bar(text)
    else:
        typer.echo(text, err=True)


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar on standard error once a command takes longer; yield its listener."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn
    from rich.text import Text

    class TimeColumn(ProgressColumn):
        """The elapsed time, which advances even while a stage reports nothing."""

        def render(self, task: object) -> Text:
            return Text(estimate.describe_time())

    global _end_bar, _print_above_bar
    console = Console(stderr=True)
    bar_width = 24 if console.width >= WIDE else 10
    available = max(10, console.width - bar_width - TIME)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=bar_width),
        TaskProgressColumn(),
        TimeColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    estimate, is_shown, is_ended, last_words = Estimate(), False, False, ""

    def listen(stage: str, done: int, total: int) -> None:
        nonlocal is_shown, last_words
        words = shorten(estimate.update(stage, done, total), available)
        if is_ended or (not is_shown and estimate.elapsed < DELAY):
            return
        if not is_shown:
            is_shown = True
            bar.add_task(words, total=100)
            bar.start()
        # A stage may end before the bar is drawn again by itself.
        refresh, last_words = words != last_words, words
        completed = 100 * estimate.share
        bar.update(bar.task_ids[0], description=words, completed=completed, refresh=refresh)

    def end_bar() -> None:
        nonlocal is_ended
        if is_shown and not is_ended:
            bar.stop()
        is_ended = True

    def print_line(text: str) -> None:
        bar.console.print(text, markup=False, highlight=False)

    _end_bar, _print_above_bar = end_bar, print_line
    try:
        yield listen
    finally:
        end_bar()
        _end_bar = _print_above_bar = None
