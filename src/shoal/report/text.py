"""A summary as plain text."""

from collections.abc import Mapping
from textwrap import fill
from typing import Any

from shoal._text import align_rows, count, format_percentage, size_range, text_width
from shoal.metrics import MEASURE_INFO
from shoal.report.layout import NEGLIGIBLE_GAP, by_reason, format_number, numbers, tables, unit_for

SEVERITIES = {"breaks": "not kept", "qualifies": "reservation", "informs": "note"}


def one_line(summary: dict[str, Any]) -> str:
    """Return the number of records, the groups and the loss of a release in one line."""
    groups = ", ".join(map(_describe_groups, summary["groups"][:3]))
    if len(summary["groups"]) > 3:
        groups += f" and {len(summary['groups']) - 3} more blocks"
    loss = next((m["value"] for m in summary["measures"] if m["name"] == "information_loss"), None)
    group_clause = f" in {groups}" if groups else ""
    promise = "" if summary["promise"]["k"] else "; no k-anonymity is guaranteed"
    loss_text = "not measured" if loss is None else format_percentage(loss)
    line = f"{count(summary['records'], 'record')}{group_clause}; information loss {loss_text}"
    return line + _certificate_clause(summary["measures"]) + promise


def _describe_groups(entry: Mapping[str, Any]) -> str:
    """Return the number and the sizes of groups."""
    sizes = size_range(entry["smallest"], entry["largest"])
    return f"{count(entry['number'], 'group')} of {sizes}"


def _certificate_clause(measures: list[dict[str, Any]]) -> str:
    """Return a clause about the proven gap to the least possible loss."""
    gap = next((m["value"] for m in measures if m["name"] == "certified_gap"), None)
    if gap is None:
        return ""
    if gap < NEGLIGIBLE_GAP:
        return ", proven to be the least possible"
    return f", at most {100 * gap:.2g} % above the least possible"


def whole_text(summary: dict[str, Any]) -> str:
    """Return the report for a terminal, from the verdict to the measures."""
    values = {entry["name"]: entry["value"] for entry in summary["measures"]}
    attacker = summary["attacker"]
    verdict = summary["verdict"]
    parts = [one_line(summary), _wrap(f"{verdict['sentence']} {summary['explanation']}")]
    if verdict["findings"]:
        parts.append(
            "\n".join(_wrap(finding_line(finding), "  ") for finding in verdict["findings"])
        )
    if summary["limits"]:
        parts.append("\n".join(map(limit_line, summary["limits"])))
    for verb in ("cannot", "can"):
        if attacker[verb]:
            lines = "\n".join(_wrap(entry, "  - ") for entry in attacker[verb])
            parts.append(f"An attacker who knows the quasi-identifiers {verb}\n{lines}")
    if summary["evidence"]:
        parts.append(evidence_text(summary["evidence"]))
    parts += [_wrap(f"Warning: {warning}") for warning in summary["warnings"]]
    if summary["hierarchies"]:
        parts.append(_levels_text(summary["hierarchies"]))
    parts.append(measures_text(values, summary["remarks"]))
    return "\n\n".join(parts) + "\n"


def _levels_text(hierarchies: list[dict[str, Any]]) -> str:
    """Return the levels of hierarchies: their categories, and the share of cells at each."""
    depth = max(len(entry["levels"]) for entry in hierarchies)
    rows = [["categories and cells by level", *map(str, range(depth))]]
    for entry in hierarchies:
        cells = [
            f"{level['categories']}"
            + (f" ({100 * level['share']:.3g} %)" if level["share"] else "")
            for level in entry["levels"]
        ]
        rows.append([entry["column"], *cells, *[""] * (depth - len(cells))])
    return align_rows(rows)


def finding_line(finding: Mapping[str, Any]) -> str:
    """Return a finding as a line, with advice if the summary contains it."""
    line = f"{SEVERITIES[finding['severity']]}: {finding['sentence']} {finding.get('way_out', '')}"
    return line.replace("`", "").rstrip()


def limit_line(entry: Mapping[str, Any]) -> str:
    """Return a line on a limit: whether it is met, and the figure."""
    result = "pass" if entry["passed"] else "FAIL"
    value = entry["reason"] if entry["value"] is None else f"{entry['value']:.4g}"
    return f"{result} {entry['limit']} = {entry['bound']:g}: {value}"


def evidence_text(evidence: Mapping[str, Any]) -> str:
    """Return attacks by criterion, and the survey risk."""
    if evidence["error"]:
        blocks = [f"No attack was carried out. {evidence['error']}"]
    else:
        blocks = [f"Evidence from attacks, seed {evidence['seed']}; rates in per cent"]
        for criterion in evidence.get("criteria", ()):
            rows = [["attack", "rate", "95 % CI", "baseline", "ceiling", "tries"]]
            rows += [_attack_cells(test) for test in criterion["tests"]]
            untested = [
                f"{name} ({reason[:1].lower()}{reason[1:].rstrip('.')})"
                for name, reason in criterion["not_run"].items()
            ]
            untested.append(criterion["untested"].replace("`", ""))
            notes = _wrap(f"Not tested: {'; '.join(untested)}.")
            blocks.append(
                f"{criterion['name']}: {criterion['question']}\n{align_rows(rows)}\n{notes}"
            )
    survey = evidence["survey"]
    if survey:
        figures = [[name, f"{value:.4g}"] for name, value in survey["figures"].items()]
        blocks.append(f"Risk as a sample\n{survey['error'] or align_rows(figures)}")
    return "\n\n".join(blocks)


def _attack_cells(test: Mapping[str, Any]) -> list[str]:
    low, high = test["interval"]
    ceiling = "none" if test["ceiling"] is None else f"{100 * test['ceiling']:.1f}"
    return [
        test["attack"], f"{100 * test['rate']:.1f}", f"{100 * low:.1f}-{100 * high:.1f}",
        f"{100 * test['baseline']:.1f}", ceiling, f"{test['attacks']:,}",
    ]  # fmt: skip


def measures_text(
    measures: Mapping[str, Any],
    remarks: Mapping[str, str] | None = None,
    meanings: Mapping[str, str] | None = None,
) -> str:
    """Return measures as aligned lines and tables, then what they mean, then remarks."""
    lines = [
        [
            f"{name} {part}".strip(),
            f"{format_number(value)} {unit_for(MEASURE_INFO[name].unit, value)}".strip(),
        ]
        for name, part, value in numbers({**measures, "class_sizes": {}})
    ]
    if "class_sizes" in measures:
        sizes = ", ".join(f"{size}: {count}" for size, count in measures["class_sizes"].items())
        lines.append(["class_sizes", sizes])
    blocks = [align_rows(lines)]
    for entry in tables(measures):
        rows = [[column, *map(format_number, values)] for column, values in entry.rows.items()]
        blocks.append(align_rows([[entry.per, *entry.headings], *rows]))
    if meanings:
        blocks.append("\n".join(f"{name}: {meanings[name]}." for name in measures))
    notes = [f"{', '.join(names)}: {reason}" for reason, names in by_reason(remarks or {}).items()]
    blocks.append("\n".join(notes))
    return "\n\n".join(block for block in blocks if block)


def _wrap(text: str, mark: str = "") -> str:
    return fill(
        text, min(96, text_width() or 96), initial_indent=mark, subsequent_indent=" " * len(mark)
    )
