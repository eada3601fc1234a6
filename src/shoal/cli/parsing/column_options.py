"""Options that describe columns: their types, hierarchies, missing codes and weights."""

from collections.abc import Sequence
from typing import Any

from shoal.errors import ParameterError


def parse_types(pairs: Sequence[str] | None, hierarchies: Sequence[str] | None) -> dict[str, Any]:
    """Parse the ``--type`` and ``--hierarchy`` options."""
    return parse_type_options([*(pairs or []), *map(_type_of_hierarchy, hierarchies or [])])


def _type_of_hierarchy(pair: str) -> str:
    """Return the type that ``--hierarchy COLUMN=RULE`` declares.

    >>> _type_of_hierarchy("zip=zip.csv"), _type_of_hierarchy("age=interval:5,10")
    ('zip=hierarchy:zip.csv', 'age=interval:5,10')
    """
    name, equals, rule = pair.partition("=")
    if not equals or not rule:
        raise ParameterError(
            "--hierarchy takes column=file, column=prefix:length,..., column=interval:width,... or"
            f" column=period:month,.... Got {pair!r} instead.",
            code="hierarchy-not-a-pair",
            given=pair,
        )
    is_rule = rule.partition(":")[0] in ("prefix", "interval", "period")
    return pair if is_rule else f"{name}=hierarchy:{rule}"


def parse_type_options(pairs: Sequence[str]) -> dict[str, Any]:
    """Parse the ``--type`` options, each ``column=kind`` or ``column=kind:rule``.

    Examples
    --------
    >>> parse_type_options(
    ...     ["sex=nominal", "school=ordinal:none,some,much", "town=hierarchy:towns.csv"]
    ... )
    {'sex': 'nominal', 'school': {'kind': 'ordinal', 'order': ['none', 'some', 'much']},
     'town': {'kind': 'nominal', 'hierarchy': 'towns.csv'}}
    """
    entries: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        kind, colon, rule = text.partition(":")
        if not equals or not kind or (colon and not rule):
            raise ParameterError(
                "--type takes column=kind, column=ordinal:lowest,...,highest, column=date:format,"
                " column=prefix:length,..., column=interval:width,..., column=period:month,...,"
                " column=hierarchy:file or column=distances:file."
                f" Got {pair!r} instead.",
                code="type-not-a-pair",
                given=pair,
            )
        if name in entries:
            raise ParameterError(
                f"--type is given twice for column {name!r}. Keep one.",
                code="type-twice",
                column=name,
            )
        entries[name] = _parse_type(kind, rule)
    return entries


def _parse_type(kind: str, text: str) -> Any:
    """Return the type that ``kind:text`` declares; ``text`` is empty if only a kind is given."""
    if kind in ("hierarchy", "distances"):
        return {"kind": "nominal", kind: text}
    if kind == "prefix":
        lengths = [int(item) if item.isdecimal() else item for item in text.split(",")]
        return {"kind": "nominal", "prefixes": lengths}
    if kind == "interval":
        return {"kind": "numeric", "intervals": _parse_widths(text)}
    if kind == "period":
        return {"kind": "date", "periods": text.split(",")}
    if kind == "date" and text:
        return {"kind": "date", "format": text}
    return {"kind": kind, "order": text.split(",")} if text else kind


def _parse_widths(text: str) -> list[float | str]:
    """Return the widths of intervals; the type refuses those that are not numbers."""
    widths: list[float | str] = []
    for item in text.split(","):
        try:
            widths.append(int(item) if item.isdecimal() else float(item))
        except ValueError:
            widths.append(item)
    return widths


def parse_missing_codes(pairs: Sequence[str] | None) -> dict[str, list[str]]:
    """Parse the ``--missing-codes`` options, each ``column=code,...``.

    Examples
    --------
    >>> parse_missing_codes(["income=98,99", "age=-9"])
    {'income': ['98', '99'], 'age': ['-9']}
    """
    codes = {}
    for pair in pairs or []:
        name, equals, text = pair.rpartition("=")
        if not equals or not name or not text:
            raise ParameterError(
                f"--missing-codes takes column=code,... Got {pair!r} instead.",
                code="missing-codes-malformed",
                given=pair,
            )
        codes[name] = text.split(",")
    return codes


def missing_codes_of(pairs: Sequence[str] | None, table: Any) -> dict[str, tuple[str, ...]]:
    """Parse the ``--missing-codes`` options for a table; refuse columns that it does not have."""
    from shoal.frame.missing_codes import as_missing_codes
    from shoal.frame.tables import check_columns, open_frame

    codes = as_missing_codes(parse_missing_codes(pairs))
    check_columns(open_frame(table), list(codes))
    return codes


def parse_column_weights(pairs: Sequence[str]) -> dict[str, float]:
    """Parse the ``--column-weight`` options, each ``column=number``.

    Examples
    --------
    >>> parse_column_weights(["age=2", "wage=0.5"])
    {'age': 2.0, 'wage': 0.5}
    """
    weights: dict[str, float] = {}
    for pair in pairs:
        name, _, text = pair.rpartition("=")
        try:
            weight = float(text)
        except ValueError:
            weight = float("nan")
        if not name or name in weights or weight != weight:
            raise ParameterError(
                f"--column-weight takes column=number, once per column. Got {pair!r} instead.",
                code="setting-not-a-pair",
                given=pair,
            )
        weights[name] = weight
    return weights
