"""A page as Markdown."""

from collections.abc import Iterable, Sequence
from functools import singledispatch

from reproduction.figure import Figure
from reproduction.page import Claims, Comparison, Numbers, Page, Part, Table

LEGEND = (
    "Ours are shown with one decimal more than is printed. `=` says that ours, rounded to the"
    " digits printed, is what is printed (or cut to them, where the paper cuts); else the"
    " difference is ours less theirs, and a sentence below the table says why."
)
ORIGIN = "Made by `make papers`; a test compares it with what the code gives."


def page_text(page: Page) -> str:
    """Return the page."""
    legend = [LEGEND] if any(page.comparisons()) else []
    head = [f"# {page.title}", page.reference, page.about, tally(page), *legend, ORIGIN]
    return _joined([*head, *(text(part) for part in page.parts)])


def index_text(pages: Sequence[Page]) -> str:
    """Return the page that leads to the others."""
    rows = [[f"[{page.title}]({page.name}.md)", tally(page)] for page in pages]
    about = (
        "Every table and figure of five papers on microaggregation, run again: what is printed,"
        " what Shoal gives, the difference, and why there is one."
    )
    return _joined(["# The papers", about, _grid(["Paper", "Found"], rows), ORIGIN])


def tally(page: Page) -> str:
    """Say in one sentence how much of a paper was found again."""
    cells, claims = list(page.comparisons()), list(page.claims())
    same = sum(cell.agrees for cell in cells)
    held = sum(claim.holds for claim in claims)
    said = []
    if cells:
        said.append(f"{same} of {len(cells)} printed figures found to the digit")
    if claims:
        said.append(f"{held} of {len(claims)} claims borne out")
    drawn = len(list(page.figures()))
    if drawn:
        said.append(f"{drawn} figures drawn")
    return f"{'; '.join(said)}."


@singledispatch
def text(part: Part) -> str:
    """Return a part of a page."""
    raise TypeError(type(part).__name__)


@text.register
def _table(table: Table) -> str:
    notes = list(dict.fromkeys(cell.note for cell in table.comparisons if _to_explain(table, cell)))
    cells = {(cell.row, cell.column): cell for cell in table.comparisons}
    lines = []
    for row in table.rows:
        ordered = [cells[row, column] for column in table.columns]
        lines.append([row, "published", *(cell.published for cell in ordered)])
        lines.append(["", "ours", *(_ours(table, cell) for cell in ordered)])
        if not table.in_kind:
            lines.append(["", "difference", *(_difference(cell, notes) for cell in ordered)])
    footnotes = "\n".join(f"- [{at}] {note}" for at, note in enumerate(notes, 1))
    grid = _grid(["", "", *table.columns], lines)
    return _joined([f"## {table.title}", table.about, grid, footnotes])


def _to_explain(table: Table, cell: Comparison) -> bool:
    return not table.in_kind and not cell.agrees


def _ours(table: Table, cell: Comparison) -> str:
    if cell.published == "-":
        return _number(cell.ours, max(other.digits for other in table.comparisons) + 1)
    more = not table.in_kind and (cell.digits > 0 or not float(cell.ours).is_integer())
    return _number(cell.ours, cell.digits + more)


def _difference(cell: Comparison, notes: Sequence[str]) -> str:
    if cell.published == "-":
        return ""
    if cell.agrees:
        return "="
    return f"{cell.difference:+.{max(cell.digits, 1)}f} [{notes.index(cell.note) + 1}]"


@text.register
def _claims(claims: Claims) -> str:
    rows = [
        [claim.says, claim.found, "yes" if claim.holds else f"no. {claim.note}"]
        for claim in claims.claims
    ]
    grid = _grid(["The paper says", "We found", "Holds"], rows)
    return _joined([f"## {claims.title}", claims.about, grid])


@text.register
def _numbers(numbers: Numbers) -> str:
    rows = [
        [name, *(_number(value, numbers.decimals) for value in values)]
        for name, values in numbers.rows.items()
    ]
    return _joined([f"### {numbers.title}", _grid(["", *numbers.columns], rows)])


@text.register
def _figure(figure: Figure) -> str:
    image = f"![{figure.title}]({figure.name}.svg)"
    return _joined([f"## {figure.title}", image, figure.caption])


def _number(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}"


def _grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *("---:" if len(head) > 3 else "---" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _joined(blocks: Iterable[str]) -> str:
    return "\n\n".join(block.strip() for block in blocks if block) + "\n"
