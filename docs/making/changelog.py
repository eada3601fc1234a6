"""What changed: the releases so far, and the fragments of the next."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of the page."""
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "Next release"]
    command += ["--date", "not yet", "--dir", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    draft = done.stdout[done.stdout.index("## Next release") :].strip()
    draft = re.sub(r"(?m) \([\w-]+(?:, [\w-]+)*\)$", "", draft)  # the names of the fragments
    past = (root / "CHANGELOG.md").read_text(encoding="utf-8").partition("<!-- newest first -->")[2]
    yield "changelog.md", f"# Changes\n\n{draft}\n\n{past.strip()}\n"
