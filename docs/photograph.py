"""Photograph the report and the map for the docs: ``make pictures``.

Light and dark, public and internal, in Debian's chromium; each picture is reduced
to few colours, so that it stays small in the repository.
"""

import io
import sys
import tempfile
import warnings
from pathlib import Path

from PIL import Image

import shoal
from shoal.comparison.tradeoff import sweep
from shoal.errors import ShoalWarning

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from browser import chromium  # noqa: E402 (the tests own the browser)

KNOWN = ["age", "height", "weight", "years_of_education", "household_size"]
SECRET = ["income", "blood_pressure"]
SIZE = {"width": 1000, "height": 1250}
COLOURS = 128
LARGEST = 150_000  # bytes of a picture


def write_pages(folder: Path) -> None:
    """Write the pages to photograph: the survey of the demo, masked and compared."""
    people = shoal.datasets.survey()
    release = shoal.microaggregate(
        people.drop(columns="smoker"), KNOWN, k=5, method="mdav", dependence=0.2,
        within="region", identifiers=["person"], confidential=SECRET,
    )  # fmt: skip
    curve = sweep(people, KNOWN, SECRET, k=[5], within=["region"])
    for audience in ("public", "internal"):
        release.report(folder / f"{audience}.html", audience=audience, curve=curve)
    shoal.compare(
        people, KNOWN, k=[3, 5, 10], method=["mdav", "vmdav", "sorted"], dependence=[0, 0.2],
        confidential=SECRET, within=["region"],
    ).save(folder)  # fmt: skip
    write_start(people, folder)


def write_start(people, folder: Path) -> None:
    """Write the pages that docs/start shows: the very runs of its text."""
    roles = {"identifiers": ["person"], "confidential": [*SECRET, "smoker"]}
    first = shoal.microaggregate(people, KNOWN, k=5, within="region", **roles)
    first.report(folder / "start.html")
    shoal.compare(
        people, KNOWN, k=[3, 5, 10], method=["mdav", "auto"], within=["region"], **roles
    ).save(folder / "start")


def reduced(picture: bytes) -> bytes:
    """Return a PNG of few colours."""
    image = Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=0)
    small = io.BytesIO()
    image.save(small, "PNG", optimize=True)
    return small.getvalue()


def main() -> None:
    """Write docs/pictures."""
    shots = {
        "report-public": ("public.html", "h1"),
        "report-pictures": ("public.html", "#part-1"),
        "report-internal": ("internal.html", "#part-4"),
        "comparison": ("comparison.html", "h1"),
        "start-report": ("start.html", "h1"),
        "start-comparison": ("start/comparison.html", "h1"),
    }
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            write_pages(Path(place))
        for name, (page, top) in shots.items():
            for scheme in ("light", "dark"):
                view = browser.new_page(viewport=SIZE, color_scheme=scheme)
                view.goto((Path(place) / page).as_uri())
                view.locator(top).evaluate("e => window.scrollTo(0, e.offsetTop - 24)")
                picture = reduced(view.screenshot())
                assert len(picture) < LARGEST, f"{name} takes {len(picture)} bytes"
                (HERE / "pictures" / f"{name}-{scheme}.png").write_bytes(picture)
                view.close()


if __name__ == "__main__":
    main()
