"""Categorical values as codes, and the distances between them."""

import re
from collections.abc import Collection, Container, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ColumnError, InputError
from shoal.frame.hierarchies import Hierarchy, Row
from shoal.frame.numerals import open_end_place
from shoal.frame.types import Type, text_of

MAX_DECLARED = 500  # categories with a declared distance for every pair
MAX_TABULATED = 500  # categories whose distances in a hierarchy are kept as a matrix
DISGUISED_KINDS = {
    "numeric": re.compile(r"[(+-]*\s*[$€£¥]?[+-]?(\d[\d.,]*|[.,]\d+)([eE][+-]?\d+)?\s*[%€£]?\)?"),
    "date": re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[/.]\d{1,2}[/.]\d{4}.*"),
}

Codes = NDArray[np.int64]
Matrix = NDArray[np.float64]


class CategoryGeometry(NamedTuple):
    """What is declared about the distances between the categories of a column.

    ``distances`` holds one for every pair of codes. Where these would be too many, ``ancestors``
    holds the codes of each category's ancestors in a hierarchy, one column for each level.
    """

    distances: Matrix | None = None
    ancestors: Codes | None = None


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
    def known(self) -> int:
        """Number of cells with a value."""
        known = self.text_index >= 0
        return int(known.sum() if self.counts is None else self.counts[known].sum())

    @property
    def total(self) -> int:
        """Number of cells."""
        return len(self.text_index) if self.counts is None else int(self.counts.sum())


def texts_and_index(array: Any) -> tuple[list[str], Codes]:
    """Return the distinct values as text, and for each record the index of its value.

    The index of a missing value is -1.
    """
    encoded = array.dictionary_encode()
    # The dictionary of an array without a type holds the missing value itself.
    texts = [text_of(value) for value in encoded.dictionary.drop_null().to_pylist()]
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
        places = [open_end_place(text) for text in texts]
        known = [place for place in places if place is not None]
        return known if len(known) == len(places) else None


def nominal_codes(
    name: str, texts: list[str], cells: Cells, declared: Type
) -> tuple[Matrix, CategoryGeometry]:
    """Return a code for each text, and what is declared about the distances between codes."""
    occurring = set(texts)
    distinct = len(occurring)
    if declared.kind == "boolean" and distinct > 2:
        raise InputError(
            f"Column {name!r} is declared as boolean but has {distinct} values. Declare it as"
            " nominal.",
            code="not-boolean",
            column=name,
            count=distinct,
        )
    if declared.distances and distinct > MAX_DECLARED:
        raise InputError(
            f"Column {name!r} has {distinct} categories, and a distance can be declared for every"
            f" pair of at most {MAX_DECLARED}. Declare a hierarchy instead, or no distances.",
            code="too-many-categories",
            column=name,
            count=distinct,
        )
    known = _declared_values(declared)
    if declared.prefixes:
        paths = Hierarchy(prefixes=declared.prefixes).paths(sorted(occurring))
        declared = replace(declared, hierarchy=tuple(paths))
    if known:
        _refuse_unknown(name, texts, cells, set(known), "its hierarchy or its distances")
    present = [text for text in known or sorted(occurring) if text in occurring]
    code_of = {text: code for code, text in enumerate(present)}
    codes = np.array([float(code_of[text]) for text in texts])
    if declared.hierarchy:
        ancestors = _ancestors(present, declared.hierarchy)
        if distinct > MAX_TABULATED:
            return codes, CategoryGeometry(ancestors=ancestors)
        return codes, CategoryGeometry(_hierarchy_distances(ancestors))
    if declared.distances:
        return codes, CategoryGeometry(_declared_distances(name, present, declared.distances))
    return codes, CategoryGeometry()


class Disguised(NamedTuple):
    """Cells of a text column that read as values of another kind."""

    kind: str
    cells: int
    first_other: int | None  # the first record, counted from 1, whose cell does not


def find_disguised(texts: list[str], cells: Cells) -> Disguised | None:
    """Return which cells of a text column read as numbers or dates; None if none does."""
    for kind, pattern in DISGUISED_KINDS.items():
        matching = [index for index, text in enumerate(texts) if pattern.fullmatch(text.strip())]
        if matching:
            return Disguised(kind, cells.count(matching), cells.first_other(matching))
    return None


def refuse_disguised(name: str, texts: list[str], cells: Cells) -> None:
    """Refuse text that looks like numbers, dates or names of records: the user must declare it."""
    disguised = find_disguised(texts, cells)
    if disguised is not None:
        other = disguised.first_other
        location = f" The first cell that does not is in record {other}." if other else ""
        raise ColumnError(
            f"Column {name!r} holds text, and {_part(disguised.cells, cells.known)} with a value"
            f" read as {disguised.kind} values.{location} Declare its type: {disguised.kind} or"
            " nominal. For files, see `missing_text` and `decimal`.",
            code="text-disguises-values",
            column=name,
            kind=disguised.kind,
            count=disguised.cells,
            record=other,
        )
    if len(texts) > 2 and 2 * len(texts) > cells.known:
        raise ColumnError(
            f"Column {name!r} holds text with {len(texts):,} different values in {cells.known:,}"
            " records: it seems to name records. Drop it as an identifier, or declare its type.",
            code="text-names-records",
            column=name,
            count=len(texts),
        )


def _part(count: int, total: int) -> str:
    """Return how many cells of all are meant.

    Examples
    --------
    >>> _part(3, 4), _part(1500, 1500)
    ('3 of 4 cells', 'all 1,500 cells')
    """
    return f"all {total:,} cells" if count == total else f"{count:,} of {total:,} cells"


def _declared_values(declared: Type) -> list[str]:
    """Return the distinct values in a declared hierarchy or table of distances."""
    if declared.hierarchy:
        return [row[0] for row in declared.hierarchy]
    return list(dict.fromkeys(value for row in declared.distances for value in row[:2]))


def _ancestors(values: Sequence[str], rows: Sequence[Row]) -> Codes:
    """Return codes of the ancestors of each value at every level; level 0 is the value itself."""
    path = {row[0]: row for row in rows}
    levels = [[path[value][level] for value in values] for level in range(len(rows[0]))]
    return np.column_stack([np.unique(level, return_inverse=True)[1] for level in levels])


def _hierarchy_distances(ancestors: Codes) -> Matrix:
    """Return the level of the lowest common ancestor of two values, divided by the root's level."""
    levels_apart = sum((level[:, np.newaxis] != level).astype(np.float64) for level in ancestors.T)
    return np.asarray(levels_apart / ancestors.shape[1])


def _declared_distances(name: str, values: Sequence[str], rows: Sequence[Row]) -> Matrix:
    distance = {frozenset(row[:2]): float(row[2]) for row in rows}
    distance |= {frozenset((value,)): 0.0 for value in values}
    pairs = [[frozenset((first, second)) for second in values] for first in values]
    missing = sum(pair not in distance for i, row in enumerate(pairs) for pair in row[:i])
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
    name: str, texts: list[str], cells: Cells, known: Container[str], source: str
) -> None:
    unknown = [index for index, text in enumerate(texts) if text not in known]
    if unknown:
        count = cells.count(unknown)
        raise InputError(
            f"Column {name!r} has {count:,} of {cells.total:,} cells with a value that {source}"
            " lacks. Add the missing values to the type, or correct the cells.",
            code="value-outside-type",
            column=name,
            count=count,
        )
