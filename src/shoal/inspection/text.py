"""An inspection as text for a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal._text import align_rows, count

if TYPE_CHECKING:
    from shoal.inspection.inspection import Inspection

CAVEAT = (
    "Roles are suggested by name, type, uniqueness and combinations; only you know what attackers"
    " may know."
)
MAX_COLUMNS = 6  # columns of a combination that are shown by name
COMBINATIONS_TITLE = "Records that are unique in combinations of suggested quasi-identifiers"


def format_inspection(inspection: "Inspection") -> str:
    """Return an inspection as text for a terminal."""
    titles = ("column", "kind", "missing", "distinct", "unique", "role", "why")
    rows = [titles] + [
        (
            entry["name"],
            entry["kind"],
            f"{entry['missing']:,}",
            f"{entry['distinct']:,}",
            _format_share(entry["unique"]),
            entry["role"] or "?",
            entry["why"],
        )
        for entry in inspection.columns
    ]
    n_records, n_columns = inspection.records, len(inspection.columns)
    lines = [f"{count(n_records, 'record')}, {count(n_columns, 'column')}", "", align_rows(rows)]
    if inspection.sentences:
        lines += ["", *(f"- {sentence.text}" for sentence in inspection.sentences)]
    if inspection.combinations:
        lines += ["", f"{COMBINATIONS_TITLE}{_missing_note(inspection)}:"]
    for entry in inspection.combinations:
        lines.append(f"  {_format_share(entry['unique']):>7}  {join_columns(entry['columns'])}")
    return "\n".join([*lines, "", CAVEAT])


def join_columns(columns: Sequence[str]) -> str:
    """Return the columns of a combination as text, with a number in place of any beyond six.

    Examples
    --------
    >>> join_columns(["age", "sex"]), join_columns([f"q{i}" for i in range(400)])
    ('age + sex', 'q0 + q1 + q2 + q3 + q4 + q5 + 394 more')
    """
    n_others = len(columns) - MAX_COLUMNS
    shown_columns = columns if n_others < 2 else [*columns[:MAX_COLUMNS], f"{n_others:,} more"]
    return " + ".join(shown_columns)


def _missing_note(inspection: "Inspection") -> str:
    """Return a note on how missing values count in combinations, or an empty string without any."""
    columns = {name for entry in inspection.combinations for name in entry["columns"]}
    has_missing = any(inspection[name]["missing"] for name in columns)
    return " (a missing value counts as a value there)" if has_missing else ""


def _format_share(share: float) -> str:
    """Return a share in per cent, with one decimal unless it is 100."""
    text = f"{100 * share:.1f}"
    return f"{'100' if text == '100.0' else text} %"
