"""Columns of a file as analyses read them.

A release keeps the columns that no step masks as the text that the file has. Analyses need their
numbers and kinds, as ``shoal utility`` reads them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.io.csv import parse_columns
from shoal.io.dialect import Dialect
from shoal.plan.interpretation import inferred_types

if TYPE_CHECKING:
    from shoal.io.source import Source
    from shoal.plan.plan import Plan


@dataclass(frozen=True)
class AnalysedColumns:
    """How all columns of a file are read for analyses.

    Parameters
    ----------
    types : mapping of str to Type
        The declared types, and those that the file gives to other columns.
    text : Dialect or None
        How numbers are written in a text table; None if the file format has types.
    """

    types: Mapping[str, Type]
    text: Dialect | None

    @classmethod
    def of(cls, source: "Source", plan: "Plan") -> "AnalysedColumns":
        """Return how the columns of an open source are read, given the types of a plan."""
        types = inferred_types(source, source.table.column_names, plan.types)
        return cls(types, source.text)

    def table(self, frame: Frame) -> Any:
        """Return a frame with the columns that are still text read as numbers or categories."""
        native = tables.to_native(frame)
        if self.text is None:
            return native
        words = [name for name, declared in self.types.items() if declared.kind != "numeric"]
        return parse_columns(native, native.column_names, self.text, words)
