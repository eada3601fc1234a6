"""What the theme leaves out for readers who use a screen reader or a keyboard.

Pages are mended after Sphinx wrote them: the templates of the theme offer no other place for
these attributes. Output of code loses the line by which the tests know it, and gets a class. Long
names may be broken at the end of a line.
"""

import re
from pathlib import Path
from typing import Any

MENDED = (
    (re.compile(r'role="heading"(?! aria-level)'), 'role="heading" aria-level="2"'),
    (re.compile(r'<aside class="sidebar-drawer"'), r'\g<0> aria-label="Site"'),
    (re.compile(r'<aside class="toc-drawer"'), r'\g<0> aria-label="On this page"'),
    # A cell of a head that says nothing is no head of a column.
    (re.compile(r'<th class="head([^"]*)">(?:<p>\s*</p>)?</th>'), r'<td class="head\1"></td>'),
    (re.compile(r"<th></th>"), "<td></td>"),
    (re.compile(r"<pre>(<span></span>)# output\n"), r'<pre class="output">\1'),
)

LONG_NAME = re.compile(r'(?<=<span class="pre">)[a-z]+(?:_[a-z]+){2,}(?=</span>)')


def add_to(app: Any) -> None:
    """Let Sphinx mend the pages when they are written."""
    app.connect("build-finished", _mend)


def _mend(app: Any, exception: Exception | None) -> None:
    if exception is None and app.builder.name == "html":
        for path in Path(app.outdir).rglob("*.html"):
            path.write_text(mended(path.read_text(encoding="utf-8")), encoding="utf-8")


def mended(page: str) -> str:
    """Return a page with the attributes that it lacked."""
    for pattern, replacement in MENDED:
        page = pattern.sub(replacement, page)
    return LONG_NAME.sub(_breakable, page)


def _breakable(name: re.Match[str]) -> str:
    """Return a name that may be broken behind an underscore, so that its column is not too wide."""
    return name[0].replace("_", "_<wbr>")
