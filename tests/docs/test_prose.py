"""Prose is wrapped at 100 columns, and private vocabulary stays out of the pages."""

import re

import pytest

import markdown_pages

WIDTH = 100
PAGES = {str(path.relative_to(markdown_pages.ROOT)): path for path in markdown_pages.list_pages()}
# Words that readers would have to learn first, with the word to use instead.
PRIVATE = {
    r"three doors|front door": "interface",
    r"rooms?\b(?! for)": "package",
    r"\bthe law of imports": "import rules",
    r"\b(?:is|are|was) told\b": "is reported, is shown",
    r"\bheed(?:s|ed)?\b": "handle",
    r"\bsettle[sd]?\b": "name what is done",
    r"worth a choice": "on the Pareto front",
    r"near(?:er|est)? company": "similar records",
    r"\bby hand of\b": "by",
}


def prose(text):
    """Return the numbered lines of a page that are neither code, table, heading nor picture."""
    for block in markdown_pages.FENCE.finditer(text):
        if not block[3].startswith("{glossary}"):
            text = text.replace(block[0], "\n" * block[0].count("\n"))
    lines = enumerate(text.splitlines(), start=1)
    return [(n, line) for n, line in lines if not re.match(r"    |\s*[|#<]|!\[", line)]


def too_long(line):
    """Return whether a line could be wrapped: it is long, not just one long link or name."""
    return len(line) > WIDTH and " " in re.sub(r"^\s*(?:[-*]|\d+\.)?\s*", "", line[:WIDTH])


@pytest.mark.parametrize("page", PAGES)
def test_prose_is_wrapped(page):
    text = PAGES[page].read_text(encoding="utf-8")
    long = [f"{page}:{n}" for n, line in prose(text) if too_long(line)]
    assert not long, f"Wrap these lines at {WIDTH} columns."


@pytest.mark.parametrize("page", PAGES)
def test_no_page_needs_a_private_vocabulary(page):
    text = "\n".join(line for _, line in prose(PAGES[page].read_text(encoding="utf-8")))
    actual = {p: instead for p, instead in PRIVATE.items() if re.search(p, text)}
    assert not actual


@pytest.mark.parametrize(
    ("line", "long"),
    [
        ("word " * 19 + "word", False),
        ("word " * 30, True),
        ("- " + "word " * 30, True),
        (f"- [name]({'x' * 120})", False),
        ("x" * 120, False),
    ],
)
def test_a_long_line_is_found(line, long):
    assert too_long(line) is long


def test_code_and_tables_are_not_prose():
    text = "a\n\n```python\nb\n```\n\n    c\n\n| d |\n# e\n![f](g.png)\nh\n"
    assert [line for _, line in prose(text) if line] == ["a", "h"]
    assert (12, "h") in prose(text)
