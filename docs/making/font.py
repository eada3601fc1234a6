"""The font of the site's formulas: the characters that they use, of one made for mathematics.

Without a font that has a table of mathematical constants, browsers guess where subscripts and
fractions go, and few machines have one. The font is a file of the package ziamath.
"""

import logging
import re
import unicodedata
from html import unescape
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from fontTools import subset

FONT = "ziamath/fonts/STIXTwoMath-Regular.ttf"
NAME = "formulas.woff"
LICENCE = "formulas-licence.txt"
LEGAL = (0, 7, 13, 14)  # copyright, trademark, licence and its address in the table of names
ROOT = "√"  # drawn by the browser, never written
FORMULA = re.compile(r"<math\b.*?</math>", re.S)
TAG = re.compile(r"<[^>]*>")
# A single letter is shown by a character of its own, the italic one: A to z, Alpha to omega, h.
ITALIC = {
    unicodedata.normalize("NFKC", chr(code)): chr(code)
    for code in (*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C), 0x210E)
}


def add_to(app: Any) -> None:
    """Let Sphinx add the font to a site when its pages are written."""
    app.connect("build-finished", _written)


def characters(site: Path) -> set[str]:
    """Return the characters that the formulas of a site show."""
    used = set(ROOT)
    for page in site.rglob("*.html"):
        for formula in FORMULA.findall(page.read_text(encoding="utf-8")):
            used.update(unescape(TAG.sub("", formula)))
    return used | {ITALIC[letter] for letter in used if letter in ITALIC}


def write(folder: Path, used: set[str]) -> None:
    """Write the font, without the characters that are not used, and its licence beside it."""
    options = subset.Options(flavor="woff", layout_features=["ssty", "dtls"], name_IDs=["*"])
    options.hinting = False
    logging.getLogger(subset.__name__).setLevel(logging.WARNING)
    path = distribution("ziamath").locate_file(FONT)
    with subset.load_font(path, options) as font:
        subsetter = subset.Subsetter(options)
        subsetter.populate(text="".join(used))
        subsetter.subset(font)
        subset.save_font(font, folder / NAME, options)
        names = font["name"].getDebugName
        lines = [f"{NAME} holds some of the characters of {names(4)}.", "", *map(names, LEGAL)]
    (folder / LICENCE).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _written(app: Any, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        site = Path(app.outdir)
        write(site / "_static", characters(site))
