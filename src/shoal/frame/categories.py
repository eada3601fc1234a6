"""Categorical values as codes, and the distances between them."""

import re
from collections.abc import Collection, Container, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._text import count
from shoal.errors import ColumnError, InputError
from shoal.frame.notation.numerals import open_end_position
from shoal.frame.notation.texts import text_of
from shoal.frame.types import Type
from shoal.frame.types.hierarchy import Hierarchy
from shoal.frame.types.hierarchy_checks import Row

MAX_DECLARED_CATEGORIES = 500  # categories with a declared distance for every pair
MAX_TABULATED_CATEGORIES = 500  # categories whose distances in a hierarchy are stored as a matrix
KIND_PATTERNS = {
    "numeric": re.compile(r"[(+-]*\s*[$€£¥]?[+-]?(\d[\d.,]*|[.,]\d+)([eE][+-]?\d+)?\s*[%€£]?\)?"),
    "date": re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[/.]\d{1,2}[/.]\d{4}.*"),
}

Codes = NDArray[np.int64]
Vector = NDArray[np.float64]  # one value for each text
Matrix = NDArray[np.float64]  # one value for each pair


class CategoryGeometry(NamedTuple):
    """What is declared about the distances between the categories of a column.

    ``distances`` has a distance for every pair of codes. If that would be too many, ``ancestors``
    has the codes of each category's ancestors in a hierarchy, one column for each level.
    """

    distances: Matrix | None = None
    ancestors: Codes | None = None


class CellTexts(NamedTuple):
    """The cells of a column, as indices of a list of its distinct texts.

    ``counts`` is given if an entry stands for several equal cells.
    """

    text_index: Codes  # -1 for a missing value
    counts: Codes | None = None

    def count(self, indices: Collection[int]) -> int:
        """Return the number of cells whose text has one of ``indices``."""
        is_selected = np.isin(self.text_index, list(indices))
        return int(is_selected.sum() if self.counts is None else self.counts[is_selected].sum())

    def first_exception(self, indices: Collection[int]) -> int | None:
        """Return the first record, counted from 1, whose text has none of ``indices``, or None.

        It is also None if entries stand for several cells.
        """
        is_exception = ~np.isin(self.text_index, [-1, *indices])
        if not is_exception.any() or self.counts is not None:
            return None
        return int(np.argmax(is_exception)) + 1

    @property
    def n_known(self) -> int:
        """Number of cells with a value."""
        has_value = self.text_index >= 0
        return int(has_value.sum() if self.counts is None else self.counts[has_value].sum())

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.text_index) if self.counts is None else int(self.counts.sum())


def texts_and_index(array: Any) -> tuple[list[str], Codes]:
    """Return the distinct values as text, and for each record the index of its value.

    The index of a missing value is -1.
    """
    encoded = array.dictionary_encode()
    # The dictionary of an array without a type contains the missing value itself.
    texts = [text_of(value) for value in encoded.dictionary.drop_null().to_pylist()]
    return texts, np.asarray(encoded.indices.fill_null(-1).to_numpy(), np.int64)


def ordinal_codes(name: str, texts: list[str], cells: CellTexts, declared_type: Type) -> Vector:
    """Return the rank of each text in the order of an ordinal column, counted from 0."""
    if declared_type.order:
        rank = {text: position for position, text in enumerate(declared_type.order)}
        _refuse_unknown(name, texts, cells, rank, "its order")
        return np.array([float(rank[text]) for text in texts])
    numbers = _positions(texts)
    if numbers is None:
        raise InputError(
            f"Column {name!r} is declared as ordinal, but neither its type nor the table gives an"
            " order. Give order = [lowest, ..., highest].",
            code="order-unknown",
            column=name,
        )
    return np.unique(numbers, return_inverse=True)[1].astype(np.float64)


def _positions(texts: Sequence[str]) -> list[float] | None:
    """Return texts as numbers, also with open ends such as 90+, or None for other text."""
    try:
        return [float(text) for text in texts]
    except ValueError:
        positions = [open_end_position(text) for text in texts]
        known_positions = [position for position in positions if position is not None]
        return known_positions if len(known_positions) == len(positions) else None


def nominal_codes(
    name: str, texts: list[str], cells: CellTexts, declared_type: Type
) -> tuple[Vector, CategoryGeometry]:
    """Return a code for each text, and what is declared about the distances between codes."""
    distinct_texts = set(texts)
    _check_number_of_values(name, len(distinct_texts), declared_type)
    declared_values = _declared_values(declared_type)
    if declared_type.prefixes:
        paths = Hierarchy(prefixes=declared_type.prefixes).paths(sorted(distinct_texts))
        declared_type = replace(declared_type, hierarchy=tuple(paths))
    if declared_values:
        _refuse_unknown(name, texts, cells, set(declared_values), "its hierarchy or its distances")
    occurring_values = [
        text for text in declared_values or sorted(distinct_texts) if text in distinct_texts
    ]
    code_of = {text: code for code, text in enumerate(occurring_values)}
    codes = np.array([float(code_of[text]) for text in texts])
    if declared_type.hierarchy:
        ancestors = _ancestor_codes(occurring_values, declared_type.hierarchy)
        if len(distinct_texts) > MAX_TABULATED_CATEGORIES:
            return codes, CategoryGeometry(ancestors=ancestors)
        return codes, CategoryGeometry(_hierarchy_distances(ancestors))
    if declared_type.distances:
        return codes, CategoryGeometry(
            _declared_distances(name, occurring_values, declared_type.distances)
        )
    return codes, CategoryGeometry()


