"""One list of all papers that docstrings cite."""

from collections.abc import Iterator
from pathlib import Path

from making import docstrings
from shoal.metrics import MEASURES
from shoal.partitioners import METHODS
from shoal.steps import STEPS


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of the page."""
    entries = []
    for key, texts in sorted(docstrings.papers(root / "src" / "shoal").items()):
        (text,) = texts  # a paper is spelled out the same way everywhere
        used = f" Used by {', '.join(actual)}." if (actual := uses(key)) else ""
        entries.append(f"({docstrings.anchor(key)})=\n## {key}\n\n{text}{used}")
    about = "Every paper that a docstring cites, by its key."
    yield "references.md", "\n\n".join(["# References", about, *entries]) + "\n"


def uses(key: str) -> list[str]:
    """Return links to the methods, measures and steps that cite a paper."""
    sections = (("methods", METHODS), ("measures", MEASURES))
    actual = [
        f"[`{name}`]({section}/{name}.md)"
        for section, things in sections
        for name, thing in things.items()
        if key in docstrings.keys(thing)
    ]
    steps = [name for name, step in STEPS.items() if key in docstrings.keys(step)]
    return actual + [f"[`{name}`](reference/steps.md)" for name in steps]
