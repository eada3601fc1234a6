"""Links between written pages lead somewhere; links to elsewhere are well formed."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from mdit_py_plugins.anchors.index import slugify

import markdown_pages
from shoal.metrics import MEASURES
from shoal.partitioners import METHODS

ROOT, DOCS = markdown_pages.ROOT, markdown_pages.ROOT / "docs"
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
# Pages that only the site holds; what stands on them, the test of the site sees to.
MADE = {
    *(DOCS / "methods" / f"{name}.md" for name in ("index", *METHODS)),
    *(DOCS / "measures" / f"{name}.md" for name in ("index", *MEASURES)),
    *(
        DOCS / "reference" / f"{name}.md"
        for name in (
            "index",
            "functions",
            "objects",
            "steps",
            "datasets",
            "errors",
            "commands",
            "codes",
        )
    ),
    DOCS / "references.md",
    DOCS / "changelog.md",
}
PAGES = {str(path.relative_to(ROOT)): path for path in markdown_pages.list_pages()}


def links(text: str) -> list[str]:
    """Return where the links of a page lead, without those in code."""
    for block in markdown_pages.FENCE.finditer(text):
        text = text.replace(block[0], "")
    return LINK.findall(re.sub(r"`[^`\n]*`", "`x`", text))


def places(text: str) -> set[str]:
    """Return what can be linked to within a page: its heads, and places with a name."""
    for block in markdown_pages.FENCE.finditer(text):
        text = text.replace(block[0], "")
    heads = re.findall(r"(?m)^#{1,6} +(.*?) *$", text)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", head) for head in heads]
    return {slugify(head) for head in plain} | set(re.findall(r"(?m)^\(([\w-]+)\)=$", text))


def problem(page: Path, link: str) -> str:
    """Return what is wrong with a link, or nothing."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return "" if parts.scheme == "https" and "." in parts.netloc else "is not well formed"
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target in MADE:
        return ""
    if not target.exists():
        return "leads nowhere"
    actual = not parts.fragment or parts.fragment in places(target.read_text(encoding="utf-8"))
    return "" if actual else "leads to a head that is not there"


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_somewhere(page):
    actual = links(PAGES[page].read_text(encoding="utf-8"))
    wrong = {link: result for link in actual if (result := problem(PAGES[page], link))}
    assert not wrong


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("files.md", ""),
        ("files.md#what-is-released-with-a-file", ""),
        ("papers/README.md", ""),
        ("methods/mdav.md", ""),
        ("../README.md", ""),
        ("https://www.example.org/page", ""),
        ("no-such-page.md", "leads nowhere"),
        ("methods/no-such-method.md", "leads nowhere"),
        ("files.md#no-such-head", "leads to a head that is not there"),
        ("#no-such-head", "leads to a head that is not there"),
        ("http://www.example.org", "is not well formed"),
        ("https://nowhere", "is not well formed"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(link, expected):
    assert problem(DOCS / "app.md", link) == expected


def test_links_in_code_are_ignored():
    text = "[a](one.md) `[b](two.md)` ![c](three.png)\n\n```text\n[d](four.md)\n```\n"
    assert links(text) == ["one.md", "three.png"]


def test_every_section_has_a_first_page():
    for folder in (path for path in DOCS.iterdir() if path.is_dir()):
        if folder.name not in (
            "papers",
            "pictures",
            "making",
            "_static",
            "_templates",
            "__pycache__",
        ):
            assert (folder / "index.md").exists(), folder.name
