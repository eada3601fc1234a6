"""Routes of the page."""

import re
from importlib import resources
from pathlib import Path
from urllib.parse import parse_qsl, unquote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from shoal.app import form, views, worker
from shoal.app.gate import COOKIE
from shoal.app.sessions import Run, Session, Sessions, release_name
from shoal.errors import FileError, ParameterError, ShoalError
from shoal.io.dialect import Dialect
from shoal.io.formats import format_of
from shoal.plan import Plan
from shoal.report import styles
from shoal.steps import GroupingStep

MAX_FORM = 1_000_000  # bytes
STATIC = {"app.css": "text/css", "app.js": "text/javascript", "figures.css": "text/css"}
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
)
DIALECT_FIELDS = ("separator", "decimal", "encoding", "missing", "sheet")


class Pages:
    """The handlers, each for the session of its request.

    Parameters
    ----------
    sessions : Sessions
        The open sessions.
    limit : int
        Largest file to accept, in MB.
    """

    def __init__(self, sessions: Sessions, limit: int):
        self._sessions, self._limit = sessions, limit

    def application(self) -> Starlette:
        """Return the application, to be wrapped by `Gate`."""
        get, post = ["GET"], ["POST"]
        return Starlette(
            routes=[
                Route("/", self.show, methods=get),
                Route("/static/{name}", self.static, methods=get),
                Route("/state", self.state, methods=get),
                Route("/runs", self.runs, methods=get),
                Route("/runs/{number:int}/{what}", self.download, methods=get),
                Route("/file", self.upload, methods=post),
                Route("/example", self.example, methods=post),
                Route("/settings", self.settings, methods=post),
                Route("/run", self.run, methods=post),
                Route("/runs/{number:int}/cancel", self.cancel, methods=post),
                Route("/runs/{number:int}/again", self.again, methods=post),
                Route("/{way}", self.simple, methods=post),
            ],
            exception_handlers={HTTPException: _refused},
        )

    async def show(self, request: Request) -> Response:
        """Show the page, with a pending message."""
        session = _session(request)
        if not session.settings and session.columns:
            session.settings = form.first_settings(session.columns)
        text = views.whole_page(session, self._limit)
        session.message = ""
        return HTMLResponse(text)

    async def static(self, request: Request) -> Response:
        """Send a static file."""
        name = request.path_params["name"]
        if name not in STATIC:
            raise HTTPException(404)
        if name == "figures.css":
            text = styles()
        else:
            place = resources.files("shoal.app") / "static" / name
            text = place.read_text(encoding="utf-8")
        return Response(text, media_type=STATIC[name])

    async def state(self, request: Request) -> Response:
        """Return the progress of all work."""
        return JSONResponse(views.state(_session(request)))

    async def runs(self, request: Request) -> Response:
        """Show only the runs."""
        return HTMLResponse(views.runs(_session(request)))

    async def upload(self, request: Request) -> Response:
        """Receive a file as a stream, and start its inspection."""
        session = _session(request)
        try:
            name = safe_name(unquote(request.headers.get("x-file-name", "")))
            format_of(Path(name))
            dialect = _dialect(dict(request.query_params))
            session.forget()
            await self._receive(request, session.place / name)
        except ShoalError as error:
            return JSONResponse({"message": error.message_for(form.page_wording)}, 400)
        except ClientDisconnect:
            session.forget()
            return Response(status_code=400)
        session.inspect(name, dialect)
        return JSONResponse({"message": ""})

    async def _receive(self, request: Request, path: Path) -> None:
        most, length = self._limit * 1_000_000, 0
        too_large = FileError(
            f"The file is larger than {self._limit:,} MB. Use the command line, or start the page"
            " with a larger --limit.",
            code="file-too-large",
            limit=self._limit,
        )
        if int(request.headers.get("content-length") or 0) > most:
            raise too_large
        try:
            with path.open("xb") as file:
                async for chunk in request.stream():
                    length += len(chunk)
                    if length > most:
                        raise too_large
                    file.write(chunk)
        except BaseException as error:
            path.unlink(missing_ok=True)
            if isinstance(error, OSError) and not isinstance(error, ShoalError):
                raise FileError(
                    "The file could not be stored: is the disk full?", code="disk-full"
                ) from None
            raise

    async def example(self, request: Request) -> Response:
        """Load a table that comes with the package."""
        session, name = _session(request), (await _form(request)).get("name", "")
        if name in views.EXAMPLES:
            session.forget()
            session.inspect(f"{name}.csv", Dialect(), name)
        return _back(request)

    async def settings(self, request: Request) -> Response:
        """Store the settings of the form."""
        session = _session(request)
        await _take_settings(request)
        return JSONResponse({"undo": bool(session.past), "redo": bool(session.future)})

    async def run(self, request: Request) -> Response:
        """Store the settings of the form, and start its runs."""
        session = _session(request)
        await _take_settings(request)
        try:
            if not session.columns:
                raise ParameterError("There is no table. Load a file first.", code="no-table")
            plans = form.plans(session.settings, session.columns)
            session.add_runs([_run(plan, session.settings) for plan in plans])
        except ShoalError as error:
            session.message = error.message_for(form.page_wording)
        return _back(request, "#message" if session.message else "#runs")

    async def cancel(self, request: Request) -> Response:
        """Cancel a run."""
        _session(request).cancel(_the_run(request))
        return _back(request, "#runs")

    async def again(self, request: Request) -> Response:
        """Copy the settings of a run to the form."""
        _session(request).change(dict(_the_run(request).settings))
        return _back(request, "#settings")

    async def simple(self, request: Request) -> Response:
        """Undo, redo, stop reading, close the file or end the session."""
        session, way = _session(request), request.path_params["way"]
        ways = {
            "undo": session.undo,
            "redo": session.redo,
            "stop": session.forget,
            "close": session.forget,
        }
        if way == "end":
            self._sessions.close(session)
            answer = PlainTextResponse("The session is over; file and runs are removed.")
            answer.delete_cookie(COOKIE, path=f"/s/{session.id}/")
            return answer
        if way not in ways:
            raise HTTPException(404)
        ways[way]()
        return _back(request, "#settings" if way in ("undo", "redo") else "")

    async def download(self, request: Request) -> Response:
        """Send a file of a run."""
        session, run, what = _session(request), _the_run(request), request.path_params["what"]
        release = release_name(session.name)
        files = {
            "release": (release, release),
            "plan": (worker.PLAN, views.plan_name(run)),
            "report": (worker.PUBLIC, ""),
            "internal": (worker.INTERNAL, ""),
            "report-file": (worker.PUBLIC, f"report-{run.number}.html"),
            "internal-file": (worker.INTERNAL, f"report-{run.number}-internal.html"),
        }
        if run.state != "done" or what not in files:
            raise HTTPException(404)
        name, saved = files[what]
        path = session.place / run.folder / name
        if saved:
            return FileResponse(path, media_type="application/octet-stream", filename=saved)
        return FileResponse(
            path, media_type="text/html", headers={"Content-Security-Policy": REPORT_POLICY}
        )


