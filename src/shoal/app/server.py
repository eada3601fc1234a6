"""The server of the page, on the loopback address, with a private folder for its files."""

import contextlib
import logging
import shutil
import signal
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any

from shoal.errors import FileError, MissingDependency

if TYPE_CHECKING:
    import uvicorn

SHUTDOWN_TIMEOUT = 2  # seconds for open requests
SIGNALS = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]


def serve(
    *,
    port: int = 0,
    limit: int = 2000,
    browser: bool = True,
    write_line: Callable[[str], None] = print,
) -> None:
    """Serve the page until a signal ends the server.

    Parameters
    ----------
    port : int
        Port; 0 for any free port.
    limit : int
        Largest file to accept, in MB.
    browser : bool
        Whether to open the page in the user's browser.
    write_line : callable
        Shows links to the user.
    """
    _check_installed()
    listener = _listen(port)
    from shoal.app import jobs  # slow imports, after the port is known to be free
    from shoal.app.access import AccessControl
    from shoal.app.pages import Pages
    from shoal.app.sessions import Sessions

    previous_handlers = {number: signal.getsignal(number) for number in SIGNALS}
    folder = Path(tempfile.mkdtemp(prefix="shoal-app-"))  # readable by this user only
    sessions = Sessions(folder)
    try:
        jobs.prepare()
        pages = Pages(sessions, limit).application()
        access_control = AccessControl(pages, sessions, listener.getsockname()[1], write_line)
        write_line(
            f"Shoal listens only on this machine. Ctrl-C ends it. Open: {access_control.link}"
        )
        if browser:
            Timer(0.5, webbrowser.open, [access_control.link]).start()
        _make_server(access_control).run(sockets=[listener])
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)  # a second signal must not stop the clean-up
        sessions.close_all()
        shutil.rmtree(folder, ignore_errors=True)
        listener.close()
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)


def _check_installed() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingDependency(
            'The page needs starlette and uvicorn: pip install "shoal[app]".',
            code="package-missing",
            extra="app",
        ) from None


def _make_server(application: Any) -> "uvicorn.Server":
    """Return a server that logs nothing and limits the number of connections."""
    import uvicorn

    from shoal.app.connections import BoundedConnection, allowed_connections

    for library in ("uvicorn", "asyncio"):
        logging.getLogger(library).setLevel(logging.CRITICAL)
    BoundedConnection.max_connections = allowed_connections()
    config = uvicorn.Config(
        application, access_log=False, log_config=None, ws="none", proxy_headers=False,
        server_header=False, timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
        http=BoundedConnection, backlog=BoundedConnection.max_connections,
    )  # fmt: skip
    server = uvicorn.Server(config)
    server.capture_signals = lambda: _ended_by_signals(server)  # type: ignore[method-assign]
    return server


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen()  # early requests wait instead of being refused
    except (OSError, OverflowError):
        listener.close()
        raise FileError(
            f"Port {port} cannot be used. Leave --port out, or name another.",
            code="port-taken",
            port=port,
        ) from None
    return listener


@contextlib.contextmanager
def _ended_by_signals(server: Any) -> Iterator[None]:
    """Let signals stop only the server, so that the clean-up runs afterwards."""
    previous_handlers = {number: signal.signal(number, server.handle_exit) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)
