"""``shoal app``: the page in the browser."""

from typing import Annotated

import typer

from shoal.cli._session import session

Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="Where to listen; 0: any.")]
Limit = Annotated[int, typer.Option("--limit", min=1, help="Most megabytes of a file.")]
Browser = Annotated[bool, typer.Option(help="Open the page in your browser.")]


def page(port: Port = 0, limit: Limit = 2000, browser: Browser = True) -> None:
    """Open a page in the browser: load, mask, compare, download; for this machine alone."""
    with session():
        from shoal.app.server import serve

        serve(port=port, limit=limit, browser=browser, tell=lambda line: typer.echo(line))
