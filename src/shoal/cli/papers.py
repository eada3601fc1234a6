"""``shoal papers``: run the tables and figures of the papers again."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import _options as options
from shoal.cli._session import session

Folder = Annotated[Path, typer.Argument(help="Folder to write to.")]
Only = Annotated[
    list[str] | None, typer.Option("--only", help="Paper to run; repeat for more. All by default.")
]


def papers(
    folder: Folder = Path("papers"),
    only: Only = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Run every table and figure of five papers; write published figures beside ours."""
    with session(quiet=quiet):
        from shoal.papers import tally, write

        for page in write(folder, only or (), force=force):
            if not quiet:
                typer.echo(f"{folder / page.name}.md: {tally(page)}")
