"""Output of commands, wrapped and coloured on terminals only."""

import os
import shutil
import sys

import typer

from shoal._text import wrap_text
from shoal.cli.console.progress_bar import end_progress_bar


def width_of(stream: object) -> int | None:
    """Return the width of the terminal behind a stream, or None for a file or a pipe."""
    is_terminal = getattr(stream, "isatty", lambda: False)()
    return max(shutil.get_terminal_size().columns, 40) if is_terminal else None


def echo(text: str, *, colour: str | None = None, err: bool = False) -> None:
    """Remove the progress bar and print text; on a terminal, break lines between words.

    ``colour`` applies to the label before the first colon, such as "warning". Nothing is coloured
    if the output is not a terminal or ``NO_COLOR`` is set.
    """
    end_progress_bar()
    stream = sys.stderr if err else sys.stdout
    width = width_of(stream)
    if width is not None:
        text = wrap_text(text, width)
    if colour is not None:
        label, colon, message = text.partition(":")
        text = typer.style(label + colon, fg=colour, bold=True) + message
    typer.echo(text, err=err, color=False if os.environ.get("NO_COLOR") else None)
