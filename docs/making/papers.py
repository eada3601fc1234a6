"""The pages about papers, with what the site needs besides."""

from collections.abc import Iterator
from pathlib import Path


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of every page."""
    folder = root / "docs" / "papers"
    names = sorted(path.stem for path in folder.glob("*.md") if path.stem != "README")
    hidden = "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])
    yield "papers/README.md", f"{(folder / 'README.md').read_text(encoding='utf-8')}\n{hidden}\n"
    for name in names:
        text = (folder / f"{name}.md").read_text(encoding="utf-8")
        yield f"papers/{name}.md", f"---\nhide-toc: true\n---\n\n{text}"  # wide tables
