"""Access control: the right host, a one-time token, then a session cookie."""

import secrets
import sys
import traceback
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoal.app.connections import with_body_timeout
from shoal.app.sessions import Session, Sessions
from shoal.errors import ParameterError

HOST = "127.0.0.1"
ALIAS = "localhost"  # what people type
COOKIE = "shoal"
NO_SESSION_MESSAGE = (
    "There is nothing here. The terminal that runs 'shoal app' shows a link that works once."
)
SAFE_METHODS = ("GET", "HEAD")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",  # no-referrer would remove the origin of forms too
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class AccessControl:
    """ASGI middleware that admits only requests of an open session.

    A token opens one session and is invalid afterwards. A session has its own path, and its cookie
    is sent to that path only: browsers do not separate cookies by port, and other servers on this
    machine must not see it.

    Parameters
    ----------
    app : ASGI application
        Application to protect; ``scope["session"]`` contains the session of a request.
    sessions : Sessions
        The open sessions.
    port : int
        Port of the server.
    write_line : callable
        Shows a link to the user.
    """

    def __init__(
        self, app: ASGIApp, sessions: Sessions, port: int, write_line: Callable[[str], None]
    ):
        self._app = app
        self._sessions = sessions
        self._write_line = write_line
        self._host = f"{HOST}:{port}"
        self._alias = f"{ALIAS}:{port}"
        self._token = secrets.token_urlsafe(32)

    @property
    def link(self) -> str:
        """The address that opens the next session."""
        return f"http://{self._host}/?token={self._token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it to the application."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._answer(scope)(scope, with_body_timeout(receive), send_with_headers)
        except Exception as error:
            # The message of an unexpected error may contain a value from the data.
            sys.stderr.write("".join(traceback.format_tb(error.__traceback__)))
            sys.stderr.write(f"error: unexpected error ({type(error).__name__})\n")

    def _answer(self, scope: Scope) -> ASGIApp:
        headers = Headers(scope=scope)
        path = scope["path"]
        if headers.getlist("host") == [self._alias] and scope["method"] == "GET":
            return self._redirect(path, scope["query_string"])
        if not self._is_same_origin(headers, scope["method"]):
            return PlainTextResponse("", 403)
        if path == "/" and scope["method"] == "GET":
            return self._exchange(scope["query_string"])
        session = self._session(headers, path)
        if session is None:
            return PlainTextResponse(NO_SESSION_MESSAGE, 403)
        scope["session"] = session
        scope["path"] = path.removeprefix(f"/s/{session.id}")
        scope["raw_path"] = scope["path"].encode()
        return self._app

    def _is_same_origin(self, headers: Headers, method: str) -> bool:
        """Return whether a request is for this server and was not sent by another site."""
        if headers.getlist("host") != [self._host]:
            return False
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return False
        return method in SAFE_METHODS or headers.getlist("origin") == [f"http://{self._host}"]

    def _redirect(self, path: str, query: bytes) -> Response:
        """Send a browser from ``localhost`` to the address that cookies are bound to."""
        address = f"http://{self._host}{quote(path)}"
        return RedirectResponse(f"{address}?{query.decode('latin-1')}" if query else address, 307)

    def _exchange(self, query: bytes) -> Response:
        """Exchange the token for a session."""
        token = parse_qs(query.decode("latin-1")).get("token", [""])[0]
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            return PlainTextResponse(NO_SESSION_MESSAGE, 403)
        self._token = secrets.token_urlsafe(32)
        try:
            session = self._sessions.open()
        except ParameterError as error:
            return PlainTextResponse(str(error), 403)
        finally:
            self._write_line(f"For another session: {self.link}")
        session_path = f"/s/{session.id}/"
        answer = RedirectResponse(session_path, 303)
        answer.set_cookie(
            COOKIE, session.secret, path=session_path, httponly=True, samesite="strict"
        )
        return answer

    def _session(self, headers: Headers, path: str) -> Session | None:
        parts = path.split("/")
        if len(parts) < 4 or parts[:2] != ["", "s"]:
            return None
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return None
        return self._sessions.get(parts[2], cookie.value) if cookie else None