def safe_name(name: str) -> str:
    r"""Return a file name that is safe on all systems.

    Examples
    --------
    >>> safe_name("../../etc/my survey.csv"), safe_name("C:\\a<b>.csv"), safe_name("-..")
    ('my survey.csv', 'a_b_.csv', 'table')
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return re.sub(r"[^\w. -]", "_", last)[-100:].lstrip(". -") or "table"


def _session(request: Request) -> Session:
    session: Session = request.scope["session"]
    return session


def _the_run(request: Request) -> Run:
    for run in _session(request).runs:
        if run.number == request.path_params["number"]:
            return run
    raise HTTPException(404)


def _run(plan: Plan, settings: dict[str, str]) -> Run:
    effort = settings.get("effort")
    step = plan.steps[0]
    size = step.partitioner.k if isinstance(step, GroupingStep) else step.k
    words = f"{settings.get('method')}{f' + {effort}' if effort else ''}"
    if step.name != "microaggregate":
        words = f"{step.name}, {words}" if isinstance(step, GroupingStep) else step.name
    words += "" if size is None else f", k = {size}"
    kept = {**settings, "k": settings.get("k", "") if size is None else str(size)}
    return Run(plan=plan.to_dict(), settings=kept, words=words)


def _dialect(given: dict[str, str]) -> Dialect:
    chosen = {name: given[name] for name in DIALECT_FIELDS if given.get(name)}
    if chosen.get("separator") in ("tab", "\\t"):
        chosen["separator"] = "\t"
    return Dialect(**chosen)  # type: ignore[arg-type]


async def _take_settings(request: Request) -> None:
    session = _session(request)
    if session.columns:
        session.change(form.known_only(await _form(request), session.columns))


async def _form(request: Request) -> dict[str, str]:
    """Return the fields of a form; refuse a body that is too long."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM:
            raise HTTPException(413)
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def _back(request: Request, part: str = "") -> Response:
    return RedirectResponse(f"/s/{_session(request).id}/{part}", 303)


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 400
    return PlainTextResponse("There is nothing here.", status)
