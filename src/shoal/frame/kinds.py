"""Decide the kind of a column, with the reason.

The rules are tried in order; the first that applies decides. A plan uses the decision for columns
without a declared type, `inspect` shows it, and a starter plan writes it down.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.frame.labels import decide_by_labels
from shoal.frame.types import Kind, Type, text_of

MAX_CODES = 500  # more values than a nominal column can have


class Metadata(Protocol):
    """What a file says about a column: `shoal.io.notes.ColumnNotes` is one."""

    @property
    def value_labels(self) -> Mapping[Any, str]:
        """Labels of single values."""

    @property
    def measure(self) -> str | None:
        """Level of measurement: ``"nominal"``, ``"ordinal"`` or ``"scale"``."""


@dataclass(frozen=True)
class Decision:
    """The kind of a column and the reason.

    Parameters
    ----------
    type : Type
        The kind, with an order or a format where it needs one.
    why : str
        The reason.
    inferred : bool
        Whether the kind differs from that of the column's type in the table.
    missing_codes : tuple of str
        Values that stand for a missing value.
    """

    type: Type
    why: str
    inferred: bool = False
    missing_codes: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        """The kind."""
        return self.type.kind

    def to_declare(self) -> Type:
        """Return the type with its reason, as a plan records it."""
        return replace(self.type, why=self.why)


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """A column as the rules see it.

    Parameters
    ----------
    name : str
        Name of the column.
    array : pyarrow.Array
        Its values.
    metadata : Metadata or None
        What the file says about it.
    """

    name: str
    array: Any
    metadata: Metadata | None = None

    @cached_property
    def decoded(self) -> Any:
        """The values without a dictionary, with NaN as null."""
        array = self.array
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if pa.types.is_dictionary(array.type):
            array = array.cast(array.type.value_type)
        if pa.types.is_floating(array.type):
            array = pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array)
        return array

    @cached_property
    def distinct(self) -> list[Any]:
        """The distinct values, without the missing one."""
        return [value for value in pc.unique(self.decoded).to_pylist() if value is not None]

    @property
    def is_number(self) -> bool:
        """Whether the type of the column is numeric."""
        kind = self.array.type
        return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))

    @property
    def is_text(self) -> bool:
        """Whether the type of the column is text."""
        kind = self.array.type
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))

    @property
    def is_whole(self) -> bool:
        """Whether all values are whole numbers."""
        if pa.types.is_integer(self.array.type):
            return True
        values = self.decoded.drop_null().to_numpy(zero_copy_only=False) if self.is_number else []
        return bool(len(values)) and bool(np.all(np.mod(values, 1) == 0))


Rule = Callable[[ColumnFacts], Decision | None]


def decide(name: str, array: Any, metadata: Metadata | None = None) -> Decision:
    """Return the kind of a column, the reason and its missing codes.

    Parameters
    ----------
    name : str
        Name of the column.
    array : pyarrow.Array or pyarrow.ChunkedArray
        Its values.
    metadata : Metadata, optional
        What the file says about it.

    Returns
    -------
    Decision
        The decision of the first rule that applies.
    """
    facts = ColumnFacts(name, array, metadata)
    return next(made for rule in RULES if (made := rule(facts)) is not None)


def _by_type(facts: ColumnFacts) -> Decision | None:
    """Decide on columns whose type in the table says what they are."""
    kind = facts.array.type
    if pa.types.is_boolean(kind):
        return Decision(Type("boolean"), "its type in the table is boolean")
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        return Decision(Type("date"), "its type in the table is a date or a time")
    if pa.types.is_dictionary(kind):
        ordered = "ordered " if kind.ordered else ""
        return Decision(
            Type("ordinal" if kind.ordered else "nominal"),
            f"its type in the table has {ordered}categories",
        )
    return None


def _by_labels(facts: ColumnFacts) -> Decision | None:
    """Decide on columns with value labels."""
    if facts.metadata is None or not (facts.is_number or facts.is_text):
        return None
    labels = {  # a letter labels a missing code, which is already null
        value: label
        for value, label in facts.metadata.value_labels.items()
        if isinstance(value, str) == facts.is_text
    }
    made = decide_by_labels(facts.name, labels, facts.distinct, facts.metadata.measure)
    if made is None:
        return None
    codes = tuple(text_of(code) for code in made.missing_codes if code in facts.distinct)
    if made.type is not None:
        inferred = facts.is_number or made.type.kind == "ordinal"
        return Decision(made.type, made.why, inferred, codes)
    return Decision(Type("numeric"), made.why, False, codes)


def _by_measure(facts: ColumnFacts) -> Decision | None:
    """Decide on numbers without labels that the file declares as nominal or ordinal."""
    measure = None if facts.metadata is None else facts.metadata.measure
    if not facts.is_number or measure not in ("nominal", "ordinal"):
        return None
    if measure == "nominal" and (len(facts.distinct) > MAX_CODES or not facts.is_whole):
        what = f"it has {len(facts.distinct)} values" if facts.is_whole else "it has decimals"
        return Decision(Type("numeric"), f"the file declares it as nominal, but {what}")
    kind: Kind = "nominal" if measure == "nominal" else "ordinal"
    return Decision(Type(kind), f"the file declares it as {measure}", inferred=True)


def _by_default(facts: ColumnFacts) -> Decision:
    """Decide by the type in the table."""
    if facts.is_number or pa.types.is_decimal(facts.array.type):
        return Decision(Type("numeric"), "its type in the table is numeric")
    return Decision(Type("nominal"), "its type in the table is text")


RULES: tuple[Rule, ...] = (_by_type, _by_labels, _by_measure, _by_default)
