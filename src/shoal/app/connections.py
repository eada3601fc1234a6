"""Limits on the number of connections and on the time that they may take.

uvicorn closes a connection that is idle between two requests, but waits indefinitely for the rest
of a request that has begun. Such connections could use up the files that the process may open.
"""

import asyncio
from typing import Any

from starlette.types import Message, Receive
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_TIMEOUT = 10.0  # seconds for the head of a request
BODY_TIMEOUT = 60.0  # seconds between two parts of the body of a request
MIN_CONNECTIONS = 4  # even if few files may be open: browsers use several for a page
MAX_CONNECTIONS = 128
OTHER_FILES = 24  # open files of the server itself: listener, event loop, fork server, a job, ...
FILES_PER_CONNECTION = 3  # the socket, and files that a request opens
REQUESTED_FILES = 1024  # limit of open files to request from the system if it is lower


class BoundedConnection(H11Protocol):
    """A connection that must send the head of its request in time.

    If there are more than ``max_connections``, the one that has been idle longest is closed.
    """

    header_timeout = HEADER_TIMEOUT
    max_connections = MAX_CONNECTIONS

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self._deadline: asyncio.TimerHandle | None = None
        self._idle_since = self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time limit of the first request; close an idle connection if there are many."""
        super().connection_made(transport)
        self._wait_for_request()
        idle = [
            connection
            for connection in self.connections
            if isinstance(connection, type(self)) and connection.is_idle
        ]
        if len(self.connections) > self.max_connections and idle:
            oldest = min(idle, key=lambda connection: connection._idle_since)
            oldest.transport.close()
            self.connections.discard(oldest)

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request; a slow sender does not extend the deadline."""
        super().data_received(data)
        self._wait_for_request()

    def on_response_complete(self) -> None:
        """Record since when the connection has been idle."""
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_request(self) -> None:
        if not self.is_idle:
            self._stop_waiting()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.header_timeout, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def with_body_timeout(receive: Receive, timeout: float = BODY_TIMEOUT) -> Receive:
    """Return a ``receive`` that reports a disconnect if the body of a request stalls."""
    is_complete = False

    async def receive_in_time() -> Message:
        nonlocal is_complete
        if is_complete:  # only the end of the connection follows, which has no time limit
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), timeout)
        except TimeoutError:
            is_complete = True
            return {"type": "http.disconnect"}
        is_complete = not message.get("more_body", False)
        return message

    return receive_in_time


def allowed_connections() -> int:
    """Return how many connections may be open, after raising a low limit of open files."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    requested_files = REQUESTED_FILES if hard == unlimited else min(REQUESTED_FILES, hard)
    if soft != unlimited and soft < requested_files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (requested_files, hard))
        soft = requested_files
    files = REQUESTED_FILES if soft == unlimited else soft
    n_affordable = (files - OTHER_FILES) // FILES_PER_CONNECTION
    return max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, n_affordable))
