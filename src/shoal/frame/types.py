"""What the values of a column are, where the table itself does not say it."""

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
    """The kind of a column's values, and what is known of their distances.

    Values are named by their text, so that one declaration fits whole numbers,
    text and categories, and is the same in Python, in a plan and on the command line.

    Parameters
    ----------
    kind : str
        ``"numeric"``, ``"ordinal"`` (values have an order), ``"nominal"`` (they have
        none), ``"boolean"`` (two values) or ``"date"`` (dates, times, durations).
    order : tuple of str
        The values of an ordinal column, the least first. Numbers and ordered
        categories bring their own.
    hierarchy : tuple of tuple of str
        For a nominal column, one row per value: the value, its parent, the parent of
        that, and so on. All rows are of one length; above the last stands one root.
    distances : tuple of tuple
        For a nominal column, one row per pair of values: both, and their distance.
    """

    kind: Kind
    order: Row = ()
    hierarchy: tuple[Row, ...] = ()
    distances: tuple[Row, ...] = ()

    def to_entry(self) -> Any:
        """Return the type as a document holds it."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        entry = {name: value for name, value in given.items() if value}
        if len(entry) == 1:
            return self.kind
        return {
            name: [list(one) if isinstance(one, tuple) else one for one in value]
            if isinstance(value, tuple)
            else value
            for name, value in entry.items()
        }


def text_of(value: Any) -> str:
    """Return the text that names a value: 1, 1.0 and ``"1"`` are one.

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

    With a ``folder`` the files that types name must lie in it; see `type_files.read_rows`.
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
    """Read types from the command line.

    Examples
    --------
    >>> from_text(["sex=nominal", "school=ordinal:none,some,much", "town=hierarchy:towns.csv"])
    {'sex': 'nominal', 'school': {'kind': 'ordinal', 'order': ['none', 'some', 'much']},
     'town': {'kind': 'nominal', 'hierarchy': 'towns.csv'}}
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        name, mark, text = pair.partition("=")
        kind, colon, rest = text.partition(":")
        if not mark or not kind or (colon and not rest):
            raise ParameterError(
                f"--type takes column=kind, column=ordinal:least,...,most, column=hierarchy:file or"
                f" column=distances:file. Got {pair!r} instead.",
                code="type-not-a-pair",
                given=pair,
            )
        if name in found:
            raise ParameterError(
                f"--type is given twice for column {name!r}. Leave one.",
                code="type-twice",
                column=name,
            )
        if kind in ("hierarchy", "distances"):
            found[name] = {"kind": "nominal", kind: rest}
        elif colon:
            found[name] = {"kind": kind, "order": rest.split(",")}
        else:
            found[name] = kind
    return found


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
    found = Type(
        kind,
        _order(name, entry.get("order", ())),
        _rows(name, entry.get("hierarchy", ()), folder),
        _rows(name, entry.get("distances", ()), folder),
    )
    _check(name, found)
    return found


def _order(name: str, given: Any) -> Row:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ParameterError(
            f"The order of column {name!r} must be a list of values, the least first.",
            code="order-not-a-list",
            column=name,
        )
    return tuple(text_of(value) for value in given)


def _rows(name: str, given: Any, folder: Path | None) -> tuple[Row, ...]:
    """Return the rows of a hierarchy or of distances; a text names a file that holds them."""
    if isinstance(given, str | Path):
        given = read_rows(given, folder)
    if not isinstance(given, Sequence) or any(
        isinstance(row, str) or not isinstance(row, Sequence) for row in given
    ):
        raise ParameterError(
            f"The hierarchy or the distances of column {name!r} must be a list of rows, or a file"
            " that holds them.",
            code="rows-not-a-list",
            column=name,
        )
    return tuple(tuple(text_of(cell) for cell in row) for row in given)


def _check(name: str, given: Type) -> None:
    """Refuse a type that contradicts itself."""
    belongs = {"order": "ordinal", "hierarchy": "nominal", "distances": "nominal"}
    for key, kind in belongs.items():
        if getattr(given, key) and given.kind != kind:
            raise ParameterError(
                f"Column {name!r} is {given.kind} and has {key}, which belongs to the kind"
                f" {kind!r}.",
                code="key-of-another-kind",
                column=name,
                key=key,
            )
    if given.hierarchy and given.distances:
        raise ParameterError(
            f"Column {name!r} has a hierarchy and distances. Choose one.",
            code="hierarchy-and-distances",
            column=name,
        )
    named = given.order or tuple(row[0] for row in given.hierarchy if row)
    if len(set(named)) < len(named):
        raise ParameterError(
            f"The type of column {name!r} names a value twice. Name each value once.",
            code="value-twice",
            column=name,
        )
    if given.hierarchy:
        _check_hierarchy(name, given.hierarchy)
    _check_distances(name, given.distances)


def _check_hierarchy(name: str, rows: Sequence[Row]) -> None:
    if len({len(row) for row in rows}) > 1:
        raise ParameterError(
            f"The hierarchy of column {name!r} has rows of several lengths.",
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
        above = {row[level]: row[level + 1 :] for row in rows}
        if any(above[row[level]] != row[level + 1 :] for row in rows):
            raise ParameterError(
                f"The hierarchy of column {name!r} is no tree: at level {level} one parent has two"
                " parents of its own.",
                code="hierarchy-no-tree",
                column=name,
                level=level,
            )


def _check_distances(name: str, rows: Sequence[Row]) -> None:
    found: dict[frozenset[str], float] = {}
    for row in rows:
        try:
            one, other, distance = row[0], row[1], float(row[2])
        except (IndexError, ValueError):
            raise ParameterError(
                f"The distances of column {name!r} must be rows of two values and a number.",
                code="distances-malformed",
                column=name,
            ) from None
        same = one == other
        if not 0 <= distance < float("inf") or (distance > 0) == same or len(row) != 3:
            raise ParameterError(
                f"The distances of column {name!r} must be above 0 between two values, and 0"
                " between a value and itself.",
                code="distances-not-positive",
                column=name,
            )
        if found.setdefault(frozenset((one, other)), distance) != distance:
            raise ParameterError(
                f"The distances of column {name!r} name a pair twice and differ.",
                code="distances-contradict",
                column=name,
            )
