"""The command line: one file per command.

Nothing heavy is imported before a command runs, so that ``--help`` answers at once.
"""

import signal
from typing import Annotated

import typer

from shoal import __version__
from shoal.cli._later import put_off
from shoal.cli._session import interrupt
from shoal.cli._several import Several
from shoal.cli._sources import SideBySide
from shoal.cli.assess import assess
from shoal.cli.compare import compare
from shoal.cli.demo import demo
from shoal.cli.inspect import inspect
from shoal.cli.keygen import keygen
from shoal.cli.mask import mask
from shoal.cli.methods import methods, steps
from shoal.cli.page import page
from shoal.cli.run import run
from shoal.cli.tradeoff import tradeoff
from shoal.cli.verify import verify

app = typer.Typer(
    name="shoal",
    help="Hide each record of a table in a group of at least k.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
COMMANDS = (
    mask, run, verify, keygen, assess, inspect, compare, tradeoff, methods, steps, demo,
)  # fmt: skip
KINDS = {compare: Several, mask: SideBySide, run: SideBySide}  # those with arguments of their own
for command in COMMANDS:
    app.command(cls=KINDS.get(command))(command)
app.command("app")(page)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; whoever ends it from outside leaves nothing half done."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # a shell may want it ignored
            signal.signal(number, interrupt)
    put_off()
    app()
