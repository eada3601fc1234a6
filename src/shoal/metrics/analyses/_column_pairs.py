"""Pairs of an original and a masked column, which analyses compare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame.codes import text_codes_and_labels
from shoal.frame.columns import kind_of, read_concatenated
from shoal.frame.roles import name_columns
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.metrics._array_types import Mask, Rows, Values

AnalysisKind = Literal["number", "date", "category"]
Side = Literal["original", "masked"]  # one of the two tables
SIDES: tuple[Side, Side] = ("original", "masked")


@dataclass(frozen=True, eq=False)
class ColumnPair:
    """A column of the original, and the same column of the masked table.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : str
        ``"number"``, ``"date"`` (days since the earliest date) or ``"category"``.
    original : ndarray of shape (n_original,)
        Values in the original: numbers with NaN for missing values, or codes of categories with -1
        for missing values.
    masked : ndarray of shape (n_masked,)
        Values in the masked table, with the same codes.
    labels : tuple of str
        Text of each code, or an empty tuple for numbers and dates.
    """

    name: str
    kind: AnalysisKind
    original: NDArray[Any]
    masked: NDArray[Any]
    labels: tuple[str, ...] = ()

    @property
    def is_quantitative(self) -> bool:
        """Whether the values are numbers or dates rather than codes of categories."""
        return self.kind != "category"

    @property
    def n_categories(self) -> int:
        """Number of categories in both tables together; 0 for numbers."""
        return len(self.labels)

    def values_of(self, side: Side) -> NDArray[Any]:
        """Return the values of one table."""
        return self.original if side == "original" else self.masked

    def is_missing(self, side: Side) -> Mask:
        """Return a mask of the missing values of one table."""
        values = self.values_of(side)
        return np.asarray(np.isnan(values) if self.is_quantitative else values < 0)

    def take(self, original_rows: Rows, masked_rows: Rows) -> "ColumnPair":
        """Return the pair for the given rows of each table."""
        return ColumnPair(
            self.name,
            self.kind,
            self.original[original_rows],
            self.masked[masked_rows],
            self.labels,
        )


def read_pairs(
    original: Frame, masked: Frame, names: Sequence[str], types: Mapping[str, Type]
) -> tuple[dict[str, ColumnPair], list[str]]:
    """Return pairs by name, and remarks on columns that are recoded or cannot be compared."""
    pairs: dict[str, ColumnPair] = {}
    not_comparable: list[str] = []
    recoded: list[str] = []
    for name in names:
        try:
            pairs[name] = _read_pair(original, masked, name, types.get(name))
        except InputError:
            not_comparable.append(name)
            continue
        pair = pairs[name]
        if pair.kind == "category" and not np.isin(pair.masked, [-1, *pair.original]).all():
            recoded.append(name)
    remarks = []
    if not_comparable:
        remarks.append(
            f"{name_columns(not_comparable)} left out: the kinds differ between the tables."
        )
    if recoded:
        remarks.append(f"{name_columns(recoded)} recoded: not all categories are in the original.")
    return pairs, remarks


def _read_pair(original: Frame, masked: Frame, name: str, declared_type: Type | None) -> ColumnPair:
    """Return a column of both tables; refuse one that is quantitative in only one of them."""
    kinds = [
        kind_of(frame, name, declared_type)
        for frame in (original, masked)
        if frame[name].null_count() < len(frame)
    ]
    kind = kinds[0] if kinds else "nominal"
    if kind in ("numeric", "date"):
        values: Values = read_concatenated([original, masked], name, declared_type).values
        table_values = values[: len(original)], values[len(original) :]
        return ColumnPair(name, "number" if kind == "numeric" else "date", *table_values)
    if any(other_kind in ("numeric", "date") for other_kind in kinds):
        raise InputError(
            "The kinds of the column differ between the tables.", code="kinds-differ", column=name
        )
    (original_codes, masked_codes), labels = text_codes_and_labels([original, masked], name)
    return ColumnPair(name, "category", original_codes, masked_codes, tuple(labels))
