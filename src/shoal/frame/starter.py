"""A starter plan, generated from the suggestions of an inspection."""

import json
from typing import Any

from shoal.frame.roles import RECORD_UNIT, UNIT_ROLES


def starter_plan(inspection: dict[str, Any], source: str, k: int | None = None) -> str:
    """Return a plan document that explains every suggestion in a comment.

    Parameters
    ----------
    inspection : dict
        Result of `shoal.frame.inspect.inspect`.
    source : str
        Name of the table.
    k : int, optional
        Smallest number of records in a class. If None, the plan cannot be run before k is filled
        in.

    Returns
    -------
    str
        The plan, as TOML.
    """
    columns = inspection["columns"]
    quasi = [entry for entry in columns if entry["role"] == "quasi-identifier"]
    types = [entry for entry in quasi if entry["declare"]]
    lines = [
        f"# A starter plan for {_comment(source)}.",
        "# Every line is a suggestion: only you know what attackers may know. See"
        " docs/real-tables.md.",
        "# A column that is unassigned is released unchanged, with a warning: give it a role.",
        "version = 1",
        *_unit(columns, inspection["records"]),
        'other_columns = "refuse"  # refuse tables with columns that are not named here',
        "",
        "[roles]",
        *(_role_line(entry) for entry in columns),
    ]
    if types:
        lines += ["", "[types]", *(f'{_quote(e["name"])} = "{e["declare"]}"' for e in types)]
    lines += [
        "",
        "[[steps]]",
        'method = "microaggregate"',
        f"columns = [{', '.join(_quote(entry['name']) for entry in quasi)}]",
        *_partition(k),
        *_missing(quasi),
    ]
    return "\n".join(lines) + "\n"


def _role_line(entry: dict[str, Any]) -> str:
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


def _unit(columns: list[dict[str, Any]], records: int) -> list[str]:
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


def _missing(quasi: list[dict[str, Any]]) -> list[str]:
    counts = [f"{_comment(e['name'])} {e['missing']}" for e in quasi if e["missing"]]
    if not counts:
        return []
    return [
        f"# Values are missing ({', '.join(counts)}), which is refused unless you choose:",
        '# missing = "own-groups"  # or "impute" or "drop"',
    ]


def _quote(name: str) -> str:
    """Return a name as a TOML string, which a JSON string is too."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    """Return text without line breaks and other control characters."""
    return "".join(c if c.isprintable() else " " for c in text)
