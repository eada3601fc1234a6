"""The report in a real browser: self-contained, readable, printable, safe from hostile names."""

import re
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest

import shoal
from browser import chromium
from shoal.errors import HomogeneousGroup

HOSTILE = [
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "</title></desc></svg><script>document.title='owned'</script>",
    "javascript:document.title='owned'",
    "{{ 7*7 }}",
    "a\u202eb&lt;\"'`",
]
LEAST_CONTRAST = 4.5  # WCAG AA for text

# Words of headings and table cells that stand on two lines, at places that no <wbr> offers.
BROKEN_WORDS = """
() => {
  const found = [];
  for (const cell of document.querySelectorAll("h1, h2, h3, th, td")) {
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode())
      for (const match of node.data.matchAll(/[^\\s-]+/g)) {
        const range = document.createRange();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        const tops = new Set([...range.getClientRects()].map(r => Math.round(r.top)));
        if (tops.size > 1) found.push(match[0]);
      }
  }
  return found;
}
"""
CONTRAST = (Path(__file__).parents[1] / "contrast.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write the reports that the tests look at."""
    report_folder = tmp_path_factory.mktemp("reports")
    people = shoal.datasets.survey(200).drop(columns=["person", "region", "smoker"])
    quasi_identifiers = ["age", "height", "weight", "years_of_education", "household_size"]
    release = shoal.microaggregate(
        people,
        quasi_identifiers,
        k=4,
        method="mdav",
        dependence=0.2,
        confidential=["income", "blood_pressure"],
    )
    release.measures["certified_gap"] = 0.2
    release.report(report_folder / "public.html")
    release.report(report_folder / "internal.html", audience="internal", original=people)
    names = dict(zip(people.columns, HOSTILE, strict=False))
    hostile = people.rename(columns=names)
    *masked, secret, last = names.values()
    with pytest.warns(HomogeneousGroup):  # its words hold the names too
        hostile_release = shoal.microaggregate(
            hostile[[*masked, secret, last]],
            masked,
            k=4,
            method="mdav",
            confidential=[secret, last],
        )
    hostile_release.profile["distributions"].append(
        {"column": "town", "categories": HOSTILE, "others": 2, "before": [9] * 7, "after": [9] * 7}
    )
    original = hostile[[*masked, secret, last]]
    hostile_release.report(report_folder / "hostile.html", audience="internal", original=original)
    comparison = shoal.compare(hostile, masked, k=[3, 5, 900], method=["mdav", "sorted"])
    comparison.save(report_folder, source=HOSTILE[1])
    return report_folder


@pytest.fixture
def visit(browser, folder):
    """Return a function that opens a report; it notes requests, messages and dialogs."""
    pages = []

    def open_page(name, **options):
        page = browser.new_page(**options)
        page.asked, page.said = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("dialog", lambda dialog: (page.said.append(dialog.message), dialog.dismiss()))
        page.goto((folder / name).as_uri())
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()


@pytest.mark.parametrize(
    "name", ["public.html", "internal.html", "hostile.html", "comparison.html", "map.svg"]
)
def test_the_page_makes_no_request_and_runs_no_script(visit, folder, name):
    page = visit(name)
    assert page.asked == [(folder / name).as_uri()]
    assert page.said == []
    assert page.locator("script, iframe, img, link, object, embed, form, a").count() == 0


def test_hostile_names_are_shown_and_not_executed(visit):
    page = visit("hostile.html")
    assert page.title() == "Report on a release (internal)"
    text = page.locator("body").text_content()
    for name in HOSTILE:
        assert name in text
    handlers = (
        "e => [...e.attributes].some(a => a.name.startsWith('on') || /script:/.test(a.value))"
    )
    assert not page.locator("body *").evaluate_all(f"all => all.some({handlers})")
    titles = page.locator("svg title").all_text_contents()
    assert any(HOSTILE[0] in title for title in titles)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["public", "internal", "comparison"])
def test_every_text_has_enough_contrast(visit, name, scheme):
    page = visit(f"{name}.html", color_scheme=scheme)
    page.locator("details").evaluate_all("all => all.forEach(e => e.open = true)")
    measured = page.evaluate(CONTRAST)
    assert len(measured) > 50
    weak = [(round(contrast, 2), text) for contrast, text in measured if contrast < LEAST_CONTRAST]
    assert weak == []


def test_dark_is_dark_and_print_is_light(visit):
    ground = "() => getComputedStyle(document.body).backgroundColor"
    light, dark = (
        visit("public.html", color_scheme="light"),
        visit("public.html", color_scheme="dark"),
    )
    assert light.evaluate(ground) == "rgb(255, 255, 255)"
    assert max(map(int, re.findall(r"\d+", dark.evaluate(ground)))) < 40
    dark.emulate_media(media="print", color_scheme="dark")
    assert dark.evaluate(ground) == "rgb(255, 255, 255)"


