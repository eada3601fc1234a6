"""Categorical values as codes, and the distances between them."""

import re
from collections.abc import Collection, Container, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ColumnError, InputError
from shoal.frame.numerals import open_ended
from shoal.frame.types import Row, Type, text_of

MAX_CATEGORIES = 500  # k categories take k - 1 coordinates per record
DISGUISED_KINDS = {
    "numeric": re.compile(r"[(+-]*\s*[$€£¥]?[+-]?(\d[\d.,]*|[.,]\d+)([eE][+-]?\d+)?\s*[%€£]?\)?"),
    "date": re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[/.]\d{1,2}[/.]\d{4}.*"),
}

Codes = NDArray[np.int64]
Matrix = NDArray[np.float64]


class Cells(NamedTuple):
    """The cells of a column, as indices into a list of texts.

    ``counts`` is given where an entry stands for several equal cells.
    """

    text_index: Codes  # -1 for a missing value
    counts: Codes | None = None

    def count(self, indices: Collection[int]) -> int:
        """Return the number of cells whose text has one of ``indices``."""
        selected = np.isin(self.text_index, list(indices))
        return int(selected.sum() if self.counts is None else self.counts[selected].sum())

    def first_other(self, indices: Collection[int]) -> int | None:
        """Return the first record, counted from 1, whose text has none of ``indices``."""
        others = ~np.isin(self.text_index, [-1, *indices])
        return int(np.argmax(others)) + 1 if others.any() and self.counts is None else None

    @property
    def total(self) -> int:
        """Number of cells."""
        return len(self.text_index) if self.counts is None else int(self.counts.sum())


def texts_and_index(array: Any) -> tuple[list[str], Codes]:
    """Return the distinct values as text, and for each record the index of its value.

    The index of a missing value is -1.
    """
    encoded = array.dictionary_encode()
    texts = [text_of(value) for value in encoded.dictionary.to_pylist()]
    return texts, np.asarray(encoded.indices.fill_null(-1).to_numpy(), np.int64)


def ordinal_codes(name: str, texts: list[str], cells: Cells, declared: Type) -> Matrix:
    """Return the rank of each text in the order of an ordinal column, counted from 0."""
    if declared.order:
        rank = {text: position for position, text in enumerate(declared.order)}
        _refuse_unknown(name, texts, cells, rank, "its order")
        return np.array([float(rank[text]) for text in texts])
    numbers = _places(texts)
    if numbers is None:
        raise InputError(
            f"Column {name!r} is declared as ordinal, but neither its type nor the table gives an"
            " order. Give order = [least, ..., most].",
            code="order-unknown",
            column=name,
        )
    return np.unique(numbers, return_inverse=True)[1].astype(np.float64)


def _places(texts: Sequence[str]) -> list[float] | None:
    """Return texts as numbers, which may have open ends such as 90+; None for other text."""
    try:
        return [float(text) for text in texts]
    except ValueError:
        places = [open_ended(text) for text in texts]
        known = [place for place in places if place is not None]
        return known if len(known) == len(places) else None


def nominal_codes(
    name: str, texts: list[str], cells: Cells, declared: Type
) -> tuple[Matrix, Matrix | None]:
    """Return a code for each text, and the distances between codes if they are declared."""
    distinct = len(set(texts))
    if declared.kind == "boolean" and distinct > 2:
        raise InputError(
            f"Column {name!r} is declared as boolean but has {distinct} values. Declare it as"
            " nominal.",
            code="not-boolean",
            column=name,
            count=distinct,
        )
    if distinct > MAX_CATEGORIES:
        raise InputError(
            f"Column {name!r} has {distinct} categories; distances support at most"
            f" {MAX_CATEGORIES}. Merge some, declare an order, or leave the column out.",
            code="too-many-categories",
            column=name,
            count=distinct,
        )
    known = _declared_values(declared)
    if declared.prefixes:
        declared = replace(declared, hierarchy=_prefix_hierarchy(texts, declared.prefixes))
    if known:
        _refuse_unknown(name, texts, cells, set(known), "its hierarchy or its distances")
    present = [text for text in known or sorted(set(texts)) if text in set(texts)]
    code_of = {text: code for code, text in enumerate(present)}
    codes = np.array([float(code_of[text]) for text in texts])
    if declared.hierarchy:
        return codes, _hierarchy_distances(present, declared.hierarchy)
    if declared.distances:
        return codes, _declared_distances(name, present, declared.distances)
    return codes, None


