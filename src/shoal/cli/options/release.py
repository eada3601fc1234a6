"""The block of options that say how to write a release, its report and its manifest."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.options.declarations import (
    DOCUMENTS,
    LARGE,
    WRITING,
    flag_option,
    limits_option,
    table_option,
)
from shoal.cli.options.output import FORCE_HELP

if TYPE_CHECKING:
    from shoal.metrics.limits import Limits


Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Address of a Dask scheduler, such as tcp://host:8786; or processes:4, for four"
        " processes without Dask.",
        rich_help_panel=LARGE,
    ),
]


@dataclass(frozen=True)
class ReleaseOptions:
    """What a command that masks a table writes, and how."""

    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Report to write: .html, .json or .txt; - prints it.",
            rich_help_panel=DOCUMENTS,
        ),
    ] = None
    audience: Annotated[
        str,
        typer.Option(
            "--audience",
            metavar="AUDIENCE",
            help="Readers of the report: public or internal.",
            rich_help_panel=DOCUMENTS,
        ),
    ] = "public"
    title: Annotated[
        str,
        typer.Option(
            "--title",
            metavar="TEXT",
            help="Title of the report.",
            show_default=False,
            rich_help_panel=DOCUMENTS,
        ),
    ] = ""
    author: Annotated[
        str,
        typer.Option(
            "--author",
            metavar="NAME",
            help="Person or office responsible for the release, named in the report.",
            show_default=False,
            rich_help_panel=DOCUMENTS,
        ),
    ] = ""
    curve: Annotated[
        bool,
        flag_option(
            "--curve",
            help="Add the trade-off curve of dependence to the report; takes 11 more runs.",
            panel=DOCUMENTS,
        ),
    ] = False
    evidence: Annotated[
        bool,
        flag_option(
            "--evidence",
            help="Attack the release and add the results to the internal report.",
            panel=DOCUMENTS,
        ),
    ] = False
    limits: Annotated[
        Path | None,
        limits_option(
            help="Limits that the release must keep, besides the limits of the plan: .toml. Nothing"
            " is written if one is not met.",
            panel=WRITING,
        ),
    ] = None
    manifest: Annotated[
        Path | None,
        typer.Option(
            "--manifest",
            metavar="FILE",
            help="Manifest to write for auditors: .json. It contains the seed.",
            rich_help_panel=DOCUMENTS,
        ),
    ] = None
    sign: Annotated[
        Path | None,
        typer.Option(
            "--sign",
            metavar="KEY",
            help="Private key to sign the manifest with: .pem, see 'shoal keygen'. The passphrase"
            " is read from SHOAL_PASSPHRASE, or you are asked for it.",
            rich_help_panel=DOCUMENTS,
        ),
    ] = None
    hash_key: Annotated[
        Path | None,
        typer.Option(
            "--hash-key",
            metavar="FILE",
            help="Secret key for the hash of the original in the manifest; created if it does not"
            " exist. By default next to the manifest.",
            rich_help_panel=DOCUMENTS,
        ),
    ] = None
    target_table: Annotated[
        str | None,
        table_option("--target-table", help="Table to write in a database.", panel=WRITING),
    ] = None
    keep_notes: Annotated[
        bool,
        flag_option(
            "--keep-notes",
            help="Release the label, notes and other free text of the file.",
            panel=WRITING,
        ),
    ] = False
    mark_formulas: Annotated[
        bool,
        flag_option(
            "--mark-formulas",
            help="Put ' before text that a spreadsheet program would evaluate as a formula.",
            panel=WRITING,
        ),
    ] = False
    allow_not_kept: Annotated[
        bool,
        flag_option(
            "--allow-not-kept",
            help="Write the release even if its verdict is 'not kept', for instance because a limit"
            " is not met; the exit code is still 1.",
            panel=WRITING,
        ),
    ] = False
    force: Annotated[
        bool,
        flag_option("--force", help=FORCE_HELP, panel=WRITING),
    ] = False
    scheduler: Scheduler = None
    scratch: Annotated[
        str | None,
        typer.Option(
            "--scratch",
            metavar="LOCATION",
            help="Private folder or address for scratch files, needed if TARGET is in a store.",
            rich_help_panel=LARGE,
        ),
    ] = None
    chunk_size: Annotated[
        int | None,
        typer.Option(
            "--chunk-size",
            metavar="INT",
            min=1,
            help="Number of records that a worker holds at a time; masks on a cluster.",
            rich_help_panel=LARGE,
        ),
    ] = None

    def load_limits(self) -> "Limits | None":
        """Return the limits of the file that ``--limits`` names, if any."""
        if self.limits is None:
            return None
        from shoal.metrics.limits import Limits

        return Limits.load(self.limits)
