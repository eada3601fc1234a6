"""Missing codes: values such as 98 and 99 that stand for a missing value."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.frame.arrow_types import without_dictionary
from shoal.frame.notation.texts import text_of
from shoal.frame.replacement import RowGather, with_values
from shoal.frame.tables import Frame, arrow, check_columns

MissingCodes = Mapping[str, tuple[str, ...]]


def as_missing_codes(entries: Any) -> dict[str, tuple[str, ...]]:
    """Return missing codes by column, as text; refuse anything but lists of values.

    Examples
    --------
    >>> as_missing_codes({"income": [98, 99.0], "age": -9})
    {'income': ('98', '99'), 'age': ('-9',)}
    """
    if entries is None:
        return {}
    if not isinstance(entries, Mapping):
        raise ParameterError(
            "Missing codes must be a table: column = [code, ...].", code="missing-codes-malformed"
        )
    codes = {}
    for name, entry in entries.items():
        values = entry if isinstance(entry, Sequence) and not isinstance(entry, str) else [entry]
        if not values or not all(isinstance(code, str | int | float) for code in values):
            raise ParameterError(
                f"The missing codes of column {name!r} must be a list of numbers or texts.",
                code="missing-codes-malformed",
                column=name,
            )
        codes[name] = tuple(dict.fromkeys(text_of(code) for code in values))
    return codes


def is_missing_code(frame: Frame, name: str, codes: Sequence[str]) -> NDArray[np.bool_]:
    """Return a mask of the records whose value of a column is a missing code."""
    column = without_dictionary(arrow(frame, name))
    encoded = column.dictionary_encode()
    spellings = {_normalise_number(code) for code in codes}
    is_code = [
        _normalise_number(text_of(value)) in spellings for value in encoded.dictionary.to_pylist()
    ]
    mask = np.append(np.array(is_code, bool), False)
    return np.asarray(mask[encoded.indices.fill_null(-1).to_numpy()])


def count_missing_codes(frame: Frame, missing_codes: MissingCodes) -> dict[str, int]:
    """Return the number of missing codes in each column that contains any."""
    counts = {
        name: int(is_missing_code(frame, name, codes).sum())
        for name, codes in missing_codes.items()
    }
    return {name: count for name, count in counts.items() if count}


def without_codes(frame: Frame, missing_codes: MissingCodes) -> Frame:
    """Return the frame with null for the missing codes of columns."""
    check_columns(frame, list(missing_codes))
    new_values: dict[str, NDArray[Any] | RowGather] = {}
    for name, codes in missing_codes.items():
        is_code = is_missing_code(frame, name, codes)
        if is_code.any():
            is_null = np.asarray(arrow(frame, name).is_null(nan_is_null=True))
            new_values[name] = RowGather(np.arange(len(frame)), is_code | is_null)
    return with_values(frame, new_values) if new_values else frame


def _normalise_number(text: str) -> str:
    """Return one spelling of a number, so that 98 and 98.0 are equal; other text as it is."""
    try:
        return text_of(float(text))
    except (ValueError, OverflowError):
        return text