def refuse_disguised(name: str, texts: list[str], cells: Cells) -> None:
    """Refuse text that looks like numbers, dates or names of records: the user must declare it."""
    for kind, pattern in DISGUISED_KINDS.items():
        matching = [index for index, text in enumerate(texts) if pattern.fullmatch(text.strip())]
        if matching:
            other = cells.first_other(matching)
            where = f" The first cell that does not is in record {other}." if other else ""
            raise ColumnError(
                f"Column {name!r} holds text, and {cells.count(matching)} of {cells.total} cells"
                f" read as {kind} values.{where} Declare its type: {kind} or nominal. For files,"
                " see `missing_text` and `decimal`.",
                code="text-disguises-values",
                column=name,
                kind=kind,
                count=cells.count(matching),
                record=other,
            )
    non_missing = cells.count(range(len(texts)))
    if len(texts) > 2 and 2 * len(texts) > non_missing:
        raise ColumnError(
            f"Column {name!r} holds text with {len(texts)} different values in {non_missing}"
            " records: it seems to name records. Drop it as an identifier, or declare its type.",
            code="text-names-records",
            column=name,
            count=len(texts),
        )


def _declared_values(declared: Type) -> list[str]:
    """Return the distinct values in a declared hierarchy or table of distances."""
    if declared.hierarchy:
        return [row[0] for row in declared.hierarchy]
    return list(dict.fromkeys(value for row in declared.distances for value in row[:2]))


def _prefix_hierarchy(texts: Sequence[str], lengths: Sequence[int]) -> tuple[Row, ...]:
    """Return the hierarchy of codes by prefixes; digits are filled up with leading zeros."""
    width = max(map(len, texts), default=0)
    digits = all(text.isdecimal() for text in texts)
    rows = {}
    for text in sorted(set(texts)):
        whole = text.zfill(width) if digits else text
        rows[text] = (text, *(whole[:length] for length in lengths))
    return tuple(rows.values())


def _hierarchy_distances(values: Sequence[str], rows: Sequence[Row]) -> Matrix:
    """Return the level of the lowest common ancestor of two values, divided by the root's level."""
    path = {row[0]: row for row in rows}
    height = len(rows[0])
    levels_apart = np.zeros((len(values), len(values)))
    for level in range(height):
        ancestor = np.array([path[value][level] for value in values])
        levels_apart += ancestor[:, np.newaxis] != ancestor
    return np.asarray(levels_apart / height)


def _declared_distances(name: str, values: Sequence[str], rows: Sequence[Row]) -> Matrix:
    distance = {frozenset(row[:2]): float(row[2]) for row in rows}
    distance |= {frozenset((value,)): 0.0 for value in values}
    pairs = [[frozenset((first, second)) for second in values] for first in values]
    missing = sum(pair not in distance for at, row in enumerate(pairs) for pair in row[:at])
    if missing:
        raise InputError(
            f"The distances of column {name!r} lack {missing} pair{'s' if missing > 1 else ''} of"
            " values that occur in the data. Give every pair.",
            code="distances-incomplete",
            column=name,
            count=missing,
        )
    return np.array([[distance[pair] for pair in row] for row in pairs])


def _refuse_unknown(
    name: str, texts: list[str], cells: Cells, known: Container[str], what: str
) -> None:
    unknown = [index for index, text in enumerate(texts) if text not in known]
    if unknown:
        count = cells.count(unknown)
        raise InputError(
            f"Column {name!r} has {count} of {cells.total} cells with a value that {what} lacks."
            " Add the missing values to the type, or correct the cells.",
            code="value-outside-type",
            column=name,
            count=count,
        )
