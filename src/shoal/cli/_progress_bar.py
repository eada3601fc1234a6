"""The progress bar: one line with the stage in plain words, the share done and the time."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

DELAY = 0.5  # seconds before the bar appears
EARLIEST = 3.0  # seconds before a remaining time is estimated
# What users see of a release, in order, with the usual share of the time that each part takes.
PARTS = {
    "Reading": 5,
    "Grouping": 45,
    "Improving the groups": 40,
    "Writing": 5,
    "Checking the file": 5,
}
PART_OF = {
    "reading": "Reading",
    "compiling": "Improving the groups",  # the kernel of the local search
    "moving records": "Improving the groups",
    "dissolving groups": "Improving the groups",
    "gathering groups": "Improving the groups",
    "exchanging records": "Improving the groups",
    "repairing groups": "Improving the groups",
    "merging groups": "Improving the groups",
    "second phase": "Improving the groups",
    "searching": "Improving the groups",
    "proving": "Improving the groups",
    "choosing groups": "Improving the groups",
    "linking records": "Improving the groups",
    "writing": "Writing",
    "reading back": "Checking the file",
    "publishing": "Checking the file",
}
NOT_A_RELEASE = ("comparing", "counting", "hashing", "inspecting the columns")

_end: Callable[[], None] | None = None  # ends the bar that is shown
_print: Callable[[str], None] | None = None  # prints above it


class Estimate:
    """How much of a command is done, from the reports of its stages; it never decreases.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.clock = clock
        self.start = clock()
        self.share = 0.0

    def update(self, stage: str, done: int, total: int) -> str:
        """Take a report into account and return what is being done, in words."""
        name, _, result = stage.partition(",")
        within = min(done / total, 1.0) if total > 0 else 0.0
        if name in NOT_A_RELEASE:
            self.share = max(self.share, within)
            words = name.capitalize()
        else:
            words = PART_OF.get(name, "Grouping")
            before = sum(list(PARTS.values())[: list(PARTS).index(words)])
            share = (before + PARTS[words] * within) / sum(PARTS.values())
            self.share = max(self.share, share)
        return f"{words}:{result}" if result else words

    def describe_time(self) -> str:
        """Return the time that has passed and, once it can be estimated, what may remain."""
        passed = self.clock() - self.start
        text = f"{_minutes(passed)} passed"
        if passed > EARLIEST and self.share > 0.1:
            text += f", about {_minutes(passed / self.share - passed)} left"
        return text


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def end_progress_bar() -> None:
    """Remove the bar that is shown, if there is one: what is printed next stays."""
    if _end is not None:
        _end()


def print_above(text: str) -> None:
    """Print a line to standard error, above the bar if one is shown."""
    if _print is not None:
        _print(text)
    else:
        typer.echo(text, err=True)


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar on standard error once a command takes longer; yield its listener."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn
    from rich.text import Text

    class TimeColumn(ProgressColumn):
        """The time, which goes on where a stage reports nothing."""

        def render(self, task: object) -> Text:
            return Text(estimate.describe_time())

    global _end, _print
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    estimate, shown, ended = Estimate(), False, False

    def listen(stage: str, done: int, total: int) -> None:
        nonlocal shown
        words = estimate.update(stage, done, total)
        if ended or (not shown and time.monotonic() - estimate.start < DELAY):
            return
        if not shown:
            shown = True
            bar.add_task(words, total=100)
            bar.start()
        bar.update(bar.task_ids[0], description=words, completed=100 * estimate.share)

    def end() -> None:
        nonlocal ended
        if shown and not ended:
            bar.stop()
        ended = True

    def print_line(text: str) -> None:
        bar.console.print(text, markup=False, highlight=False)

    _end, _print = end, print_line
    try:
        yield listen
    finally:
        end()
        _end = _print = None
