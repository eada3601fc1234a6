"""A page about the codes of exceptions and warnings, read from the source."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import shoal
from making.grid import grid
from shoal import errors
from shoal.errors import Coded, ShoalError, ShoalWarning

SOURCE = Path(shoal.__file__).parent
ABOUT = """Every exception and warning of Shoal has a stable `code`, and attributes with the names
and numbers that its message mentions. Programs should rely on these rather than on the wording:

    try:
        release = shoal.microaggregate(people, ["age"], k=5)
    except shoal.errors.ShoalError as error:
        print(error.code, error.attributes)

An exception without a code of its own has that of its class, such as `column-error`."""


class Site(NamedTuple):
    """A place in the source that makes an exception or a warning."""

    file: str
    line: int
    cls: str
    code: str | None
    attributes: tuple[str, ...]


def classes() -> dict[str, type[Coded]]:
    """Return the classes of exceptions and warnings by name."""
    actual = (ShoalError, ShoalWarning)
    return {
        name: cls
        for name, cls in vars(errors).items()
        if isinstance(cls, type) and issubclass(cls, actual)
    }


def sites() -> Iterator[Site]:
    """Yield every place of the source that makes an exception or a warning."""
    known = classes()
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id not in known or path.name == "errors.py":
                    continue
                given = {word.arg: word.value for word in node.keywords}
                code = given.pop("code", None)
                names = tuple(name for name in given if name is not None)
                place = path.relative_to(SOURCE).as_posix()
                for text in _texts(code):
                    yield Site(place, node.lineno, node.func.id, text, names)


def _texts(code: ast.expr | None) -> list[str | None]:
    """Return the codes that an expression may give; of one that is no text, its source."""
    if isinstance(code, ast.IfExp):
        return [*_texts(code.body), *_texts(code.orelse)]
    if isinstance(code, ast.Constant):
        return [str(code.value)]
    return [None if code is None else ast.unparse(code)]


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of the page."""
    del root
    yield "reference/codes.md", page()


def page() -> str:
    """Return the page."""
    rows = [[f"`{name}`", f"`{cls.code}`", _line(cls)] for name, cls in classes().items()]
    sections = [
        "# Error codes",
        ABOUT,
        grid(["Class", "Its code", "Meaning"], rows),
    ]
    by_code: dict[str, list[Site]] = defaultdict(list)
    for site in sites():
        if site.code is not None and re.fullmatch(r"[a-z0-9-]+", site.code):
            by_code[site.code].append(site)
    rows = [_row(code, by_code[code]) for code in sorted(by_code)]
    table = grid(["Code", "Class", "Attributes", "Raised in"], rows)
    return "\n\n".join([*sections, "## Codes", table]) + "\n"


def _row(code: str, sites: list[Site]) -> list[str]:
    names = dict.fromkeys(name for site in sites for name in site.attributes)
    kinds = sorted({f"`{site.cls}`" for site in sites})
    places = sorted({f"`{site.file}`" for site in sites})
    words = ", ".join(f"`{name}`" for name in names)
    return [f"`{code}`", ", ".join(kinds), words, ", ".join(places)]


def _line(cls: type) -> str:
    return (cls.__doc__ or "").split("\n")[0]
