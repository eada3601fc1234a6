"""Columns of a file as analyses of utility read them.

Columns that no step masks are released as the text of the file. Analyses need their numbers and
kinds, as ``shoal utility`` reads them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.frame import tables
from shoal.frame.missing_codes import MissingCodes, without_codes
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.io.dialect import Dialect
from shoal.io.text_tables.numbers import parse_columns
from shoal.plan.interpretation import Interpretation, interpret_columns

if TYPE_CHECKING:
    from shoal.io.source import Source


@dataclass(frozen=True)
class AnalysedColumns:
    """The kinds of all columns of a file and how their numbers are written.

    Parameters
    ----------
    types : mapping of str to Type
        The declared types, and the types that the file gives to other columns.
    missing_codes : mapping of str to tuple of str
        The values that stand for a missing value, declared or given by the file.
    text_dialect : Dialect or None
        How numbers are written in a text table, or None if the file format has types.
    """

    types: Mapping[str, Type]
    missing_codes: MissingCodes
    text_dialect: Dialect | None

    @classmethod
    def from_source(cls, source: "Source", interpretation: Interpretation) -> "AnalysedColumns":
        """Return how to read all columns of a source, given how a plan reads those it masks."""
        names = source.table.column_names
        types, codes = interpret_columns(
            source, names, interpretation.types, interpretation.missing_codes
        )
        return cls(types, codes, source.text_dialect)

    def table(self, frame: Frame) -> Any:
        """Return a frame with the columns that are still text read as numbers or categories."""
        codes = {
            name: column_codes
            for name, column_codes in self.missing_codes.items()
            if name in frame.columns
        }
        native = tables.to_native(without_codes(frame, codes))
        if self.text_dialect is None:
            return native
        text_columns = [
            name for name, column_type in self.types.items() if column_type.kind != "numeric"
        ]
        return parse_columns(native, native.column_names, self.text_dialect, text_columns)
