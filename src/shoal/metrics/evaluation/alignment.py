"""Whether two tables have the same records in the same order, judged by their common columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame.codes import text_codes
from shoal.frame.columns import read_concatenated
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.metrics._ranks import rank_correlation

# An association above this number of standard deviations is not due to chance.
MAX_CHANCE_DEVIATIONS = 5.0
ORDER_DIFFERS = (
    "The records of the release are not in the same order as in the original: no column is related"
    " to the original, row by row."
)
SUFFICIENT_ASSOCIATION = 0.5  # suffices in short tables too, although chance may reach more there
SHORT_TABLE = 100  # in tables of fewer records, only columns with the same values in both count


def has_same_order(original: Frame, masked: Frame, types: Mapping[str, Type]) -> bool:
    """Return whether the rows of two tables seem to be the same records in the same order.

    Masking keeps an association between a value and its masked value; if the order differs, no
    column has such an association. If no column is informative, the order is assumed to be the
    same.

    Parameters
    ----------
    original, masked : Frame
        The table before and after masking.
    types : mapping of str to Type
        Declared types.

    Returns
    -------
    bool
        False if the tables differ in length, or if every common column whose values vary is
        unrelated between them, row by row.
    """
    n = len(original)
    if n != len(masked):
        return False
    min_association = min(SUFFICIENT_ASSOCIATION, MAX_CHANCE_DEVIATIONS / np.sqrt(max(n, 1)))
    has_informative_column = False
    for name in masked.columns:
        if name not in original.columns:
            continue
        association = _association(original, masked, name, types.get(name))
        if association is None:
            continue
        if abs(association) >= min_association:
            return True
        has_informative_column = True
    return not has_informative_column


def resolve_alignment(
    original: Frame, masked: Frame, types: Mapping[str, Type], aligned: bool | None
) -> bool:
    """Return ``aligned``, or if it is None, whether the rows seem to be the same records.

    Tables of different length cannot be aligned.
    """
    if aligned is None:
        return has_same_order(original, masked, types)
    if aligned and len(original) != len(masked):
        raise InputError(
            f"The original has {len(original):,} records and the masked table {len(masked):,}, so"
            " they are not in the same order. Leave out `aligned=True`.",
            code="records-differ",
            original=len(original),
            masked=len(masked),
        )
    return aligned


def _association(
    original: Frame, masked: Frame, name: str, declared_type: Type | None
) -> float | None:
    """Return the association of a column with its masked values, or None if not informative.

    The association is the rank correlation, or Cohen's kappa for categories.
    """
    n = len(original)
    try:
        column = read_concatenated([original, masked], name, declared_type)
    except InputError:
        values: NDArray[Any] = np.concatenate(text_codes([original, masked], name))
        is_category = True
    else:
        is_category = column.kind in ("nominal", "boolean")
        values = column.codes if is_category else column.values
    original_values, masked_values = values[:n], values[n:]
    if n < SHORT_TABLE and not np.array_equal(
        np.sort(original_values), np.sort(masked_values), equal_nan=True
    ):
        return None
    if is_category:
        return _kappa(original_values, masked_values)
    is_present = ~(np.isnan(original_values) | np.isnan(masked_values))
    return rank_correlation(original_values[is_present], masked_values[is_present])


def _kappa(original_codes: NDArray[np.int64], masked_codes: NDArray[np.int64]) -> float | None:
    """Return Cohen's kappa, or None if it says nothing about the order of the records.

    That is so if categories were recoded, or if all records have the same category in both tables.
    Missing values count as a category.
    """
    n = len(original_codes)
    n_codes = int(max(original_codes.max(), masked_codes.max())) + 2
    shares = [
        np.bincount(codes + 1, minlength=n_codes) / n for codes in (original_codes, masked_codes)
    ]
    if ((shares[0] == 0) & (shares[1] > 0)).any():
        return None
    chance_agreement = float(shares[0] @ shares[1])
    if chance_agreement == 1:
        return None
    return (float((original_codes == masked_codes).mean()) - chance_agreement) / (
        1 - chance_agreement
    )
