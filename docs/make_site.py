"""Build the site: gather the written pages, make the others, run Sphinx.

    python docs/make_site.py [TARGET]        .build/site, if no folder is named

Nothing is fetched. What is made (a page per method and measure, the reference, the
references, the changelog) is never committed: it stands beside a copy of the written pages.
"""

import gc
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from making import (
    changelog,
    codes,
    commands,
    gallery,
    landing,
    measures,
    methods,
    notebook,
    papers,
    reference,
    references,
)

DOCS = Path(__file__).parent
ROOT = DOCS.parent
MAKERS = (
    methods, measures, papers, gallery, reference, commands, codes, references, changelog, notebook,
)  # fmt: skip
SKIP = "  # fmt: skip"
COLLECT_AFTER = 200_000  # new objects: with Python's 700, a third of the time is spent on garbage
BESIDE = ("examples", "README.md", "CONTRIBUTING.md", "LICENSE")  # what pages may link to


def gather(folder: Path) -> Path:
    """Copy the written pages and make the others; return the folder of pages."""
    shutil.rmtree(folder, ignore_errors=True)
    no_pages = shutil.ignore_patterns("making", "_static", "_templates", "*.py", "__pycache__")
    pages = Path(shutil.copytree(DOCS, folder / "docs", ignore=no_pages))
    for name in BESIDE:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, folder / name)
    for maker in MAKERS:
        for name, text in maker.pages(ROOT):
            (pages / name).parent.mkdir(parents=True, exist_ok=True)
            (pages / name).write_text(text, encoding="utf-8")
    for path in pages.rglob("*.md"):  # what is said to formatters is of no use to readers
        path.write_text(path.read_text(encoding="utf-8").replace(SKIP, ""), encoding="utf-8")
    index = pages / "index.md"
    index.write_text(landing.filled(index.read_text(encoding="utf-8")), encoding="utf-8")
    return pages


def main(target: Path) -> int:
    """Build the site into ``target``; a warning is an error."""
    gc.set_threshold(COLLECT_AFTER)
    pages = gather(target.parent / f"{target.name}-pages")
    shutil.rmtree(target, ignore_errors=True)
    strict = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet", "--fresh-env"]
    places = ["--conf-dir", DOCS, "--doctree-dir", target.parent / f"{target.name}-trees"]
    return build_main([*strict, *map(str, places), str(pages), str(target)])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".build" / "site"))
