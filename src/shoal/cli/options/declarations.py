"""Functions that declare options of one kind, each option with its own help text."""

from typing import Any

import typer

from shoal.cli.parsing.columns import COLUMNS

FLAG = ""  # metavar of an option without a value

# Titles of the panels of options in the help texts.
READING = "Reading the source"
WRITING = "Writing the release"
DOCUMENTS = "Report and manifest"
LARGE = "Tables larger than memory"


def flag_option(*names: str, help: str, panel: str | None = None) -> Any:
    """Declare an option without a value."""
    return typer.Option(*names, metavar=FLAG, help=help, rich_help_panel=panel)


def columns_option(*names: str, help: str) -> Any:
    """Declare an option whose values are columns, separated by commas or repeated."""
    return typer.Option(*names, metavar=COLUMNS, help=help)


def column_option(name: str, *, help: str) -> Any:
    """Declare an option whose value is one column."""
    return typer.Option(name, metavar="COLUMN", help=help)


def limits_option(*, help: str, panel: str | None = None) -> Any:
    """Declare ``--limits``, whose value is a file of limits."""
    return typer.Option("--limits", metavar="FILE", help=help, rich_help_panel=panel)


def measures_option(*, metavar: str, help: str) -> Any:
    """Declare ``--measure``, whose values are the figures to compute."""
    return typer.Option("--measure", metavar=metavar, help=help)


def methods_option() -> Any:
    """Declare ``--method`` of a command that tries several methods."""
    return typer.Option(
        "-m", "--method", metavar="METHOD,...", help="Methods to try, see 'shoal methods'."
    )


def seed_option(*, help: str) -> Any:
    """Declare ``--seed``, the ``random_state`` of the library."""
    return typer.Option("--seed", metavar="INT", min=0, help=help)


def table_option(name: str, *, help: str, panel: str | None = None) -> Any:
    """Declare an option whose value is a table of a database."""
    return typer.Option(name, metavar="TABLE", help=help, rich_help_panel=panel)
