"""Categories as codes, and how far two of them are apart."""

import re
from collections.abc import Collection, Container, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ColumnError, InputError
from shoal.frame.types import Row, Type, text_of

MOST = 500  # categories of a column: each but one is an axis, a number per record
READS_AS = {
    "numeric": re.compile(r"\s*[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\s*"),
    "date": re.compile(r"\s*\d{4}-\d\d-\d\d.*"),
}

Codes = NDArray[np.int64]
Matrix = NDArray[np.float64]


class Cells(NamedTuple):
    """Which text each cell holds, -1 for none, and how often it stands there where it is told."""

    text: Codes
    times: Codes | None = None

    def of(self, texts: Collection[int]) -> int:
        """Return how many cells hold one of some texts."""
        held = np.isin(self.text, list(texts))
        return int(held.sum() if self.times is None else self.times[held].sum())

    @property
    def number(self) -> int:
        """How many cells there are."""
        return len(self.text) if self.times is None else int(self.times.sum())


def texts_and_index(array: Any) -> tuple[list[str], Codes]:
    """Return the texts that name the different values, and which of them each record has.

    The index of a missing value is -1.
    """
    encoded = array.dictionary_encode()
    texts = [text_of(value) for value in encoded.dictionary.to_pylist()]
    return texts, np.asarray(encoded.indices.fill_null(-1).to_numpy(), np.int64)


def in_order(name: str, texts: list[str], cells: Cells, declared: Type) -> Matrix:
    """Return the place of each text in the order of an ordinal column, counted from 0."""
    if declared.order:
        order = {text: place for place, text in enumerate(declared.order)}
        _refuse_outside(name, texts, cells, order, "its order")
        return np.array([float(order[text]) for text in texts])
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        raise InputError(
            f"Column {name!r} is declared as ordinal, and neither the type nor the table tells its"
            " order. Give order = [least, ..., most].",
            code="order-unknown",
            column=name,
        ) from None
    return np.unique(numbers, return_inverse=True)[1].astype(np.float64)


def without_order(
    name: str, texts: list[str], cells: Cells, declared: Type
) -> tuple[Matrix, Matrix | None]:
    """Return a code for each text, and the distances between codes where they are declared."""
    different = len(set(texts))
    if declared.kind == "boolean" and different > 2:
        raise InputError(
            f"Column {name!r} is declared as boolean but has {different} values. Declare it as"
            " nominal.",
            code="not-boolean",
            column=name,
            count=different,
        )
    if different > MOST:
        raise InputError(
            f"Column {name!r} has {different} categories; at most {MOST} take part in distances."
            " Join some, declare an order, or leave it out.",
            code="too-many-categories",
            column=name,
            count=different,
        )
    named = _named(declared)
    if named:
        _refuse_outside(name, texts, cells, set(named), "its hierarchy or its distances")
    present = [text for text in named or sorted(set(texts)) if text in set(texts)]
    place = {text: at for at, text in enumerate(present)}
    code = np.array([float(place[text]) for text in texts])
    if declared.hierarchy:
        return code, _in_tree(present, declared.hierarchy)
    if declared.distances:
        return code, _in_table(name, present, declared.distances)
    return code, None


def refuse_disguised(name: str, texts: list[str], cells: Cells) -> None:
    """Refuse text that may be meant as numbers or dates, or names records: only the user knows."""
    for kind, pattern in READS_AS.items():
        alike = [at for at, text in enumerate(texts) if pattern.fullmatch(text)]
        if alike:
            raise ColumnError(
                f"Column {name!r} holds text, and {cells.of(alike)} of {cells.number} cells read as"
                f" {kind} values. Declare its type: {kind} or nominal. For files, see"
                " `missing_text` and `decimal`.",
                code="text-disguises-values",
                column=name,
                kind=kind,
            )
    known = cells.of(range(len(texts)))
    if len(texts) > 2 and 2 * len(texts) > known:
        raise ColumnError(
            f"Column {name!r} holds text with {len(texts)} different values in {known}"
            " records: it seems to name records. Drop it as an identifier, or declare its type.",
            code="text-names-records",
            column=name,
            count=len(texts),
        )


def _named(declared: Type) -> list[str]:
    """Return the values that a hierarchy or a table of distances names, once each."""
    if declared.hierarchy:
        return [row[0] for row in declared.hierarchy]
    return list(dict.fromkeys(value for row in declared.distances for value in row[:2]))


def _in_tree(values: Sequence[str], rows: Sequence[Row]) -> Matrix:
    """Return how far up two values meet, as a share of the way to the root."""
    path = {row[0]: row for row in rows}
    height = len(rows[0])
    apart = np.zeros((len(values), len(values)))
    for level in range(height):
        above = np.array([path[value][level] for value in values])
        apart += above[:, np.newaxis] != above
    return np.asarray(apart / height)


def _in_table(name: str, values: Sequence[str], rows: Sequence[Row]) -> Matrix:
    given = {frozenset(row[:2]): float(row[2]) for row in rows}
    given |= {frozenset((value,)): 0.0 for value in values}
    pairs = [[frozenset((one, other)) for other in values] for one in values]
    lacking = sum(pair not in given for at, row in enumerate(pairs) for pair in row[:at])
    if lacking:
        raise InputError(
            f"The distances of column {name!r} lack {lacking} pair{'s' if lacking > 1 else ''} of"
            " values that the data hold. Give every pair.",
            code="distances-incomplete",
            column=name,
            count=lacking,
        )
    return np.array([[given[pair] for pair in row] for row in pairs])


def _refuse_outside(
    name: str, texts: list[str], cells: Cells, known: Container[str], what: str
) -> None:
    outside = [at for at, text in enumerate(texts) if text not in known]
    if outside:
        raise InputError(
            f"Column {name!r} has {cells.of(outside)} of {cells.number} cells with a value that"
            f" {what} lacks."
            " Add what is lacking, or mend the cells.",
            code="value-outside-type",
            column=name,
            count=cells.of(outside),
        )
