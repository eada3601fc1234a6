"""Progress bars that need no package: in a notebook, and as a line of text."""

import sys
import time
from typing import Any, TextIO

from shoal._progress_estimate import DELAY, Estimate

INTERVAL = 0.2  # seconds between two updates


def kernel_shell() -> Any:
    """Return the IPython shell of the kernel of a notebook that runs this code, or None.

    IPython is not imported here, because a kernel has already imported it.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell if getattr(shell, "kernel", None) is not None else None


class Bar:
    """A progress display that appears after `DELAY` seconds and is removed at the end."""

    def __init__(self) -> None:
        self.estimate = Estimate()
        self.last_update = 0.0
        self.visible = False

    def listen(self, stage: str, done: int, total: int) -> None:
        """Take a report into account and show it."""
        words = self.estimate.update(stage, done, total)
        now = time.monotonic()
        if self.estimate.elapsed >= DELAY and now - self.last_update >= INTERVAL:
            self.last_update, self.visible = now, True
            self.show(words, round(100 * self.estimate.share), self.estimate.describe_time())

    def end(self) -> None:
        """Remove the bar."""
        if self.visible:
            self.visible = False
            self.remove()

    def show(self, words: str, percentage: int, duration: str) -> None:
        """Show the stage, the percentage that is done and the time."""
        raise NotImplementedError

    def remove(self) -> None:
        """Remove it from the screen."""
        raise NotImplementedError


class NotebookBar(Bar):
    """A bar in the output of a cell."""

    def __init__(self) -> None:
        super().__init__()
        self.handle: Any = None

    def show(self, words: str, percentage: int, duration: str) -> None:
        """Show or update the bar."""
        text = f"{words}: {percentage} %, {duration}"
        bar = f'<progress max="100" value="{percentage}" aria-label="Progress"></progress>'
        self._display({"text/html": f"<div>{bar} {text}</div>", "text/plain": text})

    def remove(self) -> None:
        """Replace the bar with nothing, which leaves the other outputs of the cell."""
        self._display({"text/html": "", "text/plain": ""})

    def _display(self, content: dict[str, str]) -> None:
        if self.handle is None:
            display = sys.modules["IPython.display"].display
            self.handle = display(content, raw=True, display_id=True)
        else:
            self.handle.update(content, raw=True)


class LineBar(Bar):
    """A line of text that is rewritten on a terminal, and otherwise written once per stage.

    Parameters
    ----------
    stream : text stream
        Where to write.
    """

    def __init__(self, stream: TextIO):
        super().__init__()
        self.stream = stream
        self.words = ""

    def show(self, words: str, percentage: int, duration: str) -> None:
        """Write the line."""
        if self.stream.isatty():
            self.stream.write(f"\r\x1b[K{words}: {percentage} %, {duration}")
            self.stream.flush()
        elif words != self.words:
            self.stream.write(f"{words} ...\n")
        self.words = words

    def remove(self) -> None:
        """Clear the line on a terminal."""
        if self.stream.isatty():
            self.stream.write("\r\x1b[K")
            self.stream.flush()
