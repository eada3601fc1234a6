"""The site is built without a warning, complete, and independent of other servers."""

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from fontTools.ttLib import TTFont

import accessibility
import shared_compilation
import shoal
from browser import chromium
from making import changelog, curves, font
from shoal import errors
from shoal.cli import app
from shoal.metrics import MEASURES
from shoal.partitioners import METHODS
from shoal.steps import STEPS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CONTRAST = (ROOT / "tests" / "contrast.js").read_text(encoding="utf-8")
LEAST_CONTRAST = 4.5  # WCAG AA for text
LOADED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "link": "href"}
PHONE, DESK = 375, 1400
# Every layout: landing, code and pictures, wide tables, formulas, signatures, search.
LOOKED_AT = [
    "index", "install", "methods/mdav", "measures/linkage", "reference/datasets", "files",
    "papers/methods", "search", "gallery/index", "gallery/comparison", "start/notebook", "risk",
    "understand/dependence", "reference/functions",
]  # fmt: skip

# How far the first subscript lies below its letter, in units of the size of the text.
LOWERED = """() => {
  const [letter, index] = document.querySelector("math msub").children;
  const below = index.getBoundingClientRect().bottom - letter.getBoundingClientRect().bottom;
  return below / parseFloat(getComputedStyle(letter).fontSize);
}"""

# Python runs it at its start: whoever asks another machine while the site is built, fails. Kernels
# that another test compiles at the time are waited for.
AT_START = """
import socket
def refuse(*args, **options):
    raise OSError("the site is built without network")
socket.getaddrinfo = socket.create_connection = socket.socket.connect = refuse

import os
from pathlib import Path
import shared_compilation
shared_compilation.start(Path(os.environ["NUMBA_CACHE_DIR"]) / "locks")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site once."""
    target = tmp_path_factory.mktemp("docs") / "site"
    deaf = tmp_path_factory.mktemp("deaf")
    (deaf / "sitecustomize.py").write_text(AT_START, encoding="utf-8")
    shutil.copy(shared_compilation.__file__, deaf)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(deaf), str(ROOT / "src")])}
    command = [sys.executable, str(ROOT / "docs" / "make_site.py"), str(target)]
    result = subprocess.run(command, env=env, capture_output=True, text=True, encoding="utf-8")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Error in sitecustomize" not in result.stderr
    return target


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


