"""Arguments: the tables and plans that commands read and write."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options.declarations import table_option

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="File or database to read; docs/files.md lists the formats."
    ),
]
Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="File or database to read; docs/files.md lists the formats. Several Parquet files, or"
        " a folder of them, are masked on a cluster.",
    ),
]
Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET", help="File to write, in the format of its suffix; or a database."
    ),
]
PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="Plan to run: .toml or .json.")]
Original = Annotated[
    str, typer.Argument(metavar="ORIGINAL", help="File or database before masking.")
]
Masked = Annotated[str, typer.Argument(metavar="MASKED", help="File or database after masking.")]
MaskedTable = Annotated[
    str | None, table_option("--masked-table", help="Masked table in a database.")
]
