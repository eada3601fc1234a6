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
    output = "".join(started.lines)
    assert "Traceback" not in output
    assert "error" not in output


@pytest.fixture
def visit(browser, server):
    """Return a function that opens a session in a browser of its own and notes what happens."""
    opened = []

    def open_session(**context_options):
        context = browser.new_context(**context_options)
        view = context.new_page()
        view.set_default_timeout(1000 * PATIENCE)
        view.requested_urls, view.messages = [], []
        context.on("request", lambda request: view.requested_urls.append(request.url))
        view.on("console", lambda message: view.messages.append(message.text))
        view.on("pageerror", lambda error: view.messages.append(str(error)))
        view.on("dialog", lambda dialog: (view.messages.append(dialog.message), dialog.dismiss()))
        link = server.link()
        view.goto(link)
        wait_for(lambda: server.link() != link)
        cookies = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in context.cookies())
        opened.append((context, view, urlsplit(view.url).path, cookies))
        return view

    yield open_session
    for context, view, session_path, cookies in opened:
        context.close()
        server.leave(session_path, cookies)  # whatever page the test has left in view
        assert [
            url for url in view.requested_urls if not url.startswith(f"http://{server.host}/")
        ] == []
        assert view.messages == []
    wait_for(lambda: not [session for folder in server.folders for session in folder.iterdir()])
