"""Routes of the page and their handlers."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
)
from starlette.routing import Route

from shoal.app import form, views, worker
from shoal.app.access import COOKIE
from shoal.app.messages import message_of
from shoal.app.requests import (
    as_dialect,
    fields_of,
    header_text,
    is_current,
    is_json,
    redirect_to,
    run_of,
    safe_name,
    session_of,
)
from shoal.app.sessions import Sessions, is_text, new_run, release_name
from shoal.app.uploads import load_hierarchy, reading_question, receive
from shoal.errors import ParameterError, ShoalError
from shoal.io.dialect import Dialect
from shoal.io.formats import format_of

MAX_TITLE = 60  # characters of the name of a run
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
)
OTHER_TAB = (
    "Another tab has changed this session since this page was shown, so nothing was done. Here is"
    " the current state: check it and try again."
)

Handler = Callable[[Request], Awaitable[Response]]


class Pages:
    """The request handlers; each acts on the session of its request.

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
        """Return the application, to be wrapped by `AccessControl`."""
        get: dict[str, Handler] = {
            "/": self.show,
            "/static/{name}": self.static,
            "/state": self.state,
            "/runs": self.runs,
            "/lines": self.lines,
            "/columns/{index:int}": self.column,
            "/runs/{number:int}/{what}": self.download,
        }
        post: dict[str, Handler] = {
            "/file": self.upload,
            "/read": self.read,
            "/example": self.example,
            "/settings": self.settings,
            "/columns/{index:int}/hierarchy": self.hierarchy,
            "/steps": self.add_step,
            "/steps/{index:int}/remove": self.remove_step,
            "/run": self.run,
            "/runs/{number:int}/cancel": self.cancel,
            "/runs/{number:int}/again": self.again,
            "/runs/{number:int}/rename": self.rename,
            "/runs/{number:int}/delete": self.delete,
            "/{action}": self.session_action,
        }
        return Starlette(
            routes=[
                *(Route(path, handler, methods=["GET"]) for path, handler in get.items()),
                *(Route(path, handler, methods=["POST"]) for path, handler in post.items()),
            ],
            exception_handlers={HTTPException: _error_response},
        )

    async def show(self, request: Request) -> Response:
        """Show the page with any pending message."""
        session = session_of(request)
        if not session.settings and session.columns:
            session.settings = form.initial_settings(session.columns)
        text = views.whole_page(session, self._limit)
        session.message = session.notice = ""
        return HTMLResponse(text)

    async def static(self, request: Request) -> Response:
        """Send a static file."""
        static_file = views.static(request.path_params["name"])
        if static_file is None:
            raise HTTPException(404)
        return Response(static_file[0], media_type=static_file[1])

    async def state(self, request: Request) -> Response:
        """Return the progress of the inspection and of all runs."""
        return JSONResponse(views.state(session_of(request)))

    async def runs(self, request: Request) -> Response:
        """Show the part of the page with the runs."""
        return HTMLResponse(views.runs(session_of(request)))

    async def lines(self, request: Request) -> Response:
        """Show the first lines of the stored file, split by the settings in the query."""
        session = session_of(request)
        try:
            dialect = as_dialect(dict(request.query_params))
        except ShoalError as error:
            return HTMLResponse(views.lines(None, reason=message_of(error)))
        if session.file is None or not is_text(session.file):
            raise HTTPException(404)
        return HTMLResponse(views.lines(session.file, dialect))

    async def column(self, request: Request) -> Response:
        """Show the details of a column."""
        session, index = session_of(request), request.path_params["index"]
        if index >= len(session.columns):
            raise HTTPException(404)
        return HTMLResponse(views.column(session, index))

    async def upload(self, request: Request) -> Response:
        """Receive a file as a stream, and start its inspection."""
        session, fields = session_of(request), dict(request.query_params)
        if not is_current(session, fields):
            session.message = OTHER_TAB
            return JSONResponse({"message": "", "reload": True}, 409)
        try:
            name = safe_name(header_text(request.headers.get("x-file-name", "")))
            format_of(Path(name), offered=views.WEB_FORMATS)
            dialect = as_dialect(fields)
            upload_path = session.new_upload()
            await receive(request, upload_path, self._limit)
        except ShoalError as error:
            content = {"message": message_of(error), "revision": session.revision}
            return JSONResponse(content, 400)
        except ClientDisconnect:  # the session is as it was: its page can go on
            return Response(status_code=400)
        if not is_current(session, fields):
            upload_path.unlink(missing_ok=True)
            session.message = OTHER_TAB
            return JSONResponse({"message": "", "reload": True}, 409)
        session.replace_file(upload_path, name)
        session.stated_dialect = fields
        session.notice = reading_question(session.file_folder / name, fields)
        if session.notice:
            session.set_file(name)
        else:
            session.inspect(name, dialect)
        return JSONResponse({"message": ""})

    async def read(self, request: Request) -> Response:
        """Read the stored file again, in the format that the form states."""
        session, fields = session_of(request), await fields_of(request)
        if not is_current(session, fields):
            session.message = OTHER_TAB
            return redirect_to(request)
        session.stated_dialect = fields
        try:
            if session.file is None:
                raise ParameterError("There is no file to read. Load one.", code="no-table")
            session.inspect(session.name, as_dialect(fields))
        except ShoalError as error:
            session.message = message_of(error)
        return redirect_to(request)

    async def example(self, request: Request) -> Response:
        """Load a table that comes with the package."""
        session, fields = session_of(request), await fields_of(request)
        if not is_current(session, fields):
            session.message = OTHER_TAB
        elif fields.get("name") in views.EXAMPLES:
            session.clear()
            session.inspect(f"{fields['name']}.csv", Dialect(), fields["name"])
        return redirect_to(request)

    async def settings(self, request: Request) -> Response:
        """Store the settings of the form, unless another tab has changed them."""
        session = session_of(request)
        if not await _store_settings(request):
            return JSONResponse({"message": OTHER_TAB, "reload": True}, 409)
        return JSONResponse(
            {
                "undo": bool(session.undo_stack),
                "redo": bool(session.redo_stack),
                "revision": session.revision,
            }
        )

    async def hierarchy(self, request: Request) -> Response:
        """Load the levels of a column from a file."""
        session, index = session_of(request), request.path_params["index"]
        if index >= len(session.columns):
            raise HTTPException(404)
        try:
            key = await load_hierarchy(request, session, index)
        except ShoalError as error:
            return JSONResponse({"message": message_of(error)}, 400)
        loaded = session.hierarchies[key]
        return JSONResponse({"key": key, "description": views.describe_levels(loaded)})

    async def add_step(self, request: Request) -> Response:
        """Add the step of the form to the earlier steps."""
        session = session_of(request)
        if not await _store_settings(request):
            session.message = OTHER_TAB
            return redirect_to(request)
        try:
            session.change(form.with_earlier_step(session.settings, session.columns))
        except ShoalError as error:
            session.message = message_of(error)
        return redirect_to(request, "#message" if session.message else "#masking")

    async def remove_step(self, request: Request) -> Response:
        """Remove one of the earlier steps."""
        session, index = session_of(request), request.path_params["index"]
        await _change_if_current(
            request, lambda: session.change(form.without_earlier_step(session.settings, index))
        )
        return redirect_to(request, "#message" if session.message else "#masking")

    async def run(self, request: Request) -> Response:
        """Store the settings of the form, and queue a run for each of its plans."""
        session = session_of(request)
        if not await _store_settings(request):
            if is_json(request):
                return JSONResponse({"message": OTHER_TAB, "reload": True}, 409)
            session.message = OTHER_TAB
            return redirect_to(request)
        try:
            if not session.columns:
                raise ParameterError("There is no table. Load a file first.", code="no-table")
            plans = form.build_plans(session.settings, session.columns, session.hierarchies)
            session.add_runs([new_run(plan, session.settings) for plan in plans])
        except ShoalError as error:
            session.message = message_of(error)
        return redirect_to(request, "#message" if session.message else "#runs")

    async def cancel(self, request: Request) -> Response:
        """Cancel a run."""
        session_of(request).cancel(run_of(request))
        return redirect_to(request, "#runs")

    async def again(self, request: Request) -> Response:
        """Copy the settings of a run to the form."""
        session, run = session_of(request), run_of(request)
        await _change_if_current(request, lambda: session.change(dict(run.settings)))
        return redirect_to(request, "#message" if session.message else "#settings")

    async def rename(self, request: Request) -> Response:
        """Rename a run; an empty name restores its description."""
        name = (await fields_of(request)).get("name", "")
        run_of(request).name = " ".join(name.split())[:MAX_TITLE]
        return redirect_to(request, "#runs")

    async def delete(self, request: Request) -> Response:
        """Delete a run and its files."""
        session_of(request).delete(run_of(request))
        return redirect_to(request, "#runs")

    async def session_action(self, request: Request) -> Response:
        """Undo, redo, stop reading, close the file or end the session."""
        session, action = session_of(request), request.path_params["action"]
        if action in ("undo", "redo"):
            await _change_if_current(request, session.undo if action == "undo" else session.redo)
            return redirect_to(request, "#message" if session.message else "#settings")
        if action == "end":
            self._sessions.close(session)
            text, policy = views.ended_page()
            response = HTMLResponse(text, headers={"Content-Security-Policy": policy})
            response.delete_cookie(COOKIE, path=f"/s/{session.id}/")
            return response
        if action not in ("stop", "close"):
            raise HTTPException(404)
        session.clear()
        if action == "close":
            session.notice = "The file is closed. It and its runs are removed from this machine."
        return redirect_to(request)

    async def download(self, request: Request) -> Response:
        """Send a file of a run."""
        session, run, document = session_of(request), run_of(request), request.path_params["what"]
        names = {"release": release_name(session.name), **worker.file_names(run.number)}
        is_shown = document in ("report", "internal")
        file_kind = document.removesuffix("-file")
        if run.state != "done" or file_kind not in names:
            raise HTTPException(404)
        path = session.file_folder / run.folder / names[file_kind]
        if is_shown:
            return FileResponse(
                path, media_type="text/html", headers={"Content-Security-Policy": REPORT_POLICY}
            )
        return FileResponse(path, media_type="application/octet-stream", filename=names[file_kind])


async def _store_settings(request: Request) -> bool:
    """Store the settings of the form; return False if another tab has changed them."""
    session, fields = session_of(request), await fields_of(request)
    if not is_current(session, fields):
        return False
    if session.columns:
        # Details of columns that were not opened are not part of the form.
        known_settings = form.select_known(fields, session.columns)
        session.change({**session.settings, **known_settings})
    return True


async def _change_if_current(request: Request, change: Callable[[], None]) -> None:
    """Change the session, unless another tab has changed it since the form was shown."""
    session = session_of(request)
    if is_current(session, await fields_of(request)):
        change()
    else:
        session.message = OTHER_TAB


async def _error_response(request: Request, error: Exception) -> Response:
    del request
    status = error.status_code if isinstance(error, HTTPException) else 400
    return PlainTextResponse("There is nothing here.", status)
