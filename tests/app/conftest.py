"""A server that all tests of the page share, and a browser for each module."""

from urllib.parse import urlsplit

import pytest

from app_process import PATIENCE, running_app, wait_for
from browser import chromium


@pytest.fixture(scope="module")  # two drivers of browsers cannot run in one thread
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with running_app(tmp_path_factory.mktemp("page")) as started:
        yield started
    said = "".join(started.lines)
    assert "Traceback" not in said
    assert "error" not in said


@pytest.fixture
def visit(browser, server):
    """Return a function that opens a session in a browser of its own and notes what happens."""
    opened = []

    def open_session(**look):
        context = browser.new_context(**look)
        view = context.new_page()
        view.set_default_timeout(1000 * PATIENCE)
        view.asked, view.said = [], []
        context.on("request", lambda request: view.asked.append(request.url))
        view.on("console", lambda message: view.said.append(message.text))
        view.on("pageerror", lambda error: view.said.append(str(error)))
        view.on("dialog", lambda dialog: (view.said.append(dialog.message), dialog.dismiss()))
        used = server.link()
        view.goto(used)
        wait_for(lambda: server.link() != used)
        cookies = "; ".join(f"{one['name']}={one['value']}" for one in context.cookies())
        opened.append((context, view, urlsplit(view.url).path, cookies))
        return view

    yield open_session
    for context, view, place, cookies in opened:
        context.close()
        server.leave(place, cookies)  # whatever page the test has left in view
        assert [url for url in view.asked if not url.startswith(f"http://{server.host}/")] == []
        assert view.said == []
    wait_for(lambda: not [session for folder in server.folders for session in folder.iterdir()])
