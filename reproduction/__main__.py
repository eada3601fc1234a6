"""Run the papers again: ``python -m reproduction FOLDER``, or ``make papers``."""

from pathlib import Path
from typing import Annotated

import typer

from reproduction import result_sentence, write_pages
from shoal.cli.console.session import session
from shoal.cli.options import Force, Quiet

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

Folder = Annotated[Path, typer.Argument(help="Folder to write to.")]
Only = Annotated[
    list[str] | None, typer.Option("--only", help="Paper to run; repeat for more. All by default.")
]


@app.command()
def papers(
    folder: Folder = Path("papers"), only: Only = None, force: Force = False, quiet: Quiet = False
) -> None:
    """Run every table and figure of five papers; write published figures beside ours."""
    with session(quiet=quiet):
        for page in write_pages(folder, only or (), force=force):
            if not quiet:
                typer.echo(f"{folder / page.name}.md: {result_sentence(page)}")


if __name__ == "__main__":
    app()
