"""Which requests are answered, and what remains when the server ends."""

import signal
import socket
import sys
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from app_process import running_app, wait_for
from shoal.cli import app

SECRET = "Ermengarde"  # a value of the data that must not be printed


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with running_app(tmp_path_factory.mktemp("page"), "--limit", "1") as started:
        yield started


@pytest.fixture
def inside(page):
    """Return address and cookie of a session, which ends with the test."""
    session_path, cookie = page.enter()
    yield session_path, cookie
    page.leave(session_path, cookie)


def query(link):
    return f"/?{urlsplit(link).query}"


def test_a_token_opens_one_session_only(page):
    link = page.link()
    answer = page.ask(query(link))
    assert answer.status == 303
    cookie = answer.getheader("Set-Cookie")
    session_path = answer.getheader("Location")
    assert f"Path={session_path}" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    again = page.ask(query(link))
    assert (again.status, again.getheader("Set-Cookie")) == (403, None)
    wait_for(lambda: page.link() != link)
    assert page.ask(query(page.link())).status == 303
    page.leave(session_path, cookie.split(";")[0])


@pytest.mark.parametrize(
    "path", ["/", "/?token=", "/?token=wrong", "/?token=%00%ff", "/s/", "/s/a/b"]
)
def test_a_wrong_token_gets_nothing(page, path):
    answer = page.ask(path)
    assert answer.status == 403
    assert answer.getheader("Set-Cookie") is None
    assert b"<" not in answer.content


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "[::1]", "", None])
def test_a_wrong_host_gets_nothing_and_spends_no_token(page, host):
    port, before = page.host.split(":")[1], len(page.links)
    named = f"{host}:{port}" if host in ("evil.example", "[::1]") else host
    answer = page.ask(query(page.link()), Host=named)
    assert answer.status in (400, 403)
    assert answer.getheader("Set-Cookie") is None
    assert b"Shoal" not in answer.content
    assert len(page.links) == before  # a link that is used is followed by another one


def test_localhost_leads_to_the_address_itself_and_spends_no_token(page):
    port, before = page.host.split(":")[1], len(page.links)
    answer = page.ask(query(page.link()), Host=f"localhost:{port}")
    assert (answer.status, answer.getheader("Location")) == (307, page.link())
    assert answer.getheader("Set-Cookie") is None
    assert len(page.links) == before
    hostile = page.ask("//evil.example/%0d%0aX:1", Host=f"localhost:{port}")
    assert hostile.getheader("Location").startswith(f"http://{page.host}//evil.example/")
    refused = page.ask("/", "POST", b"", Host=f"localhost:{port}")
    assert refused.status == 403


def test_a_session_opens_only_with_its_own_cookie(page):
    mine, my_cookie = page.enter()
    yours, your_cookie = page.enter()
    assert page.ask(mine, Cookie=my_cookie).status == 200
    for cookie in (your_cookie, "shoal=", "shoal=x; shoal", None):
        answer = page.ask(mine, Cookie=cookie)
        assert answer.status == 403
        assert b"<" not in answer.content
    assert page.ask(yours, Cookie=your_cookie).status == 200
    page.leave(mine, my_cookie)
    page.leave(yours, your_cookie)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_requests_from_other_origins_are_refused(page, inside, headers):
    session_path, cookie = inside
    answer = page.ask(f"{session_path}example", "POST", b"name=sme", Cookie=cookie, **headers)
    assert answer.status == 403
    assert b"Load a table" in page.ask(session_path, Cookie=cookie).content


def test_pages_of_other_local_servers_cannot_read_anything(page, inside):
    session_path, cookie = inside
    assert page.ask(session_path, Cookie=cookie, Sec_Fetch_Site="same-site").status == 403


def test_every_response_has_security_headers(page, inside):
    session_path, cookie = inside
    for path in (
        session_path,
        f"{session_path}static/app.js",
        f"{session_path}state",
        f"{session_path}nothing",
        "/",
    ):
        answer = page.ask(path, Cookie=cookie)
        policy = answer.getheader("Content-Security-Policy")
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.getheader("X-Content-Type-Options") == "nosniff"
        assert answer.getheader("Cache-Control") == "no-store"
        assert answer.getheader("X-Frame-Options") == "DENY"
        assert answer.getheader("Server") is None


@pytest.mark.parametrize(
    "path", ["static/..%2f__init__.py", "static/%2e%2e/server.py", "runs/1/release", "runs/-1/plan"]
)
def test_paths_to_other_files_are_refused(page, inside, path):
    session_path, cookie = inside
    assert page.ask(f"{session_path}{path}", Cookie=cookie).status == 404


