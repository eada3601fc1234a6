"""Declared types of columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from shoal._params import hint
from shoal.errors import ParameterError
from shoal.frame.type_files import read_rows

Kind = Literal["numeric", "ordinal", "nominal", "boolean", "date"]
KINDS: tuple[Kind, ...] = get_args(Kind)

Row = tuple[str, ...]


@dataclass(frozen=True)
class Type:
    """The kind of a column's values, and the order or distances declared for them.

    Values are given as text, so that one declaration fits whole numbers, text and categories, and
    reads the same in Python, in a plan and on the command line.

    Parameters
    ----------
    kind : str
        ``"numeric"``, ``"ordinal"`` (ordered values), ``"nominal"`` (unordered values),
        ``"boolean"`` (two values) or ``"date"`` (dates, times, durations).
    order : tuple of str
        Values of an ordinal column, smallest first. Not needed for numbers and ordered
        categories.
    hierarchy : tuple of tuple of str
        For a nominal column, one row per value: the value, its parent, the parent's parent, and so
        on. All rows have the same length; the root is left out.
    distances : tuple of tuple
        For a nominal column, one row per pair of values: the two values and their distance.
    prefixes : tuple of int
        For a nominal column of codes, the lengths of the prefixes that form a hierarchy: ``(3, 1)``
        makes codes with the same first three characters closest.
    intervals : tuple of float
        For a numeric column, the widths of the intervals that the step ``generalise`` may recode it
        to, the narrowest first; each is a multiple of the one before it.
    format : str
        For a date, how it is written, such as ``"%d/%m/%Y"``, or ``"excel"`` for the day numbers of
        a spreadsheet. Not needed for ISO dates.
    why : str
        The reason, where the kind was inferred and not declared.
    """

    kind: Kind
    order: Row = ()
    hierarchy: tuple[Row, ...] = ()
    distances: tuple[Row, ...] = ()
    prefixes: tuple[int, ...] = ()
    intervals: tuple[float, ...] = ()
    format: str = ""
    why: str = ""

    def to_entry(self) -> Any:
        """Return the type as it is written in a plan document."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        entry = {name: value for name, value in values.items() if value}
        if len(entry) == 1:
            return self.kind
        return {
            name: [list(row) if isinstance(row, tuple) else row for row in value]
            if isinstance(value, tuple)
            else value
            for name, value in entry.items()
        }


def text_of(value: Any) -> str:
    """Return a value as text, so that 1, 1.0 and ``"1"`` are equal.

    Examples
    --------
    >>> [text_of(value) for value in (1, 1.0, "1", True, 2.5)]
    ['1', '1', '1', 'true', '2.5']
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def as_types(entries: Mapping[str, Any] | None, folder: Path | None = None) -> dict[str, Type]:
    """Return declared types by column.

    If ``folder`` is given, files named in the types must be in it; see `type_files.read_rows`.
    """
    if entries is None:
        return {}
    if not isinstance(entries, Mapping):
        raise ParameterError(
            'Types must be a table: column = "kind", or column = { kind = "..." }.',
            code="types-no-mapping",
        )
    return {name: _as_type(name, entry, folder) for name, entry in entries.items()}


def parse_type_options(pairs: Sequence[str]) -> dict[str, Any]:
    """Parse the ``--type`` options of the command line.

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
        name, mark, text = pair.partition("=")
        kind, colon, rest = text.partition(":")
        if not mark or not kind or (colon and not rest):
            raise ParameterError(
                "--type takes column=kind, column=ordinal:least,...,most, column=date:format,"
                " column=prefix:length,..., column=interval:width,..., column=hierarchy:file or"
                " column=distances:file."
                f" Got {pair!r} instead.",
                code="type-not-a-pair",
                given=pair,
            )
        if name in entries:
            raise ParameterError(
                f"--type is given twice for column {name!r}. Leave one.",
                code="type-twice",
                column=name,
            )
        if kind in ("hierarchy", "distances"):
            entries[name] = {"kind": "nominal", kind: rest}
        elif kind == "prefix":
            lengths = [int(part) if part.isdecimal() else part for part in rest.split(",")]
            entries[name] = {"kind": "nominal", "prefixes": lengths}
        elif kind == "interval":
            entries[name] = {"kind": "numeric", "intervals": _widths(rest)}
        elif kind == "date" and colon:
            entries[name] = {"kind": "date", "format": rest}
        elif colon:
            entries[name] = {"kind": kind, "order": rest.split(",")}
        else:
            entries[name] = kind
    return entries


