"""The block of options that say how to read a table."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.options.declarations import READING, table_option
from shoal.cli.parsing.columns import column_names_of

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect

Layout = Annotated[
    Path | None,
    typer.Option(
        "--layout",
        metavar="FILE",
        help="Column map of fixed-width text: .toml.",
        rich_help_panel=READING,
    ),
]
Table = Annotated[
    str | None, table_option("--table", help="Table to read from a database.", panel=READING)
]


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file that does not describe its own format."""

    separator: Annotated[
        str | None,
        typer.Option(
            "--separator",
            metavar="CHARACTER",
            help="Cell separator of a text table.",
            rich_help_panel=READING,
        ),
    ] = None
    decimal: Annotated[
        str,
        typer.Option(
            "--decimal",
            metavar="CHARACTER",
            help="Decimal mark of a text table.",
            rich_help_panel=READING,
        ),
    ] = "."
    encoding: Annotated[
        str,
        typer.Option(
            "--encoding",
            metavar="NAME",
            help="Character encoding of a text table.",
            rich_help_panel=READING,
        ),
    ] = "utf-8"
    missing_text: Annotated[
        str,
        typer.Option(
            "--missing-text",
            metavar="TEXT",
            help="Text that stands for a missing value, for instance NA.",
            rich_help_panel=READING,
        ),
    ] = ""
    sheet: Annotated[
        str | None,
        typer.Option(
            "--sheet", metavar="NAME", help="Sheet of an Excel file.", rich_help_panel=READING
        ),
    ] = None
    layout: Layout = None
    table: Table = None
    memory_limit: Annotated[
        float | None,
        typer.Option(
            "--memory-limit",
            metavar="GB",
            min=0,
            help="Memory that the file may take once it is read, in GB.",
            rich_help_panel=READING,
        ),
    ] = None

    def column_names_reader(self, *sources: str) -> Callable[[], list[str]]:
        """Return a function that reads the column names of the sources."""
        return lambda: column_names_of(sources, self.dialect())

    def dialect(self, **more: Any) -> "Dialect":
        """Return the dialect that these options describe; ``more`` sets further fields."""
        from shoal.io.dialect import Dialect

        return Dialect(
            separator=self.separator,
            decimal=self.decimal,
            encoding=self.encoding,
            missing=self.missing_text,
            sheet=self.sheet,
            layout=self.layout,
            table=self.table,
            memory_limit=self.memory_limit,
            **more,
        )
