"""A plan to start from, written from what an inspection suggests."""

import json
from typing import Any

from shoal.frame.roles import RECORD_UNIT, UNIT_ROLES


def starter_plan(found: dict[str, Any], source: str, k: int | None = None) -> str:
    """Return a plan document with a comment on every suggestion.

    Parameters
    ----------
    found : dict
        What `shoal.frame.inspect.inspect` returned.
    source : str
        What to call the table.
    k : int, optional
        Least number of records that look alike. Where None, the plan has a place for
        it and cannot be run before it is filled in.

    Returns
    -------
    str
        The plan, as TOML.
    """
    columns = found["columns"]
    known = [entry for entry in columns if entry["role"] == "quasi-identifier"]
    types = [entry for entry in known if entry["declare"]]
    lines = [
        f"# A plan to start from, for {_comment(source)}.",
        "# Every line is a suggestion: only you know what others know. See docs/real-tables.md.",
        "# A column that is unassigned is released unchanged, with a warning: give it a role.",
        "version = 1",
        *_unit(columns, found["records"]),
        'other_columns = "refuse"  # a table with a column that is not named here',
        "",
        "[roles]",
        *(_role(entry) for entry in columns),
    ]
    if types:
        lines += ["", "[types]", *(f'{_text(e["name"])} = "{e["declare"]}"' for e in types)]
    lines += [
        "",
        "[[steps]]",
        'method = "microaggregate"',
        f"columns = [{', '.join(_text(entry['name']) for entry in known)}]",
        *_partition(k),
        *_holes(known),
    ]
    return "\n".join(lines) + "\n"


def _role(entry: dict[str, Any]) -> str:
    why = _comment(entry["why"])
    role = entry["role"] or "unassigned"
    return f'{_text(entry["name"])} = "{role}"  # {why}'


def _partition(k: int | None) -> list[str]:
    if k is not None:
        return [f'partition = {{ method = "auto", k = {k} }}']
    return [
        "# Add k, the least number of records that look alike: it is the guarantee, so it has no",
        '# default. For instance: partition = { method = "auto", k = 5 }',
        'partition = { method = "auto" }',
    ]


def _unit(columns: list[dict[str, Any]], records: int) -> list[str]:
    """Return what k counts, where identifiers repeat and no column of units is suggested."""
    repeated = [
        entry["name"]
        for entry in columns
        if entry["role"] == "identifier" and entry["distinct"] < records - entry["missing"]
    ]
    if not repeated or any(entry["role"] in UNIT_ROLES for entry in columns):
        return []
    names = _comment(", ".join(repeated))
    return [
        f"# Values of identifiers repeat: {names}. If a person has several records, give",
        '# the column of the persons the role "unit" instead of this line: k then counts persons.',
        f'unit = "{RECORD_UNIT}"',
    ]


def _holes(known: list[dict[str, Any]]) -> list[str]:
    holes = [f"{_comment(e['name'])} {e['missing']}" for e in known if e["missing"]]
    if not holes:
        return []
    return [
        f"# Values are missing ({', '.join(holes)}), which is refused unless you choose:",
        '# missing = "own-groups"  # or "impute" or "drop"',
    ]


def _text(name: str) -> str:
    """Return a name in quotes: what JSON writes, TOML reads."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    """Return text that stays within a comment."""
    return "".join(c if c.isprintable() else " " for c in text)
