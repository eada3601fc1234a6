"""Write into pages what their code shows now, where it differs from what they say.

    python docs/restate.py docs/start/*.md      then read the difference: the prose may need a word

Output that holds ``...``, or should be empty, is left to people and printed.
"""

import os
import sys
import tempfile
import textwrap
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "tests"), str(Path(__file__).parent)]

import markdown_pages  # noqa: E402 (the tests run the pages)

WIDTH = 100  # of a line of output; blanks count as one, so it may be wrapped


def differences(name, text):
    """Run a page; return what it says and what its code shows, where these differ."""
    different, held = [], markdown_pages.compare

    def note(where, stated, shown):
        try:
            held(where, stated, shown)
        except AssertionError:
            different.append((stated, shown))

    markdown_pages.compare = note
    try:
        markdown_pages.run(name, text)
    finally:
        markdown_pages.compare = held
    return different


def restated(text, differences_):
    """Return a page that says what its code shows."""
    for stated, shown in differences_:
        if "..." in stated or not stated.strip():
            print(f"left to you:\n{stated}shown:\n{shown}")
            continue
        lines = [part for line in shown.rstrip().split("\n") for part in wrapped(line)]
        text = text.replace(stated, "\n".join(lines) + "\n", 1)
    return text


def wrapped(line):
    """Return a line in parts, if it is long."""
    return textwrap.wrap(line, WIDTH) if len(line) > WIDTH else [line]


def main(names):
    """Restate pages in their place."""
    for path in [Path(name).resolve() for name in names]:
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as place:
            os.chdir(place)
            actual = differences(path.name, text)
        path.write_text(restated(text, actual), encoding="utf-8")
        print(f"{path.name}: {len(actual)} differ")


if __name__ == "__main__":
    main(sys.argv[1:])
