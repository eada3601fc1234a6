"""The list of what the papers hold: every place exists, and nothing of the pages is left out."""

from importlib import import_module
from pathlib import Path

import pytest

from reproduction import PAPERS
from reproduction.contents import contents, contents_text, heading_of, headings

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "papers"
TEXTS = {name: (FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in PAPERS}
PLACES = sorted(
    {(name, place) for name in PAPERS for item in contents()[name] for place in item.places}
)


def resolve(dotted):
    """Return what a dotted name means."""
    parts = dotted.split(".")
    for at in range(len(parts), 0, -1):
        try:
            thing = import_module(".".join(parts[:at]))
        except ModuleNotFoundError:
            continue
        for part in parts[at:]:
            thing = getattr(thing, part)
        return thing
    raise LookupError(dotted)


@pytest.mark.parametrize(("paper", "place"), PLACES)
def test_every_place_exists(paper, place):
    if place.startswith("#"):
        assert heading_of(place, TEXTS[paper])
    elif place.startswith("docs/"):
        assert (ROOT / place).is_file()
    else:
        assert resolve(place) is not None


@pytest.mark.parametrize("paper", PAPERS)
def test_every_table_and_figure_of_a_page_is_listed(paper):
    named = {
        heading_of(place, TEXTS[paper])
        for item in contents()[paper]
        for place in item.places
        if place.startswith("#")
    }
    printed = [head for head in headings(TEXTS[paper]) if head.startswith(("Table", "Figure"))]
    ours = ("and the order of the records", "in digits")
    assert [head for head in printed if head not in named and not head.endswith(ours)] == []


@pytest.mark.parametrize("paper", PAPERS)
def test_what_is_missing_has_a_reason(paper):
    for item in contents()[paper]:
        assert item.places or item.reason, item.name


def test_the_committed_list_is_what_the_code_gives():
    pages = [PAPERS[name].page for name in PAPERS]
    committed = (FOLDER / "contents.md").read_text(encoding="utf-8")
    assert contents_text(pages, TEXTS) == committed, "run make papers"
