"""Docstrings taken apart for the pages of the site."""

import re
from collections.abc import Iterable
from functools import cache
from inspect import getdoc
from pathlib import Path
from typing import Any

from numpydoc.docscrape import NumpyDocString

from shoal.partitioners import METHODS

KEY = re.compile(r"\[([A-Z][A-Za-z]*\d\d)\]_")
FORMULA = re.compile(r"^\.\. math:: (.*(?:\n +\S.*)*)", re.M)
PARTITIONERS = {cls.__name__: name for name, cls in METHODS.items()}


def read(thing: Any) -> NumpyDocString:
    """Return the sections of a docstring by name."""
    return NumpyDocString(getdoc(thing) or "")


def keys(thing: Any) -> list[str]:
    """Return the keys of the papers that a docstring cites, in order."""
    return list(dict.fromkeys(KEY.findall(getdoc(thing) or "")))


def anchor(key: str) -> str:
    """Return the name of the place where a paper is spelled out."""
    return f"paper-{key.lower()}"


def cited(text: str) -> str:
    """Return a text in which the key of a paper leads to the list of references."""
    return KEY.sub(lambda match: f":ref:`[{match[1]}] <{anchor(match[1])}>`", text)


def linked(text: str) -> str:
    """Return a text in which papers and other methods are links."""
    known = re.compile(r":class:`(\w+)`")

    def page(match: re.Match[str]) -> str:
        name = PARTITIONERS.get(match[1])
        return f":doc:`{match[1]} </methods/{name}>`" if name else f"``{match[1]}``"

    return known.sub(page, cited(text))


def plain(text: str) -> str:
    """Return a line of a docstring for a page in Markdown, without keys of papers."""
    text = re.sub(r",?( of| as in)?,? \[\w+\]_", "", text)
    text = re.sub(r":math:`([^`]+)`", r"{math}`\1`", text)
    return re.sub(r"(?<!\w):\w+:`(\w+)`", r"`\1`", text).replace("``", "`")


def formula(thing: Any) -> str:
    """Return the first formula of a docstring on a line of its own, in LaTeX."""
    block = FORMULA.search(getdoc(thing) or "")
    return " ".join(block[1].split()).rstrip(".,") if block else ""


def rst(text: str | Iterable[str]) -> str:
    """Return a piece of a docstring for a page in Markdown."""
    lines = text if isinstance(text, str) else "\n".join(text)
    return f"```{{eval-rst}}\n{linked(lines).strip()}\n```"


def notes(thing: Any) -> dict[str, str]:
    """Return the parts of the Notes by the bold word that each begins with."""
    text = "\n".join(read(thing)["Notes"])
    parts = re.split(r"(?m)^\*\*([^*]+?)\.?\*\*", text)
    return {head: body.strip() for head, body in zip(parts[1::2], parts[2::2], strict=True)}


def spelled_out(root: Path, key: str) -> str:
    """Return a paper for a page in Markdown, with a link to the list of references."""
    (text,) = papers(root / "src" / "shoal")[key]
    return f"{{ref}}`[{key}] <{anchor(key)}>` {text}"


@cache
def papers(source: Path) -> dict[str, set[str]]:
    """Return how the papers are spelled out under ``source``, by key."""
    spellings: dict[str, set[str]] = {}
    entry = re.compile(r"^( *)\.\. \[(\w+)\] (.*(?:\n\1 {3}\S.*)*)", re.M)
    for path in sorted(source.rglob("*.py")):
        for _, key, text in entry.findall(path.read_text(encoding="utf-8")):
            spellings.setdefault(key, set()).add(" ".join(text.split()))
    return spellings


def for_the_site(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Remove from a docstring what the page around it states, and link the papers."""
    del app, what, options
    dropped = ["References"]
    shown = cited("\n".join(lines))
    if name.rpartition(".")[2] in PARTITIONERS and isinstance(thing, type):
        dropped.append("Notes")
        shown = re.sub(r"\A(.*?)\n\n.*?(?=^Parameters\n-)", r"\1\n\n", shown, flags=re.S | re.M)
    for section in dropped:
        until = r"(?=^\w[\w ]*\n-{3,}\n|\Z)"
        shown = re.sub(rf"^{section}\n-+\n.*?{until}", "", shown, flags=re.S | re.M)
    lines[:] = shown.split("\n")