def _check_number_of_values(name: str, n_distinct: int, declared_type: Type) -> None:
    """Refuse a boolean column of more than two values, and more declared distances than fit."""
    if declared_type.kind == "boolean" and n_distinct > 2:
        raise InputError(
            f"Column {name!r} is declared as boolean but has {n_distinct:,} values. Declare it"
            " as nominal.",
            code="not-boolean",
            column=name,
            count=n_distinct,
        )
    if declared_type.distances and n_distinct > MAX_DECLARED_CATEGORIES:
        raise InputError(
            f"Column {name!r} has {n_distinct:,} categories, but distances can be declared for at"
            f" most {MAX_DECLARED_CATEGORIES}. Declare a hierarchy instead, or no distances.",
            code="too-many-categories",
            column=name,
            count=n_distinct,
        )


class SuspectedKind(NamedTuple):
    """Another kind that cells of a text column seem to be of."""

    kind: str
    n_cells: int
    first_exception: int | None  # the first record, counted from 1, whose cell is not of this kind


def find_suspected_kind(texts: list[str], cells: CellTexts) -> SuspectedKind | None:
    """Return the kind that cells of a text column seem to be of, or None for plain text."""
    for kind, pattern in KIND_PATTERNS.items():
        matching_indices = [
            index for index, text in enumerate(texts) if pattern.fullmatch(text.strip())
        ]
        if matching_indices:
            return SuspectedKind(
                kind, cells.count(matching_indices), cells.first_exception(matching_indices)
            )
    return None


def refuse_ambiguous_text(name: str, texts: list[str], cells: CellTexts) -> None:
    """Refuse text that looks like numbers, dates or names of records: the user must declare it."""
    suspected_kind = find_suspected_kind(texts, cells)
    if suspected_kind is not None:
        exception = suspected_kind.first_exception
        location = f" The first other cell is in record {exception}." if exception else ""
        raise ColumnError(
            f"Column {name!r} contains text, but"
            f" {_count_phrase(suspected_kind.n_cells, cells.n_known)} with a value look like"
            f" {suspected_kind.kind} values.{location} Declare its type: {suspected_kind.kind} or"
            " nominal. For files, see `missing_text` and `decimal`.",
            code="text-disguises-values",
            column=name,
            kind=suspected_kind.kind,
            count=suspected_kind.n_cells,
            record=exception,
        )
    if len(texts) > 2 and 2 * len(texts) > cells.n_known:
        raise ColumnError(
            f"Column {name!r} contains text with {len(texts):,} different values in"
            f" {cells.n_known:,} records: it seems to name records. Drop it as an identifier, or"
            " declare its type.",
            code="text-names-records",
            column=name,
            count=len(texts),
        )


def _count_phrase(count: int, total: int) -> str:
    """Return a phrase for a number of cells out of a total.

    Examples
    --------
    >>> _count_phrase(3, 4), _count_phrase(1500, 1500)
    ('3 of 4 cells', 'all 1,500 cells')
    """
    return f"all {total:,} cells" if count == total else f"{count:,} of {total:,} cells"


def _declared_values(declared_type: Type) -> list[str]:
    """Return the distinct values in a declared hierarchy or table of distances."""
    if declared_type.hierarchy:
        return [row[0] for row in declared_type.hierarchy]
    return list(dict.fromkeys(value for row in declared_type.distances for value in row[:2]))


def _ancestor_codes(values: Sequence[str], rows: Sequence[Row]) -> Codes:
    """Return codes of the ancestors of each value at every level; level 0 is the value itself."""
    path = {row[0]: row for row in rows}
    levels = [[path[value][level] for value in values] for level in range(len(rows[0]))]
    return np.column_stack([np.unique(level, return_inverse=True)[1] for level in levels])


def _hierarchy_distances(ancestors: Codes) -> Matrix:
    """Return the level of the lowest common ancestor of two values, divided by the root's level."""
    levels_apart = sum((level[:, np.newaxis] != level).astype(np.float64) for level in ancestors.T)
    return np.asarray(levels_apart / ancestors.shape[1])


def _declared_distances(name: str, values: Sequence[str], rows: Sequence[Row]) -> Matrix:
    """Return the distances between values that rows declare; refuse rows that lack a pair."""
    distance_of_pair = {frozenset(row[:2]): float(row[2]) for row in rows}
    distance_of_pair |= {frozenset((value,)): 0.0 for value in values}
    pairs = [[frozenset((first, second)) for second in values] for first in values]
    missing = sum(pair not in distance_of_pair for i, row in enumerate(pairs) for pair in row[:i])
    if missing:
        raise InputError(
            f"The distances of column {name!r} lack {count(missing, 'pair')} of"
            " values that occur in the data. Give every pair.",
            code="distances-incomplete",
            column=name,
            count=missing,
        )
    return np.array([[distance_of_pair[pair] for pair in row] for row in pairs])


def _refuse_unknown(
    name: str, texts: list[str], cells: CellTexts, declared_values: Container[str], declaration: str
) -> None:
    """Refuse cells with a value that is not declared; messages name the ``declaration``."""
    unknown_indices = [index for index, text in enumerate(texts) if text not in declared_values]
    if unknown_indices:
        n_unknown = cells.count(unknown_indices)
        raise InputError(
            f"In column {name!r}, {n_unknown:,} of {cells.n_cells:,} cells have a value that"
            f" {declaration} lacks. Add the values to the type, or correct the cells.",
            code="value-outside-type",
            column=name,
            count=n_unknown,
        )
