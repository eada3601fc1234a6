"""Options that say what commands write and print."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options.declarations import DOCUMENTS, flag_option, limits_option

FORCE_HELP = "Replace files and tables that exist."

Force = Annotated[bool, flag_option("--force", help=FORCE_HELP)]
Quiet = Annotated[bool, flag_option("-q", "--quiet", help="Print only warnings and errors.")]
Json = Annotated[bool, flag_option("--json", help="Print the result as JSON.")]
Shuffle = Annotated[bool, flag_option("--shuffle", help="Release the records in random order.")]
SavePlan = Annotated[
    Path | None,
    typer.Option(
        "--save-plan",
        metavar="FILE",
        help="Plan to write, which 'shoal run' runs: .toml or .json.",
        rich_help_panel=DOCUMENTS,
    ),
]
LimitsOnFigures = Annotated[
    Path | None,
    limits_option(help="Limits on the figures: .toml. The exit code is 1 if one is not met."),
]
