"""A starter plan, generated from the suggestions of an inspection."""

import json
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from shoal.frame.roles import RECORD_UNIT, UNIT_ROLES
from shoal.inspection.column_entry import ColumnEntry

if TYPE_CHECKING:
    from shoal.inspection.inspection import Inspection

LINE_WIDTH = 100  # characters in a line of comments
# The sentences of an inspection that its plan repeats; the others follow from roles and types.
REPEATED_SENTENCES = (
    "derived-column", "confidential-key", "order-follows-column", "dates-ambiguous",
    "text-disguises-values",
)  # fmt: skip


def starter_plan(inspection: "Inspection", k: int | None = None) -> str:
    """Return a plan document that explains every suggestion in a comment.

    Parameters
    ----------
    inspection : Inspection
        The inspection of a table.
    k : int, optional
        Minimum number of records in a class. If None, the plan cannot be run before k is filled
        in.

    Returns
    -------
    str
        The plan, as TOML.
    """
    columns = inspection.columns
    quasi_identifiers = [entry for entry in columns if entry["role"] == "quasi-identifier"]
    lines = [
        f"# A starter plan for {_on_one_line(inspection.source)}.",
        "# Every line is a suggestion: only you know what attackers may know. See"
        " docs/real-tables.md.",
        "# A column that is unassigned is released unchanged, with a warning: give it a role.",
        *(
            f"# {_on_one_line(sentence.text)}"
            for sentence in inspection.sentences
            if sentence.code in REPEATED_SENTENCES
        ),
        "version = 1",
        *_unit_lines(columns, inspection.records),
        'other_columns = "refuse"  # refuse tables with columns that are not named here',
        *_order_lines(inspection),
        "",
        "[roles]",
        *(_role_line(entry) for entry in columns),
        *_type_lines(quasi_identifiers),
        *_missing_code_lines(quasi_identifiers),
        "",
        "[[steps]]",
        'method = "microaggregate"',
        f"columns = [{', '.join(_quote(entry['name']) for entry in quasi_identifiers)}]",
        *_partition_lines(k),
        *_missing_lines(quasi_identifiers),
    ]
    lines = [wrapped_line for line in lines for wrapped_line in _wrap_comment(line)]
    return "\n".join(lines) + "\n"


def _type_lines(quasi_identifiers: Sequence[ColumnEntry]) -> list[str]:
    """Return lines that declare the kinds that do not follow from the table, with the reasons."""
    lines = []
    for entry in quasi_identifiers:
        declared_type = entry["declare"]
        if not declared_type:
            continue
        if entry["formats"]:
            declared_type = {"kind": "date", "format": entry["formats"][0]}
        why = _on_one_line(entry["why_kind"])
        lines.append(f"{_quote(entry['name'])} = {_as_toml(declared_type)}  # {why}")
    return ["", "[types]", *lines] if lines else []


def _missing_code_lines(quasi_identifiers: Sequence[ColumnEntry]) -> list[str]:
    """Return lines that declare the values of quasi-identifiers that count as missing."""
    lines = [
        f"{_quote(entry['name'])} = {_as_toml(entry['missing_codes'])}"
        for entry in quasi_identifiers
        if entry["missing_codes"]
    ]
    return ["", "[missing_codes]  # count as missing values", *lines] if lines else []


def _order_lines(inspection: "Inspection") -> list[str]:
    if not any(sentence.code == "order-follows-column" for sentence in inspection.sentences):
        return []
    return ["# shuffle = true  # the order of the records may identify them"]


def _as_toml(value: Any) -> str:
    """Return text, a number, a list or a table as TOML."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_as_toml(item)}' for key, item in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_as_toml, value))}]"
    return _quote(value) if isinstance(value, str) else str(value)


def _role_line(entry: ColumnEntry) -> str:
    why = _on_one_line(entry["why"])
    role = entry["role"] or "unassigned"
    return f'{_quote(entry["name"])} = "{role}"  # {why}'


def _partition_lines(k: int | None) -> list[str]:
    if k is not None:
        return [f'partition = {{ method = "auto", k = {k} }}']
    return [
        "# Add k, the smallest number of records in a class: it is the guarantee, so it has no",
        '# default. For instance: partition = { method = "auto", k = 5 }',
        'partition = { method = "auto" }',
    ]


def _unit_lines(columns: Sequence[ColumnEntry], records: int) -> list[str]:
    """Return lines that declare the unit, if identifiers repeat and no unit is suggested."""
    repeated_identifiers = [
        entry["name"]
        for entry in columns
        if entry["role"] == "identifier" and entry["distinct"] < records - entry["missing"]
    ]
    if not repeated_identifiers or any(entry["role"] in UNIT_ROLES for entry in columns):
        return []
    names = _on_one_line(", ".join(repeated_identifiers))
    return [
        f"# Values of identifiers repeat: {names}. If a person has several records, replace",
        '# this line: give the column of persons the role "unit", so that k counts persons.',
        f'unit = "{RECORD_UNIT}"',
    ]


def _missing_lines(quasi_identifiers: Sequence[ColumnEntry]) -> list[str]:
    """Return lines that decide on missing values, if quasi-identifiers have any."""
    counts = [
        f"{_on_one_line(entry['name'])} {entry['missing']}"
        f"{' and missing codes' if entry['missing_codes'] else ''}"
        for entry in quasi_identifiers
        if entry["missing"] or entry["missing_codes"]
    ]
    if not counts:
        return []
    return [
        f"# Values are missing ({', '.join(counts)}). Records that lack the same columns are",
        '# grouped together; "impute" fills the gaps in, "drop" leaves such records out.',
        'missing = "own-groups"',
    ]


def _wrap_comment(line: str) -> list[str]:
    """Split a long line of comment into several; return other lines unchanged."""
    if not line.startswith("# ") or len(line) <= LINE_WIDTH:
        return [line]
    return wrap(
        line, LINE_WIDTH, subsequent_indent="# ", break_long_words=False, break_on_hyphens=False
    )


def _quote(name: str) -> str:
    """Return a name as a TOML string; JSON strings are valid in TOML."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _on_one_line(text: str) -> str:
    """Return text without line breaks and other control characters."""
    return "".join(character if character.isprintable() else " " for character in text)