class Page(HTMLParser):
    """What a page links to, what it loads, and the places that can be linked to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.places = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if given.get(LOADED.get(tag)):
            self.loaded.append(given[LOADED[tag]])
        self.loaded += re.findall(r"url\(['\"]?([^)'\"]+)", given.get("style") or "")


@cache
def read(path):
    return Page(path.read_text(encoding="utf-8"))


def pages_of(site):
    return sorted(site.rglob("*.html"))


def test_nothing_is_loaded_from_elsewhere(site):
    for path in pages_of(site):
        for address in read(path).loaded:
            parts = urlsplit(address)
            assert not parts.netloc, f"{path.name} loads {address}"
            assert parts.scheme in ("", "data"), f"{path.name} loads {address}"
    for path in site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        for address in re.findall(r"(?:url\(|@import)\s*['\"]?([^)'\";]+)", text):
            assert not urlsplit(address).netloc, f"{path.name} loads {address}"


def test_formulas_have_a_mathematical_font(browser, site):
    """Browsers use a font of the site with a table of constants and all characters needed."""
    written = TTFont(site / "_static" / font.NAME)
    assert "MATH" in written
    assert "Open Font License" in (site / "_static" / font.LICENCE).read_text(encoding="utf-8")
    assert "√" in font.characters(site)
    assert {chr(code) for code in written.getBestCmap()} >= font.characters(site)
    page = opened(browser, site, "measures/index")
    page.evaluate("document.fonts.ready")
    (used,) = page.evaluate("""[...document.fonts].filter((font) => font.status === "loaded")
        .map((font) => font.family.replaceAll('"', ""))""")
    families = page.eval_on_selector("math", "box => getComputedStyle(box).fontFamily")
    assert families.replace('"', "").split(",")[0] == used
    subscript = page.evaluate(LOWERED)
    assert subscript > 0.15
    page.context.close()


def test_every_link_leads_somewhere(site):
    broken = []
    for path in pages_of(site):
        for link in read(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                assert parts.scheme == "https", f"{path.name}: {link}"
                assert "." in parts.netloc, f"{path.name}: {link}"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = target.exists() and (
                not parts.fragment
                or target.suffix != ".html"
                or unquote(parts.fragment) in read(target).places
            )
            if not there:
                broken.append(f"{path.relative_to(site)}: {link}")
    assert not broken


def test_what_is_loaded_is_there(site):
    for path in pages_of(site):
        for address in read(path).loaded:
            if not address.startswith("data:"):
                assert (path.parent / unquote(urlsplit(address).path)).exists(), (path, address)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_page(site, method):
    text = (site / "methods" / f"{method}.html").read_text(encoding="utf-8")
    for head in ("Steps", "Guarantee", "Cost", "Published and reproduced", "Paper", "In Python"):
        assert f">{head}<" in text, head
    assert "<svg" in text
    assert f'id="shoal.partitioners.{METHODS[method].__name__}"' in text
    paper = METHODS[method].facts.paper
    assert not paper or f"#paper-{paper.lower()}" in text


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_a_page(site, measure):
    text = (site / "measures" / f"{measure}.html").read_text(encoding="utf-8")
    assert ('class="curve' in text) is (measure != "class_sizes")
    assert ('class="record"' in text) is (measure in curves.LOOKS)
    assert f'id="shoal.metrics.{measure}"' in text


def test_every_public_name_is_in_the_reference(site):
    folder = site / "reference"
    text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.html"))
    for name in shoal.__all__:
        assert f"shoal.{name}<" in text or f'id="shoal.{name}"' in text, name
    for step in STEPS.values():
        assert f'id="shoal.steps.{step.__name__}"' in text
    for name, thing in vars(errors).items():
        assert not isinstance(thing, type) or f'id="shoal.errors.{name}"' in text, name
    for command in app.registered_commands:
        assert f">shoal {command.name or command.callback.__name__}<" in text


def test_every_key_of_a_paper_is_spelled_out_once(site):
    places = [*re.findall(r'id="(paper-\w+)"', (site / "references.html").read_text("utf-8"))]
    assert len(places) == len(set(places)) > 25
    for path in pages_of(site):
        text = path.read_text(encoding="utf-8")
        prose = re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL)  # code shows how to write one
        assert not re.search(r"\[[A-Z]{2,4}\d\d\]_", prose), f"{path.name}: a key that is no link"


def test_the_changelog_holds_every_fragment(site):
    text = (site / "changelog.html").read_text(encoding="utf-8")
    released = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").count("\n- ")
    assert released > 0
    assert text.count("<li><p>") == released + len(changelog.fragments(ROOT))


def test_the_notebook_was_run_and_shows_its_outputs(site):
    text = (site / "start" / "notebook.html").read_text(encoding="utf-8")
    for kind in ("Inspection", "Comparison", "Release.", "Attacks.", "Plan."):
        assert f'<p class="title"><strong>{kind}' in text
    assert text.count("data:image/png") == 1
    assert "<iframe" in text


def opened(browser, site, name, scheme="light", width=DESK):
    """Open a page from the disk; whatever asks another machine is remembered."""
    view = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
    page = view.new_page()
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto((site / f"{name}.html").as_uri())
    return page


# What lies beyond the edge of a box, without being seen or scrolled to at this width.
CLIPPED = """() => [...document.querySelectorAll(".content, .content *")]
  .filter((box) => box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1)
  .filter((box) => getComputedStyle(box).overflowX !== "visible")
  .map((box) => `${box.tagName} ${box.className}: ${box.textContent.slice(0, 60)}`)"""


def weak_contrasts(page):
    """Return the texts of a page that are hard to read on what lies behind them."""
    return {
        text: round(contrast, 2)
        for contrast, text in page.evaluate(CONTRAST)
        if contrast < LEAST_CONTRAST
    }


def test_every_page_is_accessible_and_clips_nothing_on_a_wide_screen(browser, site):
    """Contrasts are computed by a script of ours, which is much faster than that of axe.

    How links differ from the text around them is the same on all pages, and slow to check; it is
    checked on some pages below, in the dark.
    """
    page = opened(browser, site, "index")
    wrong = {}
    for path in pages_of(site):
        page.goto(path.as_uri(), wait_until="domcontentloaded")
        broken = accessibility.violations(page, without=["color-contrast", "link-in-text-block"])
        wrong[path.relative_to(site)] = (broken, weak_contrasts(page), page.evaluate(CLIPPED))
    assert len(wrong) > 100
    assert not {name: faults for name, faults in wrong.items() if any(faults)}
    page.context.close()


@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_is_accessible_in_the_dark_and_on_a_phone(browser, site, name):
    page = opened(browser, site, name, "dark", PHONE)
    page.wait_for_timeout(200)  # colours fade in
    assert not accessibility.violations(page)
    assert not weak_contrasts(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    assert page.eval_on_selector(".content", "box => box.scrollWidth - box.clientWidth") <= 0
    assert {urlsplit(address).scheme for address in page.asked} <= {"file", "data"}
    page.context.close()


def results(browser, site, words):
    """Return the addresses that the search of the site finds, best first."""
    page = opened(browser, site, "index")
    page.fill("input[name=q]", words)
    page.press("input[name=q]", "Enter")
    page.wait_for_selector("#search-results li a")
    page.wait_for_selector("#search-results .search-summary:not(:has-text('Searching'))")
    links = page.eval_on_selector_all("#search-results li a", "links => links.map(a => a.href)")
    assert {urlsplit(address).scheme for address in page.asked} <= {"file", "data"}
    page.context.close()
    return [urlsplit(link).path for link in links]


def test_the_search_works_from_local_files(browser, site):
    assert any(path.endswith("/methods/mdav.html") for path in results(browser, site, "mdav"))


def test_the_search_finds_how_to_install_first(browser, site):
    assert results(browser, site, "install")[0].endswith("/install.html")


def test_a_button_copies_what_a_reader_would_type(browser, site):
    page = opened(browser, site, "start/command-line")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    block = page.locator(".highlight-console .highlight", has_text="shoal run plan.toml").first
    block.hover()
    block.get_by_role("button", name="Copy").click()
    block.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.splitlines()[0] == "shoal run plan.toml demo/original.csv release.csv \\"
    assert copied.splitlines()[1:] == [
        "    --report report.html --manifest release.json",
        "head -n 2 release.csv",
    ]
    page.context.close()


def test_axe_reports_what_is_wrong(browser):
    page = browser.new_page()
    page.set_content(
        "<html lang=en><title>t</title><main><h1>h</h1><img src='data:,'></main></html>"
    )
    assert list(accessibility.violations(page)) == ["image-alt"]
    assert not accessibility.violations(page, without=["image-alt"])
    page.close()
