"""Photograph the states of the page for the docs: a part of ``make pictures``."""

import sys
import tempfile
from pathlib import Path

from photograph import HERE, LARGEST, reduced

sys.path.insert(0, str(HERE.parent / "tests"))

from app_process import PATIENCE, running_app  # noqa: E402
from browser import chromium  # noqa: E402 (the tests own browser and server)

SIZES = {"wide": {"width": 1100, "height": 1000}, "narrow": {"width": 390, "height": 844}}
LOOKS = [("light", "wide"), ("dark", "wide"), ("light", "narrow")]


def journey(view):
    """Walk through the states; yield the name of each and where its picture begins."""
    yield "start", "h1"
    view.get_by_role("button", name="survey").click()
    view.locator("html[data-ready] #settings").wait_for()
    view.get_by_label("Role of region").select_option("stratum")
    yield "table", "h1"
    view.locator("#effort").select_option("search")
    view.locator("[id='effort:search:budget']").fill("600")
    view.locator("#k").fill("5")
    view.get_by_role("button", name="Run", exact=True).click()
    view.locator("article").get_by_text("Improving the groups").wait_for()
    yield "running", "#masking"
    view.get_by_role("button", name="Cancel run 1").click()
    view.get_by_role("button", name="Delete run 1").click()
    view.locator("#effort").select_option("")
    for number, (k, method) in enumerate((("3, 5, 10", "auto"), ("3, 5, 10", "sorted")), 1):
        view.locator("#k").fill(k)
        view.locator("#method").select_option(method)
        view.get_by_role("button", name="Run", exact=True).click()
        view.locator(".run.done").nth(3 * number - 1).wait_for()
    yield "runs", "#runs"


def main() -> None:
    """Write the pictures of the page into docs/pictures."""
    with (
        tempfile.TemporaryDirectory() as place,
        running_app(Path(place)) as app,
        chromium() as browser,
    ):
        for scheme, size in LOOKS:
            view = browser.new_page(viewport=SIZES[size], color_scheme=scheme)
            view.set_default_timeout(1000 * PATIENCE)
            view.goto(app.link())
            for name, top in journey(view):
                view.locator(top).evaluate("e => window.scrollTo(0, e.offsetTop - 24)")
                picture = reduced(view.screenshot())
                assert len(picture) < LARGEST, f"{name} takes {len(picture)} bytes"
                kind = scheme if size == "wide" else size
                (HERE / "pictures" / f"app-{name}-{kind}.png").write_bytes(picture)
            view.close()


if __name__ == "__main__":
    main()