def test_the_server_listens_on_the_loopback_only(page):
    port = int(page.host.split(":")[1])
    with socket.socket() as caller, pytest.raises(ConnectionRefusedError):
        caller.connect(("127.0.0.2", port))


def test_a_file_that_is_too_large_is_refused_before_and_during_the_upload(page, inside):
    session_path, cookie = inside
    header = {"Cookie": cookie, "X_File_Name": "a.csv"}
    actual = page.ask(f"{session_path}file", "POST", b"", **header, Content_Length=str(10**9))
    assert actual.status == 400
    assert b"larger than 1 MB" in actual.content
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (1_100_000, bytes(1_100_000))
    while_it_comes = page.ask(
        f"{session_path}file",
        "POST",
        body,
        **header,
        Transfer_Encoding="chunked",
        Content_Length=None,
    )
    assert b"larger than 1 MB" in while_it_comes.content
    assert not [path for folder in page.folders for path in folder.rglob("a.csv")]


@pytest.mark.parametrize("name", ["a.exe", "", "..", "a.sqlite", "a.csv%00.png", "sqlite%3A//a"])
def test_a_file_of_no_known_format_is_refused_by_its_name(page, inside, name):
    session_path, cookie = inside
    actual = page.ask(f"{session_path}file", "POST", b"a\n1\n", Cookie=cookie, X_File_Name=name)
    assert actual.status == 400
    assert b"names no format" in actual.content
    assert b".csv" in actual.content
    assert b".fwf" not in actual.content  # the page does not offer it


def test_ending_a_session_removes_its_files(page, inside):
    session_path, cookie = inside
    header = {"Cookie": cookie, "X_File_Name": "..%2F..%2Fmine.csv"}
    assert page.ask(f"{session_path}file", "POST", b"a\n1\n", **header).status == 200
    (folder,) = page.folders
    assert [path.name for path in folder.rglob("mine.csv")] == ["mine.csv"]
    assert folder.stat().st_mode & 0o077 == 0
    page.ask(f"{session_path}end", "POST", b"", Cookie=cookie)
    wait_for(lambda: not list(folder.rglob("mine.csv")))
    assert page.ask(session_path, Cookie=cookie).status == 403


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_server_leaves_no_files_and_logs_no_data(tmp_path, number):
    with running_app(tmp_path) as page:
        session_path, cookie = page.enter()
        rows = "".join(f"{SECRET},{i},{i * 7 % 11}\n" for i in range(20))
        header = {"Cookie": cookie, "X_File_Name": f"{SECRET}.csv"}
        page.ask(f"{session_path}file", "POST", f"{SECRET}_name,x,y\n{rows}".encode(), **header)
        assert page.folders
        said = page.end(number)
    assert page.process.returncode == 0
    assert page.folders == []
    assert SECRET not in said
    assert said.count("http://") == len(said.splitlines()) == 2


# Few open files, and less patience with idle connections than usual.
LIMITED = (
    "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (56, 56));"
    "from shoal.app.connections import BoundedConnection; BoundedConnection.header_timeout = 3.0;"
    "sys.argv[0] = 'shoal'; runpy.run_module('shoal', run_name='__main__')"
)


def test_with_few_open_files_idle_connections_do_not_deny_service(tmp_path):
    with running_app(tmp_path, start=("-c", LIMITED)) as page:
        port = int(page.host.split(":")[1])
        idle = []
        for _ in range(80):
            idle.append(socket.create_connection(("127.0.0.1", port)))
            idle[-1].sendall(b"GET / HTTP/1.1\r\nHost: ")
        session_path, cookie = page.enter()
        header = {"Cookie": cookie, "X_File_Name": "a.csv"}
        assert page.ask(f"{session_path}file", "POST", b"a\n1\n", **header).status == 200
        wait_for(lambda: b'id="settings"' in page.ask(session_path, Cookie=cookie).content)
        for one in idle:
            one.close()
        said = page.end()
    assert "Traceback" not in said
    assert said.count("http://") == len(said.splitlines()) == 2


def test_without_the_extra_the_command_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = CliRunner().invoke(app, ["app", "--no-browser"])
    assert result.exit_code == 1
    assert 'pip install "shoal[app]"' in result.output


def test_a_port_in_use_is_reported():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        result = CliRunner().invoke(app, ["app", "--no-browser", "--port", port])
    assert result.exit_code == 1
    assert f"Port {port} cannot be used" in result.output
