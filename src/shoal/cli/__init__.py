"""The command line: one module per command in ``commands``, shared code in the other packages.

Heavy modules are imported when a command runs, so that ``--help`` is fast.
"""

import atexit
import gc
import os
import signal
from typing import Annotated

import typer

from shoal import __version__
from shoal.cli.commands.advise import advise
from shoal.cli.commands.app import page
from shoal.cli.commands.assess import assess
from shoal.cli.commands.attack import attack
from shoal.cli.commands.compare import compare
from shoal.cli.commands.demo import demo
from shoal.cli.commands.inspect import inspect
from shoal.cli.commands.keygen import keygen
from shoal.cli.commands.mask import mask
from shoal.cli.commands.methods import methods, steps
from shoal.cli.commands.risk import risk
from shoal.cli.commands.run import run
from shoal.cli.commands.step_commands import StepGroup
from shoal.cli.commands.tradeoff import tradeoff
from shoal.cli.commands.utility import utility
from shoal.cli.commands.verify import verify
from shoal.cli.console.session import interrupt
from shoal.cli.lazy_imports import defer_imports
from shoal.cli.options.blocks import expand_blocks
from shoal.cli.options.declarations import FLAG
from shoal.cli.parsing.plain_help import Command
from shoal.cli.parsing.source_arguments import SeveralSourcesCommand

app = typer.Typer(
    name="shoal",
    cls=StepGroup,
    help="Protect tables before publication: microaggregation and disclosure control.",
    epilog="Lists are separated by commas, as in -c age,wage, or the option is repeated.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
COMMANDS = (
    mask, run, verify, keygen, assess, attack, utility, risk, inspect, compare, advise, tradeoff,
    methods, steps, demo,
)  # fmt: skip
for command in COMMANDS:
    takes_sources = command in (mask, run)
    app.command(cls=SeveralSourcesCommand if takes_sources else Command)(expand_blocks(command))
app.command("app", cls=Command)(expand_blocks(page))


def _show_version(requested: bool) -> None:
    if requested:
        typer.echo(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def _program_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar=FLAG,
            callback=_show_version,
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line. Signals never leave partial output."""
    # The libraries create 240,000 objects that live until the process ends. Searching them for
    # garbage would take a third of the CPU time of a short command, most of it at the very end.
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup and shells may ignore signals
            signal.signal(number, interrupt)
    # Idle threads of OpenBLAS, which numpy and scipy load, spin before they sleep: by default for
    # 0.1 s each, a fifth of the CPU time of a short command. 2**20 cycles take less than 1 ms.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")
    defer_imports()
    app()
