"""Columns as categories, and new columns of other categories."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.arrow_types import decode
from shoal.frame.categories import texts_and_index
from shoal.frame.notation.decimals import MAX_EXACT_INTEGER
from shoal.frame.notation.texts import text_of
from shoal.frame.replacement import RowGather, TextColumn
from shoal.frame.tables import Frame


class Categories(NamedTuple):
    """The categories of a column, as text, and the category of each record.

    Attributes
    ----------
    texts : list of str
        The distinct categories, sorted.
    codes : ndarray of shape (n_records,)
        Index of the category of each record, or -1 for a missing value.
    """

    texts: list[str]
    codes: NDArray[np.int64]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of records of each category."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))


def read_categories(frame: Frame, name: str) -> Categories:
    """Return the values of a column as categories."""
    return as_categories(*texts_and_index(decode(tables.arrow(frame, name))))


def as_categories(texts: Sequence[str], index: NDArray[np.int64]) -> Categories:
    """Return the categories that occur; ``texts`` may contain repetitions and unused texts."""
    occurs = np.bincount(index[index >= 0], minlength=len(texts)) > 0
    distinct = sorted({text for text, is_present in zip(texts, occurs, strict=True) if is_present})
    code_of_text = {text: i for i, text in enumerate(distinct)}
    codes = np.array([*(code_of_text.get(text, -1) for text in texts), -1], np.int64)
    return Categories(distinct, codes[index])


def released_column(
    frame: Frame, name: str, original: Categories, released: Categories
) -> NDArray[Any] | RowGather | TextColumn:
    """Return the new values of a column, in its own type if they fit it.

    New values fit if they all occur in the column already, or if both the column and the new values
    are numeric. Otherwise they are text.
    """
    code_of_text = {text: i for i, text in enumerate(original.texts)}
    is_missing = released.codes < 0
    if all(text in code_of_text for text in released.texts):
        first_records = np.zeros(len(original.texts) + 1, np.int64)
        first_records[original.codes[::-1]] = np.arange(len(original.codes))[::-1]
        records = first_records[[*(code_of_text[text] for text in released.texts), -1]]
        return RowGather(records[released.codes], is_missing)
    numbers = _as_numbers(released.texts) if tables.is_numeric(frame, name) else None
    if numbers is None:
        return TextColumn(np.array([*released.texts, None], object)[released.codes])
    if tables.has_integer_type(frame, name) and not is_missing.any() and _all_whole(numbers):
        return numbers.astype(np.int64)[released.codes]
    return np.append(numbers, np.nan)[released.codes]


def _all_whole(numbers: NDArray[np.float64]) -> bool:
    return bool((numbers == np.rint(numbers)).all() and (np.abs(numbers) < MAX_EXACT_INTEGER).all())


def _as_numbers(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """Return texts as numbers, or None unless each text is a finite number as Shoal writes it."""
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        return None
    as_written = [text_of(number) for number in numbers.tolist()]
    return numbers if as_written == list(texts) and np.isfinite(numbers).all() else None
