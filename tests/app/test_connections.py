"""Connections that begin a request and do not end it are closed, and others are not."""

import asyncio
import resource
import socket
import threading

import pytest
import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse

from app_process import PATIENCE, wait_for
from shoal.app import connections

WHOLE = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.fixture
def served(monkeypatch):
    """Return a function that connects to a server with short time limits; note what it received."""
    received = []

    async def app(scope, receive, send):
        if scope["type"] != "http":
            return
        request = Request(scope, connections.with_body_timeout(receive, 0.1))
        try:
            received.append(await request.body())
        except ClientDisconnect:
            received.append("disconnected")
            return
        if scope["path"] == "/slow":
            await asyncio.sleep(0.6)
        await PlainTextResponse("answer")(scope, receive, send)

    class Hasty(connections.BoundedConnection):
        header_timeout = 0.2
        max_connections = 3

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, http=Hasty, log_config=None, ws="none"))
    monkeypatch.setattr(server, "capture_signals", lambda: threading.Lock())
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    wait_for(lambda: server.started)
    opened = []

    def connect(data):
        opened.append(socket.create_connection(listener.getsockname()))
        opened[-1].sendall(data)
        opened[-1].settimeout(PATIENCE)
        return opened[-1]

    connect.received, connect.protocol = received, Hasty
    yield connect
    for one in opened:
        one.close()
    server.should_exit = True
    thread.join()
    listener.close()


@pytest.mark.parametrize("start", [b"", b"GET / HTTP/1.1\r\nHos", WHOLE[:-2]])
def test_the_head_of_a_request_must_come_in_time(served, start):
    assert served(start).recv(100) == b""  # closed


def test_a_second_request_must_come_in_time_too(served):
    caller = served(WHOLE)
    while b"answer" not in caller.recv(1000):
        pass
    caller.sendall(WHOLE[:-2])
    assert caller.recv(100) == b""


def test_a_body_that_does_not_go_on_ends_the_request(served):
    caller = served(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
    caller.recv(1000)
    wait_for(lambda: served.received)
    assert served.received == ["disconnected"]


def test_an_answer_may_take_longer_than_a_request(served):
    caller = served(WHOLE.replace(b"/ H", b"/slow H"))
    answer = b""
    while b"answer" not in answer:
        answer += caller.recv(1000)
    assert served.received == [b""]


def test_the_connection_idle_longest_is_closed_first(served):
    served.protocol.header_timeout = 60
    busy = served(WHOLE.replace(b"/ H", b"/slow H"))
    wait_for(lambda: served.received)
    others = [served(b"") for _ in range(3)]
    assert others[0].recv(100) == b""
    others[2].sendall(WHOLE)
    assert b"200" in others[2].recv(1000)
    assert b"200" in busy.recv(1000)


def test_few_open_files_allow_few_connections(monkeypatch):
    limits = {}
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: limits.update(now=pair))
    for (soft, hard), now, allowed in (
        ((64, 64), None, 13),
        ((64, 4096), (1024, 4096), 128),
        ((20, 20), None, 4),
        ((1 << 16, resource.RLIM_INFINITY), None, 128),
    ):
        limits.clear()
        monkeypatch.setattr(resource, "getrlimit", lambda kind, pair=(soft, hard): pair)
        assert connections.allowed_connections() == allowed
        assert limits.get("now") == now
