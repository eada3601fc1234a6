"""Tables in Markdown."""

from collections.abc import Iterable, Sequence


def grid(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> str:
    """Return a table; its last ``numbers`` columns stand at the right."""
    sides = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    lines = [list(head), sides, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
