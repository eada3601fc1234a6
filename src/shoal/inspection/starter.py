"""A starter plan, generated from the suggestions of an inspection."""

import json
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from shoal.frame.roles import RECORD_UNIT, UNIT_ROLES
from shoal.inspection.column_entry import ColumnEntry

if TYPE_CHECKING:
    from shoal.inspection.inspection import Inspection

WIDTH = 100  # of lines of comments
# The sentences of an inspection that its plan repeats; the others follow from roles and types.
IN_PLAN = (
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
        Smallest number of records in a class. If None, the plan cannot be run before k is filled
        in.

    Returns
    -------
    str
        The plan, as TOML.
    """
    columns = inspection.columns
    quasi = [entry for entry in columns if entry["role"] == "quasi-identifier"]
    lines = [
        f"# A starter plan for {_comment(inspection.source)}.",
        "# Every line is a suggestion: only you know what attackers may know. See"
        " docs/real-tables.md.",
        "# A column that is unassigned is released unchanged, with a warning: give it a role.",
        *(
            f"# {_comment(sentence.text)}"
            for sentence in inspection.sentences
            if sentence.code in IN_PLAN
        ),
        "version = 1",
        *_unit(columns, inspection.records),
        'other_columns = "refuse"  # refuse tables with columns that are not named here',
        *_order(inspection),
        "",
        "[roles]",
        *(_role_line(entry) for entry in columns),
        *_types(quasi),
        *_missing_codes(quasi),
        "",
        "[[steps]]",
        'method = "microaggregate"',
        f"columns = [{', '.join(_quote(entry['name']) for entry in quasi)}]",
        *_partition(k),
        *_missing(quasi),
    ]
    lines = [part for line in lines for part in _wrap_comment(line)]
    return "\n".join(lines) + "\n"


def _types(quasi: Sequence[ColumnEntry]) -> list[str]:
    """Return lines that declare the kinds that do not follow from the table, with the reasons."""
    lines = []
    for entry in quasi:
        declared = entry["declare"]
        if not declared:
            continue
        if entry["formats"]:
            declared = {"kind": "date", "format": entry["formats"][0]}
        why = _comment(entry["why_kind"])
        lines.append(f"{_quote(entry['name'])} = {_value(declared)}  # {why}")
    return ["", "[types]", *lines] if lines else []


def _missing_codes(quasi: Sequence[ColumnEntry]) -> list[str]:
    """Return lines that declare the values of quasi-identifiers that count as missing."""
    lines = [
        f"{_quote(entry['name'])} = {_value(entry['missing_codes'])}"
        for entry in quasi
        if entry["missing_codes"]
    ]
    return ["", "[missing_codes]  # count as missing values", *lines] if lines else []


def _order(inspection: "Inspection") -> list[str]:
    if not any(sentence.code == "order-follows-column" for sentence in inspection.sentences):
        return []
    return ["# shuffle = true  # the order of the records may identify them"]


def _value(value: Any) -> str:
    """Return text, a number, a list or a table as TOML."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_value(item)}' for key, item in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return _quote(value) if isinstance(value, str) else str(value)


def _role_line(entry: ColumnEntry) -> str:
    why = _comment(entry["why"])
    role = entry["role"] or "unassigned"
    return f'{_quote(entry["name"])} = "{role}"  # {why}'


def _partition(k: int | None) -> list[str]:
    if k is not None:
        return [f'partition = {{ method = "auto", k = {k} }}']
    return [
        "# Add k, the smallest number of records in a class: it is the guarantee, so it has no",
        '# default. For instance: partition = { method = "auto", k = 5 }',
        'partition = { method = "auto" }',
    ]


def _unit(columns: Sequence[ColumnEntry], records: int) -> list[str]:
    """Return lines that declare the unit, if identifiers repeat and no unit is suggested."""
    repeated = [
        entry["name"]
        for entry in columns
        if entry["role"] == "identifier" and entry["distinct"] < records - entry["missing"]
    ]
    if not repeated or any(entry["role"] in UNIT_ROLES for entry in columns):
        return []
    names = _comment(", ".join(repeated))
    return [
        f"# Values of identifiers repeat: {names}. If a person has several records, replace",
        '# this line: give the column of persons the role "unit", so that k counts persons.',
        f'unit = "{RECORD_UNIT}"',
    ]


def _missing(quasi: Sequence[ColumnEntry]) -> list[str]:
    """Return lines that decide on missing values, if quasi-identifiers have any."""
    counts = [
        f"{_comment(e['name'])} {e['missing']}{' and missing codes' if e['missing_codes'] else ''}"
        for e in quasi
        if e["missing"] or e["missing_codes"]
    ]
    if not counts:
        return []
    return [
        f"# Values are missing ({', '.join(counts)}). Records that lack the same columns are",
        '# grouped together; "impute" fills the gaps in, "drop" leaves such records out.',
        'missing = "own-groups"',
    ]


def _wrap_comment(line: str) -> list[str]:
    """Return a line of comment as lines that fit an editor; other lines as they are."""
    if not line.startswith("# ") or len(line) <= WIDTH:
        return [line]
    return wrap(line, WIDTH, subsequent_indent="# ", break_long_words=False, break_on_hyphens=False)


def _quote(name: str) -> str:
    """Return a name as a TOML string, which a JSON string is too."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    """Return text without line breaks and other control characters."""
    return "".join(c if c.isprintable() else " " for c in text)
