"""The contents of the papers: every location exists, and nothing of the pages is left out."""

from importlib import import_module
from pathlib import Path

import pytest

from reproduction import PAPERS
from reproduction.contents import contents, contents_text, heading_of, headings

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "papers"
TEXTS = {name: (FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in PAPERS}
LOCATIONS = sorted(
    {
        (name, location)
        for name in PAPERS
        for item in contents()[name]
        for location in item.locations
    }
)


def resolve(dotted):
    """Return what a dotted name means."""
    names = dotted.split(".")
    for length in range(len(names), 0, -1):
        try:
            value = import_module(".".join(names[:length]))
        except ModuleNotFoundError:
            continue
        for name in names[length:]:
            value = getattr(value, name)
        return value
    raise LookupError(dotted)


@pytest.mark.parametrize(("paper", "location"), LOCATIONS)
def test_every_location_exists(paper, location):
    if location.startswith("#"):
        assert heading_of(location, TEXTS[paper])
    elif location.startswith("docs/"):
        assert (ROOT / location).is_file()
    else:
        assert resolve(location) is not None


@pytest.mark.parametrize("paper", PAPERS)
def test_every_table_and_figure_of_a_page_is_listed(paper):
    listed = {
        heading_of(location, TEXTS[paper])
        for item in contents()[paper]
        for location in item.locations
        if location.startswith("#")
    }
    headings_of_paper = [
        heading for heading in headings(TEXTS[paper]) if heading.startswith(("Table", "Figure"))
    ]
    our_endings = ("and the order of the records", "in digits")
    assert [
        heading
        for heading in headings_of_paper
        if heading not in listed and not heading.endswith(our_endings)
    ] == []


@pytest.mark.parametrize("paper", PAPERS)
def test_missing_items_have_a_reason(paper):
    for item in contents()[paper]:
        assert item.locations or item.reason, item.name


def test_the_committed_list_is_what_the_code_gives():
    pages = [PAPERS[name].page for name in PAPERS]
    committed = (FOLDER / "contents.md").read_text(encoding="utf-8")
    assert contents_text(pages, TEXTS) == committed, "run make papers"
