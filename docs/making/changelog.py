"""The changelog: the fragments of the next release, if any, and the releases so far."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of the page."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    _, _, released = text.partition("<!-- newest first -->")
    sections = ["# Changes", next_release(root), released.strip()]
    yield "changelog.md", "\n\n".join(filter(None, sections)) + "\n"


def fragments(root: Path) -> list[Path]:
    """Return the change fragments that no release has collected yet."""
    return [path for path in (root / "changes").glob("*.md") if path.name != "README.md"]


def next_release(root: Path) -> str:
    """Return the section of the next release, or nothing if there are no fragments."""
    if not fragments(root):
        return ""
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "Next release"]
    command += ["--date", "not yet", "--dir", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    draft = done.stdout[done.stdout.index("## Next release") :].strip()
    return re.sub(r"(?m) \([\w-]+(?:, [\w-]+)*\)$", "", draft)  # the names of the fragments
