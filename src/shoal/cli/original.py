"""The original of commands that compare files, whose types apply to the other files too."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shoal.cli.parsing.column_options import missing_codes_of, parse_type_options
from shoal.cli.parsing.columns import split_lists

if TYPE_CHECKING:
    from shoal.frame.types import Type
    from shoal.io.dialect import Dialect


@dataclass(frozen=True)
class Original:
    """A table with its types and missing codes, declared or inferred."""

    table: Any
    types: "dict[str, Type]"
    missing_codes: dict[str, tuple[str, ...]]
    dialect: "Dialect"

    def split(self, *lists: Sequence[str] | None) -> list[list[str] | None]:
        """Separate lists of columns of this table."""
        return split_lists(lists, lambda: self.table.column_names)

    def read_alike(self, path: str, table: str | None = None) -> Any:
        """Read another file, or a table of a database, with the same types and missing codes."""
        from shoal.io.files import read_typed

        dialect = replace(self.dialect, table=table)
        return read_typed(path, self.types, dialect, self.missing_codes)


def read_original(
    path: str,
    dialect: "Dialect",
    types: Sequence[str] | None,
    missing_codes: Sequence[str] | None,
) -> Original:
    """Read the original; columns without a ``--type`` are interpreted as `shoal mask` does."""
    from shoal.frame.types import as_types
    from shoal.io.files import open_source, typed_table
    from shoal.plan.interpretation import interpret_columns

    opened_source = open_source(path, dialect=dialect, numbers=())
    codes = missing_codes_of(missing_codes, opened_source.table)
    declared_types = as_types(parse_type_options(types or []))
    declared_types, codes = interpret_columns(
        opened_source, opened_source.table.column_names, declared_types, codes
    )
    return Original(
        typed_table(opened_source, declared_types, codes), declared_types, codes, dialect
    )
