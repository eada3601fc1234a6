"""Options of the commands that write a release: the release, its report and its manifest."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli._options import DOCUMENTS, FLAG, LARGE, WRITING, Scheduler

if TYPE_CHECKING:
    from shoal.metrics.limits import Limits


@dataclass(frozen=True)
class ReleaseOptions:
    """What `mask` and `run` write, and how."""

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
            help="Who is responsible for the release, for the report.",
            show_default=False,
            rich_help_panel=DOCUMENTS,
        ),
    ] = ""
    curve: Annotated[
        bool,
        typer.Option(
            "--curve",
            metavar=FLAG,
            help="Add other values of dependence to the report; takes 11 more runs.",
            rich_help_panel=DOCUMENTS,
        ),
    ] = False
    evidence: Annotated[
        bool,
        typer.Option(
            "--evidence",
            metavar=FLAG,
            help="Attack the release and add the results to the internal report.",
            rich_help_panel=DOCUMENTS,
        ),
    ] = False
    limits: Annotated[
        Path | None,
        typer.Option(
            "--limits",
            metavar="FILE",
            help="Limits that the release must keep, besides those of the plan: .toml. Nothing is"
            " written if one is not met.",
            rich_help_panel=WRITING,
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
            " is read from SHOAL_PASSPHRASE or asked for.",
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
        typer.Option(
            "--target-table",
            metavar="TABLE",
            help="Table to write in a database.",
            rich_help_panel=WRITING,
        ),
    ] = None
    keep_notes: Annotated[
        bool,
        typer.Option(
            "--keep-notes",
            metavar=FLAG,
            help="Release the file's label, notes and other free text.",
            rich_help_panel=WRITING,
        ),
    ] = False
    mark_formulas: Annotated[
        bool,
        typer.Option(
            "--mark-formulas",
            metavar=FLAG,
            help="Put ' before text that a spreadsheet program would evaluate as a formula.",
            rich_help_panel=WRITING,
        ),
    ] = False
    allow_not_kept: Annotated[
        bool,
        typer.Option(
            "--allow-not-kept",
            metavar=FLAG,
            help="Write a release whose verdict is 'not kept', as with a limit that is not met; the"
            " exit status is still 1.",
            rich_help_panel=WRITING,
        ),
    ] = False
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            metavar=FLAG,
            help="Replace files and tables that exist.",
            rich_help_panel=WRITING,
        ),
    ] = False
    scheduler: Scheduler = None
    scratch: Annotated[
        str | None,
        typer.Option(
            "--scratch",
            metavar="PLACE",
            help="Private folder or address for scratch files, if TARGET is in a store.",
            rich_help_panel=LARGE,
        ),
    ] = None
    chunk_size: Annotated[
        int | None,
        typer.Option(
            "--chunk-size",
            metavar="INT",
            min=1,
            help="Records that a worker holds at a time; masks on a cluster.",
            rich_help_panel=LARGE,
        ),
    ] = None

    def load_limits(self) -> "Limits | None":
        """Return the limits of the file that ``--limits`` names, if any."""
        if self.limits is None:
            return None
        from shoal.metrics.limits import Limits

        return Limits.load(self.limits)
