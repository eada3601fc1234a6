"""The session, the run and the fields of a request, and redirects to the page."""

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from shoal.app.sessions import Run, Session
from shoal.io.dialect import Dialect

MAX_FORM = 1_000_000  # bytes
MAX_NAME = 100  # characters of a file name
DIALECT_FIELDS = ("separator", "decimal", "encoding", "missing", "sheet")
# Windows opens a device instead of a file of such a name.
_RESERVED_NAME = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9¹²³]", re.IGNORECASE)


def session_of(request: Request) -> Session:
    """Return the session to which the request was admitted."""
    session: Session = request.scope["session"]
    return session


def run_of(request: Request) -> Run:
    """Return the run that the address names."""
    for run in session_of(request).runs:
        if run.number == request.path_params["number"]:
            return run
    raise HTTPException(404)


async def fields_of(request: Request) -> dict[str, str]:
    """Return the fields of a form; refuse a body that is too long."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM:
            raise HTTPException(413)
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def is_current(session: Session, fields: Mapping[str, str]) -> bool:
    """Return whether a form was shown after the last change of its session.

    A form without a revision counts as current.
    """
    return fields.get("revision") in (None, str(session.revision))


def is_json(request: Request) -> bool:
    """Return whether the script of the page sent the request, and not a form."""
    return "application/json" in request.headers.get("accept", "")


def redirect_to(request: Request, anchor: str = "") -> Response:
    """Redirect to the page; answer a script with the message and the state instead."""
    session = session_of(request)
    if is_json(request):
        message, session.message = session.message, ""
        return JSONResponse(
            {
                "message": message,
                "revision": session.revision,
                "undo": bool(session.undo_stack),
                "redo": bool(session.redo_stack),
            }
        )
    return RedirectResponse(f"/s/{session.id}/{anchor}", 303)


def as_dialect(fields: Mapping[str, str]) -> Dialect:
    """Return the file format that the fields of a form describe."""
    dialect_fields = {name: fields[name] for name in DIALECT_FIELDS if fields.get(name)}
    if dialect_fields.get("separator") in ("tab", "\\t"):
        dialect_fields["separator"] = "\t"
    return Dialect(**dialect_fields)  # type: ignore[arg-type]


def header_text(header: str) -> str:
    """Return the text that a script has percent-encoded in a header."""
    return unquote(header)


def safe_name(name: str) -> str:
    r"""Return a file name without folders, special characters and leading dots.

    It has at most 100 characters. Names that Windows reserves for devices, with any suffix, get an
    underscore.

    Examples
    --------
    >>> safe_name("../../etc/my survey.csv"), safe_name("C:\\a<b>.csv"), safe_name("-..")
    ('my survey.csv', 'a_b_.csv', 'table')
    >>> safe_name("nul.csv"), safe_name("null.csv")
    ('_nul.csv', 'null.csv')
    """
    base_name = name.replace("\\", "/").rsplit("/", 1)[-1]
    plain_name = re.sub(r"[^\w. -]", "_", base_name)[1 - MAX_NAME :].lstrip(". -") or "table"
    is_reserved = _RESERVED_NAME.fullmatch(plain_name.partition(".")[0].rstrip()) is not None
    return f"_{plain_name}" if is_reserved else plain_name
