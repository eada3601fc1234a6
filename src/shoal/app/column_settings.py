"""Settings of single columns: roles, kinds, date formats, levels, missing codes, importance."""

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.app import labels
from shoal.app.fields import number_or_text
from shoal.errors import ParameterError
from shoal.steps import Step

SETTINGS = (
    "role", "kind", "order", "format", "rule", "levels", "hierarchy", "codes", "importance",
    "decimals", "aggregate",
)  # fmt: skip
RULES = {  # the kind of values that each rule for levels applies to
    "intervals": "numeric",
    "prefixes": "nominal",
    "periods": "date",
}
RULE_LABELS = {
    "": "none",
    "intervals": "intervals of widths",
    "prefixes": "first characters",
    "periods": "periods",
    "file": "from a file",
}
RULE_HELP = {
    "intervals": "Widths, the narrowest first, such as 5, 10, 20.",
    "prefixes": "Numbers of characters, the largest first, such as 3, 1.",
    "periods": "Any of day, month, quarter, year, decade, the shortest first, such as month, year.",
}
FORMATS = {  # formats of dates, each with an example
    "": "as recognised, such as 2024-12-31",
    "%d/%m/%Y": "31/12/2024 (day, month, year)",
    "%m/%d/%Y": "12/31/2024 (month, day, year)",
    "%d.%m.%Y": "31.12.2024",
    "%d-%m-%Y": "31-12-2024 (day, month, year)",
    "%m-%d-%Y": "12-31-2024 (month, day, year)",
    "%Y/%m/%d": "2024/12/31",
    "%Y.%m.%d": "2024.12.31",
    "%Y%m%d": "20241231",
    "%d/%m/%y": "31/12/24 (day, month, year)",
    "%m/%d/%y": "12/31/24 (month, day, year)",
    "%d %b %Y": "31 Dec 2024",
    "%d%b%Y": "31Dec2024",
    "%Y-%m": "2024-12",
    "%m/%Y": "12/2024",
    "excel": "45657 (day numbers of a spreadsheet)",
}
AGGREGATES = {
    "": "as in the step",
    "mean": "mean",
    "median": "median",
    "trimmed-mean": "trimmed mean",
    "geometric-mean": "geometric mean",
    "ancestor": "common ancestor",
    "range": "range",
}


def field_names(n_columns: int) -> set[str]:
    """Return the names of all fields of the columns."""
    return {f"{setting}:{index}" for setting in SETTINGS for index in range(n_columns)}


def suggested_settings(columns: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the settings that an inspection suggests."""
    settings: dict[str, str] = {}
    for index, column in enumerate(columns):
        settings[f"role:{index}"] = column["role"] or ""
        for rule, values in (column.get("hierarchy") or {}).items():
            settings |= {f"rule:{index}": rule, f"levels:{index}": ", ".join(map(str, values))}
        if column["role"] != "quasi-identifier":
            continue
        if column.get("missing_codes"):
            settings[f"codes:{index}"] = ", ".join(map(str, column["missing_codes"]))
        declaration = column.get("declare") or {}
        declaration = {"kind": declaration} if isinstance(declaration, str) else dict(declaration)
        if column.get("formats"):
            declaration = {"kind": "date", "format": column["formats"][0]}
        settings |= {
            f"{key}:{index}": str(declaration[key])
            for key in ("kind", "format")
            if declaration.get(key)
        }
        if declaration.get("order"):
            settings[f"order:{index}"] = ", ".join(map(str, declaration["order"]))
    return settings


def chosen_roles(settings: Mapping[str, str], columns: Sequence[str]) -> dict[str, str]:
    """Return the role of each column; refuse unknown roles."""
    role_by_column = {name: settings.get(f"role:{index}", "") for index, name in enumerate(columns)}
    for name, role in role_by_column.items():
        if role not in labels.ROLES:
            role_labels = ", ".join(choice.label for choice in labels.ROLES.values())
            raise ParameterError(
                f"Column {name!r} needs one of these roles: {role_labels}.",
                code="unknown-role",
                column=name,
            )
    return {name: role or "unassigned" for name, role in role_by_column.items()}


def declared_types(
    settings: Mapping[str, str],
    columns: Sequence[str],
    steps: Sequence[Step],
    hierarchies: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the declared types of columns, with the levels of columns whose step uses them."""
    columns_with_levels = {name for step in steps if _uses_levels(step) for name in step.columns}
    entry_by_column: dict[str, Any] = {}
    for index, name in enumerate(columns):
        kind = settings.get(f"kind:{index}", "")
        entry: dict[str, Any] = {"kind": kind} if kind else {}
        order, date_format = (
            settings.get(f"{setting}:{index}", "") for setting in ("order", "format")
        )
        if kind == "ordinal" and order:
            entry["order"] = _split_list(order)
        if kind == "date" and date_format:
            entry["format"] = date_format
        if name in columns_with_levels:
            entry = {**_level_entries(settings, index, name, hierarchies), **entry}
        if entry:
            entry_by_column[name] = entry if len(entry) > 1 else entry["kind"]
    return entry_by_column


def _uses_levels(step: Step) -> bool:
    aggregate = vars(step).get("aggregate")
    values = aggregate.values() if isinstance(aggregate, Mapping) else [aggregate]
    return step.uses_hierarchies or "ancestor" in values


def _level_entries(
    settings: Mapping[str, str], index: int, name: str, hierarchies: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the part of a type that declares its levels."""
    rule = settings.get(f"rule:{index}", "")
    if not rule:
        return {}
    if rule == "file":
        loaded = hierarchies.get(settings.get(f"hierarchy:{index}", ""))
        if loaded is None:
            raise ParameterError(
                f"The file with the levels of column {name!r} is not loaded. Load it under"
                " “Details” of the column.",
                code="hierarchy-not-loaded",
                column=name,
            )
        return {"kind": "nominal", "hierarchy": loaded["rows"]}
    if rule not in RULES:
        raise ParameterError(
            f"The levels of column {name!r} have an unknown kind. Choose one of the kinds offered.",
            code="levels-not-a-rule",
            column=name,
        )
    texts = _split_list(settings.get(f"levels:{index}", ""))
    numbers = texts if rule == "periods" else [number_or_text(part) for part in texts]
    return {"kind": RULES[rule], rule: numbers}


def missing_codes(
    settings: Mapping[str, str], columns: Sequence[str], steps: Sequence[Step]
) -> dict[str, list[str]]:
    """Return the missing codes of masked columns."""
    masked_columns = {name for step in steps for name in step.columns}
    codes_by_column = {
        name: _split_list(settings.get(f"codes:{index}", "")) for index, name in enumerate(columns)
    }
    return {
        name: codes for name, codes in codes_by_column.items() if codes and name in masked_columns
    }


def options_by_column(
    settings: Mapping[str, str], columns: Sequence[str], masked_columns: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return importance, decimals and aggregates that are set for single masked columns."""
    options: dict[str, dict[str, Any]] = {}
    for index, name in enumerate(columns):
        if name not in masked_columns:
            continue
        for option in ("importance", "decimals", "aggregate"):
            text = settings.get(f"{option}:{index}", "")
            if not text:
                continue
            value = text if option == "aggregate" else number_or_text(text)
            if option != "aggregate" and isinstance(value, str):
                label = {"importance": "Importance", "decimals": "Decimals"}[option]
                raise ParameterError(
                    f"“{label}” of column {name!r} must be a number.",
                    code="parameter-not-accepted",
                    parameter=option,
                    column=name,
                )
            options.setdefault(option, {})[name] = value
    return options


def _split_list(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
