"""The facts about a column from which its kind is inferred."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.frame.arrow_types import decode, is_plain_number, is_text


class Metadata(Protocol):
    """Metadata of a column in a file; `shoal.io.metadata.ColumnMetadata` has these attributes."""

    @property
    def value_labels(self) -> Mapping[Any, str]:
        """Labels of single values."""

    @property
    def measure(self) -> str | None:
        """Level of measurement: ``"nominal"``, ``"ordinal"`` or ``"scale"``."""


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """The facts about a column that the rules use.

    Parameters
    ----------
    name : str
        Name of the column.
    array : pyarrow.Array
        Its values.
    metadata : Metadata or None
        Metadata of the column in its file.
    text : pyarrow.Array or None
        Its cells as they stand in a text table, if ``array`` contains the numbers parsed from them.
    decimal : str
        Decimal mark of the text table.
    """

    name: str
    array: Any
    metadata: Metadata | None = None
    text: Any = None
    decimal: str = "."

    @cached_property
    def decoded(self) -> Any:
        """The values without a dictionary, with NaN as null."""
        is_chunked = isinstance(self.array, pa.ChunkedArray)
        return decode(self.array.combine_chunks() if is_chunked else self.array)

    @cached_property
    def distinct(self) -> list[Any]:
        """The distinct values, without the missing one."""
        return [value for value in pc.unique(self.decoded).to_pylist() if value is not None]

    @cached_property
    def texts(self) -> list[str]:
        """The distinct texts of the cells without blank ones, or none if the cells are not text."""
        if self.text is None:
            return [text.strip() for text in self.distinct] if self.is_text else []
        values = pc.unique(self.text).to_pylist()
        return list(dict.fromkeys(text.strip() for text in values if text is not None))

    @property
    def is_number(self) -> bool:
        """Whether the type of the column is numeric."""
        return is_plain_number(self.array.type)

    @property
    def is_text(self) -> bool:
        """Whether the type of the column is text."""
        return is_text(self.array.type)

    @property
    def is_whole(self) -> bool:
        """Whether all values are whole numbers."""
        if pa.types.is_integer(self.array.type):
            return True
        values = self.decoded.drop_null().to_numpy(zero_copy_only=False) if self.is_number else []
        return bool(len(values)) and bool(np.all(np.isfinite(values) & (np.rint(values) == values)))
