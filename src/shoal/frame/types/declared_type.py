"""Declared types of columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from shoal._params import hint
from shoal.errors import ParameterError
from shoal.frame.notation.texts import text_of
from shoal.frame.types.declaration_files import read_rows
from shoal.frame.types.hierarchy import Hierarchy
from shoal.frame.types.hierarchy_checks import (
    Row,
    as_rows,
    check_intervals,
    check_periods,
    check_prefixes,
    check_rows,
)

Kind = Literal["numeric", "ordinal", "nominal", "boolean", "date"]
KINDS: tuple[Kind, ...] = get_args(Kind)

KINDS_OF_KEY: dict[str, tuple[Kind, ...]] = {  # the kinds that a key of a type belongs to
    "order": ("ordinal",),
    "hierarchy": ("nominal", "ordinal", "numeric", "date"),
    "distances": ("nominal",),
    "prefixes": ("nominal",),
    "intervals": ("numeric",),
    "periods": ("date",),
    "format": ("date",),
}


@dataclass(frozen=True)
class Type:
    """The kind of a column's values, and the order or distances declared for them.

    Values are given as text, so that one declaration fits whole numbers, text and categories, and
    reads the same in Python, in a plan and on the command line.

    Parameters
    ----------
    kind : {"numeric", "ordinal", "nominal", "boolean", "date"}
        The values of an ordinal column are ordered, those of a nominal column are not. A boolean
        column has two values; a date may also be a time or a duration.
    order : tuple of str
        Values of an ordinal column, smallest first. Not needed for numbers and ordered
        categories.
    hierarchy : tuple of tuple of str, or Hierarchy
        One row per value: the value, its parent, the parent's parent, and so on; see `Hierarchy`.
        Values are recoded by it, and it defines the distances of a nominal column.
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
        The reason for the kind, if it was inferred and not declared.
    periods : tuple of str
        For a date, the periods that it may be recoded to, the shortest first, such as
        ``("month", "year")``.
    """

    kind: Kind
    order: Row = ()
    hierarchy: tuple[Row, ...] = ()  # a `Hierarchy` is replaced by its rows or its rule
    distances: tuple[Row, ...] = ()
    prefixes: tuple[int, ...] = ()
    intervals: tuple[float, ...] = ()
    format: str = ""
    why: str = ""
    periods: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        hierarchy = self.hierarchy
        if isinstance(hierarchy, Hierarchy):
            object.__setattr__(self, "hierarchy", hierarchy.rows)
            for rule in ("prefixes", "intervals", "periods"):
                object.__setattr__(self, rule, getattr(hierarchy, rule) or getattr(self, rule))

    @property
    def as_hierarchy(self) -> Hierarchy | None:
        """The hierarchy that values may be recoded by, or None."""
        if not (self.hierarchy or self.prefixes or self.intervals or self.periods):
            return None
        return Hierarchy(self.hierarchy, self.prefixes, self.intervals, self.periods)

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


def as_types(entries: Mapping[str, Any] | None, folder: Path | None = None) -> dict[str, Type]:
    """Return declared types by column.

    If ``folder`` is given, files named in the types must be in it; see
    `shoal.frame.types.declaration_files.read_rows`.
    """
    if entries is None:
        return {}
    if not isinstance(entries, Mapping):
        raise ParameterError(
            'Types must be a table: column = "kind", or column = { kind = "..." }.',
            code="types-no-mapping",
        )
    return {name: _as_type(name, entry, folder) for name, entry in entries.items()}


def _as_type(name: str, entry: Any, folder: Path | None) -> Type:
    """Return the declared type of a column from its entry in a plan; refuse any other."""
    if isinstance(entry, Type):
        return entry
    entry = _expand_hierarchy(entry)
    keys = [field.name for field in fields(Type)]
    if not isinstance(entry, Mapping) or "kind" not in entry:
        raise ParameterError(
            f"The type of column {name!r} needs a kind: one of {', '.join(KINDS)}.",
            code="kind-missing",
            column=name,
        )
    for key in entry:
        if key not in keys:
            raise ParameterError(
                f"The type of column {name!r} has the unknown key {key!r}.{hint(str(key), keys)}"
                f" The keys are: {', '.join(keys)}.",
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
        _check_order(name, entry.get("order", ())),
        check_rows(_from_file(entry.get("hierarchy", ()), folder), name),
        as_rows(_from_file(entry.get("distances", ()), folder), name),
        check_prefixes(entry.get("prefixes", ()), name),
        check_intervals(entry.get("intervals", ()), name),
        _check_text(name, entry, "format"),
        _check_text(name, entry, "why"),
        check_periods(entry.get("periods", ()), name),
    )
    _check_consistent(name, result)
    return result


def _expand_hierarchy(entry: Any) -> Any:
    """Return an entry with its kind; a `Hierarchy` in it is replaced by its keys."""
    if isinstance(entry, str):
        return {"kind": entry}
    if isinstance(entry, Hierarchy):
        entry = {"kind": entry.kind, "hierarchy": entry}
    if isinstance(entry, Mapping) and isinstance(entry.get("hierarchy"), Hierarchy):
        other_entries = {key: value for key, value in entry.items() if key != "hierarchy"}
        return {"kind": entry["hierarchy"].kind, **other_entries, **entry["hierarchy"].to_entry()}
    return entry


def _check_order(name: str, order: Any) -> Row:
    """Return the values of an order as text; refuse what is not a list."""
    if isinstance(order, str) or not isinstance(order, Sequence):
        raise ParameterError(
            f"The order of column {name!r} must be a list of values, smallest first.",
            code="order-not-a-list",
            column=name,
        )
    return tuple(text_of(value) for value in order)


def _check_text(name: str, entry: Mapping[str, Any], key: str) -> str:
    """Return the text of a key of an entry; refuse other values."""
    text = entry.get(key, "")
    if not isinstance(text, str):
        raise ParameterError(
            f"The {key} of column {name!r} must be text.", code="key-not-text", column=name, key=key
        )
    return text


def _from_file(entry: Any, folder: Path | None) -> Any:
    """Return rows that are given directly or as the name of a file."""
    return read_rows(entry, folder) if isinstance(entry, str | Path) else entry


def _check_consistent(name: str, declared_type: Type) -> None:
    """Refuse a type that contradicts itself."""
    for key, kinds in KINDS_OF_KEY.items():
        if getattr(declared_type, key) and declared_type.kind not in kinds:
            noun = "kind" if len(kinds) == 1 else "kinds"
            raise ParameterError(
                f"Column {name!r} is {declared_type.kind}, but the key {key!r} belongs to the"
                f" {noun} {', '.join(kinds)}. Change the kind, or leave the key out.",
                code="key-of-another-kind",
                column=name,
                key=key,
            )
    hierarchies = (
        declared_type.hierarchy,
        declared_type.prefixes,
        declared_type.intervals,
        declared_type.periods,
    )
    if sum(map(bool, (*hierarchies, declared_type.distances))) > 1:
        raise ParameterError(
            f"Column {name!r} has two of a hierarchy, prefixes, intervals, periods and distances."
            " Choose one.",
            code="hierarchy-and-distances",
            column=name,
        )
    if len(set(declared_type.order)) < len(declared_type.order):
        raise ParameterError(
            f"The type of column {name!r} lists a value twice. List each value once.",
            code="value-twice",
            column=name,
        )
    _check_distances(name, declared_type.distances)


def _check_distances(name: str, rows: Sequence[Row]) -> None:
    """Refuse rows that are not two values and their distance, or that contradict each other."""
    distance_of_pair: dict[frozenset[str], float] = {}
    for row in rows:
        try:
            first, second, distance = row[0], row[1], float(row[2])
        except (IndexError, ValueError):
            raise ParameterError(
                f"The distances of column {name!r} must be rows of two values and a number.",
                code="distances-malformed",
                column=name,
            ) from None
        is_same = first == second
        if not 0 <= distance < float("inf") or (distance > 0) == is_same or len(row) != 3:
            raise ParameterError(
                f"The distances of column {name!r} must be positive between different values and"
                " 0 between a value and itself.",
                code="distances-not-positive",
                column=name,
            )
        if distance_of_pair.setdefault(frozenset((first, second)), distance) != distance:
            raise ParameterError(
                f"The distances of column {name!r} give two distances for one pair. Keep one.",
                code="distances-contradict",
                column=name,
            )
