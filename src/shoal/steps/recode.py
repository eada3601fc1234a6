"""Recode a column by hand: a mapping, bands of numbers, one category for rare values."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shoal._params import AtLeast
from shoal.errors import InputError, PlanError, ValuesGeneralised
from shoal.frame import tables
from shoal.frame.categories import texts_and_index
from shoal.frame.columns import decode
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame, TextColumn
from shoal.frame.types import Type
from shoal.steps._step import Step, StepResult

OTHER = "other"


class Recode(Step):
    """Replace values by categories that the user names [HDF12]_.

    Exactly one of ``mapping`` and ``bands`` may be given; rare categories of the result, or of the
    original values where neither is given, are then joined by ``min_count``. Missing values stay
    missing. The step guarantees no k-anonymity.

    Parameters
    ----------
    columns : list of str
        Columns to recode, all in the same way.
    mapping : mapping of str to str, optional
        The new category of each value, as text. Values that it does not name stay as they are.
    bands : list of float, optional
        The limits between bands of numbers, in ascending order; a band begins at its lower limit.
    min_count : int
        Categories of fewer records become ``other``.
    other : str
        The category of rare values.

    References
    ----------
    .. [HDF12] Hundepool, A., Domingo-Ferrer, J., Franconi, L., Giessing, S., Schulte Nordholt, E.,
       Spicer, K. and de Wolf, P.-P. (2012). Statistical Disclosure Control. Wiley.
    """

    name = "recode"
    paper = "HDF12"
    accepts_any_kind = True

    def __init__(
        self,
        columns: Sequence[str],
        *,
        mapping: Mapping[str, str] | None = None,
        bands: Sequence[float] | None = None,
        min_count: Annotated[int, AtLeast(1)] = 1,
        other: str = OTHER,
    ):
        self.columns = as_list(columns)
        self.mapping = mapping
        self.bands = bands
        self.min_count = min_count
        self.other = other
        self._validate()
        if mapping is not None and bands is not None:
            raise PlanError("A mapping and bands are given. Leave one out.", code="recode-twice")
        if mapping is None and bands is None and min_count == 1:
            raise PlanError(
                "Nothing says how to recode. Give `mapping`, `bands` or `min_count`.",
                code="recode-nothing",
            )
        if bands is not None and (len(bands) == 0 or list(bands) != sorted(set(bands))):
            raise PlanError("The bands must be limits in ascending order.", code="bands-not-limits")

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        return "Values were recoded to coarser categories; this guarantees no k-anonymity."

    @property
    def recoded_columns(self) -> list[str]:
        """The columns whose released values are other categories."""
        return self.columns

    @property
    def numeric_columns(self) -> list[str]:
        """The columns with bands, which are read as numbers."""
        return self.columns if self.bands is not None else []

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the recoded values of ``frame``."""
        del confidential, types
        values = {name: TextColumn(self._recoded(frame, name)) for name in self.columns}
        counts = ", ".join(
            f"{name!r} {len(set(column.texts) - {None})}" for name, column in values.items()
        )
        return StepResult(
            values,
            warnings=(
                ValuesGeneralised(
                    f"Columns were recoded to categories by hand: {counts}.",
                    code="values-generalised",
                ),
            ),
        )

    def _recoded(self, frame: Frame, name: str) -> NDArray[Any]:
        """Return the new category of each record; None where the value is missing."""
        if self.bands is not None:
            texts, index = self._banded(frame, name)
        else:
            found, index = texts_and_index(decode(tables.arrow(frame, name)))
            texts = [(self.mapping or {}).get(text, text) for text in found]
        labels = np.array([*texts, None], object)[index]
        if self.min_count > 1:
            known, place, counts = np.unique(
                labels[index >= 0].astype(str), return_inverse=True, return_counts=True
            )
            rare = np.where(counts < self.min_count, self.other, known)
            labels[index >= 0] = rare[place]
        return labels

    def _banded(self, frame: Frame, name: str) -> tuple[list[str], NDArray[np.int64]]:
        limits = [float(limit) for limit in self.bands or ()]
        numbers = tables.numbers(frame, name)
        if np.isinf(numbers).any():
            raise InputError(
                f"Column {name!r} has infinite values, which are in no band.",
                code="infinite-values",
                column=name,
            )
        inner = [f"{a:g} to under {b:g}" for a, b in zip(limits[:-1], limits[1:], strict=True)]
        texts = [f"under {limits[0]:g}", *inner, f"{limits[-1]:g} or more"]
        index = np.searchsorted(limits, numbers, side="right")
        return texts, np.where(np.isnan(numbers), -1, index)
