"""The contents of the papers, and where each item is in Shoal, or why it is missing.

`contents.txt` has one line for each algorithm, definition, theorem with algorithmic content, table,
figure, example, timing and recommendation.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reproduction.page import Page

LIST = Path(__file__).with_suffix(".txt")
MISSING = "not here: "


@dataclass(frozen=True)
class Item:
    """An item of a paper: its name there, a description, and its places in Shoal or a reason."""

    name: str
    what: str
    places: tuple[str, ...]
    reason: str = ""


@cache
def contents() -> Mapping[str, tuple[Item, ...]]:
    """Return the items of each paper."""
    items: dict[str, tuple[Item, ...]] = {}
    paper = ""
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            paper = line.strip("[]")
            items[paper] = ()
        elif line and not line.startswith("#"):
            items[paper] += (_item(line),)
    return items


def _item(line: str) -> Item:
    name, what, where = (cell.strip() for cell in line.split("|"))
    if where.startswith(MISSING):
        return Item(name, what, (), where.removeprefix(MISSING))
    return Item(name, what, tuple(place.strip() for place in where.split(";")))


def headings(text: str) -> list[str]:
    """Return the headings of a page, below its title."""
    return re.findall(r"(?m)^###? (.*)$", text)


def heading_of(place: str, text: str) -> str:
    """Return the first heading of a page that begins with the text of a place after ``#``."""
    return next(
        heading for heading in headings(text) if heading.startswith(place.removeprefix("#"))
    )


def contents_text(pages: Sequence[Page], texts: Mapping[str, str]) -> str:
    """Return the page that lists all items; ``texts`` are the pages of the papers."""
    parts = [
        "# What the papers hold, and where it is",
        "Every algorithm, definition, theorem with algorithmic content, table, figure, example,\n"
        "timing and recommendation of the five papers. A test imports every name and looks up\n"
        "every head.",
    ]
    for page in pages:
        rows = ["| In the paper | What | In Shoal |", "| --- | --- | --- |"]
        for item in contents()[page.name]:
            places = [_shown(place, page.name, texts[page.name]) for place in item.places]
            where = ", ".join(places) or f"not here: {item.reason}"
            rows.append(f"| {item.name} | {item.what} | {where} |")
        parts += [f"## {page.title}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def _shown(place: str, paper: str, text: str) -> str:
    if place.startswith("#"):
        heading = heading_of(place, text)
        return f"[{heading.partition(':')[0]}]({paper}.md#{anchor(heading)})"
    if place.startswith("docs/"):
        return f"[{Path(place).stem}](../{place.removeprefix('docs/')})"
    return f"`{place}`"


def anchor(heading: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w\u4e00-\u9fff\- ]", "", heading.strip().lower().replace(" ", "-"))
