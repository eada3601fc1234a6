"""The pages about papers, with what the site needs besides."""

import re
from collections.abc import Iterator
from pathlib import Path

# Symbols of the papers, such as D_X, and the formulas that define some of them.
SYMBOL = re.compile(r"(?<![\w`$])([DL])_([XYE]|SSE)\b(?: = 100 ([A-Z]{3}) / ([A-Z]{3})\b)?")
# Greek letters, such as λ or λ = 0.5, but not those in the address of a heading.
LETTER = re.compile(r"(?<![\w`$#-])([λρ])(?: = (\d(?:[\d.]*\d)?))?(?![\w`$-])")
LETTERS = {"λ": r"\lambda", "ρ": r"\rho"}


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of every page."""
    folder = root / "docs" / "papers"
    names = sorted(path.stem for path in folder.glob("*.md") if path.stem != "README")
    hidden = "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])
    yield "papers/README.md", f"{(folder / 'README.md').read_text(encoding='utf-8')}\n{hidden}\n"
    for name in names:
        text = (folder / f"{name}.md").read_text(encoding="utf-8")
        yield (
            f"papers/{name}.md",
            f"---\nhide-toc: true\n---\n\n{with_formulas(text)}",
        )  # wide tables


def with_formulas(text: str) -> str:
    """Return a page with its symbols as formulas, which the committed page has as plain text."""
    lines = (
        line if line.startswith(("#", "![")) else LETTER.sub(_letter, SYMBOL.sub(_formula, line))
        for line in text.split("\n")
    )
    return "\n".join(lines)


def _letter(match: re.Match[str]) -> str:
    value = "" if match[2] is None else f" = {match[2]}"
    return f"${LETTERS[match[1]]}{value}$"


def _formula(match: re.Match[str]) -> str:
    letter, index, upper, lower = match.groups()
    index = index if len(index) == 1 else rf"\mathrm{{{index}}}"
    ratio = rf" = 100 \cdot \mathrm{{{upper}}} / \mathrm{{{lower}}}" if upper else ""
    return f"${letter}_{index}{ratio}$"
