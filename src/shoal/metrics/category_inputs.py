"""Categorical columns of two tables as integer codes, the inputs of measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.arrow_types import decode
from shoal.frame.categories import texts_and_index
from shoal.frame.columns import kind_of
from shoal.frame.roles import name_columns
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.metrics.categories import comparable_columns

Codes = NDArray[np.int64]

KINDS = ("nominal", "ordinal", "boolean")


@dataclass(frozen=True)
class CategoryInputs:
    """The inputs of measures of categories.

    Parameters
    ----------
    inputs : dict
        The inputs by name; empty if no masked column holds categories.
    columns : list of str
        The masked columns of categories.
    others : list of str
        The confidential columns of categories that are not masked.
    """

    inputs: dict[str, Any]
    columns: list[str]
    others: list[str]

    @property
    def remark(self) -> str:
        """A sentence on columns whose tables cannot be compared; may be empty."""
        if not self.columns:
            return ""
        before, after = self.inputs["original_categories"], self.inputs["masked_categories"]
        try:
            same = comparable_columns(before, after)
        except InputError:
            return ""
        others = [name for i, name in enumerate(self.columns) if i not in same]
        return f"{name_columns(others)} left out: released with other categories." if others else ""


def category_inputs(
    before: Frame,
    after: Frame,
    masked: Sequence[str],
    recoded: Sequence[str],
    confidential: Sequence[str],
    types: Mapping[str, Type],
) -> CategoryInputs:
    """Return the columns of categories among the ``masked``, ``recoded`` and confidential ones.

    A recoded column counts whatever its kind was. Confidential columns that are not masked are
    given as other categories.
    """
    names = columns_of_categories(before, after, masked, recoded, types)
    if not names:
        return CategoryInputs({}, [], [])
    pairs = [shared_codes(before, after, name) for name in names]
    inputs: dict[str, Any] = {
        "original_categories": np.column_stack([pair[0] for pair in pairs]),
        "masked_categories": np.column_stack([pair[1] for pair in pairs]),
    }
    unmasked = [n for n in confidential if n not in (*masked, *recoded)]
    others = [n for n in unmasked if _holds_categories(before, before, n, types)]
    if others:
        inputs["other_categories"] = np.column_stack(
            [shared_codes(before, before, name)[0] for name in others]
        )
    return CategoryInputs(inputs, names, others)


def columns_of_categories(
    before: Frame,
    after: Frame,
    masked: Sequence[str],
    recoded: Sequence[str],
    types: Mapping[str, Type],
) -> list[str]:
    """Return the masked columns that hold categories, and all recoded ones."""
    changed = dict.fromkeys([*masked, *recoded])
    return [n for n in changed if n in recoded or _holds_categories(before, after, n, types)]


def shared_codes(before: Frame, after: Frame, name: str) -> tuple[Codes, Codes]:
    """Return a column of two tables as integers that are equal where the values are.

    Values are compared as text, so that 1 and 1.0 are equal; -1 stands for a missing value.
    """
    place: dict[str, int] = {}
    codes = []
    for frame in (before, after):
        texts, index = texts_and_index(decode(tables.arrow(frame, name)))
        text_codes = [place.setdefault(text, len(place)) for text in texts]
        codes.append(np.array([*text_codes, -1], np.int64)[index])
    return codes[0], codes[1]


def _holds_categories(before: Frame, after: Frame, name: str, types: Mapping[str, Type]) -> bool:
    array = tables.arrow(before, name)
    if array.null_count == len(array):  # its type is not informative
        return False
    try:
        return all(kind_of(frame, name, types.get(name)) in KINDS for frame in (before, after))
    except InputError:
        return False
