"""``shoal app``: the web page."""

from typing import Annotated

import typer

from shoal.cli.console.session import session
from shoal.cli.options.declarations import FLAG

Port = Annotated[
    int, typer.Option("--port", metavar="INT", min=0, max=65535, help="Port; 0 for any free port.")
]
Limit = Annotated[
    int, typer.Option("--limit", metavar="MB", min=1, help="Largest file to accept, in MB.")
]
Browser = Annotated[
    bool, typer.Option(metavar=FLAG, help="Whether to open the page in your browser.")
]


def page(port: Port = 0, limit: Limit = 2000, browser: Browser = True) -> None:
    """Serve a local web page to load, mask, compare and download tables."""
    with session():
        from shoal.app.server import serve

        serve(port=port, limit=limit, browser=browser, write_line=lambda line: typer.echo(line))
