"""An inspection as text for a terminal."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.inspection.inspection import Inspection

CAVEAT = (
    "Roles are suggested by name, type, uniqueness and combinations; only you know what attackers"
    " may know."
)


def format_inspection(inspection: "Inspection") -> str:
    """Return an inspection as text for a terminal."""
    titles = ("column", "kind", "missing", "distinct", "unique", "role", "why")
    rows = [titles] + [
        (
            entry["name"],
            entry["kind"],
            str(entry["missing"]),
            str(entry["distinct"]),
            f"{100 * entry['unique']:.1f}%",
            entry["role"] or "?",
            entry["why"],
        )
        for entry in inspection.columns
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(len(titles) - 1)]
    lines = [f"{inspection.records} records, {len(inspection.columns)} columns", ""]
    lines += [
        "  ".join([*(f"{c:<{w}}" for c, w in zip(r, widths, strict=False)), r[-1]]) for r in rows
    ]
    if inspection.sentences:
        lines += ["", *(f"- {sentence.text}" for sentence in inspection.sentences)]
    if inspection.combinations:
        lines += ["", "Records that are unique in combinations of suggested quasi-identifiers:"]
    for entry in inspection.combinations:
        lines.append(f"  {100 * entry['unique']:5.1f}%  {' + '.join(entry['columns'])}")
    return "\n".join([*lines, "", CAVEAT])
