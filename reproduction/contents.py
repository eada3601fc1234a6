"""The contents of the papers: where each item is in Shoal, or why it is missing.

`contents.txt` has one line for each algorithm, definition, theorem with algorithmic content, table,
figure, example, timing and recommendation.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reproduction.page import Page

CONTENTS_FILE = Path(__file__).with_suffix(".txt")
MISSING_PREFIX = "not here: "


@dataclass(frozen=True)
class Item:
    """An item of a paper, and where it is.

    Parameters
    ----------
    name : str
        The name of the item in the paper.
    description : str
        What the item is.
    locations : tuple of str
        Where the item is: importable names, headings of the paper's page after ``#``, or pages
        of the documentation.
    reason : str
        Why the item is missing, or an empty string.
    """

    name: str
    description: str
    locations: tuple[str, ...]
    reason: str = ""


@cache
def contents() -> Mapping[str, tuple[Item, ...]]:
    """Return the items of each paper."""
    items: dict[str, tuple[Item, ...]] = {}
    paper = ""
    for line in CONTENTS_FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            paper = line.strip("[]")
            items[paper] = ()
        elif line and not line.startswith("#"):
            items[paper] += (_item(line),)
    return items


def _item(line: str) -> Item:
    name, description, locations = (cell.strip() for cell in line.split("|"))
    if locations.startswith(MISSING_PREFIX):
        return Item(name, description, (), locations.removeprefix(MISSING_PREFIX))
    return Item(name, description, tuple(text.strip() for text in locations.split(";")))


def headings(text: str) -> list[str]:
    """Return the headings of a page, below its title."""
    return re.findall(r"(?m)^###? (.*)$", text)


def heading_of(location: str, text: str) -> str:
    """Return the first heading of a page that begins with the text of a location after ``#``."""
    beginning = location.removeprefix("#")
    return next(heading for heading in headings(text) if heading.startswith(beginning))


def contents_text(pages: Sequence[Page], texts: Mapping[str, str]) -> str:
    """Return the page that lists all items; ``texts`` are the pages of the papers."""
    blocks = [
        "# What the papers contain, and where it is",
        "Every algorithm, definition, theorem with algorithmic content, table, figure, example,\n"
        "timing and recommendation of the five papers. A test imports every name and looks up\n"
        "every heading.",
    ]
    for page in pages:
        rows = ["| In the paper | What | In Shoal |", "| --- | --- | --- |"]
        for item in contents()[page.name]:
            links = [_link(location, page.name, texts[page.name]) for location in item.locations]
            where = ", ".join(links) or f"{MISSING_PREFIX}{item.reason}"
            rows.append(f"| {item.name} | {item.description} | {where} |")
        blocks += [f"## {page.title}", "\n".join(rows)]
    return "\n\n".join(blocks) + "\n"


def _link(location: str, paper: str, text: str) -> str:
    """Return a location as a link, or as code if it is an importable name."""
    if location.startswith("#"):
        heading = heading_of(location, text)
        return f"[{heading.partition(':')[0]}]({paper}.md#{anchor(heading)})"
    if location.startswith("docs/"):
        return f"[{Path(location).stem}](../{location.removeprefix('docs/')})"
    return f"`{location}`"


def anchor(heading: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w\u4e00-\u9fff\- ]", "", heading.strip().lower().replace(" ", "-"))
