"""Whether two tables have their records in the same order, judged by their common columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame.codes import text_codes
from shoal.frame.columns import read_together
from shoal.frame.tables import Frame
from shoal.frame.types import Type

MAX_BY_CHANCE = 5.0  # standard deviations of an association between independent columns
OTHER_ORDER = (
    "The records of the release are in another order than those of the original: no column is"
    " related to the original, row by row."
)
MIN_ASSOCIATION = 0.5  # of short tables, where chance alone reaches more
SHORT = 100  # records below which only columns with the same values in both tables can tell


def is_same_order(before: Frame, after: Frame, types: Mapping[str, Type]) -> bool:
    """Return whether the rows of two tables seem to be the same records in the same order.

    Masking keeps an association between a value and its masked value; in another order there is
    none in any column. Where no column can tell, the order is taken to be the same.

    Parameters
    ----------
    before, after : Frame
        The table before and after masking.
    types : mapping of str to Type
        Declared types.

    Returns
    -------
    bool
        False if the tables differ in length, or if every common column whose values vary is
        unrelated between them, row by row.
    """
    n = len(before)
    if n != len(after):
        return False
    limit = min(MIN_ASSOCIATION, MAX_BY_CHANCE / np.sqrt(max(n, 1)))
    any_association = False
    for name in after.columns:
        if name in before.columns:
            association = _association(before, after, name, types.get(name))
            if association is not None:
                if abs(association) >= limit:
                    return True
                any_association = True
    return not any_association


def decide_order(
    before: Frame, after: Frame, types: Mapping[str, Type], aligned: bool | None
) -> bool:
    """Return whether rows are the same records: as ``aligned`` states, or else as they seem to be.

    Tables of different length cannot be aligned.
    """
    if aligned is None:
        return is_same_order(before, after, types)
    if aligned and len(before) != len(after):
        raise InputError(
            f"The original holds {len(before):,} records and the masked table {len(after):,}, so"
            " they are not in the same order. Leave out `aligned=True`.",
            code="records-differ",
            original=len(before),
            masked=len(after),
        )
    return aligned


def _association(before: Frame, after: Frame, name: str, declared: Type | None) -> float | None:
    """Return the rank correlation of a column with itself, or kappa; None if it cannot tell."""
    n = len(before)
    try:
        column = read_together([before, after], name, declared)
    except InputError:
        values: NDArray[Any] = np.concatenate(text_codes([before, after], name))
        is_category = True
    else:
        is_category = column.kind in ("nominal", "boolean")
        values = column.codes if is_category else column.values
    first, second = values[:n], values[n:]
    if n < SHORT and not np.array_equal(np.sort(first), np.sort(second), equal_nan=True):
        return None
    return _kappa(first, second) if is_category else _rank_correlation(first, second)


def _rank_correlation(before: NDArray[np.float64], after: NDArray[np.float64]) -> float | None:
    known = ~(np.isnan(before) | np.isnan(after))
    if known.sum() < 2:
        return None
    first, second = (_centred_ranks(values[known]) for values in (before, after))
    spread = np.sqrt((first @ first) * (second @ second))
    return float(first @ second / spread) if spread > 0 else None


def _centred_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ranks, with mean ranks for ties, minus their mean."""
    code, counts = np.unique(values, return_inverse=True, return_counts=True)[1:]
    return np.asarray((np.cumsum(counts) - (counts + len(values)) / 2)[code.ravel()])


def _kappa(before: NDArray[np.int64], after: NDArray[np.int64]) -> float | None:
    """Return Cohen's kappa; None where categories were recoded, or no two records agree by chance.

    Missing values count as a category.
    """
    n, most = len(before), int(max(before.max(), after.max())) + 2
    shares = [np.bincount(codes + 1, minlength=most) / n for codes in (before, after)]
    if ((shares[0] == 0) & (shares[1] > 0)).any():
        return None
    by_chance = float(shares[0] @ shares[1])
    if by_chance == 1:
        return None
    return (float((before == after).mean()) - by_chance) / (1 - by_chance)