def _widths(text: str) -> list[float | str]:
    """Return the widths in an option; what is no number is refused later."""
    widths: list[float | str] = []
    for part in text.split(","):
        try:
            widths.append(int(part) if part.isdecimal() else float(part))
        except ValueError:
            widths.append(part)
    return widths


def _as_type(name: str, entry: Any, folder: Path | None) -> Type:
    if isinstance(entry, Type):
        return entry
    entry = {"kind": entry} if isinstance(entry, str) else entry
    known = [field.name for field in fields(Type)]
    if not isinstance(entry, Mapping) or "kind" not in entry:
        raise ParameterError(
            f"The type of column {name!r} needs a kind: one of {', '.join(KINDS)}.",
            code="kind-missing",
            column=name,
        )
    for key in entry:
        if key not in known:
            raise ParameterError(
                f"The type of column {name!r} has the unknown key {key!r}.{hint(str(key), known)}"
                f" The keys are: {', '.join(known)}.",
                code="unknown-key",
                column=name,
                key=key,
            )
    kind = entry["kind"]
    if kind not in KINDS:
        raise ParameterError(
            f"Column {name!r} has the unknown kind {kind!r}.{hint(str(kind), KINDS)} The kinds are:"
            f" {', '.join(KINDS)}.",
            code="unknown-kind",
            column=name,
        )
    result = Type(
        kind,
        _order(name, entry.get("order", ())),
        _rows(name, entry.get("hierarchy", ()), folder),
        _rows(name, entry.get("distances", ()), folder),
        _prefixes(name, entry.get("prefixes", ())),
        _intervals(name, entry.get("intervals", ())),
        _text(name, entry, "format"),
        _text(name, entry, "why"),
    )
    _check_consistent(name, result)
    return result


def _order(name: str, given: Any) -> Row:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ParameterError(
            f"The order of column {name!r} must be a list of values, smallest first.",
            code="order-not-a-list",
            column=name,
        )
    return tuple(text_of(value) for value in given)


def _prefixes(name: str, given: Any) -> tuple[int, ...]:
    lengths = [given] if isinstance(given, int) else given
    if (
        isinstance(lengths, str)
        or not isinstance(lengths, Sequence)
        or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in lengths)
        or any(first <= second for first, second in zip(lengths[:-1], lengths[1:], strict=True))
    ):
        raise ParameterError(
            f"The prefixes of column {name!r} must be lengths above 0, the longest first.",
            code="prefixes-not-lengths",
            column=name,
        )
    return tuple(lengths)


def _intervals(name: str, given: Any) -> tuple[float, ...]:
    widths = [given] if isinstance(given, int | float) else given
    if (
        isinstance(widths, str)
        or not isinstance(widths, Sequence)
        or any(isinstance(w, bool) or not isinstance(w, int | float) for w in widths)
        or any(not 0 < width < float("inf") for width in widths)
        or any(b <= a or b % a for a, b in zip(widths[:-1], widths[1:], strict=True))
    ):
        raise ParameterError(
            f"The intervals of column {name!r} must be widths above 0, the narrowest first, each a"
            " multiple of the one before it.",
            code="intervals-not-widths",
            column=name,
        )
    return tuple(widths)


