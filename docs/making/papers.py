"""The page that leads to the papers, with the list that the site needs."""

from collections.abc import Iterator
from pathlib import Path


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of the page."""
    folder = root / "docs" / "papers"
    names = sorted(path.stem for path in folder.glob("*.md") if path.stem != "README")
    hidden = "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])
    yield "papers/README.md", f"{(folder / 'README.md').read_text(encoding='utf-8')}\n{hidden}\n"
