"""Categorical columns of two tables as integer codes, for the measures of categories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.arrow_types import decode
from shoal.frame.categories import texts_and_index
from shoal.frame.columns import kind_of
from shoal.frame.roles import name_columns
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.metrics._array_types import Codes
from shoal.metrics.utility.category_tables import comparable_columns

CATEGORICAL_KINDS = ("nominal", "ordinal", "boolean")


@dataclass(frozen=True)
class CategoryInputs:
    """The inputs of measures of categories.

    Parameters
    ----------
    inputs : dict
        The inputs by name, or an empty dict if no masked column is categorical.
    columns : list of str
        The masked categorical columns.
    other_columns : list of str
        The categorical confidential columns that are not masked.
    """

    inputs: dict[str, Any]
    columns: list[str]
    other_columns: list[str]

    @property
    def remark(self) -> str:
        """A sentence on columns that cannot be compared with the original, or an empty string."""
        if not self.columns:
            return ""
        original, masked = self.inputs["original_categories"], self.inputs["masked_categories"]
        try:
            comparable = comparable_columns(original, masked)
        except InputError:
            return ""
        not_comparable = [name for i, name in enumerate(self.columns) if i not in comparable]
        return (
            f"{name_columns(not_comparable)} left out: released with other categories."
            if not_comparable
            else ""
        )


def category_inputs(
    original: Frame,
    masked: Frame,
    masked_columns: Sequence[str],
    recoded_columns: Sequence[str],
    confidential: Sequence[str],
    types: Mapping[str, Type],
) -> CategoryInputs:
    """Return the codes of the masked categorical columns in both tables.

    Recoded columns are included, whatever the kind of the original column. The other categories are
    the categories of confidential columns that are not masked.
    """
    names = categorical_columns(original, masked, masked_columns, recoded_columns, types)
    if not names:
        return CategoryInputs({}, [], [])
    pairs = [shared_codes(original, masked, name) for name in names]
    inputs: dict[str, Any] = {
        "original_categories": np.column_stack([pair[0] for pair in pairs]),
        "masked_categories": np.column_stack([pair[1] for pair in pairs]),
    }
    unmasked = [name for name in confidential if name not in (*masked_columns, *recoded_columns)]
    other_names = [name for name in unmasked if _is_categorical(original, original, name, types)]
    if other_names:
        inputs["other_categories"] = np.column_stack(
            [shared_codes(original, original, name)[0] for name in other_names]
        )
    return CategoryInputs(inputs, names, other_names)


def categorical_columns(
    original: Frame,
    masked: Frame,
    masked_columns: Sequence[str],
    recoded_columns: Sequence[str],
    types: Mapping[str, Type],
) -> list[str]:
    """Return the masked columns that are categorical, and all recoded columns."""
    candidates = dict.fromkeys([*masked_columns, *recoded_columns])
    return [
        name
        for name in candidates
        if name in recoded_columns or _is_categorical(original, masked, name, types)
    ]


def shared_codes(original: Frame, masked: Frame, name: str) -> tuple[Codes, Codes]:
    """Return a column of two tables as integers that are equal if the values are.

    Values are compared as text, so that 1 and 1.0 are equal; -1 stands for a missing value.
    """
    code_of_text: dict[str, int] = {}
    codes = []
    for frame in (original, masked):
        texts, index = texts_and_index(decode(tables.arrow(frame, name)))
        text_codes = [code_of_text.setdefault(text, len(code_of_text)) for text in texts]
        codes.append(np.array([*text_codes, -1], np.int64)[index])
    return codes[0], codes[1]


def _is_categorical(original: Frame, masked: Frame, name: str, types: Mapping[str, Type]) -> bool:
    """Return whether a column is categorical in both tables."""
    array = tables.arrow(original, name)
    if array.null_count == len(array):  # its type is not informative
        return False
    try:
        return all(
            kind_of(frame, name, types.get(name)) in CATEGORICAL_KINDS
            for frame in (original, masked)
        )
    except InputError:
        return False