@pytest.mark.parametrize(("name", "least"), [("public", 12), ("internal", 13), ("comparison", 1)])
def test_the_page_is_readable_by_screen_readers(visit, name, least):
    page = visit(f"{name}.html")
    levels = [int(name[1]) for name in page.locator("h1, h2, h3, h4").evaluate_all(
        "all => all.map(e => e.tagName)"
    )]  # fmt: skip
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))
    assert page.locator("html").get_attribute("lang") == "en"
    figures = page.locator("figure > svg, figure > .wide > svg")
    assert figures.count() >= least
    for i in range(figures.count()):
        picture = figures.nth(i)
        assert picture.get_attribute("role") == "img"
        label_id = picture.get_attribute("aria-labelledby")
        assert page.locator(f"[id='{label_id}']").inner_text()
    other_pictures = "svg:not(figure > svg, figure > .wide > svg)"
    assert (
        page.locator(other_pictures).count()
        == page.locator(f"{other_pictures}[aria-hidden='true']").count()
    )
    ids = page.locator("[id]").evaluate_all("all => all.map(e => e.id)")
    assert len(ids) == len(set(ids))
    bare = "all => all.filter(t => !t.querySelector('th')).length"
    assert page.locator("table").evaluate_all(bare) == 0


def test_the_report_prints(visit):
    """Every page has its number, text and no cut word; the first has verdict and signature."""
    for name in ("public.html", "internal.html"):
        printed = pdfium.PdfDocument(visit(name).pdf(prefer_css_page_size=True))
        pages = [printed[i] for i in range(len(printed))]
        texts = [page.get_textpage().get_text_range() for page in pages]
        assert "Verdict" in texts[0]
        assert "Signature" in texts[0]
        for i, (page, text) in enumerate(zip(pages, texts, strict=True), start=1):
            assert f"Page {i} of {len(pages)}" in text
            assert len(text.split()) > 20  # no page of a few words
            last = text.replace(f"Page {i} of {len(pages)}", "").split("\n")[-1].strip()
            assert not last.endswith(("better lower)", "better higher)"))  # a head without its text
            assert _ink(page) == (True, False)
        whole = " ".join(texts)
        for word in ("years_of_education", "re-identification", "homogeneous"):
            assert word in whole
        for i, text in enumerate(texts):  # no table is continued without its headings
            assert ("linkage-rank" not in text) or "Ceiling" in text, i


def _ink(page):
    """Return whether something is printed on a page, and whether something is at its edge."""
    picture = np.asarray(page.render(scale=1).to_pil().convert("L")) < 200
    edge = picture.copy()
    edge[15:-15, 15:-15] = False
    return bool(picture.any()), bool(edge.any())


@pytest.mark.parametrize("name", ["internal.html", "comparison.html"])
@pytest.mark.parametrize("width", [1280, 375])
def test_no_word_is_broken_and_nothing_is_wider_than_the_screen(visit, name, width):
    page = visit(name, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    broken = page.evaluate(BROKEN_WORDS)
    assert broken == []


@pytest.mark.parametrize(("width", "shown"), [(1280, "broad"), (390, "narrow")])
def test_the_map_fits_the_screen_with_letters_that_can_be_read(visit, width, shown):
    page = visit("comparison.html", viewport={"width": width, "height": 800})
    (box,) = page.locator("figure > svg:visible").all()
    assert box.get_attribute("class") == shown
    assert box.bounding_box()["width"] <= page.locator("figure").bounding_box()["width"]
    scale = box.evaluate("box => box.getScreenCTM().a")
    assert scale * 11 > 10  # pixels of the smallest letters


@pytest.mark.parametrize("name", ["internal.html", "comparison.html"])
def test_a_narrow_screen_needs_no_scrolling_sideways(visit, name):
    page = visit(name, viewport={"width": 390, "height": 800})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    wider = "all => all.filter(box => box.scrollWidth > box.clientWidth).map(b => b.textContent)"
    assert page.locator(".wide:has(table):visible").evaluate_all(wider) == []
    if name == "comparison.html":
        first = page.locator(".runs tr").nth(1)
        assert first.evaluate("row => getComputedStyle(row).display") == "block"
        roles = page.get_by_role("table").get_by_role("row").nth(1).get_by_role("cell").count()
        assert roles == 8  # what a screen reader announces stays a table


def test_a_comparison_names_its_file(visit):
    page = visit("comparison.html")
    assert HOSTILE[1] in page.locator("h1").inner_text()
    assert page.title().startswith(HOSTILE[1])