def _text(name: str, entry: Mapping[str, Any], key: str) -> str:
    text = entry.get(key, "")
    if not isinstance(text, str):
        raise ParameterError(
            f"The {key} of column {name!r} must be text.", code="key-not-text", column=name, key=key
        )
    return text


def _rows(name: str, given: Any, folder: Path | None) -> tuple[Row, ...]:
    """Return the rows of a hierarchy or of distances, given directly or as the name of a file."""
    if isinstance(given, str | Path):
        given = read_rows(given, folder)
    if not isinstance(given, Sequence) or any(
        isinstance(row, str) or not isinstance(row, Sequence) for row in given
    ):
        raise ParameterError(
            f"The hierarchy or the distances of column {name!r} must be a list of rows, or the"
            " name of a file with them.",
            code="rows-not-a-list",
            column=name,
        )
    return tuple(tuple(text_of(cell) for cell in row) for row in given)


def _check_consistent(name: str, declared: Type) -> None:
    """Refuse a type that contradicts itself."""
    kind_of_key = {
        "order": "ordinal",
        "hierarchy": "nominal",
        "distances": "nominal",
        "prefixes": "nominal",
        "intervals": "numeric",
        "format": "date",
    }
    for key, kind in kind_of_key.items():
        if getattr(declared, key) and declared.kind != kind:
            raise ParameterError(
                f"Column {name!r} is {declared.kind} but has {key}, which belongs to the kind"
                f" {kind!r}.",
                code="key-of-another-kind",
                column=name,
                key=key,
            )
    if sum(map(bool, (declared.hierarchy, declared.distances, declared.prefixes))) > 1:
        raise ParameterError(
            f"Column {name!r} has two of a hierarchy, distances and prefixes. Choose one.",
            code="hierarchy-and-distances",
            column=name,
        )
    values = declared.order or tuple(row[0] for row in declared.hierarchy if row)
    if len(set(values)) < len(values):
        raise ParameterError(
            f"The type of column {name!r} lists a value twice. List each value once.",
            code="value-twice",
            column=name,
        )
    if declared.hierarchy:
        _check_hierarchy(name, declared.hierarchy)
    _check_distances(name, declared.distances)


def _check_hierarchy(name: str, rows: Sequence[Row]) -> None:
    if len({len(row) for row in rows}) > 1:
        raise ParameterError(
            f"The hierarchy of column {name!r} has rows of different lengths.",
            code="hierarchy-uneven",
            column=name,
        )
    if len(rows[0]) < 2:
        raise ParameterError(
            f"The hierarchy of column {name!r} names no parents.",
            code="hierarchy-without-parents",
            column=name,
        )
    for level in range(1, len(rows[0]) - 1):
        ancestors = {row[level]: row[level + 1 :] for row in rows}
        if any(ancestors[row[level]] != row[level + 1 :] for row in rows):
            raise ParameterError(
                f"The hierarchy of column {name!r} is not a tree: at level {level} a value has two"
                " parents.",
                code="hierarchy-no-tree",
                column=name,
                level=level,
            )


def _check_distances(name: str, rows: Sequence[Row]) -> None:
    known: dict[frozenset[str], float] = {}
    for row in rows:
        try:
            first, second, distance = row[0], row[1], float(row[2])
        except (IndexError, ValueError):
            raise ParameterError(
                f"The distances of column {name!r} must be rows of two values and a number.",
                code="distances-malformed",
                column=name,
            ) from None
        same = first == second
        if not 0 <= distance < float("inf") or (distance > 0) == same or len(row) != 3:
            raise ParameterError(
                f"The distances of column {name!r} must be positive between different values and"
                " 0 between a value and itself.",
                code="distances-not-positive",
                column=name,
            )
        if known.setdefault(frozenset((first, second)), distance) != distance:
            raise ParameterError(
                f"The distances of column {name!r} give two distances for one pair.",
                code="distances-contradict",
                column=name,
            )
