"""The gallery: pages that are run when the site is built, and draw their own pictures."""

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

from shoal.report import palette

sys.path.append(str(Path(__file__).parents[2] / "tests"))

import markdown_pages  # noqa: E402 (the tests run the pages)

PICTURE = re.compile(r"^```\{picture\} (.*)\n(?:.*\n)*?```$", re.M)
IMAGE = re.compile(r"\{image\} (.+)-light\.(?:svg|png)")
ENTRY = re.compile(r"^- \[(.+)\]\(([\w-]+)\.md\): ((?:.+\n)(?:  .+\n)*)", re.M)
# Colours of a picture on a light ground, and on a dark one.
DARK = {palette.LIGHT[name]: colour for name, colour in palette.DARK.items()} | {
    "#111111": "#e4e4e4", "#555555": "#a8a8a8", "#dddddd": "#3c3c3c",
    "#0072b2": "#56b4e9", "#d55e00": "#ff9d5c", "#009e73": "#3fd0a4",
}  # fmt: skip


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of every page and picture."""
    folder, shown = root / "docs" / "gallery", {}
    for path in sorted(folder.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if path.stem != "index":
            for number, picture in enumerate(run(path.name, text)):
                yield f"gallery/{path.stem}-{number}-light.svg", picture
                yield f"gallery/{path.stem}-{number}-dark.svg", on_dark(picture)
            shown[path.stem] = with_pictures(path.stem, text)
            yield f"gallery/{path.stem}.md", shown[path.stem]
    text = (folder / "index.md").read_text(encoding="utf-8")
    yield "gallery/index.md", index(text, shown)


def run(name: str, text: str) -> list[str]:
    """Run a page in an empty folder; return its pictures. A page that is not true is an error."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        try:
            return list(markdown_pages.run(name, text)["pictures"])
        finally:
            os.chdir(here)


def on_dark(picture: str) -> str:
    """Return a picture in the colours for a dark ground."""
    return re.sub("|".join(DARK), lambda colour: DARK[colour[0]], picture)


def with_pictures(name: str, text: str) -> str:
    """Return a page that shows its pictures where their code stands."""
    numbers = iter(range(len(text)))
    return PICTURE.sub(lambda match: _figure(f"{name}-{next(numbers)}", match[1]), text)


def _figure(name: str, caption: str) -> str:
    return f"{_images(f'{name}-light.svg', caption)}\n\n*{caption}*"


def _images(light: str, words: str) -> str:
    """Return a picture for a light ground and the same for a dark one."""
    return "\n".join(
        f"```{{image}} {light.replace('-light.', f'-{scheme}.')}\n:alt: {words}\n"
        f":class: only-{scheme}\n```"
        for scheme in ("light", "dark")
    )


def index(text: str, shown: dict[str, str]) -> str:
    """Return the first page, with the first picture of a page in front of every entry."""
    entries = list(ENTRY.finditer(text))
    cards = "\n".join(_card(*entry.groups(), shown[entry[2]]) for entry in entries)
    before, after = text[: entries[0].start()], text[entries[-1].end() :]
    toctree = "\n".join(["```{toctree}", ":hidden:", "", *(entry[2] for entry in entries), "```"])
    return f"{before}:::::{{container}} gallery\n{cards}\n:::::\n{after}\n{toctree}\n"


def _card(title: str, name: str, sentence: str, page: str) -> str:
    first = IMAGE.search(page)
    image = _images(first[0].removeprefix("{image} "), title) if first else ""
    words = " ".join(escape(sentence[:1].upper() + sentence[1:], quote=False).split())
    return f"::::{{container}} thumbnail\n{image}\n\n[{title}]({name}.md)\n\n{words}\n::::\n"
